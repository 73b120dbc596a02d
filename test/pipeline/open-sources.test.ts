/**
 * The library opens files by their paths, whatever they are, as the command line does.
 */
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { analyze, renderJson, type TraceSource } from '../../src/index.js';
import { fixturePath, ptflame, test } from '../helpers/cli/run-cli.js';

const RECORDING = fixturePath('recordings/cpus-4.data');
const SYMFS = fixturePath('recordings/root');

type Options = Parameters<typeof analyze>[1];

async function jsonOf(files: readonly TraceSource[], options: Options = {}): Promise<string> {
  return [...renderJson(await analyze(files, { durations: true, ...options }))].join('');
}

describe('analyze opens', () => {
  test.for([
    ['text', fixturePath('lab/demo-cre.txt'), []],
    ['compressed text', fixturePath('demo/threads.perf.txt.gz'), []],
    ['a recording', RECORDING, ['--symfs', SYMFS]],
    ['a recording without its binaries', RECORDING, ['--symfs', fixturePath('recordings')]],
  ] as const)('%s', async ([, file, args], { dir }) => {
    const [, symfs] = args;
    const run = await ptflame(['render', file, ...args, '-o', 'out.json', '-q'], { cwd: dir.path });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(await jsonOf([file], symfs === undefined ? {} : { symfs })).toBe(
      await readFile(dir.file('out.json'), 'utf8'),
    );
  });

  test('a pack, an imported trace and a recording with wakings next to it', async ({ dir }) => {
    await copyFile(RECORDING, dir.file('perf.data'));
    await copyFile(RECORDING, dir.file('perf.data.wakes.data'));
    for (const args of [
      ['pack', 'perf.data', '--symfs', SYMFS, '-o', 'trace.pack', '-q'],
      ['import', 'perf.data', '--symfs', SYMFS, '-o', 'trace.ptf', '-q'],
    ])
      expect(await ptflame(args, { cwd: dir.path })).toMatchObject({ exitCode: 0 });
    const temporaryDirectory = dir.file('temporary');
    await mkdir(temporaryDirectory);
    const wanted = await jsonOf([dir.file('perf.data')], { symfs: SYMFS });
    expect(await jsonOf([dir.file('trace.pack')], { temporaryDirectory })).toBe(wanted);
    expect(await readdir(temporaryDirectory)).toEqual([]); // what was unpacked is removed
    expect(await jsonOf([dir.file('trace.ptf')])).toBe(wanted);
  });
});

test('a pack that cannot be read leaves nothing behind', async ({ dir }) => {
  const run = await ptflame(['pack', RECORDING, '--symfs', SYMFS, '-o', 'trace.pack', '-q'], { cwd: dir.path });
  expect(run).toMatchObject({ exitCode: 0 });
  const whole = await readFile(dir.file('trace.pack'));
  const damaged = await dir.write('damaged.pack', whole.subarray(0, whole.length >> 1));
  const temporaryDirectory = dir.file('temporary');
  await mkdir(temporaryDirectory);
  await expect(jsonOf([damaged], { temporaryDirectory })).rejects.toMatchObject({ code: 'PACK_DAMAGED' });
  expect(await readdir(temporaryDirectory)).toEqual([]);
});

test('files that are missing or of browsers are refused', async () => {
  await expect(analyze(['/nowhere/trace.txt'])).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
  await expect(analyze([new Blob(['x']) as File])).rejects.toThrow(TypeError);
});
