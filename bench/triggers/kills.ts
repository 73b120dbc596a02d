/**
 * `npm run bench:kills`: kills `ptflame record --trigger` at random moments, and counts what it leaves: processes, probes, files.
 * Needs g++, perf and the right to record; as root with tracefs, half of the recordings use probes. Needs no Intel PT.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { machineFacts, table, whereText } from '../report.js';

interface Way {
  readonly name: string;
  readonly trigger: string;
  readonly target: ChildProcess;
}

const TRACING = '/sys/kernel/tracing';
/** perf ends three seconds after ptflame at the latest, and takes its time on a busy machine. */
const END_MS = 20_000;
const POLL_MS = 50;
const cli = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    /** The latest moment after the start. */
    within: { type: 'string', default: '4000' },
    date: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'ptflame-kills-'));
const program = join(folder, 'target');
const source = fileURLToPath(new URL('../../../bench/triggers/target.cpp', import.meta.url));
await execa('g++', ['-O2', '-g', '-pthread', '-o', program, source]);
const canProbe = process.getuid?.() === 0 && readdirSync(TRACING).includes('uprobe_events');
const ways: Way[] = [
  { name: 'breakpoints', trigger: 'operation>10ms', target: startTarget({ returns: 0 }) },
  ...(canProbe ? [{ name: 'probes', trigger: 'returning>10ms', target: startTarget({ returns: 1 }) }] : []),
];
const left = new Map(
  ways.map(({ name }) => [
    name,
    { kills: 0, began: 0, snapshots: 0, half: 0, unfinished: 0, processes: 0, slowestMs: 0, probes: 0, unremoved: 0 },
  ]),
);
for (let at = 0; at < Number(values.kills); at++) await killOnce(ways[at % ways.length] as Way, at);
const dead = ways.filter(({ target }) => target.exitCode !== null || target.signalCode !== null);
for (const { target } of ways) target.kill();
rmSync(folder, { recursive: true });
const columns = ['way', 'kills', 'while it waited', 'snapshots', 'of these half', 'unfinished files', 'processes left'];
const more = ['the last ended after ms', 'probes left', 'after doctor --fix'];
const rows = [...left].map(([name, counts]) => [name, ...Object.values(counts).map((count) => `${Math.round(count)}`)]);
process.stdout.write(`${whereText(machineFacts(values.date ?? new Date().toISOString().slice(0, 10)))}\n\n`);
process.stdout.write(`${table([...columns, ...more], rows)}\n\ntargets that ended: ${dead.length}\n`);

function startTarget(more: Readonly<Record<string, number>>): ChildProcess {
  const settings = { rate: 50, threads: 2, seconds: 1e6, slowEvery: 10, ...more };
  const args = Object.entries(settings).flatMap(([key, value]) => [key, `${value}`]);
  const target = spawn(program, [...args, 'truth', '/dev/null'], { stdio: ['pipe', 'ignore', 'inherit'] });
  target.stdin?.end('\n');
  return target;
}

async function killOnce({ name, trigger, target }: Way, at: number): Promise<void> {
  const counts = left.get(name);
  if (counts === undefined) return;
  const output = join(folder, `slow-${at}`);
  const args = ['record', '--no-trace', '-p', `${target.pid}`, '--trigger', trigger, '--every', '100ms', '-o', output];
  const recording = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  recording.stderr.on('data', (text: Buffer) => {
    stderr += text;
  });
  const ended = once(recording, 'exit');
  await wait(Math.random() * Number(values.within));
  recording.kill('SIGKILL');
  await ended;
  const started = performance.now();
  let running = processesOf(`${target.pid}`, output);
  for (; running > 0 && performance.now() - started < END_MS; running = processesOf(`${target.pid}`, output))
    await wait(POLL_MS);
  counts.kills++;
  counts.began += Number(stderr.includes('waiting for calls'));
  counts.processes += running;
  counts.slowestMs = Math.max(counts.slowestMs, performance.now() - started);
  const files = filesOf(output);
  const snapshots = files.filter((file) => /^\d+\.data$/.test(file));
  counts.snapshots += snapshots.length;
  counts.half += snapshots.filter((file) => isHalf(readFileSync(join(output, file)))).length;
  counts.unfinished += files.filter((file) => file.startsWith('snap')).length;
  const before = probesOf(recording.pid ?? 0);
  counts.probes += before;
  if (before > 0) await execa(process.execPath, [cli, 'doctor', '--fix'], { reject: false });
  counts.unremoved += probesOf(recording.pid ?? 0);
  rmSync(output, { recursive: true, force: true });
  process.stderr.write(`\r${at + 1} `);
}

function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it was killed before it made one
  }
}

/** perf writes into the head how much data follows it, when all of that is there. */
function isHalf(bytes: Buffer): boolean {
  if (bytes.length < 104 || bytes.toString('latin1', 0, 8) !== 'PERFILE2') return true;
  const [offset, size] = [bytes.readBigUInt64LE(40), bytes.readBigUInt64LE(48)];
  return size === 0n || offset + size > bytes.length;
}

/** Probes have the number of the process that added them. */
function probesOf(pid: number): number {
  if (!canProbe) return 0;
  const lines = readFileSync(join(TRACING, 'uprobe_events'), 'utf8').split('\n');
  return lines.filter((line) => line.includes(`:ptflame_${pid}/`)).length;
}

/** Counts the processes that record a target, or write to a directory. */
function processesOf(pid: string, output: string): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const words = readFileSync(join('/proc', name, 'cmdline'), 'utf8').split('\0');
      const isOfTarget = words.includes('record') && words.some((word, at) => word === pid && words[at - 1] === '-p');
      return isOfTarget || words.some((word) => word.includes(output));
    } catch {
      return false; // it has ended
    }
  }).length;
}
