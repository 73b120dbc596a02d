/**
 * Damages the trace of a recording: its bytes, its packets, its buffers.
 */
import type { RawRecord, RawRecording } from '../../test/helpers/perf/rewrite.js';
import type { Random } from '../random.js';

type ChangeBytes = (trace: Buffer, random: Random, other: Buffer) => Buffer;

const SIZE_AT = 8;
/** A stretch may have any of these lengths, or less. */
const LENGTHS = [2, 8, 64, 1000];
export const PSB = Buffer.from('0282'.repeat(8), 'hex');

/** Packets that change what the decoder knows: Intel's manual, volume 3, "Packet definitions". */
const PACKETS: readonly (readonly number[])[] = [
  [...PSB],
  [0x02, 0x23], // PSBEND
  [0x02, 0xf3], // OVF
  [0x02, 0x83], // TraceStop
  [0x19, 0, 0, 0, 0, 0, 0, 0], // TSC
  [0x19, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x02, 0x73, 0xff, 0xff, 0, 0xff, 1], // TMA
  [0x02, 0x03, 0x02, 0], // CBR
  [0x59, 0x80], // MTC
  [0x9f, 0xff, 0xff, 0xff, 0xfe], // CYC
  [0x01], // TIP.PGD without an address
  [0x0d],
  [0x11],
  [0x1d],
  [0x71, 0, 0x10, 0x40, 0, 0, 0], // TIP.PGE
  [0xdd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // FUP
  [0x02, 0xa3, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80], // TNT of 47 branches
  [0x99, 0x02], // MODE.Exec: 32 bits
];

/** What no packet begins with, longer than any packet. */
const NO_PACKET = Buffer.alloc(40, 0x05);
/** From a PSB on, until a decoder surely decodes. */
const BEHIND_PSB_BYTES = 128;
export const NO_PACKETS = 'trace: no packets';

const BYTE_CHANGES: Readonly<Record<string, ChangeBytes>> = {
  'trace: flip bits': (trace, random) => {
    const flipped = Buffer.from(trace);
    for (let left = random.pick([1, 1, 2, 8]); left > 0; left--) {
      const at = random.below(trace.length);
      flipped[at] = (trace[at] as number) ^ (1 << random.below(8));
    }
    return flipped;
  },
  'trace: overwrite': (trace, random) => {
    const [start, end] = stretch(trace, random);
    const byte = random.pick([0, 0xff, null]);
    return Buffer.from(trace.map((old, at) => (at < start || at >= end ? old : (byte ?? random.below(256)))));
  },
  'trace: leave out': (trace, random) => {
    const [start, end] = stretch(trace, random);
    return Buffer.concat([trace.subarray(0, start), trace.subarray(end)]);
  },
  'trace: repeat': (trace, random) => {
    const [start, end] = stretch(trace, random);
    return Buffer.concat([trace.subarray(0, end), trace.subarray(start)]);
  },
  'trace: cut': (trace, random) => trace.subarray(0, random.below(trace.length)),
  'trace: insert packet': (trace, random) => {
    const at = random.below(trace.length);
    return Buffer.concat([trace.subarray(0, at), Buffer.from(random.pick(PACKETS)), trace.subarray(at)]);
  },
  'trace: splice': (trace, random, other) => {
    const [start, end] = stretch(trace, random);
    const [from, to] = stretch(other, random);
    return Buffer.concat([trace.subarray(0, start), other.subarray(from, to), trace.subarray(end)]);
  },
  'trace: continue as another': (trace, random, other) =>
    Buffer.concat([trace.subarray(0, random.below(trace.length)), other.subarray(random.below(other.length))]),
  [NO_PACKETS]: (trace, random) => {
    const first = trace.indexOf(PSB) + BEHIND_PSB_BYTES;
    const at = first + random.below(trace.length - first);
    return Buffer.concat([trace.subarray(0, at), NO_PACKET, trace.subarray(at)]);
  },
};

export const TRACE_DAMAGES = Object.keys(BYTE_CHANGES);

/** Changes the bytes of one buffer; null: this damage is not possible. */
export function damageTrace(
  name: string,
  recording: RawRecording,
  other: RawRecording,
  random: Random,
): RawRecording | null {
  const isFit = name === NO_PACKETS ? hasPsbWithRest : hasTrace;
  const rows = [...recording.records.keys()].filter((row) => isFit(recording.records[row] as RawRecord));
  if (rows.length === 0) return null;
  const row = random.pick(rows);
  const raw = recording.records[row] as RawRecord;
  const foreign = random.pick(other.records.filter(hasTrace)).trace;
  const trace = (BYTE_CHANGES[name] as ChangeBytes)(raw.trace, random, foreign);
  return { ...recording, records: recording.records.with(row, withTrace(raw, trace)) };
}

export function withTrace(raw: RawRecord, trace: Buffer): RawRecord {
  const bytes = Buffer.from(raw.bytes);
  bytes.writeBigUInt64LE(BigInt(trace.length), SIZE_AT);
  return { ...raw, bytes, trace };
}

export function hasTrace({ trace }: RawRecord): boolean {
  return trace.length > 0;
}

function hasPsbWithRest({ trace }: RawRecord): boolean {
  const at = trace.indexOf(PSB);
  return at !== -1 && trace.length > at + BEHIND_PSB_BYTES;
}

function stretch(bytes: Buffer, random: Random): [start: number, end: number] {
  const start = random.below(bytes.length);
  return [start, Math.min(bytes.length, start + 1 + random.below(random.pick(LENGTHS)))];
}
