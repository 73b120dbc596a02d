/**
 * Finds what intervals of threads consisted of, with the functions that ran in each piece.
 */
import type { ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import { criticalPathOf } from '../../waits/critical-path.js';
import { type CriticalPath, PieceKind } from '../../waits/path-builder.js';
import type { TraceWaits } from './ask-waits.js';
import { placesOf } from './places.js';

/** An interval of a thread. */
export interface ThreadInterval {
  readonly tid: Tid;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

export interface DescribedPath extends ThreadInterval {
  readonly path: CriticalPath;
  /** By piece: what ran, most time first; nothing where calls are not known. */
  readonly functions: readonly (readonly FunctionTime[])[];
}

/** Time of a function, and of what it called in system libraries; NONE: no function is known. */
export interface FunctionTime {
  readonly symbol: SymbolId;
  readonly ns: Nanoseconds;
}

export async function describePaths(
  { waits, calls, threads }: TraceWaits,
  intervals: readonly ThreadInterval[],
): Promise<DescribedPath[]> {
  const paths = intervals.map(({ tid, fromNs, toNs }) => criticalPathOf(waits, tid, fromNs, toNs));
  const pieces = piecesThatRan(paths, (tid) => calls !== null && threads.of(tid).isRecorded);
  const functions = paths.map(({ length }): FunctionTime[][] => Array.from({ length }, () => []));
  if (calls !== null && pieces.length > 0) {
    const answers = await calls.askable.ask(questionsAbout(pieces));
    const places = placesOf(answers.paths, calls.symbols);
    const times = pieces.map(() => new Map<SymbolId, Nanoseconds>());
    for (const { treesOver } of answers.threads.values())
      treesOver?.key.forEach((key, row) => {
        const symbol = places.symbol[treesOver.node[row]];
        times[key].set(symbol, (times[key].get(symbol) ?? 0) + treesOver.ns[row]);
      });
    pieces.forEach(({ path, piece }, key) => {
      functions[path][piece] = [...times[key]]
        .map(([symbol, ns]) => ({ symbol, ns }))
        .sort((a, b) => b.ns - a.ns || a.symbol - b.symbol);
    });
  }
  return intervals.map((interval, at) => ({ ...interval, path: paths[at], functions: functions[at] }));
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

/** The key of an interval is the number of its piece. */
function questionsAbout(pieces: readonly Piece[]): Map<Tid, ThreadQuestions> {
  const byThread = new Map<Tid, number[]>();
  pieces.forEach(({ tid }, key) => {
    const keys = byThread.get(tid);
    if (keys) keys.push(key);
    else byThread.set(tid, [key]);
  });
  return new Map(
    [...byThread].map(([tid, keys]) => {
      const treesOver = {
        key: Int32Array.from(keys),
        fromNs: Float64Array.from(keys, (key) => pieces[key].fromNs),
        toNs: Float64Array.from(keys, (key) => pieces[key].toNs),
      };
      return [tid, { nodesAt: null, treesOver, spans: null, spanTrees: null }];
    }),
  );
}
