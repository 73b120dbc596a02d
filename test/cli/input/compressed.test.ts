/**
 * Files that gzip compressed: `info` says what they are, and what to do; windows that miss a recording get one that does not.
 */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { expectRefusal, ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';

test('a compressed recording is to be decompressed', async ({ dir }) => {
  const path = await dir.write('x.data.gz', gzipSync(await readFile(recordingPath('cpus-1'))));
  for (const command of ['info', 'render']) {
    const run = await ptflame([command, path]);
    expectRefusal(run, 1, /is a recording \(perf\.data\), which cannot be read compressed/);
    expect(run.stderr).toContain(`decompress it: gunzip -k ${path}; then ptflame render ${dir.file('x.data')}`);
  }
});

test('damaged gzip is to be copied again', async ({ dir }) => {
  const bytes = gzipSync(await readFile(SIX_LINES));
  bytes.fill(0xff, 10, 60);
  const path = await dir.write('bad.txt.gz', bytes);
  expectRefusal(await ptflame(['info', path]), 1, /is damaged: gzip cannot decompress it/);
  expect((await ptflame(['render', path])).stderr).toContain('it is damaged or cut there: copy it again');
});

test.for([
  [['report', '--window', '+10ms,+20ms'], '--window +349us,+698us'],
  [['stacks', '--at', '+10ms'], '+349us'],
] as const)('a moment after the end: %s', async ([words, example]) => {
  const [command, flag, value] = words;
  const input = [recordingPath('cpus-2'), '--symfs', RECORDED_ROOT];
  const run = await ptflame([command, ...input, flag, value]);
  expectRefusal(run, 1, /8\.6 ms after the recording ends/);
  const hint = /it lasts 1\.4 ms: .* such as (.*) from its start/.exec(run.stderr)?.[1] ?? '';
  expect(hint).toBe(example);
  expect(await ptflame([command, ...input, flag, hint.replace('--window ', '')])).toMatchObject({ exitCode: 0 });
});

test('info counts the functions of a profile as they are listed', async ({ dir }) => {
  const input = [recordingPath('cpus-2'), '--symfs', RECORDED_ROOT];
  await ptflame(['render', ...input, '-o', dir.file('x.json')]);
  const { symbols } = JSON.parse(await readFile(dir.file('x.json'), 'utf8'));
  const count = symbols.kind.filter((kind: string) => kind !== 'synthetic').length;
  expect(count).toBeLessThan(symbols.name.length);
  expect((await ptflame(['info', dir.file('x.json')])).stdout).toMatch(new RegExp(`^functions +${count}$`, 'm'));
});
