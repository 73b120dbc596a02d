/**
 * Without the binaries, nothing of the traced time is decoded: also where threads mostly wait, so that it is little time on the clock.
 */
import { cp, readFile, rm } from 'node:fs/promises';
import { expect } from 'vitest';
import { missingFiles } from '../../../src/model/profile/profile.js';
import { ptflame, test } from '../../helpers/cli/run-cli.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';

const ALL_LOST =
  /^100 % of the time on the CPU is lost \(131 µs\): 1 file is missing or another build: \/opt\/ptflame\/threads; --symfs DIR .*ptflame pack/;

test('lead the messages, the page, the picture and what other programs read', async ({ dir }) => {
  const files = ['x.html', 'x.svg', 'x.json'];
  const run = await ptflame(['render', recordingPath('cpus-2'), ...files.flatMap((file) => ['-o', file])], {
    cwd: dir.path,
  });
  const lines = run.stderr.split('\n');
  const lead = lines.findIndex((line) => ALL_LOST.test(line.replace('warning: ', '')));
  expect(lines.findIndex((line) => line.includes('131 µs lost (3.21 %)'))).toBe(lead + 1);
  for (const file of ['x.html', 'x.svg'])
    expect(await readFile(dir.file(file), 'utf8')).toContain('100 % of the time on the CPU is lost (131 µs)');
  const { stderr } = await ptflame(['report', dir.file('x.json')]);
  expect(stderr).toMatch(/^warning: 100 % of the time on the CPU is lost/);
});

test('are not blamed where they are there, or little is lost', async () => {
  for (const name of ['cpus-2', 'lossy']) {
    const { stderr } = await ptflame(['render', recordingPath(name), '--symfs', RECORDED_ROOT]);
    expect(stderr).not.toContain('of the time on the CPU is lost');
  }
});

test('are not said to cost most where they cost less than half', async ({ dir }) => {
  const root = dir.file('root');
  await cp(RECORDED_ROOT, root, { recursive: true });
  await rm(dir.file('root/opt/ptflame/uses-waits'));
  const { stderr } = await ptflame(['render', recordingPath('waits'), '--symfs', root]);
  expect(stderr).toMatch(/uses-waits below .* is missing: its code cannot be decoded/);
  expect(stderr).not.toContain('of the time on the CPU is lost');
});

test('are listed by lost time, then by name', () => {
  const kinds = [
    ['/b', 5],
    ['/a', 5],
    ['/c', 9],
  ] as const;
  const losses = kinds.map(([file, lostNs]) => ({
    ...({ cause: 'undecoded', code: null, message: '', file, gaps: 1, lostNs } as const),
  }));
  expect(missingFiles(losses)?.files.map(({ file }) => file)).toEqual(['/c', '/a', '/b']);
});

test('come first by lost time, and their symbols are no remedy', async () => {
  const { stderr } = await ptflame(['report', recordingPath('waits')]);
  expect(stderr).toMatch(
    /2 files are missing or other builds: \/opt\/ptflame\/libwaits\.so \(7\.83 µs\), \/opt\/ptflame\/uses-waits \(3\.1 µs\);/,
  );
  expect(stderr).not.toContain('debug symbols');
  expect(stderr).toContain('in /opt/ptflame/uses-waits: the file itself is missing');
});
