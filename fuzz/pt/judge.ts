/**
 * Stock perf judges: cases of generated trace, decoded by it and here, compared line by line.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, placedPieces } from './cases.js';
import { type Lines, OwnDecoder } from './decode-own.js';
import { type MappedFile, recordingBytes, type TracePiece, type TraceSettings } from './recording.js';

export interface Difference {
  readonly row: number;
  readonly what: 'events' | 'errors';
  readonly own: readonly string[];
  readonly perf: readonly string[];
}

export interface JudgeOptions {
  readonly folder: string;
  readonly settings: TraceSettings;
  readonly code: Uint8Array;
  readonly codeStart: number;
  readonly cases: readonly Case[];
  readonly allBranches: boolean;
}

export interface Verdict {
  readonly differences: readonly Difference[];
  readonly events: number;
  /** Cases on which perf itself crashes. */
  readonly crashes: number;
}

export function judge(options: JudgeOptions): Verdict {
  const differences: Difference[] = [];
  let events = 0;
  let crashes = 0;
  judgeLines(options).forEach(({ own, perf }, row) => {
    if (perf === null) {
      crashes++;
      return;
    }
    events += perf.events.length;
    for (const what of ['events', 'errors'] as const)
      if (comparable(own[what]) !== comparable(perf[what]))
        differences.push({ row, what, own: own[what], perf: perf[what] });
  });
  return { differences, events, crashes };
}

/** Times of more than 2^53 ns, which only damaged TSC packets give, are doubles here: their last digits are left out. */
function comparable(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/^(\d{7,}\.\d{6})\d{3}/, '$1')).join('\n');
}

/** What each case is decoded to, here and by perf; null: perf crashed. */
export function judgeLines(options: JudgeOptions): { readonly own: Lines; readonly perf: Lines | null }[] {
  const { settings, cases, allBranches } = options;
  const files = codeFiles(options);
  for (const { path, bytes } of files) writeFileSync(path, bytes);
  const decoder = new OwnDecoder({ settings, files, allBranches });
  return perfLines(options, files, cases).map((perf, row) => {
    const [pieces] = place(cases.slice(row, row + 1)) as [TracePiece[]];
    return { own: decoder.decode(pieces), perf };
  });
}

/** Of each case; null: perf crashed, which is found by halving. */
function perfLines(options: JudgeOptions, files: readonly MappedFile[], cases: readonly Case[]): (Lines | null)[] {
  const path = join(options.folder, 'generated.data');
  writeFileSync(path, recordingBytes(options.settings, files, place(cases).flat(), cases.length));
  const lines = runPerf(path, options.allBranches, cases.length);
  if (process.env['PT_KEEP'] === undefined) rmSync(path);
  if (lines !== null) return lines;
  if (cases.length === 1) return [null];
  const half = cases.length >> 1;
  return [cases.slice(0, half), cases.slice(half)].flatMap((some) => perfLines(options, files, some));
}

function codeFiles({ folder, code, codeStart }: JudgeOptions): (MappedFile & { bytes: Uint8Array })[] {
  const length = Math.ceil(code.length / 4096) * 4096;
  return [{ path: join(folder, 'generated.code'), start: codeStart, length, bytes: code }];
}

/** Each case on a CPU of its own, so that none knows of another. */
function place(cases: readonly Case[]): TracePiece[][] {
  return cases.map(placedPieces);
}

const EVENT = /^\s*\d+ \[(\d+)\]\s+(\d+\.\d{9}):\s+(.*?)\s+([0-9a-f]+) => +([0-9a-f]+)/;
const ERROR =
  /instruction trace error type 1 time (\d+\.\d+) cpu (-?\d+) pid -?\d+ tid -?\d+ ip (?:0x)?([0-9a-f]+) code (\d+)/;

function runPerf(path: string, allBranches: boolean, cases: number): Lines[] | null {
  const all = Array.from({ length: cases }, () => ({
    events: [] as string[],
    errors: [] as string[],
    all: [] as string[],
  }));
  const args = [
    'script',
    '-i',
    path,
    `--itrace=${allBranches ? 'be' : 'cre'}`,
    '--ns',
    '-F-event,-period,+addr,-comm,+flags,-sym,-symoff,-dso',
  ];
  const { stdout, stderr, signal } = spawnSync('perf', args, { maxBuffer: 2 ** 31, encoding: 'latin1' });
  if (signal !== null) return null;
  for (const line of stdout.split('\n')) {
    const event = EVENT.exec(line);
    const error = event === null ? ERROR.exec(line) : null;
    if (event !== null) {
      const [, cpu, time, what, from, to] = event;
      const text = `${time} ${what} ${from} ${to}`.replace(' (x)', '').replace('tx abrt', 'hw int').replace(/ +/g, ' '); // (x): in a transaction
      all[Number(cpu)]?.events.push(text);
      all[Number(cpu)]?.all.push(text);
    } else if (error !== null) {
      const text = `${error[1]} error ${error[4]} ${error[3]}`;
      all[Number(error[2])]?.errors.push(text);
      all[Number(error[2])]?.all.push(text);
    } else if (line.trim() !== '' && process.env['PT_SHOW'] !== undefined) console.error(line);
  }
  if (process.env['PT_SHOW'] !== undefined) console.error(stderr);
  return all;
}
