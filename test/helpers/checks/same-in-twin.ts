/**
 * Replays a thread fast and in the slow twin, and compares.
 */
import { expect } from 'vitest';
import type { Bounds } from '../../../src/model/units.js';
import { replayThread } from '../../../src/replay/replayer.js';
import type { TailCalls } from '../../../src/replay/stack/frame.js';
import type { ReplayOptions } from '../../../src/replay/thread-replay.js';
import type { LoadedThread } from '../../../src/trace/load-thread.js';
import type { TraceThreads } from '../traces/threads-of.js';
import { rowsOfTrees } from '../twin/asked-answers.js';
import { used } from '../twin/path-rows.js';
import { referenceReplay } from '../twin/reference-replay.js';

export function expectSameInTwin(
  { facts, symbols }: TraceThreads,
  { events, createdInside }: LoadedThread,
  tailCalls: TailCalls,
  extendTo: Bounds | null,
): void {
  const options: ReplayOptions = { tailCalls, extendTo, createdInside, knownPaths: null };
  const { startNs, endNs, inferred, lost, tree } = replayThread(events, facts, options);
  const nameOf = (symbol: number) => symbols.name[symbol]; // joins paths of two files whose names are equal
  const { rows, thread: _, ...reference } = referenceReplay(events, facts, symbols, options);
  expect({ startNs, endNs, inferred, lost }, `thread ${events.tid}`).toEqual(reference);
  expect(used(rowsOfTrees([tree], nameOf)), `thread ${events.tid}`).toEqual(used(rows));
}
