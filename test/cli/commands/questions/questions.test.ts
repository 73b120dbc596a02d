/**
 * `ptflame report`, `latency`, `stacks`, `diff`, and the selection of a part of a trace.
 */
import { describe, expect } from 'vitest';
import { Diff, Latency, Report, Stacks } from '../../../../src/answers.js';
import { expectRefusal, fixturePath, ptflame, SIX_LINES, test } from '../../../helpers/cli/run-cli.js';
import { strangeTrace } from '../../../helpers/traces/strange-names.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');
const LOSSY = fixturePath('lab/overflow-and-lost.txt');

async function answerOf(args: readonly string[]) {
  const { exitCode, stdout, stderr } = await ptflame([...args, '--json', '--quiet']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function folded(args: readonly string[]): Promise<Map<string, number>> {
  const { exitCode, stdout } = await ptflame(['render', ...args, '--quiet']);
  expect(exitCode).toBe(0);
  const rows = stdout.trimEnd().split('\n');
  return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(' ')), Number(row.slice(row.lastIndexOf(' ') + 1))]));
}

const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);

describe.concurrent('answers as JSON', () => {
  test.each([
    ['report', ['report', DEMO, '--by', 'thread'], Report],
    ['report of a lossy trace', ['report', LOSSY], Report],
    ['latency', ['latency', 'take', DEMO, '--slowest', '3'], Latency],
    ['latency of a call that never ended', ['latency', 'main', DEMO], Latency],
    ['stacks', ['stacks', DEMO, '--at', '+700us'], Stacks],
    ['diff', ['diff', DEMO, LOSSY], Diff],
  ] as const)('%s matches its schema exactly', async (_, args, schema) => {
    const answer = await answerOf(args);
    expect(schema.parse(answer)).toEqual(answer);
  });

  test('self times and stops of a report add up to the time of all threads', async () => {
    for (const trace of [DEMO, LOSSY, SIX_LINES]) {
      const { functions, trace: about } = Report.parse(await answerOf(['report', trace]));
      const [stops, code] = [functions.filter(({ isStop }) => isStop), functions.filter(({ isStop }) => !isStop)];
      expect(sum(code.map(({ selfNs, outsideSelfNs }) => selfNs + outsideSelfNs))).toBe(about.totalNs);
      expect(sum(functions.map(({ selfNs }) => selfNs))).toBe(about.totalNs);
      expect(sum(stops.map(({ selfNs }) => selfNs))).toBe(about.outsideNs);
      for (const { totalNs, selfNs, outsideNs, outsideSelfNs, onCpuNs } of functions) {
        expect(selfNs).toBeLessThanOrEqual(totalNs);
        expect(outsideSelfNs).toBeLessThanOrEqual(outsideNs);
        expect(outsideNs).toBeLessThanOrEqual(totalNs);
        expect(onCpuNs).toBeLessThanOrEqual(totalNs);
      }
    }
  });

  test('threads of a report add up to its totals', async () => {
    const { functions, threads = [], trace } = Report.parse(await answerOf(['report', DEMO, '--by', 'thread']));
    expect(sum(threads.map(({ totalNs }) => totalNs))).toBe(trace.totalNs);
    for (const { name, calls, selfNs } of functions) {
      const own = threads.flatMap((thread) => thread.functions.filter((row) => row.name === name));
      expect(sum(own.map((row) => row.calls))).toBe(calls);
      expect(sum(own.map((row) => row.selfNs))).toBe(selfNs);
    }
  });

  test('a report of a JSON profile equals that of its trace', async ({ dir }) => {
    await ptflame(['render', DEMO, '-o', 'out.json'], { cwd: dir.path });
    for (const args of [[], ['--by', 'thread'], ['--comm', 'threads', '--sort', 'p99', '--top', '3']])
      expect(await answerOf(['report', dir.file('out.json'), ...args])).toEqual(
        await answerOf(['report', DEMO, ...args]),
      );
  });

  test('answers do not depend on the number of workers', async () => {
    const args = ['latency', '/./', DEMO, '--slowest', '20', '--json'];
    const [one, three] = await Promise.all([ptflame([...args, '-j', '1']), ptflame([...args, '-j', '3'])]);
    expect(one).toEqual(three);
  });

  test('finds a function without its version and parameters unless another has that exact name', async () => {
    const named = async (name: string) =>
      Latency.parse(await answerOf(['latency', name, DEMO])).functions.map((row) => row.name);
    expect(await named('pthread_mutex_lock')).toEqual(['pthread_mutex_lock@@GLIBC_2.2.5']);
    expect(await named('take')).toEqual(['take']);
  });

  test('latency and report agree on a function', async () => {
    const { functions } = Report.parse(await answerOf(['report', DEMO, '--match', '^nap$']));
    const { stats } = Latency.parse(await answerOf(['latency', 'nap', DEMO]));
    const { calls, inferred, avgNs, minNs, maxNs, p50Ns, p90Ns, p99Ns } = stats;
    expect(functions).toMatchObject([{ name: 'nap', calls, inferred, avgNs, minNs, maxNs, p50Ns, p90Ns, p99Ns }]);
  });
});

describe.concurrent('calls of a duration', () => {
  test('are selected from all calls', async () => {
    const { stdout } = await ptflame(['latency', 'take', DEMO, '--latency', '10us,200us']);
    expect(stdout).toContain('\ntake\nonly calls of 10 µs or more, 200 µs or less\n\n8 calls\n');
  });

  test('prints no tables if there are none', async () => {
    const { stdout } = await ptflame(['latency', 'take', DEMO, '--latency', '1s,']);
    expect(stdout).toMatch(/\n\ntake\nonly calls of 1 s or more\n\nno calls\n$/);
  });
});

describe.concurrent('selections', () => {
  test('two adjacent windows add up to the whole, path by path', async () => {
    const [whole, before, after] = await Promise.all([
      folded([DEMO]),
      folded([DEMO, '--window', ',+700us']),
      folded([DEMO, '--window', '+700us,']),
    ]);
    for (const [path, ns] of whole) expect((before.get(path) ?? 0) + (after.get(path) ?? 0), path).toBe(ns);
    expect(sum(before.values()) + sum(after.values())).toBe(sum(whole.values()));
    expect(Math.min(sum(before.values()), sum(after.values()))).toBeGreaterThan(0);
  });

  test('a window on the clock of perf equals one from the start', async () => {
    const clock = await folded([DEMO, '--window', '12345.678992352,12345.679092352']);
    expect(clock).toEqual(await folded([DEMO, '--window', '+100us,+200us']));
    expect(sum(clock.values())).toBe(5 * 100_000);
  });

  test('a root has exactly the time of its function', async () => {
    const { functions } = Report.parse(await answerOf(['report', DEMO, '--match', '^take$']));
    const paths = await folded([DEMO, '--root', 'take']);
    expect(sum(paths.values())).toBe(functions[0]?.totalNs);
    for (const path of paths.keys()) expect(path).toMatch(/^take(;|$)/);
  });

  test('inside calls of a duration has the time that latency reports for them', async () => {
    const { stats } = Latency.parse(await answerOf(['latency', 'take', DEMO, '--latency', '100us,']));
    const paths = await folded([DEMO, '--inside', 'take#100us,']);
    expect(sum(paths.values())).toBe(stats.totalNs);
    const { stats: inside } = Latency.parse(await answerOf(['latency', 'take', DEMO, '--inside', 'take#100us,']));
    expect(inside).toEqual(stats);
    expect(stats.calls).toBe(8);
  });

  test('pictures, profiles and tables of a part state the selection', async ({ dir }) => {
    const part = ['--root', 'take', '--window', '+100us,'];
    await ptflame(['render', DEMO, ...part, '-o', 'out.svg', '-o', 'out.json'], { cwd: dir.path });
    expect(await dir.read('out.svg')).toContain('only inside take, from +100 µs to the end');
    expect(JSON.parse(await dir.read('out.json')).meta.part).toBe('inside take, from +100 µs to the end');
    const again = await ptflame(['render', dir.file('out.json'), '--format', 'json']);
    expect(again.stdout).toBe(await dir.read('out.json'));
    expect(again.stderr).toMatch(/^1\.3 ms of 1 thread, selected from 1,480 events; nothing lost/);
    expect((await ptflame(['report', DEMO, ...part])).stdout).toContain(
      '\nonly inside take, from +100 µs to the end\n',
    );
  });
});

describe.concurrent('comma-separated values', () => {
  test('quote names with commas and quotes, and escape formulas', async ({ dir }) => {
    const trace = await dir.write('trace.txt', strangeTrace());
    const { stdout } = await ptflame(['report', trace, '--csv', '--quiet']);
    expect(stdout).toContain('\n"a,""quoted"",name",,3,0,4800,');
    expect(stdout).toContain(`\n'=SUM(A1:A9),,3,`);
  });

  test('have the tables of threads, callers and changes', async () => {
    const csv = async (args: readonly string[]) => (await ptflame([...args, '--csv', '--quiet'])).stdout.split('\n');
    expect((await csv(['report', DEMO, '--by', 'thread']))[0]).toMatch(/^tid,pid,comm,name,dso,calls/);
    expect((await csv(['latency', 'take', DEMO, '--by', 'caller']))[1]).toMatch(/^consumer,pthread_cond_wait/);
    expect((await csv(['diff', DEMO, DEMO]))[0]).toMatch(/^name,dso,calls before,calls after/);
  });
});

describe.concurrent('refuses a question', () => {
  test.each([
    [['latency', 'no_such', DEMO], 1, /no function called no_such$/, /report --match/],
    [['latency', '/^no_such/', DEMO], 1, /no function that matches \/\^no_such\//, /report --match/],
    [['report', DEMO, '--root', 'no_such'], 1, /no function called no_such/, /report --match/],
    [['report', DEMO, '--interrupts', '--sort', 'self'], 2, /--interrupts has no self to sort by/, /total\|calls/],
    [['latency', 'consmer', DEMO], 1, /no function called consmer/, /^ {2}did you mean consumer\?/],
    [['latency', 'mutex_lock', DEMO], 1, /no function called mutex_lock/, /^ {2}did you mean pthread_mutex_lock[,?] /],
    [['report', DEMO, '--window', '+1s,'], 1, /the window begins 999 ms after the recording ends/, /it lasts 1\.4 ms/],
    [['render', DEMO, '--window', ',5'], 1, /the window ends 12300 s before the recording begins/, /it lasts 1\.4 ms/],
    [['report', DEMO, '--inside', 'take#9ms,'], 1, /nothing matches the selection/, /--inside/],
    [['report', DEMO, '--window', '+2us,+1us'], 2, /the window is empty/, /FROM,TO/],
    [['report', DEMO, '--window', '+10,+20'], 2, /--window \+10 has no unit: write ns, us, ms or s/, /--help/],
    [['report', DEMO, '--window', '+10us,+2.5'], 2, /--window \+2\.5 has no unit.*such as \+2\.5ms/, /--help/],
    [['stacks', DEMO, '--at', '+10'], 2, /--at \+10 has no unit/, /--help/],
    [['stacks', DEMO, '--at', '10ms'], 2, /did you mean \+10ms\b/, /--help/],
    [['report', DEMO, '--window', '1us, 20us'], 2, /did you mean \+1us,\+20us\b/, /--help/],
    [['report', DEMO, '--window', ',20us'], 2, /did you mean ,\+20us\b/, /--help/],
    [['report', DEMO, '--window', '5'], 2, /--window must be FROM,TO/, /--help/],
    [['report', DEMO, '--window', ','], 2, /--window must be FROM,TO/, /--help/],
    [['report', DEMO, '--inside', ''], 2, /--inside must be FUNCTION/, /--help/],
    [['report', DEMO, '--inside', 'take#9ms,1ms'], 2, /--inside must be FUNCTION/, /--help/],
    [['latency', 'take', DEMO, '--latency', '1h,'], 2, /--latency must be MIN,MAX/, /--help/],
    [['latency', '/(/', DEMO], 2, /not a valid regular expression/, /--help/],
    [['latency', '/(/', DEMO], 2, /not a valid regular expression/, /--help/],
    [['report', DEMO, '--json', '--csv'], 2, /--json and --csv/, /leave one out/],
    [['stacks', DEMO], 2, /--at is required$/, /--help/],
    [['stacks', DEMO, '--at', '+10ms'], 1, /\+10 ms is 8\.6 ms after the recording ends/, /it lasts 1\.4 ms/],
    [['stacks', DEMO, '--at', '5'], 1, /5\.000000000 is 12300 s before the recording begins/, /it lasts 1\.4 ms/],
    [['report', DEMO, '--match', '(.*)*\\1$'], 2, /takes too long$/, /repetition/],
    [['report', DEMO, '--matsh'], 2, /matsh/, /^ {2}did you mean --match\?/],
    [
      ['report', DEMO, '--latency', '1'],
      2,
      /unknown option --latency/,
      /is an option of ptflame latency; see ptflame report --help$/,
    ],
    [['report', DEMO, '--top', '-1'], 2, /--top must be 0 or more/, /--help/],
  ] as const)('without an answer: %j', async (args, exitCode, message, remedy) => {
    expectRefusal(await ptflame(args), exitCode, message, remedy);
  });

  test('about single calls of a profile', async ({ dir }) => {
    await ptflame(['render', DEMO, '-o', 'out.json'], { cwd: dir.path });
    const profile = dir.file('out.json');
    expectRefusal(await ptflame(['latency', 'take', profile]), 1, /is a profile/, /pass the trace itself/);
    expectRefusal(await ptflame(['stacks', profile, '--at', '+1us']), 1, /is a profile/, /pass the trace itself/);
    for (const flag of [['--window', '+1us,'], ['--root', 'take'], ['--inside', 'take'], ['--fold-recursion']])
      expectRefusal(await ptflame(['report', profile, ...flag]), 2, /cannot be used/, /pass the trace itself/);
  });

  test('about a trace without times, and its profile', async ({ dir }) => {
    const timeless = fixturePath('lab/fields-timeless-no-time.txt');
    await ptflame(['render', timeless, '--by-calls', '-o', 'calls.json'], { cwd: dir.path });
    for (const path of [timeless, dir.file('calls.json')]) {
      expectRefusal(await ptflame(['report', path]), 1, /has no times/, /record with tsc=1/);
      expectRefusal(await ptflame(['diff', DEMO, path]), 1, /has no times/, /record with tsc=1/);
    }
  });
});
