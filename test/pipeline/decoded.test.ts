/**
 * Errors that several decoders print, and records of a recording.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planJobs } from '../../src/perfdata/plan-jobs.js';
import type { RecordedEvent } from '../../src/perfdata/recording.js';
import { ErrorOwners, sidebandChunk } from '../../src/pipeline/read/recording-source.js';
import { anyRecording, anyRecordingOfThreads, anyTime } from '../helpers/perf/recordings.js';

const UNKNOWN = -1;

test('assigns every error to exactly one decoder, whatever its CPU and time', () => {
  const recordings = fc.oneof(anyRecording, anyRecordingOfThreads);
  const anyCpu = fc.integer({ min: UNKNOWN, max: 220 });
  const hasOneOwner = fc.property(recordings, fc.integer({ min: 1, max: 20 }), anyCpu, anyTime, (...drawn) => {
    const [recording, decoders, cpu, time] = drawn;
    const jobs = planJobs(recording, { decoders, leastBytes: 1 });
    const owners = new ErrorOwners(jobs);
    for (const each of [cpu, recording.buffers[0]?.cpu ?? cpu])
      expect(jobs.filter((job) => owners.owns(job, each, time))).toHaveLength(1);
  });
  fc.assert(hasOneOwner);
});

test('reports impossible records of a recording as damage and keeps the others', () => {
  const place = { tid: 7, pid: 7, cpu: 0, time: { seconds: 5, ns: 9 } };
  const events: RecordedEvent[] = [
    { ...place, record: { what: 'exit', pid: 7, tid: 7 } },
    { ...place, record: { what: 'exit', pid: 7, tid: -2 } },
    { ...place, cpu: -2, record: { what: 'switch', direction: 'in' } },
    { ...place, time: { seconds: 18_446_744_073, ns: 1 }, record: { what: 'switch', direction: 'in' } },
    { ...place, time: { seconds: 0, ns: 0 }, record: { what: 'comm', exec: false, name: 'a', pid: 7, tid: 7 } },
  ];
  const { chunk, damaged } = sidebandChunk(events, ({ seconds, ns }) => (seconds - 5) * 1e9 + ns);
  expect(chunk.records).toEqual([{ what: 'exit', tid: 7, pid: 7, cpu: 0, timeNs: 9 }]);
  expect(chunk.names).toHaveLength(1);
  expect(damaged.map(({ record, what }) => `${record} ${what}`)).toEqual(['2 exit', '3 switch', '4 switch']);
});
