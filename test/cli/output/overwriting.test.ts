/**
 * Inputs are never overwritten, under any of their names.
 */
import { closeSync, openSync } from 'node:fs';
import { chmod, link, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { refuseOverwriting } from '../../../cli/output/refuse-overwriting.js';
import { PtflameError } from '../../../src/index.js';
import { type Directory, expectRefusal, fixturePath, ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';

const RECORDING = fixturePath('recordings/loop-1.data');

async function refused(inputs: readonly string[], outputs: readonly string[]): Promise<string | null> {
  try {
    refuseOverwriting(inputs, outputs);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(PtflameError);
    expect(error).toMatchObject({ code: 'BAD_OPTION', hint: expect.stringContaining('-o') });
    return (error as Error).message;
  }
}

/** Creates one file under four names: `t`, `d/hard`, `soft` and `chain`. */
async function aliases(dir: Directory): Promise<void> {
  await mkdir(dir.file('d'));
  await dir.write('t', 'trace');
  await link(dir.file('t'), dir.file('d/hard'));
  await symlink('d/hard', dir.file('soft'));
  await symlink(dir.file('soft'), dir.file('chain'));
}

describe('compares files, not paths', () => {
  test.for([
    ['the same path', ['t'], ['t'], /t is the input itself$/],
    ['another path', ['t'], ['d/../t'], /are the same file/],
    ['a hard link', ['t'], ['d/hard'], /are the same file/],
    ['a symbolic link', ['t'], ['soft'], /are the same file/],
    ['a link of a link, as the input', ['chain'], ['t'], /are the same file/],
    ['the second of several inputs, the second of several outputs', ['d/x', 't'], ['new', 'soft'], /are the same file/],
    ['notes of the input', ['t'], ['t.ptflame.json'], /holds the notes of .*t$/],
    ['a file in a recording that is a directory', ['kcore'], ['kcore/new.svg'], /is inside the recording .*kcore$/],
    ['a file in a directory that is not a recording', ['d'], ['d/new.svg'], null],
    ['two outputs with one name', ['t'], ['new', 'new'], /new is named twice/],
    ['two outputs that are one file', ['t'], ['new', './d/../new'], /new and the output .*new are the same file/],
    ['two links to a file that does not exist yet', ['t'], ['later', 'other'], /are the same file/],
    ['standard output twice', ['t'], ['-', '/dev/stdout'], /named twice/],
    ['another file', ['t'], ['new', 'd/new'], null],
    ['a device twice', ['t', '/dev/null'], ['/dev/null', '/dev/null'], null],
    ['an input that does not exist', ['d/gone'], ['d/gone.svg'], null],
    ['an output whose directory does not exist', ['t'], ['gone/new'], null],
  ] as const)('%s', async ([, inputs, outputs, message], { dir }) => {
    await aliases(dir);
    await mkdir(dir.file('kcore'));
    await dir.write('kcore/data', 'PERFILE2');
    await symlink('future', dir.file('later'));
    await symlink('later', dir.file('other'));
    const pathOf = (name: string) => (/^[-/]/.test(name) ? name : `${dir.path}/${name}`);
    const refusal = await refused(inputs.map(pathOf), outputs.map(pathOf));
    if (message === null) expect(refusal).toBeNull();
    else expect(refusal).toMatch(message);
  });
});

describe.concurrent('every command refuses before it starts', () => {
  test.for([
    ['render', 'trace'],
    ['import', 'trace'],
    ['render', 'recording'],
    ['pack', 'recording'],
    ['import', 'imported'],
  ] as const)('%s of a %s', async ([command, kind], { dir }) => {
    const path = dir.file(kind);
    if (kind === 'imported') await ptflame(['import', SIX_LINES, '-o', path, '--quiet']);
    else await dir.write(kind, await readFile(kind === 'trace' ? SIX_LINES : RECORDING));
    const before = await readFile(path);
    await symlink(path, dir.file('link'));
    expectRefusal(await ptflame([command, path, '-o', dir.file('link')]), 2, /are the same file/, /-o/);
    expect(await readFile(path)).toEqual(before);
    expect(await dir.names()).toEqual([kind, 'link'].sort());
  });

  test.for(['render', 'report', 'info'])(
    '%s, when the shell appends standard output to the input',
    async (command, { dir }) => {
      const path = await dir.write('t', await readFile(SIX_LINES));
      const stdout = openSync(path, 'a');
      const run = await ptflame([command, path], { stdout });
      closeSync(stdout);
      expectRefusal(run, 2, /standard output and the input .*t are the same file/);
      expect(await dir.read('t')).toBe(await readFile(SIX_LINES, 'utf8'));
    },
  );

  test('record, whose picture would replace the recording', async ({ dir }) => {
    const args = ['record', '-a', '-o', dir.file('x'), '--render', dir.file('x')];
    expectRefusal(await ptflame(args), 2, /x is the input itself/);
  });
});

describe.concurrent('keeps outputs of private inputs private', () => {
  test.for([
    [0o600, 0o600],
    [0o640, 0o640],
    [0o644, 0o644],
    [0o444, 0o644],
    [0o400, 0o600],
  ])('%o', async ([mode, wanted], { dir }) => {
    const path = await dir.write('private', await readFile(SIX_LINES));
    await chmod(path, mode);
    const outputs = ['svg', 'html', 'json', 'folded'].flatMap((ending) => ['-o', dir.file(`x.${ending}`)]);
    expect((await ptflame(['render', SIX_LINES, path, ...outputs])).exitCode).toBe(0);
    expect((await ptflame(['import', path, '-o', dir.file('x.ptf')])).exitCode).toBe(0);
    for (const ending of ['svg', 'html', 'json', 'folded', 'ptf'])
      expect((await stat(dir.file(`x.${ending}`))).mode & 0o777 & ~process.umask()).toBe(wanted & ~process.umask());
  });

  test('a pack', async ({ dir }) => {
    const path = await dir.write('private', await readFile(RECORDING));
    await chmod(path, 0o600);
    expect((await ptflame(['pack', path, '-o', dir.file('x.pack')])).exitCode).toBe(0);
    expect((await stat(dir.file('x.pack'))).mode & 0o777).toBe(0o600);
  });

  test('what is merged of a folder', async ({ dir }) => {
    const trace = await dir.write('t.txt', await readFile(SIX_LINES));
    await chmod(trace, 0o600);
    const fleet = dir.file('fleet');
    expect(await ptflame(['export', trace, '--to', `parquet:${fleet}`])).toMatchObject({ exitCode: 0 });
    expect(await ptflame(['merge', fleet, '-o', dir.file('m.json')])).toMatchObject({ exitCode: 0 });
    expect((await stat(dir.file('m.json'))).mode & 0o777).toBe(0o600);
  });
});
