/**
 * Decodes recordings that come from anyone: what they name, and what is at those paths, may be anything.
 */
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, truncateSync } from 'node:fs';
import { copyFile, mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { analyze } from '../../../src/index.js';
import { type Directory, ptflame, type Run, startPtflame, test } from '../../helpers/cli/run-cli.js';
import { encodedOf } from '../../helpers/perf/both-decoders.js';
import { ALONE } from '../../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';
import {
  buffersOf,
  putTogether,
  type RawRecording,
  takeApart,
  withBuffers,
  withBuildIds,
} from '../../helpers/perf/rewrite.js';

const BINARY = '/opt/ptflame/threads';
const CPUS_1 = recordingPath('cpus-1');
const REAL = `${RECORDED_ROOT}${BINARY}`;

async function changed(dir: Directory, change: (recording: RawRecording) => RawRecording): Promise<string> {
  const path = dir.file('changed.data');
  await writeFile(path, putTogether(change(takeApart(await readFile(CPUS_1)))));
  return path;
}

/** Returns a path below the root for the recorded binary. */
async function binaryIn(dir: Directory): Promise<string> {
  const path = dir.file(`root${BINARY}`);
  await mkdir(dirname(path), { recursive: true });
  return path;
}

const render = (path: string, dir: Directory): Promise<Run> =>
  ptflame(['render', path, '--symfs', dir.file('root'), '--annotate', '--decoder', 'own']);

describe('a binary that is no file', () => {
  test.for<[string, (path: string) => Promise<unknown>]>([
    ['a directory', (path) => mkdir(path)],
    ['a pipe', async (path) => execFileSync('mkfifo', [path])],
    ['an empty file', (path) => writeFile(path, '')],
    ['text', (path) => writeFile(path, 'hello')],
  ])('is lost time, like a missing one: %s', async ([, make], { dir }) => {
    await make(await binaryIn(dir));
    const { exitCode, stdout, stderr } = await render(CPUS_1, dir);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('[lost]');
    expect(stderr).toMatch(/note: \d+ gaps?, .* lost: Failed to get instruction \(code 5\) in \/opt\/ptflame\/threads/);
  });
});

test('a binary of several gigabytes costs no more than its code', async ({ dir }) => {
  const path = await binaryIn(dir);
  await copyFile(REAL, path);
  await truncate(path, 5 * 2 ** 30);
  const { exitCode, stdout } = await ptflame([
    'render',
    CPUS_1,
    '--symfs',
    dir.file('root'),
    '--annotate',
    '-q',
    '--memory',
    '256M',
  ]);
  const real = await ptflame(['render', CPUS_1, '--symfs', RECORDED_ROOT, '--annotate', '-q']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: real.stdout });
});

test('a newer build in its place is named', async ({ dir }) => {
  await copyFile(REAL, await binaryIn(dir));
  const withId = await changed(dir, (recording) => withBuildIds(recording, { [BINARY]: '11'.repeat(20) }));
  const { exitCode, stderr } = await render(withId, dir);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /^warning: \/opt\/ptflame\/threads .*is not the build that was recorded: what is decoded of its code may be wrong$/m,
  );
});

describe('a recorded path', () => {
  async function renamed(dir: Directory, name: string): Promise<string> {
    expect(name).toHaveLength(BINARY.length);
    const path = dir.file('renamed.data');
    const bytes = await readFile(CPUS_1);
    for (let at = bytes.indexOf(BINARY); at >= 0; at = bytes.indexOf(BINARY, at)) bytes.write(name, at, 'latin1');
    await writeFile(path, bytes);
    return path;
  }

  test('is printed without its escape sequences', async ({ dir }) => {
    const path = await renamed(dir, '/opt/\x1b]0;h\x07i/\x1b[31m/x');
    await mkdir(dir.file('root'));
    const { exitCode, stdout, stderr } = await render(path, dir);
    expect(exitCode).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would act on
    expect(stdout + stderr).not.toMatch(/[\x1b\x07]/);
    expect(stderr).toContain('is missing');
  });

  test('does not lead out of --symfs', async ({ dir }) => {
    const path = await renamed(dir, '/../././././././xxxx');
    await mkdir(dir.file('root'));
    await copyFile(REAL, dir.file('xxxx'));
    const { exitCode, stderr } = await render(path, dir);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is missing') });
    expect(stderr).toMatch(/Failed to get instruction/);
  });
});

describe('a recording that changes while it is decoded is refused', () => {
  async function decodedWhile(dir: Directory, change: (path: string) => void): Promise<unknown> {
    const path = dir.file('live.data');
    await copyFile(CPUS_1, path);
    const encoded = await encodedOf(path, RECORDED_ROOT, false);
    let isFirst = true;
    const locate: typeof encoded.locate = (...args) => {
      if (isFirst) change(path);
      isFirst = false;
      return encoded.locate(...args);
    };
    return analyze([{ ...encoded, locate }], ALONE);
  }

  test.for([
    ['it shrinks', (path: string) => truncateSync(path, 5000), /live\.data changed while it was read/],
    ['it is replaced', (path: string) => renameSync(`${path}.new`, path), /live\.data changed while it was read/],
    ['it is removed', (path: string) => rmSync(path), /live\.data: there is no such file/],
  ] as const)('%s', async ([, change, message], { dir }) => {
    await copyFile(CPUS_1, dir.file('live.data.new'));
    await expect(decodedWhile(dir, change)).rejects.toMatchObject({
      code: 'INPUT_UNREADABLE',
      message: expect.stringMatching(message),
    });
  });

  test('nothing happens to it', async ({ dir }) => {
    await expect(decodedWhile(dir, () => {})).resolves.toMatchObject({ quality: { lostNs: 0 } });
  });
});

/** Takes seconds to decode. */
async function longRecording(dir: Directory): Promise<string> {
  const path = dir.file('long.data');
  const recording = takeApart(await readFile(CPUS_1));
  const [first, ...rest] = buffersOf(recording);
  if (first === undefined) throw new Error('the recording has trace');
  const trace = Buffer.concat([first, ...rest].map((buffer) => buffer.trace));
  const repeated = Array.from({ length: REPEATS }, (_, row) => ({ ...first, trace, offset: row * trace.length }));
  await writeFile(path, putTogether(withBuffers(recording, repeated)));
  return path;
}

const REPEATS = 6000;

test.for(['1', '2'])('Ctrl-C ends decoding with %s workers, and nothing is left', async (jobs, { dir }) => {
  const path = await longRecording(dir);
  const output = dir.file('out.json');
  const args = ['render', path, '--symfs', RECORDED_ROOT, '-j', jobs, '--temp-dir', dir.path, '-o', output];
  const running = startPtflame(args);
  await vi.waitFor(async () => expect((await dir.names()).length).toBeGreaterThan(1), {
    timeout: 60_000,
    interval: 10,
  });
  await setTimeout(100); // the output is open: reading begins
  running.kill('SIGINT');
  expect(await running).toMatchObject({ exitCode: 130, stdout: '' });
  expect(await dir.names()).toEqual(['long.data']);
});
