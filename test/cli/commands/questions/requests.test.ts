/**
 * `ptflame requests`.
 */
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { RequestsAnswer } from '../../../../src/answers.js';
import { readPerfetto } from '../../../helpers/checks/files/perfetto-file.js';
import { expectRefusal, fixturePath, PROGRAM, ptflame, test } from '../../../helpers/cli/run-cli.js';
import { hasTerminal, startOnTerminal } from '../../../helpers/cli/terminal.js';
import { HostText, writeClient, writeServer } from '../../../questions/requests/helpers/host-text.js';

const INPUTS = [fixturePath('waits/requests.txt.gz'), fixturePath('waits/waits.txt.gz')];
const ARGS = ['requests', 'handle_request', ...INPUTS, '--flow', 'queue_push:job=run_job:job', '--quiet'];

async function printed(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ptflame([...ARGS, ...args]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe.concurrent('requests without --flow', () => {
  const ask = (...args: readonly string[]) => ptflame(['requests', 'handle_request', ...INPUTS, ...args]);

  test('do not say that others did nothing, but how to find out', async () => {
    const { stdout, stderr } = await ask();
    expect(stdout).toContain('without --flow, only wakings tell who worked for whom: "–" is not known, not 0\n');
    const [, others = ''] = stdout.split('in others that worked for them\n');
    expect(others).toMatch(/^typical +slowest +more +function\n[\d.]+ ms +– +– +all$/m);
    expect(stderr).toMatch(
      /^note: .* --flow PUSH:KEY=POP:KEY finds all of it: name two of probe_waitlab:handle_request \(id\), probe_waitlab:queue_push \(job, id\), probe_waitlab:run_job \(job, id\)$/m,
    );
    expect(stderr).not.toContain('lock_slow');
    expect((await ask('-q')).stderr).toBe('');
    expect((await ask('--csv')).stdout).toMatch(/^,false,crunch,[^\n]*,\d+[\d.]*,$/m);
    expect(JSON.parse((await ask('--json')).stdout).flow).toMatchObject({ isNamed: false });
  });

  test('with it, 0 is 0', async () => {
    const { stdout, stderr } = await ask('--flow', 'queue_push:job=run_job:job');
    expect(stdout).not.toContain('not known, not 0');
    expect(stderr).not.toContain('--flow');
  });
});

test('an option without effect names all formats that have it', async () => {
  expectRefusal(await ptflame([...ARGS, '--csv', '--slowest', '1']), 2, /no effect/, /text, json, otlp and perfetto;/);
});

describe.concurrent('requests', () => {
  test('as JSON match their schema exactly', async () => {
    const answer = JSON.parse(await printed('--slowest', '2', '--json'));
    expect(RequestsAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ requests: 8, complete: 8, threads: 2, otherThreads: 2, joined: { byKey: 16 } });
  });

  test('have the percentiles that latency has of the same calls, marked where they are of a bucket', async () => {
    const { stats } = JSON.parse(await printed('--json'));
    const latency = await ptflame(['latency', 'handle_request', INPUTS[0], '--json', '--quiet']);
    expect(JSON.parse(latency.stdout).stats).toMatchObject(stats);
    const marked = /avg +min +p50 +p90 +p99 +max\n.*≈ 9\.83 ms +– +– +16\.6 ms/;
    expect(await printed()).toMatch(marked);
  });

  test('are shown with the work of others where it was handed on', async () => {
    const lines = (await printed('--slowest', '1', '--min-call', '1ms')).split('\n');
    const head = lines.findIndex((line) => line.startsWith('slowest request 1: 16.6 ms'));
    const tree = lines.slice(head + 2, lines.indexOf('', head)).map((line) => / {2}(91\d\d .*)/.exec(line)?.[1]);
    expect(tree).toEqual([
      '9172  handle_request',
      '9170    ⇒ by key: run_job',
      '9170      crunch',
      '9170      rest → … → [off-cpu] sleep: [interrupt], then 900 ns to run',
      '9165    ⇒ by key: run_job',
      '9165      crunch',
      '9165      rest → … → [off-cpu] sleep: [interrupt], then 900 ns to run',
      '9172    await_reply → … → [off-cpu] condition: worker1 9170 in reply, then 900 ns to run',
    ]);
  });

  test('as spans are lines of JSON; what is left out is said', async () => {
    const lines = (await printed('--otlp')).trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual(lines.map(() => ['resourceSpans']));
    const { stderr, stdout } = await ptflame([
      ...ARGS.filter((arg) => arg !== '--quiet'),
      '--otlp',
      '--max-spans',
      '10',
    ]);
    expect(stdout.split('"parentSpanId"')).toHaveLength(1 + 6);
    expect(stderr).toContain('only the slowest 3 of 8 requests are written; raise --max-spans\n');
    expect(stderr).toMatch(/\d calls of less than 16.6 ms left out\n/);
  });

  test('as a trace for Perfetto are bytes; what is left out is said', async ({ dir }) => {
    const path = dir.file('x.pftrace');
    const run = await ptflame([...ARGS.filter((arg) => arg !== '--quiet'), '--perfetto', '--max-spans', '10'], {
      stdout: openSync(path, 'w'),
    });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('only the slowest 3 of 8 requests are written; raise --max-spans\n');
    const { slices } = readPerfetto(readFileSync(path));
    expect(slices.filter(({ name }) => name === 'handle_request')).toHaveLength(3);
  });

  test.skipIf(!hasTerminal)('as a trace for Perfetto are not printed to a terminal', async () => {
    const words = [process.execPath, PROGRAM, ...ARGS, '--perfetto'].map((word) => `'${word}'`).join(' ');
    const { stdout, exitCode } = await startOnTerminal(words);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/Perfetto is binary and cannot be printed to a terminal.*-o requests\.pftrace/s);
  });

  test('as CSV have a row for each function and wait', async () => {
    const [titles, ...rows] = (await printed('--csv')).trim().split('\n');
    expect(titles).toBe('host,isOwn,name,dso,call,stop,reason,typicalNs,slowestNs');
    expect(rows.find((row) => row.startsWith(',false,crunch,'))).toBeDefined();
    expect(rows.find((row) => row.startsWith(',true,await_reply,,pthread_mutex_lock'))).toContain('[off-cpu],mutex,');
  });

  test('are candidates if work is joined by order or waking', async () => {
    const flow = ['--flow', 'queue_push=run_job', '--slowest', '1', '--quiet'];
    const { stdout } = await ptflame(['requests', 'handle_request', ...INPUTS, ...flow]);
    expect(stdout).toContain('work of other threads joined: 16 maybe, by order');
    expect(stdout).toContain('⇒ maybe, by order: run_job');
  });

  test('of several hosts show each, its clock, and how sure times on it are', async ({ dir }) => {
    const [web, db] = [new HostText(), new HostText((ns) => ns + 3_000_001_234)];
    for (let row = 0; row < 8; row++) {
      const askNs = 1_000_000_000 + row * 100_000;
      const rpc = {
        id: `a${row}`,
        askNs,
        receivedNs: askNs + 5_100,
        repliedNs: askNs + 50_000,
        answeredNs: askNs + 58_000,
      };
      writeClient(web, [100, 101], rpc);
      writeServer(db, [100, 101], rpc);
    }
    const inputs = [web, db].map((host, at) => {
      const path = dir.file(`${at}.txt`);
      writeFileSync(path, host.text());
      return path;
    });
    const hosts = inputs.flatMap((path, at) => ['--host', `${path}=${['web', 'db'][at]}`]);
    const args = ['requests', 'ask', ...inputs, ...hosts, '--flow', 'send:id=recv:id', '--id', '00-(\\w+)', '--quiet'];
    const text = (await ptflame([...args, '--slowest', '1'])).stdout;
    expect(text).toContain('\nclock of db: offset +2.9999997 s ± 6.5 µs to web, from 16 hand-offs\n');
    expect(text).toMatch(/6.61 µs {3}45.1 µs {2}45.1 µs {3}db 101 {4}⇒ by key on db ± 6.51 µs: main → recv → work\n/);
    const answer = JSON.parse((await ptflame([...args, '--slowest', '1', '--json'])).stdout);
    expect(RequestsAnswer.parse(answer)).toEqual(answer);
    expect(answer.hosts.map(({ name }: { name: string }) => name)).toEqual(['web', 'db']);
    expect((await ptflame([...args, '--csv'])).stdout).toContain('\ndb,false,work,');
    expectRefusal(await ptflame([...args, '--host', 'other=x']), 2, /names other, which is not an input/);
  });

  test.each([
    [['--flow', 'queue_push'], 2, /PUSH:KEY=POP:KEY/],
    [['--flow', 'queue_pop=run_job'], 1, /no event queue_pop/],
    [['--host', 'web'], 2, /INPUT=HOST/],
    [['--min-call', 'long'], 2, /must be a duration/],
    [['--json', '--csv'], 2, /mutually exclusive/],
    [['--csv', '--otlp'], 2, /--csv and --otlp are mutually exclusive/],
    [['--otlp', '--perfetto'], 2, /--otlp and --perfetto are mutually exclusive/],
    [['--perfetto', '--top', '5'], 2, /--top has no effect on perfetto output/],
    [['--json', '--max-spans', '5'], 2, /--max-spans has no effect on json output/],
  ] as const)('refuse %j', async (args, exitCode, message) => {
    expectRefusal(await ptflame([...ARGS, ...args]), exitCode, message);
  });
});
