/**
 * Recordings: read or refused; what is told of one fits together, and a salvaged one is whole.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PtflameError } from '../../src/index.js';
import { neededFiles, openRecording, planJobs, type Recording, salvageRecording } from '../../src/recordings.js';
import type { Kind } from '../kind.js';
import { Random } from '../random.js';
import { mutated } from './mutate.js';
import { randomRecording } from './random-recording.js';

const NEVER = new AbortController().signal;
const NO_ROOT = '/var/empty'; // what the machine has is no part of a case

/** `directory`: for the files. */
export function recordings(seed: number, directory: string): Kind {
  return {
    isText: false,
    sizeOf: () => 1,
    make(number) {
      const random = new Random(seed, number);
      const story: string[] = [];
      return { number, bytes: mutated(randomRecording(random), random, story), story };
    },
    async check({ bytes }) {
      const [path, copy] = [join(directory, 'perf.data'), join(directory, 'salvaged.data')];
      await writeFile(path, bytes);
      const recording = await unlessRefused(openRecording(path));
      if (recording !== null) await checkRecording(recording, bytes.length);
      const salvaged = await unlessRefused(salvageRecording(path, copy, NEVER));
      if (salvaged !== null) await checkSalvaged(copy, salvaged.keptBytes);
      return { parserMs: 0 };
    },
  };
}

async function checkRecording(recording: Recording, fileBytes: number): Promise<void> {
  const { sizeBytes, buffers, auxRecords, bounds, lostRecords } = recording;
  assert.equal(sizeBytes, fileBytes);
  for (const { cpu, tid, sizeBytes, fileOffset } of buffers) {
    expectCounts({ sizeBytes, fileOffset });
    expectIds({ cpu, tid });
    assert(fileOffset + sizeBytes <= fileBytes, 'a piece of trace ends behind the file');
  }
  for (const { cpu, tid, sizeBytes } of auxRecords) {
    expectCounts({ sizeBytes });
    expectIds({ cpu, tid });
  }
  expectCounts({ lostRecords });
  if (bounds !== null) assert(bounds.start.seconds <= bounds.end.seconds, 'it ends before it begins');
  for (const decoders of [1, 2, 8]) checkPlan(recording, decoders);
  await neededFiles(recording, NO_ROOT);
}

function checkPlan(recording: Recording, decoders: number): void {
  const jobs = planJobs(recording, { decoders, leastBytes: 1 });
  assert(jobs.length > 0, 'nobody decodes it');
  for (const { auxBytes, cpus } of jobs) {
    expectCounts({ auxBytes });
    assert(cpus === null || cpus.length > 0, 'a job of no processor');
  }
}

/** perf is to read it: what it holds is whole, and is what was kept. */
async function checkSalvaged(copy: string, keptBytes: number): Promise<void> {
  assert((await readFile(copy)).length >= keptBytes, 'the copy lacks what was kept');
  const recording = await unlessRefused(openRecording(copy));
  if (recording !== null)
    assert(!recording.damage.some((what) => /breaks off|cut/.test(what)), `the copy is damaged: ${recording.damage}`);
}

async function unlessRefused<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof PtflameError) return null;
    throw error;
  }
}

function expectCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    assert(Number.isSafeInteger(count) && count >= 0, `${name} is ${count}`);
}

/** NONE, or what the kernel could have given out. */
function expectIds(ids: Readonly<Record<string, number>>): void {
  for (const [name, id] of Object.entries(ids))
    assert(Number.isInteger(id) && id >= -1 && id < 2 ** 31, `${name} is ${id}`);
}
