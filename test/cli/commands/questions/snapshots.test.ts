/**
 * Questions about all snapshots of a directory that `record --trigger` wrote.
 */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { TriggerLine } from '../../../../cli/record/trigger/log.js';
import { Latency, RequestsAnswer } from '../../../../src/answers.js';
import { decodeData } from '../../../../src/page/browser/platform/decode.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../../helpers/cli/run-cli.js';
import { writeSnapshots } from '../../../helpers/cli/snapshots-directory.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');

/** Calls of `work`, a thread each; in `slow`, the last one waits for the disk. Both have the same threads at the same time. */
const head = 'server 100/101 [000] 1.000000000: call   401000 serve+0x0 => 402000 work+0x0\n';
const end = (ns: number) =>
  `server 100/101 [000] 1.${String(ns).padStart(9, '0')}: return 402010 work+0x10 => 401005 serve+0x5\n`;
const FAST = `${head}${end(100)}${head.replace('1.000000000', '1.000000200')}${end(320)}`;
const SLOW = `\
${head.replace('server', 'backup')}\
backup 100/101 [000] 1.000000010: call   402004 work+0x4 => 403000 read_disk+0x0
backup 100/101 [000] 1.000000910: return 403010 read_disk+0x10 => 402009 work+0x9
${end(920).replace('server', 'backup')}`;

describe('latency of a directory of snapshots', () => {
  test('joins them: the slowest call against the average of all, and where it is', async ({ dir }) => {
    writeSnapshots(dir.file('slow'), [{ text: FAST }, { text: SLOW }]);
    const { stdout, stderr } = await ptflame(['latency', 'work', 'slow', '--slowest', '2'], { cwd: dir.path });
    expect(stderr).not.toContain('warning');
    expect(stdout).toContain('of 2 command names, 2 recordings added up');
    expect(stdout).toContain('\n3 calls\n');
    expect(stdout).toMatch(/^slowest call 1 \(0002\.data\): 920 ns from 1\.000000000 in thread 101 backup, /m);
    expect(stdout).toMatch(/^\+600 ns +900 ns +300 ns +1 +0\.33 {4}read_disk$/m);
    expect(stdout).toMatch(/^slowest call 2 \(0001\.data\): 120 ns from 1\.000000200 in thread 101 server, /m);
  });

  test('adds up what one recording has as often as it is there', async ({ dir }) => {
    const text = readFileSync(DEMO);
    writeSnapshots(dir.file('slow'), [{ text }, { text }]);
    const ask = async (input: string) =>
      Latency.parse(
        JSON.parse((await ptflame(['latency', '/take|queue/', input, '--json'], { cwd: dir.path })).stdout),
      );
    const [one, two] = [await ask(DEMO), await ask('slow')];
    expect(one.stats.calls).toBe(9);
    const doubled = <Row extends object>(row: Row) => {
      const isSum = /^(calls|inferred|unwound|totalNs|outside\w*Ns|offCpuNs|onCpuNs|outsideCalls|offCpuCalls)$/;
      return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, isSum.test(key) ? 2 * value : value]));
    };
    expect(two.stats).toEqual(doubled(one.stats));
    expect(two.histogram).toEqual(one.histogram.map(doubled));
    expect(two.children).toEqual(one.children.map(doubled));
    expect(two.callers.map(({ name, stats }) => [name, stats])).toEqual(
      one.callers.map(({ name, stats }) => [name, doubled(stats)]),
    );
    expect(two.chains).toEqual(one.chains.map(doubled));
    expect(two.functions.map(({ name, calls }) => [name, calls])).toEqual(
      one.functions.map(({ name, calls }) => [name, 2 * calls]),
    );
  });

  test('says which snapshots lack the function; if all do, it is refused', async ({ dir }) => {
    writeSnapshots(dir.file('slow'), [{ text: FAST }, { text: SLOW }]);
    const { stdout, stderr } = await ptflame(['latency', 'read_disk', 'slow'], { cwd: dir.path });
    expect(stdout).toContain('\n1 call\n');
    expect(stderr).toMatch(/^warning: not counted: slow\/0001\.data: .*read_disk/m);
    expectRefusal(await ptflame(['latency', 'reed_disk', 'slow'], { cwd: dir.path }), 1, /reed_disk/);
  });

  test.for<[string, readonly string[], 1 | 2, RegExp]>([
    ['a plot over time', ['slow', '--timeline'], 2, /--timeline and --heatmap show one recording/],
    ['another input beside it', ['slow', DEMO], 2, /slow has several recordings, which are joined alone/],
    ['an output that is a snapshot', ['slow', '-o', 'slow/0001.data'], 2, /0001\.data/],
  ])('refuses %s', async ([, args, exitCode, message], { dir }) => {
    writeSnapshots(dir.file('slow'), [{ text: FAST }, { text: SLOW }]);
    expectRefusal(await ptflame(['latency', 'work', ...args], { cwd: dir.path }), exitCode, message);
    expect(await dir.read('slow/0001.data')).toBe(FAST);
  });
});

describe('requests of a directory of snapshots', () => {
  test('compares the slowest with the typical of all, and says where they are', async ({ dir }) => {
    writeSnapshots(dir.file('slow'), [{ text: FAST }, { text: SLOW }]);
    const { stdout, stderr } = await ptflame(['requests', 'work', 'slow', '--slowest', '1'], { cwd: dir.path });
    expect(stderr).not.toContain('clock');
    expect(stdout).toContain('of 2 command names, 2 recordings added up');
    expect(stdout).toContain('\n3 requests in 1 thread\n');
    expect(stdout).toMatch(/^slowest request 1 \(0002\.data\): 920 ns from 1\.000000000 in thread 101 backup$/m);
    expect(stdout).toMatch(/^ *380 ns +920 ns +\+540 ns +all$/m);
    expect(stdout).toMatch(/^ *300 ns +900 ns +\+600 ns +read_disk$/m);
    expect(stdout).toMatch(/^ *80 ns +20 ns +−60 ns +work$/m);
  });

  test('is the same for what one recording has twice', async ({ dir }) => {
    const text = readFileSync(DEMO);
    writeSnapshots(dir.file('slow'), [{ text }, { text }]);
    const ask = async (input: string) => {
      const { stdout } = await ptflame(['requests', 'take', input, '--json'], { cwd: dir.path });
      return RequestsAnswer.parse(JSON.parse(stdout));
    };
    const [one, two] = [await ask(DEMO), await ask('slow')];
    expect(one.complete).toBeGreaterThan(2);
    expect([two.requests, two.complete]).toEqual([2 * one.requests, 2 * one.complete]);
    expect([two.threads, two.otherThreads, two.hosts]).toEqual([one.threads, one.otherThreads, []]);
    expect(two.functions).toEqual(one.functions);
    expect(two.stats?.avgNs).toBeCloseTo(one.stats?.avgNs ?? 0, 3);
    expect(two.slowest?.maxNs).toBe(one.slowest?.maxNs);
  });

  test('joins nothing between snapshots: equal keys in two are different work', async ({ dir }) => {
    const [main = '', side = ''] = ['requests', 'waits'].map((name) =>
      gunzipSync(readFileSync(fixturePath(`waits/${name}.txt.gz`))).toString(),
    );
    writeSnapshots(dir.file('slow'), [{ text: main + side }, { text: main + side }]);
    const flow = ['--flow', 'queue_push:job=run_job:job', '--json'];
    const ask = async (input: string) => {
      const { stdout } = await ptflame(['requests', 'handle_request', input, ...flow], { cwd: dir.path });
      return RequestsAnswer.parse(JSON.parse(stdout));
    };
    const [one, two] = [await ask('slow/0001.data'), await ask('slow')];
    expect(one.joined.byKey).toBeGreaterThan(10);
    expect(two.joined).toEqual(Object.fromEntries(Object.entries(one.joined).map(([way, count]) => [way, 2 * count])));
    expect(two.whereByThread.map(({ comm, threads }) => [comm, threads])).toEqual(
      one.whereByThread.map(({ comm, threads }) => [comm, threads]),
    );
  });

  test('refuses spans, whose times would be of several clocks', async ({ dir }) => {
    writeSnapshots(dir.file('slow'), [{ text: FAST }, { text: SLOW }]);
    const refused = await ptflame(['requests', 'work', 'slow', '--otlp'], { cwd: dir.path });
    expectRefusal(refused, 2, /--otlp and --perfetto write one recording/, /slow\/0002\.data/);
  });
});

const dataOf = (page: string) => decodeData(/ id="data">([^<]*)</.exec(page)?.[1] ?? '');

test('a page says which call its snapshot is of, from the directory and from the file alone', async ({ dir }) => {
  const call = { function: 'work', thread: 101, startNs: 1_000_000_000, endNs: 1_000_000_920, seenAfterNs: 400_000 };
  writeSnapshots(dir.file('slow'), [{ text: FAST }, { text: SLOW, ...call }]);
  for (const input of ['slow', 'slow/0002.data']) {
    const { stderr } = await ptflame(['render', input, '-o', 'slow.html'], { cwd: dir.path });
    expect(stderr.match(/: the slowest call of work, /g) ?? []).toHaveLength(input === 'slow' ? 1 : 0);
    const { trigger } = await dataOf(await dir.read('slow.html'));
    expect(trigger?.call).toEqual({ tid: 101, startNs: 0, endNs: 920 });
    expect(trigger?.sentence.map(({ text }) => text).join('')).toBe(
      'Snapshot of a call of work that took 920 ns in thread backup 101; the snapshot was ordered 400 µs after its end.',
    );
  }
  await ptflame(['render', DEMO, '-o', 'slow.html'], { cwd: dir.path });
  expect((await dataOf(await dir.read('slow.html'))).trigger).toBeUndefined();
});

test('a page says why the call was slow, which is read from the snapshot', async ({ dir }) => {
  writeSnapshots(dir.file('slow'), [{ text: readFileSync(fixturePath('recordings/loop.data')) }]);
  const symfs = ['--symfs', fixturePath('recordings/root')];
  const asked = ['latency', 'iteration', 'slow/0001.data', '--slowest', '3', '--json', ...symfs];
  const { slowest, typical } = Latency.parse(JSON.parse((await ptflame(asked, { cwd: dir.path })).stdout));
  const found = slowest[1]; // a snapshot may have slower ones
  const [seconds = '', ns = ''] = found?.start.split('.') ?? [];
  const startNs = Number(seconds) * 1e9 + Number(ns) - 50; // a breakpoint is hit before the branch is traced
  const call = {
    function: 'iteration',
    thread: found?.tid as number,
    startNs,
    endNs: startNs + (found?.durationNs ?? 0),
  };
  const sentences = async (more: Partial<TriggerLine>) => {
    await rm(dir.file('slow'), { recursive: true });
    writeSnapshots(dir.file('slow'), [{ text: readFileSync(fixturePath('recordings/loop.data')), ...call, ...more }]);
    await ptflame(['render', 'slow', '-o', 'slow.html', ...symfs], { cwd: dir.path });
    return (await dataOf(await dir.read('slow.html'))).trigger?.sentence.map(({ text }) => text).join('') ?? '';
  };
  const { instructions, cycles } = found?.counts ?? { instructions: 0, cycles: 0 };
  const text = await sentences({});
  expect(text).toMatch(
    /^Snapshot of a call of iteration .* after its end\. It took .* MHz lowest frequency \(3,000 MHz\)\.$/,
  );
  expect(text).toContain(
    `It took ${instructions} instructions (typically ${typical?.instructions}), ${cycles} cycles (`,
  );
  expect(await sentences({ thread: 1 })).not.toContain('It took');
  expect(await sentences({ function: 'other' })).toMatch(/call of other .* after its end\.$/);
});
