/**
 * What a worker that shares no memory is told with each thread.
 */
import { expect, test } from 'vitest';
import { levelWithSlices } from '../../src/analysis/timeline/resolution.js';
import { TextSource } from '../../src/pipeline/read/text-source.js';
import { TraceBuilder } from '../../src/pipeline/read/trace-builder.js';
import { replayThread } from '../../src/pipeline/replay/replay-thread.js';
import type { ReplayedThread } from '../../src/pipeline/replay/trace-replayer.js';
import { prepareReplay } from '../../src/pipeline/replay-trace.js';
import { WORK_SIZES } from '../../src/pipeline/workers/resources.js';
import { newSetup } from '../../src/pipeline/workers/setup.js';
import { WorkerPool } from '../../src/pipeline/workers/worker-pool.js';
import { Moved } from '../../src/pipeline/workers/workers.js';
import { fixture, inputOf } from '../helpers/traces/load.js';

test('a thread is as coarse over time as others had become when it was sent', async () => {
  const builder = new TraceBuilder({}, { memoryBytes: 2 ** 30, directory: null }, new WorkerPool(1));
  await new TextSource(inputOf(fixture('demo/threads.perf.txt.gz'))).read(builder);
  const { trace, setup } = prepareReplay(builder.freeze(null), { timelineBytes: 2 ** 22 }, {});
  const { siteFacts, symbolRank, edge, events, probes, systemCalls, questions, ...terms } = setup;
  const facts = newSetup('facts', { siteFacts, symbolRank, edge, events, probes, systemCalls });
  const levels = async (sums: number, spans: number) => {
    const timeline = questions.timeline && { ...questions.timeline, reached: Int32Array.of(sums, spans) };
    const common = { ...terms, terms: 0, facts, knownPaths: null, questions: { ...questions, timeline } };
    const own = { source: trace.store.threadSource(trace.store.tids[0] as number), chunks: null, spaces: null };
    const limit = { memoryBytes: 2 ** 30, ...WORK_SIZES };
    const result = await replayThread({ ...common, ...own, limit, asked: null, maxLogBytes: 0 });
    const replayed: ReplayedThread = result instanceof Moved ? result.data : result;
    return [replayed.timeline?.sumsLevel, replayed.timeline?.firstSpanStep];
  };
  const coarser = levelWithSlices(64);
  expect(await levels(0, 0)).toEqual([0, 0]);
  expect(await levels(coarser, 9)).toEqual([coarser, 9]);
});
