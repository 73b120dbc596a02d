/**
 * Folders of recordings with files that must not count: each is named, and the sums stay those of the whole recordings.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LeftOut } from '../../src/fleet/folder.js';
import { askFunctions, summaryOf } from '../../src/fleet/questions.js';
import { temporaryFolder } from '../helpers/consumers/duckdb.js';
import { addTrace, fileOf, openTestFleet, traceOfCalls } from '../helpers/consumers/fleet-folder.js';

const root = temporaryFolder();
const A = { build: '1.0', host: 'a' };
const B = { build: '1.1', host: 'b' };
let folder: string;
let [a, b] = ['', ''];
let made = 0;

beforeEach(async () => {
  folder = join(root, `fleet '[*]' ${made++}`); // is text for SQL, and no pattern for DuckDB
  a = await addTrace(folder, traceOfCalls([{ name: 'work', ns: 1000 }]), A);
  b = await addTrace(folder, traceOfCalls([{ name: 'work', ns: 3000 }]), B);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the time of `work`, the number of recordings, and what is left out. */
async function counted(): Promise<{ workNs: number; recordings: number; leftOut: readonly LeftOut[] }> {
  const fleet = await openTestFleet(folder);
  try {
    const work = (await askFunctions(fleet)).find(({ name }) => name === 'work');
    const { recordings } = await summaryOf(fleet);
    return { workNs: work?.totalNs ?? 0, recordings, leftOut: fleet.leftOut };
  } finally {
    fleet.close();
  }
}

const UNFINISHED = 'it is unfinished: its export was killed, or still runs';
const FOREIGN = 'ptflame export did not write it';
const inFolder = (file: string) => file.slice(folder.length + 1);

test('a whole folder counts, whatever its name', async () => {
  expect(await counted()).toEqual({ workNs: 4000, recordings: 2, leftOut: [] });
});

test('temporary files of a killed export, and tables without a recording, are unfinished', async () => {
  const temporary = join(dirname(fileOf(folder, 'paths', A, a)), `.${a.slice(0, 40)}.ptflame-abcdefgh`);
  writeFileSync(temporary, 'PAR1 half');
  rmSync(fileOf(folder, 'recordings', B, b));
  const files = [
    temporary,
    ...(['durations', 'functions', 'paths'] as const).map((table) => fileOf(folder, table, B, b)),
  ];
  expect(await counted()).toEqual({
    workNs: 1000,
    recordings: 1,
    leftOut: files.map((file) => ({ file: inFolder(file), reason: UNFINISHED })).toSorted(byFile),
  });
});

const byFile = (x: LeftOut, y: LeftOut) => (x.file < y.file ? -1 : 1);

test.each(['recordings', 'functions', 'paths', 'durations'] as const)(
  'a recording whose file in %s is cut off does not count',
  async (table) => {
    const file = fileOf(folder, table, B, b);
    truncateSync(file, readFileSync(file).length - 20);
    const { workNs, recordings, leftOut } = await counted();
    expect({ workNs, recordings }).toEqual({ workNs: 1000, recordings: 1 });
    expect(leftOut).toContainEqual({ file: inFolder(file), reason: 'it is cut off: its end is missing' });
    if (table !== 'recordings')
      expect(leftOut).toContainEqual({
        file: inFolder(fileOf(folder, 'recordings', B, b)),
        reason: `it is incomplete: its file in ${table} is missing or damaged`,
      });
  },
);

test('a file whose footer is garbled is damaged', async () => {
  const file = fileOf(folder, 'functions', B, b);
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 200, bytes.length - 8);
  writeFileSync(file, bytes);
  const { recordings, leftOut } = await counted();
  expect(recordings).toBe(1);
  expect(leftOut).toEqual([{ file: inFolder(file), reason: 'it is damaged: its footer cannot be read' }]);
});

test('files of others are foreign', async () => {
  const place = dirname(fileOf(folder, 'paths', A, a));
  writeFileSync(join(place, 'notes.txt'), 'text');
  writeFileSync(join(place, `${'0'.repeat(64)}.parquet`), 'a,b\n1,2\n');
  mkdirSync(join(folder, 'recordings', 'notes'));
  execFileSync('mkfifo', [join(place, `${'1'.repeat(64)}.parquet`)]); // would wait for a writer
  const { recordings, leftOut } = await counted();
  expect(recordings).toBe(2);
  expect(leftOut).toEqual([
    { file: inFolder(join(place, `${'0'.repeat(64)}.parquet`)), reason: FOREIGN },
    { file: inFolder(join(place, `${'1'.repeat(64)}.parquet`)), reason: FOREIGN },
    { file: inFolder(join(place, 'notes.txt')), reason: FOREIGN },
  ]);
});

test('Parquet of another program, and of a table under the name of another one, does not count', async () => {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create()).connect();
  const [foreign, swapped] = [fileOf(folder, 'functions', A, a), fileOf(folder, 'functions', B, b)];
  await connection.run(`COPY (SELECT 'x' AS id) TO '${foreign.replaceAll("'", "''")}' (FORMAT parquet)`);
  cpSync(fileOf(folder, 'paths', B, b), swapped);
  const id = await addTrace(folder, traceOfCalls([{ name: 'work', ns: 7000 }]), A);
  const { workNs, leftOut } = await counted();
  expect(workNs).toBe(7000);
  expect(id).not.toBe(a);
  expect(leftOut).toEqual([
    { file: inFolder(foreign), reason: FOREIGN },
    { file: inFolder(swapped), reason: 'it is a file of another table or recording, under a wrong name' },
  ]);
});

test('a recording in two places counts once', async () => {
  for (const table of ['recordings', 'functions', 'paths', 'durations'] as const) {
    const copy = fileOf(folder, table, { build: '2.0', host: 'c' }, a);
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(fileOf(folder, table, A, a), copy);
  }
  const copy = inFolder(fileOf(folder, 'recordings', { build: '2.0', host: 'c' }, a));
  const leftOut = [{ file: copy, reason: 'the same recording is in build=1.0/host=a, and counts once' }];
  expect(await counted()).toEqual({ workNs: 4000, recordings: 2, leftOut });
});

test('of two places, the one that is complete counts', async () => {
  for (const table of ['recordings', 'functions', 'paths', 'durations'] as const) {
    const copy = fileOf(folder, table, { build: '2.0', host: 'c' }, a);
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(fileOf(folder, table, A, a), copy);
  }
  rmSync(fileOf(folder, 'paths', A, a));
  const { workNs, recordings } = await counted();
  expect({ workNs, recordings }).toEqual({ workNs: 4000, recordings: 2 });
});

test('a folder without a complete recording, and one that is not there, are refused', async () => {
  for (const [recorded, id] of [
    [A, a],
    [B, b],
  ] as const)
    rmSync(fileOf(folder, 'functions', recorded, id));
  await expect(counted()).rejects.toMatchObject({
    code: 'NOTHING_SELECTED',
    message: expect.stringContaining('functions is missing'),
  });
  renameSync(folder, `${folder} elsewhere`);
  await expect(counted()).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
  renameSync(`${folder} elsewhere`, folder);
});
