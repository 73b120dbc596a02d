/**
 * How far the work is → one line that fits: what matters least is left out first, the time that is left never.
 */
import { formatBytes, formatCount } from '../../src/text.js';

export interface Stage {
  /** "reading". */
  readonly name: string;
  /** Bytes or threads. */
  readonly done: number;
  /** null: nobody knows, as of a pipe. */
  readonly total: number | null;
  readonly unit: 'bytes' | 'threads';
  /** Of text; 0 where there is none. */
  readonly lines: number;
  /** Since this stage began. */
  readonly elapsedMs: number;
}

const WIDEST_BAR = 40;
const NARROWEST_BAR = 8;
const GAP = '  ';

/** "reading  ████░░░░  42 %  1.2 GB of 2.9 GB  350.0 MB/s  5 s left". */
export function progressLine(stage: Stage, width: number): string {
  const { name, done, total, elapsedMs } = stage;
  const seconds = elapsedMs / 1000;
  const share = total === null || total === 0 ? null : Math.min(done / total, 1);
  const isKnown = share !== null && share > 0;
  const end = isKnown ? `${clock((seconds * (1 - share)) / share)} left` : clock(seconds);
  const head = share === null ? [name] : [name, `${Math.floor(100 * share)} %`.padStart(5)];
  const optional = [amount(stage), ...rates(stage, seconds)];
  const room = () => width - [...head, ...optional, end].join(GAP).length - GAP.length;
  const leastRoom = share === null ? -GAP.length : NARROWEST_BAR;
  while (optional.length > 0 && room() < leastRoom) optional.pop();
  const bar = share !== null && room() >= NARROWEST_BAR ? [barOf(share, Math.min(room(), WIDEST_BAR))] : [];
  return [name, ...bar, ...head.slice(1), ...optional, end].join(GAP).slice(0, width);
}

function amount({ done, total, unit }: Stage): string {
  const text = unit === 'bytes' ? formatBytes : formatCount;
  return `${text(done)}${total === null ? '' : ` of ${text(total)}`}${unit === 'threads' ? ' threads' : ''}`;
}

/** Most important first. */
function rates({ done, lines, unit }: Stage, seconds: number): string[] {
  if (unit !== 'bytes' || seconds === 0) return [];
  const perSecond = lines === 0 ? [] : [`${formatCount(Math.round(lines / seconds))} lines/s`];
  return [`${formatBytes(Math.round(done / seconds))}/s`, ...perSecond];
}

function barOf(share: number, width: number): string {
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** "12 s", "2 min 05 s", "3 h 07 min". */
export function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
