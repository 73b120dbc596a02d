/**
 * Decodes recordings in parts and compares the result with the text of one perf.
 */
import { chown, copyFile, mkdir, readFile, rm, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { decodeRecording, scriptArguments } from '../../../../cli/perf/script.js';
import { analyze, traceStream } from '../../../../src/index.js';
import { openRecording } from '../../../../src/perfdata/open-recording.js';
import type { DecodeJob } from '../../../../src/perfdata/plan-jobs.js';
import { jsonOf } from '../../../helpers/checks/files/profile-file.js';
import { expectRefusal, ptflame, test } from '../../../helpers/cli/run-cli.js';
import { ALONE, DECODING, decoded, treesOf } from '../../../helpers/perf/decoding.js';
import { jitRecording } from '../../../helpers/perf/jit.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath, textOfPerf } from '../../../helpers/perf/perf.js';
import { needs } from '../../../tools/needs.js';

const ALL: DecodeJob = { cpus: null, from: null, to: null, auxBytes: 0 };

needs('perf');

describe.each(RECORDINGS)('%s', (name) => {
  const path = recordingPath(name);

  test('gives the trees of the text of perf, and the same profile with any number of jobs', async () => {
    const text = await analyze([traceStream('text', Readable.from([textOfPerf(path)]))], ALONE);
    const one = await decoded(path);
    expect(treesOf(one)).toBe(treesOf(text));
    expect(one.quality.lines + text.quality.ignoredLines).toBe(text.quality.lines);
    for (const jobs of [2, 3, 8]) expect(jsonOf(await decoded(path, { jobs })), `${jobs} jobs`).toBe(jsonOf(one));
  });
});

test('decodes a recording with tracepoints, whose samples have no symbols', async ({ dir }) => {
  const render = async (decoder: string) => {
    const options = ['--symfs', RECORDED_ROOT, '--decoder', decoder, '--no-jumps', '-o', dir.file(`${decoder}.folded`)];
    expect((await ptflame(['render', recordingPath('tracepoints'), ...options])).exitCode).toBe(0);
    return readFile(dir.file(`${decoder}.folded`), 'utf8');
  };
  expect(await render('perf')).toBe(await render('own'));
});

test('divides recordings by CPU and by time', async () => {
  const jobsOf = async (name: string, jobs: number) =>
    decodeRecording(recordingPath(name), await openRecording(recordingPath(name)), { ...DECODING, jobs }).parts.map(
      ({ job }) => job,
    );
  expect((await jobsOf('cpus-4', 2)).map(({ cpus }) => cpus?.length)).toEqual([2, 2]);
  const cuts = await jobsOf('loop-1', 3);
  expect(cuts).toHaveLength(3);
  expect(cuts.filter(({ from, to }) => from || to)).toHaveLength(3);
});

test('decodes every branch with --precise', async () => {
  const path = recordingPath('cpus-2');
  const text = await analyze([traceStream('text', Readable.from([textOfPerf(path, 'be')]))], ALONE);
  expect(treesOf(await decoded(path, { precise: true, jobs: 3 }))).toBe(treesOf(text));
});

test('passes any file name to perf unchanged', async ({ dir }) => {
  for (const name of ['two words', `'"; touch x; $(touch y) \`z\``, 'new\nline', '-rf', 'ünïcode']) {
    await mkdir(dir.file(name));
    const path = join(dir.file(name), name);
    await copyFile(recordingPath('cpus-1'), path);
    expect(treesOf(await decoded(path))).toBe(treesOf(await decoded(recordingPath('cpus-1'))));
  }
});

test('builds the arguments of perf script', () => {
  const job = { cpus: [0, 3], from: { seconds: 12, ns: 5 }, to: { seconds: 13, ns: 120_000_000 }, auxBytes: 1 };
  const args = scriptArguments(recordingPath('cpus-1'), job, { ...DECODING, symfs: '/a b', kallsyms: '/k' });
  expect(args).toContain('--cpu=0,3');
  expect(args).toContain('--time=12.000000005,13.120000000');
  expect(args.slice(-2)).toEqual(['--symfs=/a b', '--kallsyms=/k']);
  expect(scriptArguments(recordingPath('cpus-1'), ALL, DECODING).join(' ')).not.toMatch(/--cpu|--time/);
});

describe('the command', () => {
  const SYMFS = ['--symfs', RECORDED_ROOT];

  test('renders a recording to the same bytes as its text', async () => {
    const args = ['render', recordingPath('noise'), ...SYMFS, '--no-jumps', '--annotate', '--quiet'];
    const { exitCode, stdout, stderr } = await ptflame([...args, '-j', '2']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const text = await ptflame(['render', '-', '--annotate', '--quiet'], { input: textOfPerf(recordingPath('noise')) });
    expect(stdout).toBe(text.stdout);
  });

  test('names missing binaries before decoding', async ({ dir }) => {
    const { stderr } = await ptflame(['render', recordingPath('cpus-1'), '--symfs', dir.path, '-o', '/dev/null']);
    expect(stderr).toContain(
      `warning: /opt/ptflame/threads below ${dir.path} is missing: its code cannot be decoded\n`,
    );
  });

  test('names several missing binaries after decoding, by the time that was lost', async ({ dir }) => {
    const path = await dir.write('perf.data', jitRecording({ marker: '/aaa/idle.so', code: '/opt/busy' }));
    const opened = `warning: 2 files below ${dir.path} are missing: listed after decoding\n`;
    const busy = `warning: /opt/busy below ${dir.path} is missing: its code cannot be decoded`;
    const rendered = await ptflame(['render', path, '--symfs', dir.path, '-o', '/dev/null']);
    expect(rendered.stderr.startsWith(opened)).toBe(true);
    expect(rendered.stderr).toContain(`${busy}, 81.3 µs lost\n`);
    expect(rendered.stderr).not.toContain('/aaa/idle.so');
    const imported = await ptflame(['import', path, '--symfs', dir.path, '-o', dir.file('trace.ptf')]);
    expect(imported.stderr).toContain(
      `/aaa/idle.so below ${dir.path} is missing: its code cannot be decoded\n${busy}\n`,
    );
    expect((await ptflame(['render', path, '--symfs', dir.path, '-o', '/dev/null', '-q'])).stderr).toBe('');
  });

  test('rejects a --symfs directory that resolves to /', async ({ dir }) => {
    await symlink('/', dir.file('root')); // like /proc/PID/root
    for (const [command, output] of [
      ['render', 'out.folded'],
      ['pack', 'out.pack'],
    ] as const) {
      const args = [command, recordingPath('cpus-1'), '--symfs', dir.file('root'), '-o', dir.file(output)];
      const decoder = command === 'render' ? ['--decoder', 'perf'] : [];
      expectRefusal(
        await ptflame([...args, ...decoder]),
        2,
        /perf would read --symfs .*root as \//,
        /copy the container's files/,
      );
    }
    expect(await dir.names()).toEqual(['root']);
  });

  test('rejects a truncated recording before perf crashes on it', async ({ dir }) => {
    const path = dir.file('cut.data');
    await copyFile(recordingPath('cpus-1'), path);
    await truncate(path, 10_000);
    const { exitCode, stderr } = await ptflame(['render', path, ...SYMFS]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cut\.data is damaged: the file is truncated/);
  });
});

test('decodes a recording of another user, also as a directory of --kcore', async ({ dir }) => {
  const paths = [dir.path, dir.file('data')];
  await copyFile(recordingPath('cpus-1'), dir.file('data'));
  const argumentsOf = (path: string) => scriptArguments(path, ALL, DECODING);
  for (const path of paths) expect(argumentsOf(path)).not.toContain('--force');
  if (process.geteuid?.() !== 0) return; // only root can change the owner
  await chown(dir.file('data'), 65_534, 65_534);
  for (const path of paths) {
    expect(argumentsOf(path)).toContain('--force');
    expect(treesOf(await decoded(path))).toBe(treesOf(await decoded(recordingPath('cpus-1'))));
  }
});

test('names a recording that disappears', async ({ dir }) => {
  const path = dir.file('vanishing.data');
  await copyFile(recordingPath('cpus-1'), path);
  const recording = await openRecording(path);
  await rm(path);
  const decoding = analyze([decodeRecording(path, recording, DECODING)], ALONE);
  await expect(decoding).rejects.toMatchObject({ code: 'INPUT_UNREADABLE', message: expect.stringContaining(path) });
});
