/**
 * Levels files: what was written is read, and no damage goes unnoticed.
 */
import { openSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IndexedThread, Origin } from '../../src/levels/format.js';
import { readLevels } from '../../src/levels/read.js';
import { LevelsWriter } from '../../src/levels/write.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levels-'));
});
afterAll(() => rm(directory, { recursive: true }));

const list = (...bytes: number[]) => ({
  calls: bytes.map(() => 1),
  firstNs: bytes.map((_, at) => 10 * at),
  lastNs: bytes.map((_, at) => 10 * at + 5),
  bytes,
});

const byFunction = (...bytes: number[]) => {
  const functions = bytes.map((_, at) => at);
  return { ...list(...bytes), firstFunction: functions, lastFunction: functions };
};

const ORIGIN: Origin = { secret: Buffer.alloc(32, 7), trace: 'trace', key: 'key' };

async function written(): Promise<string> {
  const path = join(directory, 'levels');
  const writer = new LevelsWriter(openSync(path, 'w'), ORIGIN);
  writer.addThread(9, { levels: [], split: list(), functions: byFunction(), bytes: Buffer.alloc(0) });
  writer.addThread(7, {
    levels: [list(2, 1), list(), list(3)],
    split: list(4),
    functions: byFunction(1, 2),
    bytes: Buffer.from('aabcccddddeff'),
  });
  const page = async function* () {
    yield 'a pa';
    yield 'gé';
  };
  await writer.finish(page());
  return path;
}

async function read(path: string, differing: Partial<Origin> = {}) {
  return readLevels(await open(path), { ...ORIGIN, ...differing });
}

test('reads the page, and chunks of each list', async () => {
  const levels = await read(await written());
  if (typeof levels === 'string') throw new Error(levels);
  const text = async (...where: Parameters<typeof levels.chunks>) => {
    const part = levels.chunks(...where);
    return part && String(await levels.read(part));
  };
  expect(String(await levels.read(levels.page))).toBe('a pagé');
  expect(await text(7, 0, 0, 1)).toBe('aab');
  expect(await text(7, 0, 1, 1)).toBe('b');
  expect(await text(7, 2, 0, 0)).toBe('ccc');
  expect(await text(7, 'split', 0, 0)).toBe('dddd');
  expect(await text(7, 'functions', 0, 1)).toBe('eff');
  expect(await text(7, 'functions', 1, 1)).toBe('ff');
  for (const [tid, name, first, last] of [
    [7, 0, 0, 2],
    [7, 1, 0, 0],
    [7, 3, 0, 0],
    [9, 'split', 0, 0],
    [9, 'functions', 0, 0],
    [7, 'functions', 0, 2],
    [8, 0, 0, 0],
    [7, 0, 1, 0],
  ] as const)
    expect(await text(tid, name, first, last)).toBeNull();
  const threads = JSON.parse(String(levels.indexJson)) as IndexedThread[];
  expect(threads.map(({ tid }) => tid)).toEqual([7, 9]);
  expect(threads[0]?.levels.length).toBe(3);
  expect(JSON.parse(String(levels.threadJson(7)))).toEqual(threads[0]);
  expect(levels.threadJson(8)).toBeNull();
  await levels.close();
});

test('notices any damage, another version, other options, another trace, and another maker', async () => {
  const path = await written();
  const right = await readFile(path);
  expect(await read(path, { key: 'of other options' })).toBe('stale');
  expect(await read(path, { trace: 'another' })).toBe('foreign');
  expect(await read(path, { secret: Buffer.alloc(32, 8) })).toBe('foreign');
  const damaged = join(directory, 'damaged');
  for (let at = 0; at < right.length; at++) {
    const bytes = Buffer.from(right);
    bytes[at] ^= 1 << (at % 8);
    await writeFile(damaged, bytes);
    expect(await read(damaged)).toBe(at < 8 ? 'other' : at < 12 ? 'stale' : at < 44 ? 'foreign' : 'damaged');
    await writeFile(damaged, right.subarray(0, at));
    expect(await read(damaged)).toBe(at < 44 ? 'other' : 'damaged');
  }
  await writeFile(damaged, Buffer.concat([right, right]));
  expect(await read(damaged)).toBe('damaged');
});

test('reads nothing of a forged file but its head', async () => {
  const path = await written();
  const forged = join(directory, 'forged');
  await writeFile(forged, await readFile(path));
  await truncate(forged, 2 ** 40); // sparse: reading it would take hours
  expect(await read(forged, { trace: 'another' })).toBe('foreign');
  expect(await read(forged)).toBe('damaged');
});

test('reads nothing that was written after the file was opened', async () => {
  const path = await written();
  const levels = await read(path);
  if (typeof levels === 'string') throw new Error(levels);
  const bytes = await readFile(path);
  bytes[levels.page.at] = 0x41;
  await writeFile(path, bytes);
  await expect(levels.read(levels.page)).rejects.toThrow(/was changed while it was served/);
  await truncate(path, 50);
  await expect(levels.read(levels.page)).rejects.toThrow(/was changed while it was served/);
  await levels.close();
});
