/**
 * Questions about waits on inputs that say little about them: each command tells what is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type Directory, expectRefusal, fixturePath, ptflame, SIX_LINES, test } from '../../../helpers/cli/run-cli.js';
import { PT_TYPE, perfData, tracingData } from '../../../helpers/perf/perf-data.js';

const RECORDED = fixturePath('waits/waits.txt.gz');
const WITH_CALLS = [fixturePath('waits/requests.txt.gz'), RECORDED];

describe.concurrent('a trace without switches and samples', () => {
  test('has no waits', async () => {
    const { stdout, exitCode } = await ptflame(['waits', SIX_LINES]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      'waits are not known\n' +
        'note: no switches of threads were recorded: when threads waited is not known; record with ptflame record --waits; decode text with perf script --show-switch-events\n' +
        'note: no wakings were recorded: who woke whom is not known; record with ptflame record --waits\n',
    );
  });

  test('has no waits for locks', async () => {
    expect((await ptflame(['locks', SIX_LINES])).stdout).toMatch(/^waits for locks are not known\nnote: no switches/);
    const one = await ptflame(['locks', SIX_LINES, '--lock', '0x12']);
    expect(one.stdout).toMatch(/^waits for locks are not known\nnote: no switches/);
  });

  test('has no graph of blocked time', async () => {
    const { stdout, stderr, exitCode } = await ptflame(['render', '--blocked-by', SIX_LINES]);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(
      'warning: no thread was seen blocked: no switches of threads were recorded, so the graph is empty',
    );
    const within = await ptflame(['render', '--blocked-by', SIX_LINES, '--window', '+0,']);
    expect(within.stderr).toContain('warning: no thread was seen blocked: no switches of threads were recorded');
    const untimed = await ptflame(['render', '--blocked-by', SIX_LINES, '--by-calls']);
    expect(untimed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leave out --by-calls') });
  });
});

const TRACEPOINT = 2;
const format = (name: string, id: number) => `name: ${name}\nID: ${id}\nformat:
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;

\tfield:u32 * uaddr;\toffset:8;\tsize:8;\tsigned:0;
`;
const EVENTS = { 1: tracingData('syscalls', format('sys_enter_futex', 1), format('sys_exit_futex', 2)) };

/** What `record --waits` leaves of a target that sleeps. */
const idle = (dir: Directory, attributes: readonly { readonly type: number; readonly config?: number }[] = []) => {
  const futexes = [1, 2].map((config) => ({ type: TRACEPOINT, config, sampleType: 0x10487 }));
  return dir.write('idle.data', perfData({ attributes: [...attributes, ...futexes], features: EVENTS }));
};

describe.concurrent.each([
  ['alone', []],
  ['with Intel PT', [{ type: PT_TYPE }]],
])('a recording in which nothing happened, %s', (_, attributes) => {
  test('is an answer: nobody waited', async ({ dir }) => {
    const recording = await idle(dir, attributes);
    const imported = dir.file('idle.ptf');
    const { stderr, exitCode } = await ptflame(['import', recording, '-o', imported]);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^imported 0 samples into .*: [\d.]+ k?B\n$/)]);
    for (const input of [recording, imported]) {
      const waits = await ptflame(['waits', input]);
      expect([waits.exitCode, waits.stderr]).toEqual([0, '']);
      expect(waits.stdout).toMatch(/^no waits\nnote: no recorded thread ran [^\n]*; record for longer/);
      expect(waits.stdout).not.toContain('no switches');
      expect((await ptflame(['locks', input])).stdout).toMatch(/^no waits for locks\nnote: no recorded thread ran/);
      const json = JSON.parse((await ptflame(['waits', input, '--json'])).stdout);
      expect(json).toMatchObject({ trace: { threads: 0 }, stats: { waits: 0 }, reasons: [], threads: [] });
      expect(JSON.parse((await ptflame(['locks', input, '--json'])).stdout)).toMatchObject({ locks: [] });
      expect((await ptflame(['waits', input, '--csv'])).stdout.split('\n')).toHaveLength(3);
      const values = await ptflame(['values', 'sys_enter_futex:uaddr', input]);
      expect(values).toMatchObject({ exitCode: 0, stdout: 'syscalls:sys_enter_futex:uaddr\nno samples\n' });
    }
  });

  test('has no calls', async ({ dir }) => {
    const { stderr, exitCode } = await ptflame(['report', await idle(dir, attributes)]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/has no calls|decodes to no branches/);
  });
});

describe.concurrent('what was asked', () => {
  test.for([
    ['waits --points', ['waits', ...WITH_CALLS, '--points', 'queue_push,await_reply'], /^stages of/m, /reason$/m],
    ['waits --slowest', ['waits', ...WITH_CALLS, '--slowest', '1'], /^slowest wait 1/m, /reason$/m],
    ['locks --slowest', ['locks', ...WITH_CALLS, '--slowest', '1'], /^longest waits/m, /waited in$/m],
    ['requests --slowest', ['requests', 'session', ...WITH_CALLS, '--slowest', '1'], /^slowest request 1/m, /^where/m],
    ['latency --slowest', ['latency', 'crunch', WITH_CALLS[0], '--slowest', '1'], /^slowest call 1/m, /callee$/m],
  ] as const)('comes before what every answer has: %s', async ([, args, asked, usual]) => {
    const { stdout } = await ptflame(args);
    expect(stdout).toMatch(asked);
    expect(stdout.search(asked)).toBeLessThan(stdout.search(usual));
  });
});

test('frames of blocked time have their time as a label, and parts of waits in their title', async ({ dir }) => {
  await ptflame(['render', ...WITH_CALLS, '--blocked-by', '-o', dir.file('x.svg'), '--width', '4000']);
  const svg = await dir.read('x.svg');
  expect(svg).toMatch(/>handle_request · [\d.]+ ms</);
  expect(svg).toMatch(/<title>-- waits for [^<:]+: [^<]*, [\d.]+ %; (\d+ parts|1 part) of waits, [\d.]+ [µm]s each</);
});

test('waits --csv counts the reasons that were concluded from other waits', async ({ dir }) => {
  const data = dir.file('reasons.data');
  writeFileSync(data, gunzipSync(readFileSync(fixturePath('waits/reasons.data.gz'))));
  writeFileSync(`${data}.formats`, readFileSync(fixturePath('waits/reasons.kernel.txt')));
  const [titles = '', ...rows] = (await ptflame(['waits', data, '--csv', '-q'])).stdout.trim().split('\n');
  expect(titles).toMatch(/,inferred$/);
  expect(rows.find((row) => row.startsWith('all,'))).toMatch(/,127$/);
  expect(rows.find((row) => row.startsWith('reason,child,'))).toMatch(/,7$/);
  expect(rows.filter((row) => row.startsWith('thread,')).every((row) => row.endsWith(','))).toBe(true);
});

test('values of a recording with a trace says that samples are missing, not the trace', async () => {
  const run = await ptflame(['values', 'a:b', fixturePath('recordings/loop.data')]);
  expectRefusal(run, 1, /loop\.data has an Intel PT trace, but no samples of events/, /--probe/);
});

describe.concurrent('waits', () => {
  test('of no thread are refused', async () => {
    const { stderr, exitCode } = await ptflame(['waits', RECORDED, '--comm', '^nobody$']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/no thread of the trace is selected\n.*--comm/);
  });

  test('between points in different threads are in no stage', async () => {
    const { stdout } = await ptflame(['waits', ...WITH_CALLS, '--points', 'queue_push,run_job']);
    expect(stdout).toMatch(
      /stages of 0 passes, \d+ begun but not completed\n(.* is the function: .*\n){2}a pass is all /,
    );
  });
});
