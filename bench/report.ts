/**
 * Formats measurements as Markdown.
 */
import { arch, cpus, release, totalmem, type } from 'node:os';
import {
  ALL_OUTPUTS,
  FROM_IMPORTED,
  FROM_TEXT,
  LATENCY,
  PAGE,
  PROFILE,
  REPORT,
  WINDOW,
  YARDSTICK,
} from './candidates.js';
import type { Cost } from './measure.js';
import type { Phases } from './phases.js';
import type { Measured } from './rounds.js';
import type { Trace } from './trace-cache.js';

export interface MachineFacts {
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
  readonly system: string;
}

export interface TraceResult {
  readonly trace: Omit<Trace, 'path'>;
  /** The cost of importing it once, and the size of the trace file. */
  readonly imported: Cost & { readonly bytes: number };
  readonly measured: readonly Measured[];
  readonly phases: Phases;
}

export interface BenchReport {
  readonly machine: MachineFacts;
  readonly runs: number;
  readonly startUp: readonly Measured[];
  readonly traces: readonly TraceResult[];
}

export function machineFacts(date: string): MachineFacts {
  const cores = cpus();
  const system = `${type()} ${release()} ${arch()}`;
  const cpu = cores[0]?.model.trim() ?? 'unknown';
  return { date, cpu, cores: cores.length, memoryBytes: totalmem(), node: process.version, system };
}

export function whereText({ date, cpu, cores, memoryBytes, node, system }: MachineFacts): string {
  return `${date}: ${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(0)} GiB, Node ${node}, ${system}.`;
}

export function markdown({ machine, runs, startUp, traces }: BenchReport): string {
  return [
    `${whereText(machine)} Medians of ${runs} runs.`,
    table(TRACE_COLUMNS, traces.map(traceRow)),
    table(CANDIDATE_COLUMNS, traces.flatMap(candidateRows)),
    table(PHASE_COLUMNS, traces.map(phaseRow)),
    table(IMPORTED_COLUMNS, traces.map(importedRow)),
    table(OUTPUT_COLUMNS, traces.map(outputRow)),
    table(QUESTION_COLUMNS, traces.map(questionRow)),
    table(['start-up', 'wall ms', 'CPU ms', 'peak MB'], startUp.map(startUpRow)),
  ].join('\n\n');
}

const TRACE_COLUMNS = ['trace', 'MB', 'lines', 'threads', 'CPUs', 'call paths', 'duration ms'];
const traceRow = ({ trace }: TraceResult) => [
  trace.name,
  mega(trace.bytes),
  grouped(trace.lines),
  String(trace.recipe.threads),
  String(trace.recipe.cpus),
  grouped(trace.folded.paths),
  (trace.durationNs / 1e6).toFixed(1),
];

const CANDIDATE_COLUMNS = ['trace', 'candidate', 'wall s', 'CPU s', 'peak MB', 'MB/s', 'lines/s', 'ns/event', '× grep'];
function candidateRows({ trace, measured }: TraceResult): string[][] {
  const yardstick = measured.find(({ name }) => name === YARDSTICK) as Measured;
  return measured.map(({ name, wallSeconds, cpuSeconds, peakBytes }) => [
    trace.name,
    `\`${name}\``,
    wallSeconds.toFixed(3),
    cpuSeconds.toFixed(2),
    mega(peakBytes),
    mega(trace.bytes / wallSeconds),
    `${(trace.lines / wallSeconds / 1e6).toFixed(2)} M`,
    nsPer(wallSeconds, trace.lines),
    (wallSeconds / yardstick.wallSeconds).toFixed(1),
  ]);
}

const PHASE_COLUMNS = ['trace', 'read s', 'read MB/s', 'replay s', 'replay ns/event', 'render s'];
const phaseRow = ({ trace, phases: { readSeconds, replaySeconds, renderSeconds } }: TraceResult) => [
  trace.name,
  readSeconds.toFixed(2),
  mega(trace.bytes / readSeconds),
  replaySeconds.toFixed(2),
  nsPer(replaySeconds, trace.lines),
  renderSeconds.toFixed(2),
];

const IMPORTED_COLUMNS = [
  'trace',
  'import s',
  'imported MB',
  'bytes/event',
  'text ÷ imported, wall',
  'text ÷ imported, CPU',
  'CPU ns/event, text',
  'CPU ns/event, imported',
];
function importedRow({ trace, imported, measured }: TraceResult): string[] {
  const [text, file] = [FROM_TEXT, FROM_IMPORTED].map((wanted) => measured.find(({ name }) => name === wanted));
  const ratio = (of: 'wallSeconds' | 'cpuSeconds') => (text && file ? (text[of] / file[of]).toFixed(1) : '');
  return [
    trace.name,
    imported.wallSeconds.toFixed(2),
    (imported.bytes / 1e6).toFixed(1),
    (imported.bytes / trace.lines).toFixed(2),
    ratio('wallSeconds'),
    ratio('cpuSeconds'),
    text ? nsPer(text.cpuSeconds, trace.lines) : '',
    file ? nsPer(file.cpuSeconds, trace.lines) : '',
  ];
}

const OUTPUT_COLUMNS = [
  'trace',
  'html ÷ folded, wall',
  'CPU',
  'json ÷ folded, wall',
  'CPU',
  'all three ÷ folded, wall',
  'CPU',
  'window of 1 ms, imported: wall s',
];
function outputRow({ trace, measured }: TraceResult): string[] {
  const ratios = [PAGE, PROFILE, ALL_OUTPUTS].flatMap((name) => ratiosTo(FROM_TEXT, name, measured));
  return [trace.name, ...ratios, of(WINDOW, measured)?.wallSeconds.toFixed(2) ?? ''];
}

const QUESTION_COLUMNS = ['trace', 'report ÷ render, wall', 'CPU', 'latency ÷ render, wall', 'CPU', 'peak MB'];
function questionRow({ trace, measured }: TraceResult): string[] {
  const ratios = [REPORT, LATENCY].flatMap((name) => ratiosTo(FROM_TEXT, name, measured));
  const latency = of(LATENCY, measured);
  return [trace.name, ...ratios, latency ? mega(latency.peakBytes) : ''];
}

/** Returns wall and CPU time of a candidate as multiples of another one's. */
function ratiosTo(base: string, name: string, measured: readonly Measured[]): [wall: string, cpu: string] {
  const [own, baseline] = [of(name, measured), of(base, measured)];
  if (!own || !baseline) return ['', ''];
  return [(own.wallSeconds / baseline.wallSeconds).toFixed(2), (own.cpuSeconds / baseline.cpuSeconds).toFixed(2)];
}

function of(name: string, measured: readonly Measured[]): Measured | undefined {
  return measured.find((candidate) => candidate.name === name);
}

const startUpRow = ({ name, wallSeconds, cpuSeconds, peakBytes }: Measured) => [
  `\`${name}\``,
  (wallSeconds * 1000).toFixed(0),
  (cpuSeconds * 1000).toFixed(0),
  mega(peakBytes),
];

const mega = (bytes: number) => (bytes / 1e6).toFixed(0);
const grouped = (count: number) => count.toLocaleString('en-US');
const nsPer = (seconds: number, count: number) => ((seconds * 1e9) / count).toFixed(0);
/** The first column is text, the others are numbers. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const isNumber = (column: number) => rows.every((row) => !/[a-z`]{2}/.test(row[column] ?? ''));
  const rule = columns.map((_, column) => (isNumber(column) ? '--:' : '---'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}
