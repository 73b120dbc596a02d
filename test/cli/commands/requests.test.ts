/**
 * `ptflame requests`.
 */
import { describe, expect } from 'vitest';
import { RequestsAnswer } from '../../../src/answers.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const INPUTS = [fixturePath('waits/requests.txt.gz'), fixturePath('waits/waits.txt.gz')];
const ARGS = ['requests', 'handle_request', ...INPUTS, '--flow', 'queue_push:job=run_job:job', '--quiet'];

async function printed(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ptflame([...ARGS, ...args]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe.concurrent('requests', () => {
  test('as JSON match their schema exactly', async () => {
    const answer = JSON.parse(await printed('--slowest', '2', '--json'));
    expect(RequestsAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ requests: 8, complete: 8, threads: 2, otherThreads: 2, joined: { byKey: 16 } });
  });

  test('are shown with the work of others where it was handed on', async () => {
    const lines = (await printed('--slowest', '1', '--min', '1ms')).split('\n');
    const head = lines.findIndex((line) => line.startsWith('slowest request 1: 16.6 ms'));
    const tree = lines.slice(head + 2, -1).map((line) => / {2}(91\d\d .*)/.exec(line)?.[1]);
    expect(tree).toEqual([
      '9172  handle_request',
      '9170    ⇒ by key: run_job',
      '9170      crunch',
      '9170      rest → … → [off-cpu] sleep: [interrupt], then 900 ns to run',
      '9165    ⇒ by key: run_job',
      '9165      crunch',
      '9165      rest → … → [off-cpu] sleep: [interrupt], then 900 ns to run',
      '9172    await_reply → … → [off-cpu] futex: worker1 9170 in reply, then 900 ns to run',
    ]);
  });

  test('as CSV have a row for each function and wait', async () => {
    const [titles, ...rows] = (await printed('--csv')).trim().split('\n');
    expect(titles).toBe('isOwn,name,dso,call,stop,reason,typicalNs,slowestNs');
    expect(rows.find((row) => row.startsWith('false,crunch,'))).toBeDefined();
    expect(rows.find((row) => row.startsWith('true,await_reply,,pthread_mutex_lock'))).toContain('[off-cpu],mutex,');
  });

  test('are candidates if work is joined by order or waking', async () => {
    const flow = ['--flow', 'queue_push=run_job', '--slowest', '1', '--quiet'];
    const { stdout } = await ptflame(['requests', 'handle_request', ...INPUTS, ...flow]);
    expect(stdout).toContain('work of other threads joined: 16 maybe, by order');
    expect(stdout).toContain('⇒ maybe, by order: run_job');
  });

  test.each([
    [['--flow', 'queue_push'], 2, /PUSH:KEY=POP:KEY/],
    [['--flow', 'queue_pop=run_job'], 1, /no event queue_pop/],
    [['--min', 'long'], 2, /must be a duration/],
    [['--json', '--csv'], 2, /mutually exclusive/],
  ] as const)('refuse %j', async (args, exitCode, message) => {
    expectRefusal(await ptflame([...ARGS, ...args]), exitCode, message);
  });
});
