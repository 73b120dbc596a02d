/**
 * Describes wakings: who woke whom, and when.
 */
import type { BlockerKind, WaitPiece, WaitPieceKind, WaitThread } from '../../../model/profile/waits-by-path.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../../model/units.js';
import { formatDuration, formatMany } from '../../../render/format.js';
import { classOf } from '../../../render/frames/colours.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import { visibleText } from '../../../render/visible-text.js';
import type { WaitNames, WaitsOfFunction } from '../waits.js';
import type { Role, StripArrows, Waking } from '../waking-index.js';
import { momentText } from './time.js';

/** "woken by teller 2", "wakes customer 1". `role`: of the thread in whose chart this is. */
export function wakingLabel(waking: Waking, role: Role): string {
  const maybe = maybeText(waking);
  return role === 'waiter'
    ? `${maybe}woken by ${nameOfThread(waking.waker)}`
    : `${maybe}wakes ${nameOfThread(waking.waiter)}`;
}

/** "teller 2", "maybe teller 2": where there is no space for more. */
export function shortLabel(waking: Waking, role: Role): string {
  return `${maybeText(waking)}${nameOfThread(otherThread(waking, role))}`;
}

function maybeText({ isMaybe }: Waking): string {
  return isMaybe ? 'maybe ' : '';
}

/** Returns the other thread of a waking. */
export function otherThread({ waiter, waker }: Waking, role: Role): WaitThread {
  return role === 'waiter' ? waker : waiter;
}

/** "woken by teller 2 at 5.2 ms, after 3 ms, 4.5 µs before it ran". */
export function wakingText(waking: Waking, role: Role, scaleNs: Nanoseconds): string {
  const waited = formatDuration(waking.runNs - waking.startNs);
  const latency = formatDuration(waking.runNs - waking.wakeNs);
  const at = momentText(waking.wakeNs, 1, scaleNs);
  return `${wakingLabel(waking, role)} at ${at}: a wait of ${waited}, ${latency} of it waking up`;
}

/** Returns what the tooltip of a wait says of its end. */
export function wakerDetail(waking: Waking) {
  const note = `${formatDuration(waking.runNs - waking.wakeNs)} before it ran`;
  return { label: waking.isMaybe ? 'maybe woken by' : 'woken by', value: nameOfThread(waking.waker), note };
}

/** Returns the tooltip of an arrow between strips. */
export function wakingDetails(waking: Waking, scaleNs: Nanoseconds): FrameDetails {
  const { waiter, waker, startNs, wakeNs, runNs, isMaybe } = waking;
  const row = (label: string, value: string) => ({ label, value, note: '' });
  return {
    title: `${nameOfThread(waker)} ${isMaybe ? 'may have woken' : 'woke'} ${nameOfThread(waiter)}`,
    rows: [
      row('at', momentText(wakeNs, 1, scaleNs)),
      row('waited', formatDuration(runNs - startNs)),
      row('waking up', formatDuration(runNs - wakeNs)),
      { label: '', value: '', note: 'click: stack chart of the wait' },
    ],
  };
}

/** Says how many arrows there are between strips, and what they lack. */
export function arrowsText({ arrows, count, most }: StripArrows, leftOut: number): string {
  const isDrawn = arrows.length === count && count > 0;
  const tooMany = `, too many for arrows (at most ${most}): choose a shorter range or fewer threads`;
  const drawn = isDrawn ? ' as arrows' : count > 0 ? tooMany : '';
  return `${formatMany(count, 'waking')}${drawn}${leftOut > 0 ? ` · ${leftOutText(leftOut)}` : ''}`;
}

/** Says what is not in the file, and the remedy. */
export function leftOutText(leftOut: number): string {
  return `${formatMany(leftOut, 'waking')} of shorter waits not in this file: --time-detail 16M`;
}

type BlockerName = Pick<WaitsOfFunction['blockers'][number], 'kind' | 'tid' | 'symbol'>;

/**
 * Describes waits: whom for, why, and what their pieces were.
 *
 * "teller 9019: transfer"; what was not traced is in brackets.
 */
export function blockerText({ threads, functions }: WaitNames, { kind, tid, symbol }: BlockerName): string {
  const where = symbol === NONE ? '' : `: ${functions[symbol]}`;
  const name = OTHER_BLOCKERS[kind] ?? threadText(threads, tid);
  return `${kind === 'maybe' ? 'maybe ' : ''}${name}${where}`;
}

const OTHER_BLOCKERS: Partial<Record<BlockerKind, string>> = {
  interrupt: '[interrupt] a timer or a device',
  'not seen': '[not seen]',
  open: '[still waiting]',
  preempted: '[another on its CPU]',
  others: 'others',
};

/** "mutex, held". */
export function reasonText({ kind, reason }: { readonly kind: BlockerKind; readonly reason: string }): string {
  if (kind === 'preempted') return kind;
  return kind === 'holder' ? `${reason || 'lock'}, held` : reason;
}

export function threadText(threads: readonly WaitThread[], tid: Tid): string {
  return nameOfThread(threads.find((each) => each.tid === tid) ?? { tid, comm: null, isTraced: true });
}

export function nameOfThread({ tid, comm, isTraced }: WaitThread): string {
  const name = comm === null ? `thread ${tid}` : `${visibleText(comm)} ${tid}`;
  return isTraced ? name : `[${name}]`;
}

/** "5 waits · 29.3 ms · 4.5 µs of it waking up". */
export function waitsText({ waits, ns, wakeUpNs }: Pick<WaitsOfFunction, 'waits' | 'ns' | 'wakeUpNs'>): string {
  return `${formatMany(waits, 'wait')} · ${formatDuration(ns)} · ${formatDuration(wakeUpNs)} of it waking up`;
}

/** "worker1 9170: crunch", "worker1 9170: waking up". */
export function pieceText({ threads, functions }: WaitNames, { kind, tid, symbol }: WaitPiece): string {
  if (kind === 'others') return 'shorter pieces';
  const doing = kind === 'running' ? functions[symbol] : PIECES[kind];
  return [threadText(threads, tid), ...(doing === undefined ? [] : [doing])].join(': ');
}

const PIECES: Partial<Record<WaitPieceKind, string>> = {
  preempted: 'preempted',
  'wake-up': 'waking up',
  interrupt: 'waiting for a timer or device',
  'not traced': 'not traced',
  maybe: 'maybe for it',
  'not seen': 'waiting, waker not seen',
  unknown: 'unknown',
};

/** Returns the colour of a piece, as a CSS class of frames. */
export function pieceClass(
  functions: readonly string[],
  { kind, symbol }: { readonly kind: WaitPieceKind; readonly symbol: SymbolId },
): string {
  return kind === 'running' ? classOf('user', functions[symbol] ?? '') : PIECE_CLASSES[kind];
}

const PIECE_CLASSES: Record<Exclude<WaitPieceKind, 'running'>, string> = {
  preempted: 'preempted',
  'wake-up': 'preempted',
  interrupt: 'off-cpu',
  'not traced': 'untraced',
  maybe: 'untraced',
  'not seen': 'lost',
  unknown: 'lost',
  others: 'group',
};
