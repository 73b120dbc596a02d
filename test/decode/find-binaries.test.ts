/**
 * Finds the binaries of a recording where perf finds them, and no others.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { Recording } from '../../src/perfdata/recording.js';
import { findBinaries } from '../../src/pipeline/decode/encoded-recording.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { type Directory, test } from '../helpers/cli/run-cli.js';
import { elfFile } from '../helpers/perf/elf.js';

const ID = 'ab'.repeat(20);
const ELF = elfFile({ buildId: ID });

function recordingOf(file: string, buildId: string | null = null): Recording {
  const mapping = { what: 'mmap', pid: 7, start: 0x1000, length: 0x1000, fileOffset: 0, file } as const;
  const event = { tid: 7, pid: 7, cpu: 0, time: null, record: mapping };
  const buildIds = buildId === null ? [] : [{ file, buildId, isKernel: false }];
  return { sideband: [event], buildIds } as unknown as Recording;
}

async function put(path: string, bytes: Uint8Array = ELF): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return path;
}

function found(dir: Directory, recording: Recording, root = dir.file('root')): string | undefined {
  return [...findBinaries(recording, DISK_FILES, { root, cache: dir.file('cache') }).paths.values()][0];
}

test('is at its recorded path below the root', async ({ dir }) => {
  const path = await put(dir.file('root/bin/a'));
  expect(found(dir, recordingOf('/bin/a'))).toBe(path);
  expect(found(dir, recordingOf('/bin/b'))).toBeUndefined();
});

test('is the copy of the recorded build rather than what has its path now', async ({ dir }) => {
  const path = await put(dir.file('root/bin/a'));
  const copy = await put(dir.file(`cache/.build-id/ab/${ID.slice(2)}/elf`));
  expect(found(dir, recordingOf('/bin/a', ID))).toBe(copy);
  expect(found(dir, recordingOf('/bin/a'))).toBe(path);
  expect(found(dir, recordingOf('/bin/a', '12'.repeat(20)))).toBe(path);
});

test('is a file: no directory, pipe, device or dangling link', async ({ dir }) => {
  await mkdir(dir.file('root'));
  await mkdir(dir.file('root/folder'));
  execFileSync('mkfifo', [dir.file('root/pipe')]);
  await symlink(dir.file('root/nothing'), dir.file('root/dangling'));
  await symlink('/dev/zero', dir.file('root/zeros'));
  for (const name of ['folder', 'pipe', 'dangling', 'zeros'])
    expect(found(dir, recordingOf(`/${name}`)), name).toBeUndefined();
});

test('is never outside of the root', async ({ dir }) => {
  await put(dir.file('secret'));
  await mkdir(dir.file('root'));
  for (const path of ['/../secret', '/a/../../secret', '/..']) {
    expect(found(dir, recordingOf(path)), path).toBeUndefined();
  }
  const named = await put(dir.file('root/a..b/..c'));
  expect(found(dir, recordingOf('/a..b/..c'))).toBe(named);
});

test('is not decoded if it has 32-bit code', async ({ dir }) => {
  await put(dir.file('root/narrow'), elfFile({ bits: 32 }));
  const { paths, narrow } = findBinaries(recordingOf('/narrow'), DISK_FILES, { root: dir.file('root'), cache: null });
  expect([...paths, narrow]).toEqual([['/narrow']]);
});

test("is this machine's vdso only if the recording does not say which one ran", async ({ dir }) => {
  const vdso = (buildId: string | null, root = '') =>
    [...findBinaries(recordingOf('[vdso]', buildId), DISK_FILES, { root, cache: dir.file('cache') }).paths.values()][0];
  const own = vdso(null);
  expect(vdso(ID)).toBeUndefined();
  expect(vdso(null, dir.file('root'))).toBeUndefined();
  const copy = await put(dir.file(`cache/.build-id/ab/${ID.slice(2)}/vdso`));
  expect(vdso(ID)).toBe(copy);
  expect(vdso(ID, dir.file('root'))).toBe(copy);
  await rm(copy);
  expect([own, vdso(null, '/')]).toEqual(process.platform === 'linux' ? ['[vdso]', '[vdso]'] : [undefined, undefined]);
});
