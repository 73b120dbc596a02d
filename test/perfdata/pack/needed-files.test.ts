/**
 * Finds the files that a recording needs, and whether they are unchanged.
 */
import { mkdir } from 'node:fs/promises';
import { execa } from 'execa';
import { expect } from 'vitest';
import { type NeededFile, neededFiles } from '../../../src/perfdata/pack/needed-files.js';
import { test } from '../../helpers/cli/run-cli.js';
import { elfFile } from '../../helpers/perf/elf.js';
import { install, recordingOfFiles } from '../../helpers/perf/mapped-files.js';

const [ID, OTHER_ID] = ['0123456789abcdef', 'fedcba9876543210'];

const stateOf = (files: readonly NeededFile[]) => Object.fromEntries(files.map(({ path, state }) => [path, state]));

test('finds unchanged, changed and missing files', async ({ dir }) => {
  for (const path of ['/bin/same', '/bin/unknown', '/bin/ünïcode', '/bin/changed', '/bin/ünïchanged'])
    await install(dir, path, elfFile({ buildId: ID }));
  await install(dir, '/bin/small', elfFile({ bits: 32, buildId: ID }));
  await install(dir, '/bin/text', 'no program');
  await mkdir(dir.file('/bin/directory'));
  await execa('mkfifo', [dir.file('/bin/pipe')]);
  const expected = {
    '/bin/same': [ID, 'same'],
    '/bin/small': [ID, 'same'],
    '/bin/unknown': [null, 'same'],
    '/bin/ünïcode': [ID, 'same'],
    '/bin/changed': [OTHER_ID, 'changed'],
    '/bin/ünïchanged': [OTHER_ID, 'changed'],
    '/bin/text': [ID, 'changed'],
    '/bin/gone': [ID, 'missing'],
    '/development/gone': [null, 'missing'],
    '/bin/same (deleted)': [ID, 'missing'],
    '/bin/directory': [null, 'missing'],
    '/bin/pipe': [null, 'missing'],
    '/bin/../bin/same': [ID, 'missing'],
    '/../../../../../../../etc/passwd': [null, 'missing'],
  } as const;
  const ids = Object.fromEntries(Object.entries(expected).map(([path, [buildId]]) => [path, buildId]));
  const states = Object.fromEntries(Object.entries(expected).map(([path, [, state]]) => [path, state]));
  expect(stateOf(await neededFiles(recordingOfFiles(ids), dir.path))).toEqual(states);
});

test('skips mappings without a file', async ({ dir }) => {
  const paths = ['[vdso]', '//anon', '/dev/zero', '/memfd:x', '/SYSV00', '/anon_hugepage', '/proc/1/exe', 'relative'];
  expect(await neededFiles(recordingOfFiles(Object.fromEntries(paths.map((path) => [path, null]))), dir.path)).toEqual(
    [],
  );
});

test('reports unreadable files', async ({ dir }) => {
  await install(dir, '/bin/secret', elfFile({ buildId: ID }));
  await execa('chmod', ['0', dir.file('/bin/secret')]);
  const [file] = await neededFiles(recordingOfFiles({ '/bin/secret': ID }), dir.path);
  expect(file?.state).toBe(process.geteuid?.() === 0 ? 'same' : 'unreadable');
});
