/**
 * Describes intervals of threads: what each consisted of, with the functions that ran in each piece.
 */
import type { Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import { type CriticalPath, criticalPathOf, PieceKind } from '../../waits/critical-path.js';
import { clockText, originOf } from '../common.js';
import type { TraceWaits } from './ask-waits.js';
import { KeyedIntervals } from './keyed-intervals.js';
import { placesOf } from './places.js';
import type { PathPiece, SlowWait } from './schema.js';
import { reasonOf } from './summarize-waits.js';
import type { WaitFacts } from './wait-facts.js';
import { addressText, knownName, waitPlace, waitThread } from './wait-names.js';

/** An interval of a thread. */
interface ThreadInterval {
  readonly tid: Tid;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

export interface SlowInterval extends ThreadInterval {
  /** The row of the wait; null: it is a call. */
  readonly wait: number | null;
}

export async function describeSlowest(
  traceWaits: TraceWaits,
  facts: WaitFacts,
  intervals: readonly SlowInterval[],
): Promise<SlowWait[]> {
  const { trace, waits, threads, symbols } = traceWaits;
  const paths = intervals.map(({ tid, fromNs, toNs }) => criticalPathOf(waits, tid, fromNs, toNs));
  const functions = await functionsOf(traceWaits, paths);
  return intervals.map(({ wait, tid, fromNs, toNs }, at) => {
    const address = wait === null ? null : facts.addressOf(wait);
    return {
      kind: wait === null ? 'call' : 'wait',
      thread: waitThread(threads.of(tid)),
      start: clockText({ originNs: originOf(trace) }, fromNs),
      durationNs: toNs - fromNs,
      reason: wait === null ? null : reasonOf(facts, wait),
      isReasonInferred: wait !== null && facts.isInferred(wait),
      address: address === null ? null : addressText(address),
      place: wait === null ? null : waitPlace(symbols, facts.placeOf(wait)),
      path: pathPieces(traceWaits, facts, paths[at], functions[at], fromNs),
    };
  });
}

type FunctionTimes = PathPiece['functions'];

/** By path and piece: what ran, most time first; nothing where calls are not known. Calls of system libraries are their callers'. */
async function functionsOf(
  { calls, threads, symbols }: TraceWaits,
  paths: readonly CriticalPath[],
): Promise<FunctionTimes[][]> {
  const functions = paths.map(({ length }): FunctionTimes[] => Array.from({ length }, () => []));
  const pieces = piecesThatRan(paths, (tid) => calls !== null && threads.of(tid).isRecorded);
  if (calls === null || pieces.length === 0) return functions;
  const asked = new KeyedIntervals();
  for (const [key, { tid, fromNs, toNs }] of pieces.entries()) asked.add(tid, fromNs, toNs, key);
  const answers = await calls.askable.ask(asked.questions());
  const places = placesOf(answers.paths, symbols);
  const times = pieces.map(() => new Map<SymbolId, Nanoseconds>());
  for (const { treesOver } of answers.threads.values())
    treesOver?.key.forEach((key, row) => {
      const symbol = places.symbol[treesOver.node[row]];
      times[key].set(symbol, (times[key].get(symbol) ?? 0) + treesOver.ns[row]);
    });
  pieces.forEach(({ path, piece }, key) => {
    const ordered = [...times[key]].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    functions[path][piece] = ordered.map(([symbol, ns]) => ({
      ...(knownName(symbols, symbol) ?? { name: '[unknown]', dso: null }),
      ns,
    }));
  });
  return functions;
}

interface Piece extends ThreadInterval {
  /** Which path, and which piece of it. */
  readonly path: number;
  readonly piece: number;
}

function piecesThatRan(paths: readonly CriticalPath[], isTraced: (tid: Tid) => boolean): Piece[] {
  return paths.flatMap(({ length, kind, tid, fromNs, toNs }, path) =>
    Array.from({ length }, (_, piece) => piece)
      .filter((piece) => kind[piece] === PieceKind.Running && isTraced(tid[piece]))
      .map((piece) => ({ path, piece, tid: tid[piece], fromNs: fromNs[piece], toNs: toNs[piece] })),
  );
}

function pathPieces(
  { waits, threads, symbols }: TraceWaits,
  facts: WaitFacts,
  path: CriticalPath,
  functions: readonly FunctionTimes[],
  fromNs: Nanoseconds,
): PathPiece[] {
  return Array.from({ length: path.length }, (_, piece) => {
    const wait = path.wait[piece];
    const kind = path.kind[piece] as PieceKind;
    const hasWaker = kind === PieceKind.NotTraced || kind === PieceKind.MaybeThread;
    return {
      kind: PIECE_KINDS[kind],
      fromNs: path.fromNs[piece] - fromNs,
      durationNs: path.toNs[piece] - path.fromNs[piece],
      thread: waitThread(threads.of(path.tid[piece])),
      depth: path.depth[piece],
      functions: functions[piece],
      reason: wait < 0 ? null : reasonOf(facts, wait),
      isReasonInferred: wait >= 0 && facts.isInferred(wait),
      place: wait < 0 ? null : waitPlace(symbols, facts.placeOf(wait)),
      waker: hasWaker ? waitThread(threads.of(waits.waker[wait])) : null,
      isCandidate: kind === PieceKind.MaybeThread,
    };
  });
}

const PIECE_KINDS: Readonly<Record<PieceKind, PathPiece['kind']>> = {
  [PieceKind.Running]: 'running',
  [PieceKind.Preempted]: 'preempted',
  [PieceKind.WakeUp]: 'wake-up',
  [PieceKind.Interrupt]: 'interrupt',
  [PieceKind.NotTraced]: 'not-traced',
  [PieceKind.MaybeThread]: 'maybe-thread',
  [PieceKind.NotSeen]: 'not-seen',
  [PieceKind.Unknown]: 'unknown',
};
