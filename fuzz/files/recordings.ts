/**
 * Fuzzes recordings: each is read or rejected, what is read is consistent, and a salvaged copy is undamaged.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PtflameError } from '../../src/model/errors.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { neededFiles } from '../../src/perfdata/pack/needed-files.js';
import { planJobs } from '../../src/perfdata/plan-jobs.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { salvageRecording } from '../../src/perfdata/salvage.js';
import type { Kind } from '../kind.js';
import { Random } from '../random.js';
import { mutated } from './mutate.js';
import { randomRecording } from './random-recording.js';

/** Tests run the sources, not what is built from them. */
const ROOT = import.meta.url.includes('/dist/fuzz/') ? '../../../' : '../../';
/** A recording of samples. */
const SAMPLES = gunzipSync(readFileSync(new URL(`${ROOT}fixtures/waits/values.data.gz`, import.meta.url)));
const NEVER = new AbortController().signal;
const NO_ROOT = '/var/empty'; // a case must not depend on the machine's files

/** `directory`: for the files. */
export function recordings(seed: number, directory: string): Kind {
  return {
    isText: false,
    sizeOf: () => 1,
    make(number) {
      const random = new Random(seed, number);
      const steps: string[] = [];
      const whole = random.oneIn(4) ? SAMPLES : randomRecording(random);
      return { number, bytes: mutated(whole, random, steps), steps };
    },
    async check({ bytes }) {
      const [path, copy] = [join(directory, 'perf.data'), join(directory, 'salvaged.data')];
      await writeFile(path, bytes);
      const recording = await nullIfRejected(openRecording(path));
      if (recording !== null) await checkRecording(recording, bytes.length);
      const salvaged = await nullIfRejected(salvageRecording(path, copy, NEVER));
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
    assert(fileOffset + sizeBytes <= fileBytes, 'a buffer of the trace ends after the end of the file');
  }
  for (const { cpu, tid, sizeBytes } of auxRecords) {
    expectCounts({ sizeBytes });
    expectIds({ cpu, tid });
  }
  expectCounts({ lostRecords });
  checkSamples(recording);
  if (bounds !== null) assert(bounds.start.seconds <= bounds.end.seconds, 'the recording ends before it begins');
  for (const decoders of [1, 2, 8]) checkPlan(recording, decoders);
  await neededFiles(recording, NO_ROOT);
}

function checkSamples({ samples }: Recording): void {
  const { unreadable, damaged, tables } = samples;
  expectCounts({ unreadable, damaged });
  for (const { length, timeNs, tid, cpu, fields } of tables) {
    assert(
      fields.every(({ numbers, texts }) => (numbers ?? texts).length === length),
      'a field lacks rows',
    );
    for (let row = 0; row < length; row++) {
      expectIds({ tid: tid[row] as number, cpu: cpu[row] as number });
      assert(row === 0 || (timeNs[row] as number) >= (timeNs[row - 1] as number), 'samples are not in order');
    }
  }
}

function checkPlan(recording: Recording, decoders: number): void {
  const jobs = planJobs(recording, { decoders, leastBytes: 1 });
  assert(jobs.length > 0, 'no job decodes it');
  for (const { auxBytes, cpus } of jobs) {
    expectCounts({ auxBytes });
    assert(cpus === null || cpus.length > 0, 'a job without a CPU');
  }
}

/** perf will read the copy: it must be undamaged and contain what was kept. */
async function checkSalvaged(copy: string, keptBytes: number): Promise<void> {
  assert((await readFile(copy)).length >= keptBytes, 'the copy lacks what was kept');
  const recording = await nullIfRejected(openRecording(copy));
  if (recording !== null)
    assert(!recording.damage.some((what) => /breaks off|cut/.test(what)), `the copy is damaged: ${recording.damage}`);
}

async function nullIfRejected<Value>(value: Promise<Value>): Promise<Value | null> {
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

/** NONE, or an id that the kernel could have assigned. */
function expectIds(ids: Readonly<Record<string, number>>): void {
  for (const [name, id] of Object.entries(ids))
    assert(Number.isInteger(id) && id >= -1 && id < 2 ** 31, `${name} is ${id}`);
}
