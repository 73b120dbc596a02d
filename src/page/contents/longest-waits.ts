/**
 * Finds what the longest wait of each call path consisted of: the pieces of its critical path.
 */
import type { WaitPieceKind } from '../../model/profile/waits-by-path.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { TraceWaits } from '../../questions/waits/ask-waits.js';
import { criticalPathOf } from '../../waits/critical-path.js';
import { type CriticalPath, PieceKind } from '../../waits/path-builder.js';
import type { Waits } from '../../waits/waits.js';

/** Shorter pieces are summed up with their neighbours. */
const MAX_PIECES = 40;

export interface TimedPiece {
  readonly kind: WaitPieceKind;
  /** NONE: several short pieces. */
  readonly tid: Tid;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

/** Returns the pieces by time; each begins where the one before ends. */
export function piecesOf({ waits, shown }: Pick<TraceWaits, 'waits' | 'shown'>, wait: number): TimedPiece[] {
  const path = criticalPathOf(waits, waits.tid[wait], shown.outNs[wait], shown.inNs[wait]);
  const isListed = longestOf(path);
  const pieces: TimedPiece[] = [];
  for (let row = 0; row < path.length; row++) {
    const piece = pieceAt(waits, path, row);
    const last = pieces.at(-1);
    if (isListed[row]) pieces.push(piece);
    else if (last?.kind === 'others') pieces[pieces.length - 1] = { ...last, toNs: piece.toNs };
    else pieces.push({ ...piece, kind: 'others', tid: NONE });
  }
  return pieces;
}

function pieceAt({ waker }: Waits, { fromNs, toNs, kind, tid, wait }: CriticalPath, row: number): TimedPiece {
  const isWaker = kind[row] === PieceKind.NotTraced || kind[row] === PieceKind.MaybeThread;
  return {
    kind: KINDS[kind[row]],
    tid: isWaker ? waker[wait[row]] : tid[row],
    fromNs: fromNs[row],
    toNs: toNs[row],
  };
}

const KINDS: readonly WaitPieceKind[] = Object.assign([], {
  [PieceKind.Running]: 'running',
  [PieceKind.Preempted]: 'preempted',
  [PieceKind.WakeUp]: 'wake-up',
  [PieceKind.Interrupt]: 'interrupt',
  [PieceKind.NotTraced]: 'not traced',
  [PieceKind.MaybeThread]: 'maybe',
  [PieceKind.NotSeen]: 'not seen',
  [PieceKind.Unknown]: 'unknown',
});

/** Returns 1 for each of the longest pieces; of equal ones, the first. */
function longestOf({ length, fromNs, toNs }: CriticalPath): Uint8Array {
  const isLong = new Uint8Array(length);
  const rows = Array.from(isLong.keys());
  rows.sort((a, b) => toNs[b] - fromNs[b] - (toNs[a] - fromNs[a]) || a - b);
  for (const row of rows.slice(0, MAX_PIECES)) isLong[row] = 1;
  return isLong;
}
