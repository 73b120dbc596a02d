/**
 * `npm run bench:triggers`: captures slow calls of a program that writes its own truth, in several ways, and tells how many were
 * missed, how many were none, and how late perf learned of them. Needs g++, perf and the right to record; needs no Intel PT. See
 * docs/recording.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { machineFacts, table, whereText } from '../report.js';
import { type Comparison, compare, type Trigger, type TrueCall } from './compare.js';

interface Scenario {
  readonly name: string;
  /** Settings of the target: target.cpp. */
  readonly target: Readonly<Record<string, number>>;
  readonly trigger: string;
  /** A user to run as, instead of this one. */
  readonly uid?: number;
  /** The target has a mount namespace of its own, with another root. */
  readonly isContained?: boolean;
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
];

const { values } = parseArgs({
  options: { only: { type: 'string' }, seconds: { type: 'string', default: '30' }, date: { type: 'string' } },
});
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'ptflame-triggers-'));
chmodSync(folder, 0o777);
const program = join(folder, 'target');
const source = fileURLToPath(new URL('../../../bench/triggers/target.cpp', import.meta.url));
await execa('g++', ['-O2', '-g', '-pthread', '-o', program, source]);
const rows: string[][] = [];
for (const scenario of SCENARIOS.filter(({ name }) => values.only === undefined || name.includes(values.only))) {
  process.stderr.write(`${scenario.name}\n`);
  rows.push([scenario.name, ...cells(await run(scenario))]);
}
rmSync(folder, { recursive: true });
const columns = ['way', 'calls', 'slow', 'triggers', 'missed', 'false', 'seen after ms: median', 'p99'];
process.stdout.write(`${whereText(machineFacts(values.date ?? new Date().toISOString().slice(0, 10)))}\n\n`);
process.stdout.write(`${table(columns, rows)}\n`);

async function run({ name, target, trigger, uid, isContained }: Scenario): Promise<Comparison> {
  const truth = join(folder, `truth-${rows.length}`);
  const output = join(folder, `slow-${rows.length}`);
  const user = uid === undefined ? {} : { uid, gid: uid };
  const life = seconds / (target.generations ?? 1);
  const settings = Object.entries({ ...target, seconds: life }).flatMap(([key, value]) => [key, `${value}`]);
  const inside = isContained ? ['unshare', '--mount', 'sh', '-c', CONTAINER, program] : [program];
  const [file = '', ...args] = [...inside, ...settings, 'truth', truth];
  const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], ...user });
  const exited = once(child, 'exit');
  await new Promise((done) => setTimeout(done, 1000));
  const cli = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const what = ['--no-trace', '--trigger', trigger, '--keep', '1000', '--every', '1ms', '--max-cost', '100%'];
  const recording = execa(process.execPath, [cli, 'record', '-p', `${child.pid}`, ...what, '-o', output], {
    reject: false,
    ...user,
  });
  const begin = (text: Buffer) => text.includes('waiting for calls') && child.stdin.end('\n');
  recording.stderr.on('data', begin);
  const { exitCode, stderr } = await recording;
  child.stdin.end('\n');
  await exited;
  if (exitCode !== 0) throw new Error(`${name}: ${stderr}`);
  const triggers = linesOf(join(output, 'triggers.jsonl')).map((line) => JSON.parse(line) as Trigger);
  const [, limitMs] = />(\d+)ms$/.exec(trigger) ?? [];
  return compare(linesOf(truth).map(trueCall), triggers, Number(limitMs) * 1e6);
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

function trueCall(line: string): TrueCall {
  const [tid = 0, innerStartNs = 0, innerEndNs = 0, outerStartNs = 0, outerEndNs = 0, left = 0] = line
    .split(' ')
    .map(Number);
  return { tid, innerStartNs, innerEndNs, outerStartNs, outerEndNs, hasThrown: left === 1 };
}

function cells({ calls, slow, triggers, missed, none, seenAfterMs }: Comparison): string[] {
  const [median = 0, p99 = 0] = seenAfterMs;
  return [
    ...[calls, slow, triggers, missed, none].map((n) => n.toLocaleString('en')),
    median.toFixed(2),
    p99.toFixed(2),
  ];
}
