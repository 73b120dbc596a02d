/**
 * `npm run bench:triggers`: captures slow calls of a program that writes its own truth, in several ways, and tells how many were
 * missed, how many were none, how late ptflame learned of them, when the buffer was frozen (as root, with tracefs), and what a
 * call cost the program. Needs g++, perf and the right to record; needs no Intel PT. See docs/recording.md.
 *
 * `--first`: ptflame and perf have a CPU whenever they want one (SCHED_FIFO), as on a machine with an idle one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { machineFacts, table, whereText } from '../report.js';
import { compare, frozenAfterMs, summed, type Trigger, type TrueCall } from './compare.js';

interface Scenario {
  readonly name: string;
  /** Settings of the target: target.cpp. */
  readonly target: Readonly<Record<string, number>>;
  readonly trigger: string;
  /** A user to run as, instead of this one. */
  readonly uid?: number;
  /** The target has a mount namespace of its own, with another root. */
  readonly isContained?: boolean;
  /** The snapshot is taken while the call runs. */
  readonly isEarly?: boolean;
}

const NOBODY = 65534;
/** The program is at another path than outside: on a file system that is mounted here alone. */
const CONTAINER = 'mount -t tmpfs none /mnt && cp "$0" /mnt/target && exec /mnt/target "$@"';
const SLOW = 'operation>10ms';
const SCENARIOS: readonly Scenario[] = [
  { name: 'breakpoints', target: { rate: 50, threads: 2 }, trigger: SLOW },
  { name: 'breakpoints, as nobody', target: { rate: 50, threads: 2 }, trigger: SLOW, uid: NOBODY },
  { name: 'recursion, 4 deep', target: { rate: 25, threads: 2, depth: 4 }, trigger: SLOW },
  { name: 'exceptions', target: { rate: 50, threads: 2, throwEvery: 3, depth: 1 }, trigger: SLOW },
  { name: '200 threads that come and go', target: { rate: 5, threads: 20, generations: 10 }, trigger: SLOW },
  { name: 'container', target: { rate: 50, threads: 2 }, trigger: SLOW, isContained: true },
  { name: 'probes: five returns', target: { rate: 50, threads: 2, returns: 1 }, trigger: 'returning>10ms' },
  {
    name: 'probes, while calls run',
    target: { rate: 50, threads: 2, returns: 1 },
    trigger: 'returning>10ms',
    isEarly: true,
  },
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '30' },
    first: { type: 'boolean', default: false },
    date: { type: 'string' },
  },
});
const BASELINE_S = 5;
const TRACING = '/sys/kernel/tracing/events/syscalls/sys_enter_ioctl';
/** perf freezes each of its buffers by it, with 1, before it writes a snapshot. */
const PAUSE_OUTPUT = '0x40042409';
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'ptflame-triggers-'));
chmodSync(folder, 0o777);
const program = join(folder, 'target');
const source = fileURLToPath(new URL('../../../bench/triggers/target.cpp', import.meta.url));
await execa('g++', ['-O2', '-g', '-pthread', '-o', program, source]);
const times = ['seen after ms: median', 'p99', 'frozen after ms: median', 'p99', 'CPU µs of a call: without', 'with'];
const columns = ['way', 'calls', 'slow', 'triggers', 'missed', 'false', ...times];
const rows: string[][] = [];
for (const scenario of SCENARIOS.filter(({ name }) => values.only === undefined || name.includes(values.only))) {
  process.stderr.write(`${scenario.name}\n`);
  rows.push([scenario.name, ...(await run(scenario))]);
}
rmSync(folder, { recursive: true });
process.stdout.write(`${whereText(machineFacts(values.date ?? new Date().toISOString().slice(0, 10)))}\n\n`);
process.stdout.write(`${table(columns, rows)}\n`);

async function run(scenario: Scenario): Promise<string[]> {
  const { trigger, isEarly, uid } = scenario;
  const alone = await startTarget(scenario, BASELINE_S);
  alone.begin();
  const without = await alone.calls();
  const target = await startTarget(scenario, seconds);
  const output = join(folder, `slow-${rows.length}`);
  const cli = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const what = ['--no-trace', '--trigger', trigger, '--keep', '1000', '--every', '1ms', '--max-cost', '100%'];
  const args = [cli, 'record', '-p', `${target.pid}`, ...what, ...(isEarly ? ['--early'] : []), '-o', output];
  const [file = '', ...more] = [...(values.first ? ['chrt', '--fifo', '1'] : []), process.execPath, ...args];
  const recording = execa(file, more, { reject: false, ...userOf(uid) });
  let freezes: Promise<number[]> | null = null;
  recording.stderr.on('data', (text: Buffer) => {
    if (!text.includes('waiting for calls')) return;
    freezes = whenFrozen(output);
    setTimeout(target.begin, 1000);
  });
  const { exitCode, stderr } = await recording;
  target.begin();
  const calls = await target.calls();
  if (exitCode !== 0) {
    process.stderr.write(`refused:\n${stderr}\n`); // such as nobody, where breakpoints are never hit
    return columns.slice(1).map(() => '–');
  }
  const lines = linesOf(join(output, 'triggers.jsonl')).map((line) => JSON.parse(line) as Trigger);
  const triggers = [...new Map(lines.map((line) => [`${line.thread} ${line.startNs}`, line])).values()];
  const [, limitMs] = />(\d+)ms$/.exec(trigger) ?? [];
  const found = compare(calls, triggers, Number(limitMs) * 1e6);
  const counts = [found.calls, found.slow, found.triggers, found.missed, found.none];
  const frozenNs = (await freezes) ?? [];
  const frozen = summed(isEarly ? [] : frozenAfterMs(triggers, frozenNs));
  const costs = [without, calls].map((all) => summed(all.filter(isFast).map(({ cpuNs }) => cpuNs / 1e3))[0]);
  return [
    ...counts.map((count) => count.toLocaleString('en')),
    ...[...found.seenAfterMs, ...frozen, ...costs].map((value) => (Number.isNaN(value) ? '' : value.toFixed(2))),
  ];
}

/** It waits until it is told to begin. */
async function startTarget({ target, uid, isContained }: Scenario, lifeS: number) {
  const truth = join(folder, `truth-${rows.length}-${lifeS}`);
  const settings = Object.entries({ ...target, seconds: lifeS / (target.generations ?? 1) });
  const inside = isContained ? ['unshare', '--mount', 'sh', '-c', CONTAINER, program] : [program];
  const [file = '', ...args] = [...inside, ...settings.flatMap(([key, value]) => [key, `${value}`]), 'truth', truth];
  const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], ...userOf(uid) });
  const exited = once(child, 'exit');
  await wait(1000);
  return {
    pid: child.pid,
    begin: () => child.stdin.end('\n'),
    calls: async () => {
      await exited;
      return linesOf(truth).map(trueCall);
    },
  };
}

function userOf(uid: number | undefined) {
  return uid === undefined ? {} : { uid, gid: uid };
}

/** Returns when the recording perf had frozen its last buffer for each snapshot, on the clock of its events; it ends with it. */
async function whenFrozen(output: string): Promise<number[]> {
  const [recorder] = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isRecorder(pid, output));
  if (recorder === undefined || !existsSync(TRACING)) return [];
  const file = `${output}.ioctls`;
  const what = ['-e', 'syscalls:sys_enter_ioctl', '--filter', `cmd == ${PAUSE_OUTPUT}`, '-p', recorder];
  await execa('perf', ['record', '-q', '-o', file, ...what], { reject: false });
  const { stdout } = await execa('perf', ['script', '-i', file, '--ns', '-F', 'time,trace'], { reject: false });
  const found = stdout.matchAll(/(\d+)\.(\d{9}): .*arg: 0x0*([01])\b/g);
  const all = Array.from(found, ([, s, ns, isPaused]) => ({
    ns: Number(s) * 1e9 + Number(ns),
    isPaused: isPaused === '1',
  }));
  return all.filter(({ isPaused }, at) => isPaused && all[at + 1]?.isPaused !== true).map(({ ns }) => ns);
}

function isRecorder(pid: string, output: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'perf\n' && words.includes(`${output}/snap`);
  } catch {
    return false; // it has ended
  }
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

function trueCall(line: string): TrueCall {
  const [tid = 0, innerStartNs = 0, innerEndNs = 0, outerStartNs = 0, outerEndNs = 0, left = 0, cpuNs = 0] = line
    .split(' ')
    .map(Number);
  return { tid, innerStartNs, innerEndNs, outerStartNs, outerEndNs, hasThrown: left === 1, cpuNs };
}

/** Fast calls sleep, so that their time on the CPU is what probes and the kernel take. */
function isFast({ outerStartNs, outerEndNs, hasThrown }: TrueCall): boolean {
  return outerEndNs - outerStartNs < 5e6 && !hasThrown;
}
