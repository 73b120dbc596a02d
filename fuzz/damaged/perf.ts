/**
 * `node dist/fuzz/damaged/perf.js [--amount 1000] [--seed 1] [--flips 1] [--every] [--symfs DIR] [RECORDING …]`: flips bits in the
 * trace of recordings and compares every event and error with those of perf. Without recordings: those in fixtures. `--every`: every
 * branch, not only calls and returns.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRecording, unsupported } from '../../src/recordings.js';
import { putTogether, type RawRecording, takeApart } from '../../test/helpers/perf/rewrite.js';
import { Random } from '../random.js';
import { encodedOf, FIXTURES, NAMES } from './damaged-recordings.js';
import { errorLine, ownLines, type RecordingLines } from './own-lines.js';

const { values, positionals } = parseArgs({
  options: {
    amount: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    flips: { type: 'string', default: '1' },
    every: { type: 'boolean', default: false },
    symfs: { type: 'string' },
    show: { type: 'string', default: '10' },
  },
  allowPositionals: true,
});
const EVENT = /^\s*(-?\d+) \[(\d+)\]\s+(\d+\.\d{9}):\s+(.*?)\s+([0-9a-f]+) => +([0-9a-f]+)/;
const ERROR =
  /instruction trace error type 1 time (\d+\.\d+) cpu (-?\d+) pid -?\d+ tid (-?\d+) ip (?:0x)?([0-9a-f]+) code (\d+)/;

const isOwnFixture = positionals.length === 0;
const paths = isOwnFixture ? NAMES.map((name) => fileURLToPath(new URL(`${name}.data`, FIXTURES))) : positionals;
const symfs = values.symfs ?? (isOwnFixture ? fileURLToPath(new URL('root', FIXTURES)) : '');
const recordings = paths.map((path) => takeApart(readFileSync(path)));
const folder = mkdtempSync(join(tmpdir(), 'ptflame-flips-'));
const path = join(folder, 'flipped.data');
const counts = { equal: 0, different: 0, crashes: 0, unsupported: 0 };
const first = Number(values.case ?? 0);
const end = values.case === undefined ? Number(values.amount) : first + 1;
for (let number = first; number < end; number++) await compare(number);
if (values.case === undefined) rmSync(folder, { recursive: true });
else console.log(path);
console.log(JSON.stringify(counts));

async function compare(number: number): Promise<void> {
  const random = new Random(Number(values.seed), number);
  const row = random.below(recordings.length);
  const { file, at } = flipped(recordings[row] as RawRecording, random);
  writeFileSync(path, file);
  const recording = await openRecording(path);
  if (unsupported(recording) !== null) counts.unsupported++;
  const perf = perfLines();
  if (perf === null) {
    counts.crashes++;
    return;
  }
  const difference = differenceOf(ownLines(encodedOf(recording, path, symfs, values.every)), perf);
  if (difference === null) counts.equal++;
  else if (counts.different++ < Number(values.show))
    console.log(`case ${number}: ${paths[row]}, ${at.join(', ')}: ${difference}`);
}

function flipped(recording: RawRecording, random: Random): { readonly file: Buffer; readonly at: string[] } {
  const at: string[] = [];
  const records = [...recording.records];
  const rows = records.flatMap(({ trace }, row) => (trace.length > 0 ? [row] : []));
  for (let left = Number(values.flips); left > 0; left--) {
    const row = random.pick(rows);
    const raw = records[row] as (typeof records)[number];
    const trace = Buffer.from(raw.trace);
    const byte = random.below(trace.length);
    const bit = random.below(8);
    trace[byte] = (trace[byte] as number) ^ (1 << bit);
    records[row] = { ...raw, trace };
    at.push(`record ${row} byte ${byte} bit ${bit}`);
  }
  return { file: putTogether({ ...recording, records }), at };
}

/** Null: perf crashed. */
function perfLines(): RecordingLines | null {
  const args = [
    'script',
    '-i',
    path,
    `--itrace=${values.every ? 'be' : 'cre'}`,
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

/** Times of more than 2^53 ns are doubles here. */
function comparable(line = 'none'): string {
  return line.replace(/(\d{7,}\.\d{6})\d{3}/, '$1');
}

function firstDifference(own: readonly string[], perf: readonly string[]): string | null {
  const row = Array.from({ length: Math.max(own.length, perf.length) }).findIndex(
    (_, at) => comparable(own[at]) !== comparable(perf[at]),
  );
  if (row !== -1 && values.case !== undefined)
    for (let at = Math.max(0, row - 5); at < row + 8; at++) console.log(`${own[at]}\n    ${perf[at]}`);
  return row === -1 ? null : `row ${row} of ${own.length} and ${perf.length}: own ${own[row]}; perf ${perf[row]}`;
}
