/**
 * What a worker receives of a thread is what was sent.
 */
import { expect, test } from 'vitest';
import type { TraceRecord } from '../../src/model/trace/trace-chunk.js';
import { receivedSource, sentSource } from '../../src/pipeline/replay/sent-source.js';
import type { ThreadSource } from '../../src/store/thread-source.js';

test('records of all kinds keep their order and their contents', () => {
  const at = { tid: 7, cpu: -1, timeNs: 12.5 };
  const records: TraceRecord[] = [
    { what: 'fork', pid: 7, parentPid: 1, ...at },
    { what: 'switch', direction: 'in', ...at, cpu: 3, timeNs: Number.NEGATIVE_INFINITY },
    { what: 'gap', code: 5, message: 'lost', ip: Number.NaN, pid: -1, ...at },
    { what: 'switch', direction: 'preempted', ...at, cpu: 70_000 },
    { what: 'switch', direction: 'out', ...at },
    { what: 'exit', pid: 7, ...at, timeNs: 2 ** 52 },
  ];
  const source: ThreadSource = {
    ...{ tid: 7, events: 0, lanes: [], packed: null, records, unownedGaps: [], recordingStartNs: 0 },
  };
  expect(receivedSource(structuredClone(sentSource(source)))).toEqual(source);
});
