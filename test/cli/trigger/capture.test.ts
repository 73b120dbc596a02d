/**
 * `ptflame record --trigger` with a fake perf: `sleep` stands for the target, whose calls are made up.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { TriggerLine } from '../../../cli/record/trigger/log.js';
import { type Directory, ptflame, test } from '../../helpers/cli/run-cli.js';
import { logOf, type RecordRun, received, record, startRecord } from '../../helpers/perf/record-runs.js';
import { hit, programBegins, streamHead, threadEnds } from '../../helpers/perf/watcher-stream.js';

const MS = 1e6;
let target: ReturnType<typeof spawn>;
let args: readonly string[];

beforeAll(() => {
  target = spawn('sleep', ['600'], { stdio: 'ignore' });
  args = ['-p', `${target.pid}`, '--no-trace', '--trigger', 'clock_nanosleep>10ms', '--every', '1ms', '-o', 'slow'];
});
afterAll(() => void target.kill('SIGKILL'));

/** A call of a thread from `at` for `ms`. */
function call(at: number, ms: number, tid = 5, pid = target.pid as number): Buffer {
  const [ns, sp] = [at * MS, 0x7000];
  return Buffer.concat([hit({ event: 0, pid, tid, ns, sp }), hit({ event: 1, pid, tid, ns: ns + ms * MS, sp })]);
}

const hits = (...steps: readonly (readonly [number, Buffer | 'dies'])[]) => ({
  HITS: JSON.stringify(steps.map(([ms, bytes]) => [ms, bytes === 'dies' ? bytes : bytes.toString('base64')])),
});

const head = (...calls: readonly Buffer[]) => Buffer.concat([streamHead(2), ...calls]);

async function linesIn(dir: Directory): Promise<TriggerLine[]> {
  const lines = (await dir.read('slow/triggers.jsonl')).split('\n').filter(Boolean);
  return lines.map((line) => TriggerLine.parse(JSON.parse(line)));
}

/** Runs until something is on standard error, then presses Ctrl-C. */
async function runUntil(dir: Directory, text: RegExp, run: RecordRun, more: readonly string[] = []) {
  const { running } = await startRecord(dir, [...args, ...more], run);
  let stderr = '';
  running.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes;
  });
  await vi.waitFor(() => expect(stderr).toMatch(text), { timeout: 50_000 });
  running.kill('SIGINT');
  return running;
}

describe('record --trigger', () => {
  test('keeps a snapshot of each slow call, a log of them, and nothing else', async ({ dir }) => {
    const fake = hits([0, head(call(100, 5), call(200, 20))], [200, call(30_000, 30, 6)]);
    const { exitCode, stderr } = await runUntil(dir, /0002\.data/, { fake });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    // the first call may come before perf says that it waits
    expect(stderr.replace(/^waiting .*\n/m, '')).toContain(
      '20 ms in thread 5: slow/0001.data\n30 ms in thread 6: slow/0002.data\n',
    );
    expect(stderr).toContain('3 calls of clock_nanosleep, 2 triggers, 2 snapshots in slow\n');
    expect(readdirSync(dir.file('slow')).sort()).toEqual(['0001.data', '0002.data', 'triggers.jsonl']);
    expect(await linesIn(dir)).toMatchObject([
      { thread: 5, startNs: 200 * MS, endNs: 220 * MS, file: '0001.data', why: null },
      { thread: 6, startNs: 30_000 * MS, endNs: 30_030 * MS, file: '0002.data', why: null },
    ]);
    const { stdout } = await ptflame(['info', 'slow'], { cwd: dir.path });
    expect(stdout).toMatch(
      /^triggers +2\nsnapshots +2\n0002\.data +30 ms in thread 6 from 30\.000000000; seen .*\n0001\.data/m,
    );
    const opened = await ptflame(['report', 'slow'], { cwd: dir.path });
    expect(opened.stderr).toMatch(/^slow\/0002\.data: the slowest call of clock_nanosleep, 30 ms in thread 6 from/);
  });

  test('keeps as many as wanted: the slowest', async ({ dir }) => {
    const calls = [20, 50, 30, 40, 60].map((ms, row) => [row === 0 ? 0 : 150, call(10_000 * (row + 1), ms)] as const);
    const fake = hits([0, streamHead(2)], ...calls, [150, call(90_000, 15)], [150, call(95_000, 70)]);
    await runUntil(dir, /0006\.data/, { fake }, ['--keep', '2']);
    const lines = await linesIn(dir);
    const kept = lines.filter(({ file }) => file !== null && existsSync(dir.file(`slow/${file}`)));
    expect(kept.map(({ startNs, endNs }) => endNs - startNs)).toEqual([60 * MS, 70 * MS]);
    expect(lines.find(({ startNs }) => startNs === 90_000 * MS)).toMatchObject({ why: 'faster', file: null });
  });

  test('keeps snapshots up to a size', async ({ dir }) => {
    const calls = [20, 50, 30].map((ms, row) => [row === 0 ? 0 : 150, call(10_000 * (row + 1), ms)] as const);
    const fake = hits([0, streamHead(2)], ...calls, [150, call(90_000, 15)], [150, call(95_000, 70)]);
    await runUntil(dir, /70 ms in thread 5/, { fake }, ['--keep-size', '400']); // the fake perf's files have 168 bytes
    const kept = (await linesIn(dir)).filter(({ file }) => file !== null && existsSync(dir.file(`slow/${file}`)));
    expect(kept.map(({ startNs, endNs }) => endNs - startNs)).toEqual([50 * MS, 70 * MS]);
  });

  test('takes the snapshot while the call still runs, and notes its end later', async ({ dir }) => {
    const pid = target.pid as number;
    const [begins, ends] = [
      hit({ event: 0, pid, tid: 5, ns: 100 * MS, sp: 0x7000 }),
      hit({ event: 1, pid, tid: 5, ns: 9000 * MS, sp: 0x7000 }),
    ];
    const fake = hits([0, head(begins)], [1000, Buffer.concat([ends, call(9100, 5, 6)])], [200, call(9200, 50, 6)]);
    const { stderr } = await runUntil(dir, /50 ms in thread 6/, { fake }, ['--early']);
    expect(stderr).toMatch(/ms, and still running, in thread 5: slow\/0001\.data\n/);
    expect(stderr).toContain('3 calls of clock_nanosleep, 2 triggers, 2 snapshots in slow\n');
    const [running, ended] = await linesIn(dir);
    expect(running).toMatchObject({ thread: 5, startNs: 100 * MS, file: '0001.data', isRunning: true });
    expect(ended).toMatchObject({ thread: 5, startNs: 100 * MS, endNs: 9000 * MS, file: '0001.data' });
    expect(ended?.isRunning).toBeUndefined();
    expect(ended?.seenAfterNs).toBe((running?.endNs as number) - 9000 * MS);
    const { stdout } = await ptflame(['info', 'slow'], { cwd: dir.path });
    expect(stdout).toMatch(
      /triggers +2\nsnapshots +2\n0001\.data +8\.9 s in thread 5 from .*; snapshot .* before its end\n0002/,
    );
  });

  test('says so if a call still runs at the end', async ({ dir }) => {
    const begins = hit({ event: 0, pid: target.pid as number, tid: 5, ns: 100 * MS, sp: 0x7000 });
    await runUntil(dir, /still running/, { fake: hits([0, head(begins)]) }, ['--early']);
    const { stdout } = await ptflame(['info', 'slow'], { cwd: dir.path });
    expect(stdout).toMatch(
      /^0001\.data .* in thread 5 from 0\.100000000; snapshot while it ran; its end is not known$/m,
    );
  });

  test('says so if an exception left a call that seemed to run: the next one is as high up', async ({ dir }) => {
    const pid = target.pid as number;
    const left = hit({ event: 0, pid, tid: 5, ns: 100 * MS, sp: 0x7000 });
    const next = hit({ event: 0, pid, tid: 5, ns: 9000 * MS, sp: 0x7000 });
    const fake = hits([0, head(left)], [1000, Buffer.concat([next, call(9100, 50, 6)])]);
    await runUntil(dir, /50 ms in thread 6/, { fake }, ['--early']);
    const lines = (await linesIn(dir)).filter(({ thread, startNs }) => thread === 5 && startNs === 100 * MS);
    expect(lines).toMatchObject([{ isRunning: true }, { isRunning: true, isLeft: true, file: '0001.data' }]);
    expect(lines[0]?.isLeft).toBeUndefined();
    const { stdout } = await ptflame(['info', 'slow'], { cwd: dir.path });
    expect(stdout).toMatch(/^0001\.data .*; snapshot while it ran; an exception left it, maybe before that$/m);
  });

  test('tells of no call before its time, though the clocks of perf and ptflame go apart', async ({ dir }) => {
    const pid = target.pid as number;
    const [begins, ends] = [0, 1].map((event) => hit({ event, pid, tid: 5, ns: (100 + event * 100) * MS, sp: 0x7000 }));
    const fake = hits([0, head(call(0, 5, 6))], [900, begins as Buffer], [100, ends as Buffer], [0, call(300, 600, 6)]);
    const { stderr } = await runUntil(dir, /0001\.data/, { fake }, ['--early', '--trigger', 'clock_nanosleep>500ms']);
    expect(stderr).toContain('3 calls of clock_nanosleep, 1 trigger, 1 snapshot in slow\n');
    expect(await linesIn(dir)).toMatchObject([{ thread: 6, startNs: 300 * MS }]);
  });

  test('takes ways from one function to another, also from deeper in the stack', async ({ dir }) => {
    const pid = target.pid as number;
    const way = (at: number, ms: number) =>
      Buffer.concat([
        hit({ event: 0, pid, tid: 5, ns: at * MS, sp: 0x7000 }),
        hit({ event: 1, pid, tid: 5, ns: (at + ms) * MS, sp: 0x6000 }),
      ]);
    const fake = hits([0, head(way(100, 5), way(200, 20))]);
    const { stderr } = await runUntil(dir, /0001\.data/, { fake }, ['--trigger', 'clock_nanosleep..getpid>10ms']);
    expect(stderr).toContain('waiting for ways from clock_nanosleep to getpid of 10 ms or more');
    expect(stderr).toContain('2 ways from clock_nanosleep to getpid, 1 trigger, 1 snapshot in slow\n');
    expect(await linesIn(dir)).toMatchObject([{ function: 'clock_nanosleep', to: 'getpid', startNs: 200 * MS }]);
    const watcher = logOf(dir).find((entry): entry is string[] => entry.includes('-'));
    expect(watcher?.filter((each) => each.startsWith('mem:'))).toHaveLength(2);
  });

  test('watches with breakpoints at the entry and the returns, and orders by SIGUSR2', async ({ dir }) => {
    await runUntil(dir, /0001\.data/, { fake: hits([0, head(call(1, 20))]) });
    const [recorder, watcher] = logOf(dir).filter((entry): entry is string[] => entry[0] === 'record');
    const pid = `${target.pid}`;
    expect(recorder?.join(' ')).toContain(`--switch-output=signal --no-bpf-event -p ${pid} --control fd:3,4 -D -1`);
    expect(watcher?.filter((each) => /^mem:0x[0-9a-f]+:x:u$/.test(each)).length).toBeGreaterThanOrEqual(2);
    expect(watcher?.join(' ')).toContain(`-p ${pid} --control fd:3,4 -D -1`);
  });

  test('watches with probes where breakpoints are never hit', async ({ dir }) => {
    const fake = { ...hits([0, head(call(1, 20))]), BREAKPOINTS: '0' };
    await runUntil(dir, /0001\.data/, { fake });
    const watcher = logOf(dir).find((entry): entry is string[] => entry.includes('-'));
    const events = watcher?.filter((each) => /^mem:|^ptflame_\d+:/.test(each)) ?? [];
    expect(events.map((each) => each.replace(/\d+/, 'N'))).toEqual([
      'ptflame_N:clock_nanoslee?',
      'ptflame_N:clock_nanosleep__retur?',
    ]);
  });

  test.for([
    ['clock_nanosleep@entry', /^clock_nanosleep in libc\S*$/],
    ['clock_nanosleep..__tls_get_addr', /^clock_nanosleep in libc\S* __tls_get_addr in ld-linux\S*$/],
  ] as const)('puts probes for %s where each place is', async ([trigger, places], { dir }) => {
    await runUntil(dir, /waiting/, { fake: { BREAKPOINTS: '0' } }, ['--trigger', trigger]);
    const probes = await dir.read('root/sys/kernel/tracing/uprobe_events');
    const added = Array.from(
      probes.matchAll(/^p:\w+\/(\w+) \S*\/([^/:]+):/gm),
      ([, name, file]) => `${name} in ${file}`,
    );
    expect(added.join(' ')).toMatch(places);
  });

  test('stops when calls cost more than allowed, and says so', async ({ dir }) => {
    const many = Array.from({ length: 200 }, (_, row) => call(row / 2, 0.1));
    const { exitCode, stderr } = await record(dir, [...args, '--max-cost', '0.5%'], { fake: hits([0, head(...many)]) });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toMatch(
      /stopped: calls of clock_nanosleep are so frequent that watching them takes more than 0\.5 %/,
    );
    expect(existsSync(dir.file('slow'))).toBe(false);
  });

  test('ends when the target runs another program', async ({ dir }) => {
    const fake = hits([0, head(call(1, 20))], [300, programBegins(target.pid as number)]);
    const { exitCode, stderr } = await record(dir, args, { fake });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain('the target runs another program now\n');
    expect(readdirSync(dir.file('slow')).sort()).toEqual(['0001.data', 'triggers.jsonl']);
  });

  test('leaves out a child that runs another program: what is at that address there is another function', async ({
    dir,
  }) => {
    const child = 4_000_000;
    const fake = hits([0, head(programBegins(child), call(1, 50, child, child), call(1000, 20))]);
    const { stderr } = await runUntil(dir, /0001\.data/, { fake });
    expect(stderr).toContain('1 call of clock_nanosleep, 1 trigger, 1 snapshot in slow\n');
    expect(await linesIn(dir)).toMatchObject([{ thread: 5, endNs: 1020 * MS }]);
  });

  test('says which slow calls it cannot know', async ({ dir }) => {
    const pid = target.pid as number;
    const left = hit({ event: 0, pid, tid: 5, ns: 1, sp: 0x8000 });
    const fake = hits([0, head(left, call(10, 20), threadEnds(pid, 5), call(100, 20, 6))]);
    const { stderr } = await runUntil(dir, /0001\.data/, { fake });
    expect(stderr).toContain(
      '1 slow call ran, without a snapshot, within a call of clock_nanosleep that did not return',
    );
  });
});

describe('a clock of the machine that goes an hour back and a day on', () => {
  const env = { NODE_OPTIONS: `--import ${new URL('../../helpers/cli/jumping-clock.mjs', import.meta.url)}` };

  test('changes nothing: each snapshot has a name of its own, and --every is kept', async ({ dir }) => {
    const calls = [1000, 1100, 1400, 1700].map((at) => [300, call(at, 20)] as const);
    const fake = hits([0, streamHead(2)], ...calls);
    const { stderr } = await runUntil(dir, /0003\.data/, { fake, env }, ['--every', '250ms', '-t', '300s']);
    expect(stderr).toContain('4 calls of clock_nanosleep, 4 triggers, 3 snapshots in slow\n');
    const lines = await linesIn(dir);
    expect(lines.map(({ file, why }) => file ?? why)).toEqual(['0001.data', 'too soon', '0002.data', '0003.data']);
    expect(lines.every(({ seenAfterNs }) => seenAfterNs >= 0 && seenAfterNs < 60e9)).toBe(true);
    expect(readdirSync(dir.file('slow'))).toHaveLength(4);
  });
});

describe('a perf that misbehaves', () => {
  test.for(['absent', 'cut'])(
    'by not writing (%s): the triggers are in the log, and no file stays',
    async (DUMPS, { dir }) => {
      const fake = { ...hits([0, head(call(1, 20))], [200, call(10_000, 20)]), DUMPS };
      const { running } = await startRecord(dir, args, { fake });
      await received(dir, 'watcher enable');
      await vi.waitFor(async () => expect(await linesIn(dir)).toHaveLength(2), { timeout: 50_000 });
      running.kill('SIGINT');
      const { exitCode } = await running;
      expect(exitCode).toBe(0);
      expect((await linesIn(dir)).map(({ why }) => why)).toEqual(['not written', 'not written']);
      expect(readdirSync(dir.file('slow'))).toEqual(['triggers.jsonl']);
    },
  );

  test('the recorder dies at a snapshot: the target lives, so it is an error, and what was written stays', async ({
    dir,
  }) => {
    const fake = { ...hits([0, head(call(1, 20))]), DUMPS: 'dies' };
    const { exitCode, stderr } = await record(dir, args, { fake });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('1 trigger, 0 snapshots in slow\n');
    expect((await linesIn(dir)).map(({ why }) => why)).toEqual(['not written']);
    expect(readdirSync(dir.file('slow'))).toEqual(['triggers.jsonl']);
  });

  test('the watcher dies: likewise', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, args, { fake: hits([0, head(call(1, 20))], [300, 'dies']) });
    expect(exitCode).toBe(1);
    expect(stderr).not.toContain('the target ended');
    expect(readdirSync(dir.file('slow')).sort()).toEqual(['0001.data', 'triggers.jsonl']);
  });

  test('the watcher writes something else: no call is seen', async ({ dir }) => {
    const fake = hits([0, Buffer.from('nonsense'.repeat(100))], [200, 'dies']);
    const { exitCode } = await record(dir, args, { fake });
    expect(exitCode).toBe(1);
    expect(existsSync(dir.file('slow'))).toBe(false);
  });
});

test('a ptflame that is killed leaves its snapshots, and info says what else', async ({ dir }) => {
  const { running } = await startRecord(dir, args, { fake: hits([0, head(call(1, 20))]) });
  await vi.waitFor(async () => expect(await linesIn(dir)).toMatchObject([{ file: '0001.data' }]), { timeout: 50_000 });
  running.kill('SIGKILL');
  await running;
  const { stdout } = await ptflame(['info', 'slow'], { cwd: dir.path });
  expect(stdout).toMatch(/^0001\.data +20 ms in thread 5 .*\nsnap +perf still writes it; or ptflame was killed/m);
});

describe('is refused', () => {
  test.for<[string, readonly string[], RegExp]>([
    [
      'for a function that is not there',
      ['--trigger', 'clock_nanosleeep>10ms'],
      /has no function clock_nanosleeep\n.*did you mean clock_nanosleep/,
    ],
    ['with options for whole recordings', ['--waits'], /--trigger FUNCTION and --waits are mutually exclusive/],
    ['early without a time', ['--trigger', 'clock_nanosleep', '--early'], /--early needs a time/],
    ['from a place to itself', ['--trigger', 'getpid..getpid'], /getpid and getpid are the same place/],
    ['for a directory with files in it', ['-o', '.'], /\. is not empty/],
    ['for a directory two levels deep', ['-o', 'no/such'], /cannot create the folder no\/such: .*\n.*mkdir -p/],
    ['for a number of snapshots that is none', ['--keep', '0'], /--keep/],
    [
      'where breakpoints are never hit and nothing can be probed',
      [],
      /: the breakpoints of this virtual machine are never hit\n {2}use sudo, with tracefs mounted, for probes\n/,
    ],
  ])('%s', async ([, more, message], { dir }) => {
    await dir.write('file', '');
    const run = { machine: { tracepoints: null }, fake: { BREAKPOINTS: '0' } };
    const { exitCode, stderr } = await record(dir, [...args, ...more], run);
    expect({ exitCode, stderr }).toEqual({ exitCode: expect.any(Number), stderr: expect.stringMatching(message) });
    expect(exitCode).not.toBe(0);
  });
});
