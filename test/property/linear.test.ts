/**
 * Work grows linearly with the input. These traces once took minutes, because a step was repeated that once would do.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pprofBytes, renderPprof } from '../../src/export/pprof.js';
import { analyze, type Profile, renderFolded, traceStream } from '../../src/index.js';

import { Interner } from '../../src/parser/intern.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import { diffFoldedBytes, renderDiffFolded } from '../../src/render/diff/folded.js';
import { foldedBytes, maxFoldedBytes } from '../../src/render/folded.js';
import { MergedLanes } from '../../src/trace/lanes/merge-lanes.js';
import { GapsAmong, UnownedGaps } from '../../src/trace/records/gap-records.js';
import { ThreadNames } from '../../src/trace/records/thread-names.js';
import { analyzeText, inputOf } from '../helpers/traces/load.js';
import { threadEvents } from '../helpers/traces/thread-events.js';
import { TraceWriter, times } from '../helpers/traces/trace-writer.js';

/** Far more than each test takes; each once took a minute or more. */
const TIMEOUT = { timeout: 20_000 };
const COUNT = 60_000;
const CALL = 'call 401000 main+0x0 => 402000 work+0x0';

test('merges the lanes of a thread on many CPUs', TIMEOUT, () => {
  const timeAt = (row: number) => (row % 2 === 0 ? row / 2 : COUNT + (row - 1) / 2) * 1e6;
  const events = threadEvents(
    1,
    new Uint32Array(2 * COUNT),
    Float64Array.from({ length: 2 * COUNT }, (_, row) => timeAt(row)),
  );
  const lanes = Array.from({ length: COUNT }, (_, cpu) => ({ cpu, events, start: 2 * cpu, length: 2 }));
  const merged: number[] = [];
  for (const { timeNs, timeAt, length } of new MergedLanes(lanes, { edge: new Uint8Array(1) }).from())
    merged.push(...timeNs.subarray(timeAt, timeAt + length));
  expect(merged).toEqual(Array.from({ length: 2 * COUNT }, (_, ms) => ms * 1e6));
});

test('names threads that were each created by the one before', TIMEOUT, () => {
  const names = new ThreadNames();
  const unknown = { timeNs: 0, pid: null, comm: null, parent: null };
  names.add({ ...unknown, tid: 0, comm: 'first' });
  for (let tid = 1; tid < COUNT; tid++) names.add({ ...unknown, tid, parent: tid - 1 });
  for (let tid = COUNT - 1; tid >= 0; tid--) expect(names.commOf(tid)).toBe('first');
  names.add({ ...unknown, tid: 1, comm: 'second' });
  expect(names.commOf(COUNT - 1)).toBe('second');
});

test('assigns errors without a thread to many threads', TIMEOUT, () => {
  const unowned = new UnownedGaps();
  const gap = { what: 'gap', tid: -1, cpu: 0, code: 7, message: 'Overflow packet', ip: Number.NaN, pid: -1 } as const;
  for (let at = 0; at < COUNT; at++) unowned.add({ ...gap, timeNs: 2 * at + 1 });
  for (let at = 0; at < COUNT; at++) {
    const timeNs = Float64Array.of(2 * at, 2 * COUNT);
    const among = new GapsAmong(unowned.on([0]));
    among.add({ cpu: 0, place: null, site: new Uint32Array(2), siteAt: 0, timeNs, timeAt: 0, length: 2 });
    expect(among.found).toEqual([{ ...gap, timeNs: 2 * at + 1 }]);
  }
});

test('interns many names at one address', TIMEOUT, () => {
  const interner = new Interner();
  const locations = () => Array.from({ length: COUNT }, (_, n) => interner.location(0x401000, n, Number.NaN));
  const first = locations();
  expect(new Set(first).size).toBe(COUNT);
  expect(locations()).toEqual(first);
});

test('replays stops after which a thread resumes at ever new addresses without a name', TIMEOUT, async () => {
  const location = (n: number, offset: number) => `${(0x1000 * n + offset).toString(16)} [unknown]`;
  const lines = Array.from({ length: COUNT / 4 }, (_, n) => [
    `call ${location(n, 5)} => ${location(n + 1, 0)}`,
    `tr end  syscall ${location(n + 1, 2)} => 0 [unknown]`,
    `tr strt 0 [unknown] => ${location(n + 1, 0x400)}`,
    `return ${location(n + 1, 0x402)} => ${location(n, 9)}`,
  ]).flat();
  const text = lines.map((line, row) => `7/7 [000] 1.${String(10 * row).padStart(9, '0')}: ${line}\n`).join('');
  const { quality } = await analyzeText(text);
  expect(quality.events).toBe(COUNT);
});

describe('gzip in gzip', () => {
  const packed = (layers: number): Buffer =>
    layers === 0 ? Buffer.from(`7 [000] 1.000000001: ${CALL}\n`) : gzipSync(packed(layers - 1));
  const read = (layers: number) => analyze([traceStream('many', inputOf(packed(layers)).bytes)], { jobs: 1 });

  test('is read if compressed twice', async () => expect((await read(2)).quality.events).toBe(1));

  test.each([3, 300])('is rejected if compressed %i times', async (layers) => {
    await expect(read(layers)).rejects.toMatchObject({
      code: 'INPUT_KIND',
      message: expect.stringContaining('more than 2 times'),
    });
  });
});

describe('predicts the size of files with full paths', () => {
  const DEPTH = 300;

  async function deepProfile(): Promise<Profile> {
    const writer = new TraceWriter();
    times(DEPTH, (n) => writer.call(n, n + 1));
    times(DEPTH, (n) => writer.return(DEPTH - n, DEPTH - 1 - n));
    return analyzeText(writer.text);
  }

  function expectNear(predicted: number, bytes: number): void {
    expect(Math.abs(predicted / bytes - 1)).toBeLessThan(0.05);
  }

  test('of folded stacks', async () => {
    const profile = await deepProfile();
    const bytes = Buffer.byteLength([...renderFolded(profile)].join(''));
    for (const predicted of [foldedBytes(profile), maxFoldedBytes(profile)]) expectNear(predicted, bytes);
    expect(foldedBytes(profile, { minNs: 1e9 })).toBe(0);
  });

  test('of comparisons', async () => {
    const profile = await deepProfile();
    const comparison = compareProfiles(profile, profile);
    expectNear(diffFoldedBytes(comparison), Buffer.byteLength([...renderDiffFolded(comparison)].join('')));
  });

  test('for pprof, before compression', async () => {
    const profile = await deepProfile();
    const chunks: Uint8Array[] = [];
    for await (const chunk of renderPprof(profile)) chunks.push(chunk);
    const { length } = gunzipSync(Buffer.concat(chunks));
    expect(pprofBytes(profile)).toBeLessThan(length);
    expect(pprofBytes(profile)).toBeGreaterThan(length / 2); // samples have some twenty bytes more
  });
});
