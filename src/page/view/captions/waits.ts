/**
 * Describes waits: whom for, why, and what their pieces were.
 */
import type { BlockerKind, WaitPiece, WaitPieceKind, WaitThread } from '../../../model/profile/waits-by-path.js';
import { NONE, type SymbolId, type Tid } from '../../../model/units.js';
import { formatDuration, formatMany } from '../../../render/format.js';
import { classOf } from '../../../render/frames/families.js';
import { visibleText } from '../../../render/visible-text.js';
import type { WaitNames, WaitsOfFunction } from '../waits.js';

type BlockerName = Pick<WaitsOfFunction['blockers'][number], 'kind' | 'tid' | 'symbol'>;

/** "teller 9019: transfer"; what was not traced is in brackets. */
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
