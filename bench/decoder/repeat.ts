/**
 * `node dist/bench/decoder/repeat.js RECORDING TIMES OUT`: writes a recording in which the program of a short one runs that many
 * times, one process after the other. For recordings of one CPU, as `perf record` and ptemu write them, without samples.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { argv } from 'node:process';
import { type Trailer, trailerOf } from '../../src/perfdata/attributes.js';

const [ATTRIBUTES_AT, DATA_AT, FEATURES_AT] = [24, 40, 72] as const;
const SAMPLE_TYPE_AT = 24;
const AUXTRACE_INDEX = 18;
const [COMM, EXIT, MMAP2, AUX, ITRACE_START, FIRST_OF_PERF, AUXTRACE_INFO, AUXTRACE] = [3, 4, 10, 11, 12, 64, 70, 71];
/** Where records have processes and threads. */
const IDS_AT: ReadonlyMap<number | undefined, readonly number[]> = new Map([
  [COMM, [8, 12]],
  [MMAP2, [8, 12]],
  [ITRACE_START, [8, 12]],
  [EXIT, [8, 16]],
]);
const EXIT_TIME_AT = 24;
const [AUX_OFFSET_AT, AUX_BYTES_AT] = [8, 16] as const;
const [OFFSET_AT, REFERENCE_AT] = [16, 24] as const;
const [TSC, TSC_BYTES] = [0x19, 8] as const;
const PSB = Buffer.from('0282'.repeat(8), 'hex');

interface RawRecord {
  readonly type: number;
  readonly bytes: Buffer;
  readonly trace: Buffer;
}

/** How far one run is from the next. */
interface Step {
  readonly ticks: bigint;
  readonly ns: bigint;
  readonly auxBytes: bigint;
}

function recordsOf(file: Buffer): RawRecord[] {
  const start = Number(file.readBigUInt64LE(DATA_AT));
  const end = start + Number(file.readBigUInt64LE(DATA_AT + 8));
  const records: RawRecord[] = [];
  for (let at = start; at < end; ) {
    const type = file.readUInt32LE(at);
    const bytes = file.subarray(at, at + file.readUInt16LE(at + 6));
    const traceBytes = type === AUXTRACE ? Number(bytes.readBigUInt64LE(8)) : 0;
    at += bytes.length + traceBytes;
    records.push({ type, bytes, trace: file.subarray(at - traceBytes, at) });
  }
  return records;
}

/** The step is a whole number of turns of the clock that MTC and TMA packets count: they need no change. */
function stepOf(records: readonly RawRecord[], { time }: Trailer): Step {
  const settings = records.find(({ type }) => type === AUXTRACE_INFO)?.bytes as Buffer;
  const number = (index: number) => settings.readBigUInt64LE(16 + 8 * index);
  const [shift, mult, numerator] = [number(1), number(2), number(12)] as const;
  const times = records.flatMap(({ type, bytes }) =>
    type < FIRST_OF_PERF ? [bytes.readBigUInt64LE(bytes.length - time)] : [],
  );
  const durationNs = (times.at(-1) ?? 0n) - (times[0] ?? 0n);
  const turn = numerator << 16n;
  const ticks = (((durationNs << shift) / mult + 100_000n) / turn + 1n) * turn;
  const last = records.findLast(({ type }) => type === AUX)?.bytes as Buffer;
  const auxBytes = last.readBigUInt64LE(AUX_OFFSET_AT) + last.readBigUInt64LE(AUX_BYTES_AT);
  return { ticks, ns: (ticks * mult) >> shift, auxBytes };
}

/** The time stamps in a trace: their upper three bytes are those of the first one, or one more. */
function timeStamps(trace: Buffer): number[] {
  const first = trace.indexOf(TSC, trace.indexOf(PSB) + PSB.length);
  const found: number[] = [];
  for (let at = first; at !== -1 && at + TSC_BYTES <= trace.length; at = trace.indexOf(TSC, at + 1)) {
    const later = trace.readUIntLE(at + 5, 3) - trace.readUIntLE(first + 5, 3);
    if (later === 0 || later === 1) found.push(at);
  }
  return found;
}

/** Moves the n-th run on in time, and to a process of its own. */
function moved(
  { type, bytes: before, trace: traceBefore }: RawRecord,
  n: number,
  step: Step,
  trailer: Trailer,
): Buffer[] {
  const bytes = Buffer.from(before);
  const add = (at: number, value: bigint) => bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at) + BigInt(n) * value, at);
  const addId = (at: number) => bytes.writeInt32LE(bytes.readInt32LE(at) + n, at);
  if (type === AUXTRACE) {
    add(OFFSET_AT, step.auxBytes);
    add(REFERENCE_AT, step.ticks);
    const trace = Buffer.from(traceBefore);
    for (const at of timeStamps(traceBefore)) {
      const tick = trace.readBigUInt64LE(at) >> 8n;
      trace.writeBigUInt64LE(((tick + BigInt(n) * step.ticks) << 8n) | BigInt(TSC), at);
    }
    return [bytes, trace];
  }
  if (type >= FIRST_OF_PERF) return [bytes];
  for (const at of IDS_AT.get(type) ?? []) addId(at);
  if (type === EXIT) add(EXIT_TIME_AT, step.ns);
  if (type === AUX) add(AUX_OFFSET_AT, step.auxBytes);
  add(bytes.length - trailer.time, step.ns);
  for (const at of [trailer.ids, trailer.ids - 4]) addId(bytes.length - at);
  return [bytes];
}

function repeat(path: string, times: number, out: string): void {
  const file = readFileSync(path);
  const records = recordsOf(file);
  const trailer = trailerOf(Number(file.readBigUInt64LE(Number(file.readBigUInt64LE(ATTRIBUTES_AT)) + SAMPLE_TYPE_AT)));
  const step = stepOf(records, trailer);
  const fd = openSync(out, 'w');
  const dataStart = Number(file.readBigUInt64LE(DATA_AT));
  let end = dataStart;
  const index: bigint[] = [];
  const append = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, end + at);
    end += bytes.length;
  };
  const isSetting = ({ type }: RawRecord, row: number) =>
    row < records.findIndex((other) => other.type < FIRST_OF_PERF) && type >= FIRST_OF_PERF;
  for (const { bytes } of records.filter(isSetting)) append(bytes);
  const run = records.filter((record, row) => !isSetting(record, row));
  for (let n = 0; n < times; n++)
    for (const record of run) {
      if (record.type === AUXTRACE) index.push(BigInt(end), BigInt(record.bytes.length));
      for (const bytes of moved(record, n, step, trailer)) append(bytes);
    }
  const head = Buffer.from(file.subarray(0, dataStart));
  head.writeBigUInt64LE(BigInt(end - dataStart), DATA_AT + 8);
  const features = featuresOf(file).map(({ bit, content }) => (bit === AUXTRACE_INDEX ? indexOf(index) : content));
  let at = end + 16 * features.length;
  for (const content of features) {
    append(numbers([BigInt(at), BigInt(content.length)]));
    at += content.length;
  }
  for (const content of features) append(content);
  writeSync(fd, head, 0, head.length, 0);
  closeSync(fd);
}

function featuresOf(file: Buffer): { readonly bit: number; readonly content: Buffer }[] {
  let at = Number(file.readBigUInt64LE(DATA_AT)) + Number(file.readBigUInt64LE(DATA_AT + 8));
  const bits = Array.from({ length: 256 }, (_, bit) => bit);
  return bits
    .filter((bit) => ((file[FEATURES_AT + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0)
    .map((bit) => {
      const offset = Number(file.readBigUInt64LE(at));
      const content = file.subarray(offset, offset + Number(file.readBigUInt64LE(at + 8)));
      at += 16;
      return { bit, content };
    });
}

function indexOf(entries: readonly bigint[]): Buffer {
  return numbers([BigInt(entries.length / 2), ...entries]);
}

function numbers(values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [row, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * row);
  return bytes;
}

const [, , path = '', times = '1', out = ''] = argv;
repeat(path, Number(times), out);
