/**
 * Formats progress as one line that fits: the least important parts are dropped first, the remaining time never.
 */
import { formatBytes, formatCount } from '../../src/render/format.js';

export interface Stage {
  /** "reading". */
  readonly name: string;
  /** Bytes or threads. */
  readonly done: number;
  /** null: unknown, as for a pipe. */
  readonly total: number | null;
  /** How much of the work that is, from 0 to 1. Default: `done` of `total`. */
  readonly share?: number | undefined;
  readonly unit: 'bytes' | 'threads';
  /** Lines of text read; 0 for other inputs. */
  readonly lines: number;
  /** Since this stage began. */
  readonly elapsedMs: number;
}

const MAX_BAR_WIDTH = 40;
const MIN_BAR_WIDTH = 8;
const GAP = '  ';

/** "reading  ████░░░░  42 %  1.2 GB of 2.9 GB  350.0 MB/s  5 s left". */
export function progressLine(stage: Stage, width: number): string {
  const { name, done, total, elapsedMs } = stage;
  const seconds = elapsedMs / 1000;
  const share = total === null || total === 0 ? null : (stage.share ?? Math.min(done / total, 1));
  const hasEstimate = share !== null && share > 0;
  const end = hasEstimate ? `${clock((seconds * (1 - share)) / share)} left` : clock(seconds);
  const head = share === null ? [name] : [name, `${Math.floor(100 * share)} %`.padStart(5)];
  const optional = [amount(stage), ...rates(stage, seconds)];
  const space = () => width - [...head, ...optional, end].join(GAP).length - GAP.length;
  const minSpace = share === null ? -GAP.length : MIN_BAR_WIDTH;
  while (optional.length > 0 && space() < minSpace) optional.pop();
  const bar = share !== null && space() >= MIN_BAR_WIDTH ? [progressBar(share, Math.min(space(), MAX_BAR_WIDTH))] : [];
  return [name, ...bar, ...head.slice(1), ...optional, end].join(GAP).slice(0, width);
}

function amount({ done, total, unit }: Stage): string {
  const text = unit === 'bytes' ? formatBytes : formatCount;
  return `${text(done)}${total === null ? '' : ` of ${text(total)}`}${unit === 'threads' ? (total === 1 ? ' thread' : ' threads') : ''}`;
}

/** Most important first. */
function rates({ done, lines, unit }: Stage, seconds: number): string[] {
  if (unit !== 'bytes' || seconds === 0) return [];
  const perSecond = lines === 0 ? [] : [`${formatCount(Math.round(lines / seconds))} lines/s`];
  return [`${formatBytes(Math.round(done / seconds))}/s`, ...perSecond];
}

function progressBar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** "12 s", "2 min 05 s", "3 h 07 min". */
export function clock(seconds: number): string {
  const rounded = Math.ceil(seconds);
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes} min ${String(rounded % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
