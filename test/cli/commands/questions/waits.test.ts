/**
 * Questions about waits on inputs that say little about them: each command tells what is missing.
 */
import { describe, expect } from 'vitest';
import { fixturePath, ptflame, SIX_LINES, test } from '../../../helpers/cli/run-cli.js';

const RECORDED = fixturePath('waits/waits.txt.gz');
const WITH_CALLS = [fixturePath('waits/requests.txt.gz'), RECORDED];

describe.concurrent('a trace without switches and samples', () => {
  test('has no waits', async () => {
    const { stdout, exitCode } = await ptflame(['waits', SIX_LINES]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      'no waits\n' +
        'note: no switches of threads were recorded; record with ptflame record --waits\n' +
        'note: no wakings were recorded: who woke whom is not known; record with ptflame record --waits\n',
    );
  });

  test('has no waits for locks', async () => {
    expect((await ptflame(['locks', SIX_LINES])).stdout).toMatch(/^no waits for locks\nnote: no switches/);
    const one = await ptflame(['locks', SIX_LINES, '--lock', '0x12']);
    expect(one.stdout).toMatch(/^no waits for a lock at 0x12\nnote: no switches/);
  });

  test('has no graph of blocked time', async () => {
    const { stdout, stderr, exitCode } = await ptflame(['render', '--blocked-by', SIX_LINES]);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain('warning: no thread was seen blocked: the graph is empty');
    const within = await ptflame(['render', '--blocked-by', SIX_LINES, '--window', '+0,']);
    expect(within.stderr).toContain('warning: no thread was seen blocked in the selected time and calls: the graph is');
    const untimed = await ptflame(['render', '--blocked-by', SIX_LINES, '--by-calls']);
    expect(untimed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leave out --by-calls') });
  });
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
