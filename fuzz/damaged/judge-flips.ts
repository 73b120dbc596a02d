/**
 * Flips bits in the trace of a recording, and compares every event and error with those of perf.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { putTogether, type RawRecording } from '../../test/helpers/perf/rewrite.js';
import { Random } from '../random.js';
import { encodedOf } from './damaged-recordings.js';
import { errorLine, ownLines, type RecordingLines } from './own-lines.js';

export interface FlipOptions {
  readonly recordings: readonly RawRecording[];
  /** Where the binaries are. */
  readonly symfs: string;
  readonly seed: number;
  readonly flips: number;
  /** Every branch, not only calls and returns. */
  readonly allBranches: boolean;
  /** Receives the recording. */
  readonly path: string;
}

export interface FlipVerdict {
  /** Row of the recording, and which bits. */
  readonly row: number;
  readonly flips: readonly string[];
  /** The first difference; null: none. */
  readonly difference: string | null;
  readonly hasCrashed: boolean;
}

export async function judgeFlips(options: FlipOptions, number: number): Promise<FlipVerdict> {
  const { recordings, path, symfs, allBranches } = options;
  const random = new Random(options.seed, number);
  const row = random.below(recordings.length);
  const { file, flips } = flipped(recordings[row] as RawRecording, random, options.flips);
  writeFileSync(path, file);
  const perf = perfLines(options);
  if (perf === null) return { row, flips, difference: null, hasCrashed: true };
  const own = ownLines(encodedOf(await openRecording(path), path, symfs, allBranches ? 'all' : 'none'));
  return { row, flips, difference: differenceOf(own, perf), hasCrashed: false };
}

function flipped(
  recording: RawRecording,
  random: Random,
  count: number,
): { readonly file: Buffer; readonly flips: string[] } {
  const flips: string[] = [];
  const records = [...recording.records];
  const rows = records.flatMap(({ trace }, row) => (trace.length > 0 ? [row] : []));
  for (let left = count; left > 0; left--) {
    const row = random.pick(rows);
    const raw = records[row] as (typeof records)[number];
    const trace = Buffer.from(raw.trace);
    const byte = random.below(trace.length);
    const bit = random.below(8);
    trace[byte] = (trace[byte] as number) ^ (1 << bit);
    records[row] = { ...raw, trace };
    flips.push(`record ${row} byte ${byte} bit ${bit}`);
  }
  return { file: putTogether({ ...recording, records }), flips };
}

const EVENT = /^\s*(-?\d+) \[(\d+)\]\s+(\d+\.\d{9}):\s+(.*?)\s+([0-9a-f]+) => +([0-9a-f]+)/;
const ERROR =
  /instruction trace error type 1 time (\d+\.\d+) cpu (-?\d+) pid -?\d+ tid (-?\d+) ip (?:0x)?([0-9a-f]+) code (\d+)/;

/** Null: perf crashed. */
function perfLines({ path, symfs, allBranches }: FlipOptions): RecordingLines | null {
  const args = [
    'script',
    '-i',
    path,
    `--itrace=${allBranches ? 'be' : 'cre'}`,
    '--ns',
    ...(symfs ? ['--symfs', symfs] : []),
  ];
  const fields = '-F-event,-period,+addr,-comm,+flags,-sym,-symoff,-dso';
  const { stdout, signal } = spawnSync('perf', [...args, fields], { maxBuffer: 2 ** 31, encoding: 'latin1' });
  if (signal !== null) return null;
  const events = new Map<number, string[]>();
  const errors: string[] = [];
  for (const line of stdout.split('\n')) {
    const [, tid, cpu, time, what, from, to] = EVENT.exec(line) ?? [];
    if (tid !== undefined) {
      const lines = events.get(Number(cpu)) ?? [];
      events.set(Number(cpu), lines);
      lines.push(
        `${tid} ${time} ${what} ${from} ${to}`.replace(' (x)', '').replace('tx abrt', 'hw int').replace(/ +/g, ' '),
      );
    } else {
      const [, at, errorCpu, errorTid, ip, code] = ERROR.exec(line) ?? [];
      if (at !== undefined)
        errors.push(
          errorLine(at, Number(errorCpu), Number(errorTid), Number(BigInt.asIntN(64, BigInt(`0x${ip}`))), Number(code)),
        );
    }
  }
  return { events, errors };
}

function differenceOf(own: RecordingLines, perf: RecordingLines): string | null {
  for (const cpu of new Set([...own.events.keys(), ...perf.events.keys()])) {
    const difference = firstDifference(own.events.get(cpu) ?? [], perf.events.get(cpu) ?? []);
    if (difference !== null) return `CPU ${cpu}, ${difference}`;
  }
  const difference = firstDifference(own.errors.toSorted(), perf.errors.toSorted());
  return difference && `errors, ${difference}`;
}

/** Times of more than 2^53 ns are doubles here: about a microsecond. */
function comparable(line = 'none'): string {
  return line.replace(/\d{7,}\.\d{9}/, (time) => Number(time).toFixed(5));
}

function firstDifference(own: readonly string[], perf: readonly string[]): string | null {
  const row = Array.from({ length: Math.max(own.length, perf.length) }).findIndex(
    (_, at) => comparable(own[at]) !== comparable(perf[at]),
  );
  return row === -1 ? null : `row ${row} of ${own.length} and ${perf.length}: own ${own[row]}; perf ${perf[row]}`;
}
