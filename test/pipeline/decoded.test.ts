/**
 * An error that several decoders print is one of them's.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planJobs } from '../../src/index.js';
import { ErrorOwners } from '../../src/pipeline/decoded.js';
import { anyRecording, anyRecordingOfThreads, anyTime } from '../helpers/recordings.js';

const UNKNOWN = -1;

test('whatever its processor and time, an error has one owner', () => {
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
