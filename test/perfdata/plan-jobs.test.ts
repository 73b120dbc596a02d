/**
 * The jobs of several decoders cover the whole trace, each part once, and are of similar size.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PerfTime } from '../../src/model/trace/perf-time.js';
import { comparePerfTimes } from '../../src/model/trace/perf-time.js';
import { type DecodeJob, planJobs } from '../../src/perfdata/plan-jobs.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { anyRecording, anyRecordingOfThreads, anyTime, recordingWith } from '../helpers/perf/recordings.js';

const anyDecoders = fc.integer({ min: 1, max: 20 });
const WHOLE = { cpus: null, from: null, to: null };

function decodes({ cpus, from, to }: DecodeJob, cpu: number, time: PerfTime): boolean {
  if (cpus !== null && !cpus.includes(cpu)) return false;
  return (!from || comparePerfTimes(time, from) >= 0) && (!to || comparePerfTimes(time, to) <= 0);
}

const sumOf = (parts: readonly { readonly auxBytes?: number; readonly sizeBytes?: number }[]) =>
  parts.reduce((sum, { auxBytes = 0, sizeBytes = 0 }) => sum + auxBytes + sizeBytes, 0);
const alike = (cpus: number, pieces: number) =>
  new Map(Array.from({ length: cpus }, (_, cpu) => [cpu, Array(pieces).fill({ stepNs: 5, sizeBytes: 100 })]));

test.each([
  ['of CPUs', anyRecording],
  ['of threads', anyRecordingOfThreads],
])('assigns every nanosecond of every buffer to one job: %s', (_, recordings) => {
  const isDecodedOnce = (recording: Recording, decoders: number, time: PerfTime) => {
    const jobs = planJobs(recording, { decoders, leastBytes: 1 });
    for (const { cpu } of recording.buffers)
      expect(
        jobs.filter((job) => decodes(job, cpu, time)),
        JSON.stringify(jobs),
      ).toHaveLength(1);
    expect(sumOf(jobs)).toBe(sumOf(recording.buffers));
  };
  fc.assert(fc.property(recordings, anyDecoders, anyTime, isDecodedOnce));
});

test('plans few jobs, the largest first, none much above its share', () => {
  const isBalanced = (recording: Recording, decoders: number) => {
    const jobs = planJobs(recording, { decoders, leastBytes: 1 });
    const sizes = jobs.map(({ auxBytes }) => auxBytes);
    const [largestRecord = 0] = recording.auxRecords.map(({ sizeBytes }) => sizeBytes).sort((a, b) => b - a);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(jobs.length).toBeLessThanOrEqual(2 * decoders + 12);
    // records one nanosecond apart are not separated
    const shares = Math.min(decoders, sumOf(jobs)); // one byte is the minimum for a decoder
    if (jobs.length > 1) expect(sizes[0]).toBeLessThanOrEqual((1.5 * sumOf(jobs)) / shares + 2 * largestRecord);
  };
  fc.assert(fc.property(anyRecording, anyDecoders, isBalanced));
});

test('handles a CPU without trace next to one that is divided in time', () => {
  const jobs = planJobs(recordingWith(new Map([...alike(1, 20), [1002, [{ stepNs: 1, sizeBytes: 0 }]]])), {
    decoders: 4,
    leastBytes: 1,
  });
  expect(sumOf(jobs)).toBe(20 * 100);
  expect(jobs.filter(({ cpus }) => cpus?.includes(1002))).toHaveLength(1);
});

test.each([
  [10, 9],
  [17, 16],
  [3, 2],
  [1, 7],
  [64, 63],
])('divides %d equal CPUs among %d decoders', (cpus, decoders) => {
  const jobs = planJobs(recordingWith(alike(cpus, 40)), { decoders, leastBytes: 1 });
  expect(jobs[0]?.auxBytes).toBeLessThanOrEqual((1.5 * sumOf(jobs)) / decoders);
});

describe('plans a single job', () => {
  test.each([
    ['without times', { hasTime: false }],
    ['for a snapshot', { isSnapshot: true }],
  ])('%s', (_, trace) => {
    const recording = recordingWith(alike(4, 9), trace);
    expect(planJobs(recording, { decoders: 4, leastBytes: 1 })).toMatchObject([WHOLE]);
  });

  test('without a trace', () => {
    expect(planJobs(recordingWith(new Map()), { decoders: 4, leastBytes: 1 })).toMatchObject([WHOLE]);
    expect(planJobs({ ...recordingWith(alike(4, 9)), trace: null }, { decoders: 4 })).toMatchObject([WHOLE]);
  });

  test('for buffers of threads next to those of CPUs', () => {
    const recording = recordingWith(new Map([...alike(4, 9), [-1, [{ stepNs: 3, sizeBytes: 900 }]]]));
    expect(planJobs(recording, { decoders: 4, leastBytes: 1 })).toMatchObject([WHOLE]);
  });

  test('for little trace', () => {
    expect(planJobs(recordingWith(alike(4, 9)), { decoders: 4 })).toMatchObject([WHOLE]);
  });
});

test('divides nothing in time without AUX records', () => {
  const recording = { ...recordingWith(alike(2, 50)), auxRecords: [] };
  const jobs = planJobs(recording, { decoders: 8, leastBytes: 1 });
  expect(jobs).toMatchObject([
    { cpus: [0], from: null, to: null },
    { cpus: [1], from: null, to: null },
  ]);
});
