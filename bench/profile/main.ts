/**
 * `npm run bench:profile`: where the CPU time of five inputs goes, by step, and what moving their bytes would take. See
 * docs/performance.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importCommand, PROGRAM } from '../candidates.js';
import { KINDS } from '../generator/kinds.js';
import { measure } from '../measure.js';
import { table } from '../report.js';
import { median } from '../rounds.js';
import { cachedTrace } from '../trace-cache.js';
import { type CpuProfile, STEPS, Steps } from './steps.js';

const WORKERS = fileURLToPath(new URL('./workers.js', import.meta.url));

const REPEAT = fileURLToPath(new URL('../decoder/repeat.js', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../../fixtures/recordings/', import.meta.url));
/** How often the short recording of the fixtures is repeated. */
const TIMES = 1000;

interface Input {
  readonly name: string;
  readonly path: string;
  readonly ending: string;
  /** For the program. */
  readonly flags: readonly string[];
}

interface Row {
  readonly name: string;
  readonly events: number;
  readonly traceBytes: number;
  readonly cpuNs: number;
  /** Microseconds of the samples, by step. */
  readonly sampled: ReadonlyMap<string, number>;
}

async function profile({ name, path, ending, flags }: Input, steps: Steps, runs: number): Promise<Row> {
  process.stderr.write(`${name}\n`);
  const events = await eventsOf(path, flags);
  const directory = mkdtempSync(join(tmpdir(), 'ptflame-bench-'));
  const words = ['render', path, '-o', join(directory, `x.${ending}`), '--quiet', ...flags];
  const seconds: number[] = [];
  while (seconds.length < runs) seconds.push((await measure([process.execPath, PROGRAM, ...words])).cpuSeconds);
  await measure([
    process.execPath,
    '--cpu-prof',
    `--cpu-prof-dir=${directory}`,
    '--import',
    WORKERS,
    PROGRAM,
    ...words,
  ]);
  const sampled = new Map<string, number>();
  for (const file of readdirSync(directory).filter((each) => each.endsWith('.cpuprofile')))
    for (const [step, us] of steps.sums(JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile))
      sampled.set(step, (sampled.get(step) ?? 0) + us);
  rmSync(directory, { recursive: true });
  return { name, events, traceBytes: statSync(path).size, cpuNs: 1e9 * median(seconds), sampled };
}

async function eventsOf(path: string, flags: readonly string[]): Promise<number> {
  const { stdout } = await measure([process.execPath, PROGRAM, 'report', path, '--json', '--quiet', ...flags]);
  return JSON.parse(stdout).quality.events;
}

/** An event is written to the store, and to the rows of its thread. */
const EVENT_BYTES = 8 + 12;

/** Threads of V8 that compile and collect garbage have no samples: all that is missing is theirs, and that of Node's start. */
function cells({ name, events, traceBytes, cpuNs, sampled }: Row, copyNs: number): string[] {
  const known = [...sampled.values()].reduce((sum, us) => sum + 1000 * us, 0);
  const perEvent = (step: string) => {
    const ns = 1000 * (sampled.get(step) ?? 0) + (step === 'V8' ? Math.max(0, cpuNs - known) : 0);
    return ((ns * Math.min(1, cpuNs / known)) / events).toFixed(1);
  };
  const bytes = traceBytes / events + EVENT_BYTES;
  return [
    name,
    (events / 1e6).toFixed(2),
    (cpuNs / events).toFixed(1),
    ...STEPS.map(perEvent),
    bytes.toFixed(1),
    (bytes * copyNs).toFixed(1),
  ];
}

/** The time in which the machine copies a byte of what is not in its caches: the least of some rounds. */
function copyNs(): number {
  const [from, to] = [Buffer.alloc(1 << 28, 1), Buffer.alloc(1 << 28, 2)];
  const rounds = Array.from({ length: 5 }, () => {
    const { user, system } = process.cpuUsage();
    from.copy(to);
    const after = process.cpuUsage();
    return (1000 * (after.user + after.system - user - system)) / from.length;
  });
  return Math.min(...rounds);
}

const { values, positionals } = parseArgs({
  options: { dir: { type: 'string' }, size: { type: 'string' }, runs: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
const { dir = join(tmpdir(), 'ptflame-bench'), size = '1e9', runs = '3', only = '' } = values;
const sizeBytes = Number(size);
const [ordinary, manyPath] = (['ordinary', 'many-path'] as const).map(
  (kind) => cachedTrace(dir, kind, { ...KINDS[kind], sizeBytes }).path,
);
const imported = `${ordinary}.${process.pid}.ptf`;
await measure(importCommand(ordinary, imported));
const repeated = `${ordinary}.${process.pid}.data`;
await measure([process.execPath, REPEAT, join(FIXTURES, 'loop-1.data'), `${TIMES}`, repeated]);
const text = { ending: 'folded', flags: [] };
const inputs: readonly Input[] = [
  { ...text, name: 'ordinary', path: ordinary },
  { ...text, name: 'many-path', path: manyPath },
  { ...text, name: 'perf.data', path: repeated, flags: ['--symfs', join(FIXTURES, 'root')] },
  ...positionals.map((path) => ({ ...text, name: basename(path), path })),
  { ...text, name: '.ptf', path: imported },
  { ...text, name: 'page', path: ordinary, ending: 'html' },
].filter(({ name }) => name.includes(only));
try {
  const steps = new Steps();
  const copied = copyNs();
  const rows: Row[] = [];
  for (const input of inputs) rows.push(await profile(input, steps, Number(runs)));
  const columns = ['input', 'M events', 'ns CPU', ...STEPS, 'bytes', 'ns to copy'];
  process.stdout.write(
    `${table(
      columns,
      rows.map((row) => cells(row, copied)),
    )}\n`,
  );
} finally {
  for (const path of [imported, repeated]) rmSync(path, { force: true });
}
