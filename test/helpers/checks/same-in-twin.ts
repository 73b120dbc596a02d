/**
 * Replays a thread fast and in the slow twin, and compares.
 */
import { expect } from 'vitest';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { DOUBT_NAMES, eachDoubt } from '../../../src/model/calls/doubts.js';
import { replayThread } from '../../../src/replay/replayer.js';
import type { ReplayOptions } from '../../../src/replay/thread-replay.js';
import type { LoadedThread } from '../../../src/trace/load-thread.js';
import type { TraceThreads } from '../traces/threads-of.js';
import { rowsOfTrees } from '../twin/asked-answers.js';
import { used } from '../twin/path-rows.js';
import { symbolKey } from '../twin/reference-events.js';
import { referenceReplay } from '../twin/reference-replay.js';

export function expectSameInTwin(
  { facts, symbols }: TraceThreads,
  { events, createdInside }: LoadedThread,
  how: Pick<ReplayOptions, 'tailCalls' | 'fibers' | 'extendTo'>,
): void {
  const options: ReplayOptions = { ...how, createdInside, knownPaths: null };
  const { startNs, endNs, inferred, lost, tree, resumptions } = replayThread(events, facts, options);
  const nameOf = (symbol: number) => symbols.name[symbol] as string; // joins paths of two files whose names are equal
  const { rows, doubts, resumptions: seen, thread: _, ...reference } = referenceReplay(events, facts, symbols, options);
  const thread = `thread ${events.tid}`;
  expect({ startNs, endNs, inferred, lost }, thread).toEqual(reference);
  expect(used(rowsOfTrees([tree], nameOf)), thread).toEqual(used(rows));
  expect(doubtsOf(tree, nameOf), thread).toEqual(sorted(doubts));
  const { stack = [], by = [], times = [] } = resumptions ?? {};
  const resumed = times.flatMap((count, row) =>
    Array<string>(count).fill(`${symbolKey(symbols, stack[row])} by ${symbolKey(symbols, by[row])}`),
  );
  expect(resumed.sort(), thread).toEqual([...seen].sort());
}

/** By path and doubt: inferred time. */
function doubtsOf(tree: CallTree, nameOf: (symbol: number) => string): [string, number][] {
  const paths = [''];
  for (let node = 1; node < tree.length; node++)
    paths.push([paths[tree.parent[node]], nameOf(tree.symbol[node])].filter(Boolean).join('\n'));
  const times = new Map<string, number>();
  eachDoubt(tree, (node, doubt, ns) => {
    const key = `${paths[node]} ${DOUBT_NAMES[doubt - 1]}`;
    times.set(key, (times.get(key) ?? 0) + ns);
  });
  return sorted(times);
}

const sorted = (times: ReadonlyMap<string, number>) => [...times].sort(([a], [b]) => (a < b ? -1 : 1));
