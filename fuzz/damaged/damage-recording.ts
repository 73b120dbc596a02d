/**
 * Damages a real recording: its trace, its other records, its settings, or the file.
 */
import { putTogether, type RawRecord, type RawRecording } from '../../test/helpers/perf/rewrite.js';
import { mutated } from '../files/mutate.js';
import type { Random } from '../random.js';
import { damageTrace, hasTrace, TRACE_DAMAGES } from './damage-trace.js';

type Damage = (recording: RawRecording, random: Random, other: RawRecording) => RawRecording;

const AUXTRACE_INFO = 70;
const HEADER_BYTES = 8;
const NUMBERS = [0n, 1n, 7n, 0x7fn, 0xffffn, 0x7fffffffn, 0xffffffffn, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];

const RECORD_DAMAGES: Readonly<Record<string, Damage>> = {
  'record: bytes': (recording, random) =>
    withChanged(
      recording,
      random,
      (raw) => !hasTrace(raw),
      (raw) => withOddBytes(raw, random),
    ),
  'record: header of trace': (recording, random) =>
    withChanged(recording, random, hasTrace, (raw) => withOddBytes(raw, random)),
  'record: settings': (recording, random) =>
    withChanged(
      recording,
      random,
      ({ type }) => type === AUXTRACE_INFO,
      (raw) => withOddBytes(raw, random),
    ),
  'record: leave out': (recording, random) => {
    const row = random.below(recording.records.length);
    return { ...recording, records: recording.records.toSpliced(row, 1 + random.below(random.pick([1, 1, 20]))) };
  },
  'record: repeat': (recording, random) => {
    const { records } = recording;
    const copied = random.pick(records);
    return { ...recording, records: records.toSpliced(random.below(records.length), 0, copied) };
  },
  'record: move': (recording, random) => {
    const row = random.below(recording.records.length);
    const others = recording.records.toSpliced(row, 1);
    const moved = recording.records[row] as RawRecord;
    return { ...recording, records: others.toSpliced(random.below(others.length), 0, moved) };
  },
  'record: of another recording': (recording, random, other) => {
    const at = random.below(recording.records.length);
    return { ...recording, records: recording.records.toSpliced(at, 0, random.pick(other.records)) };
  },
  'continue as another recording': (recording, random, other) => {
    const before = recording.records.slice(0, random.below(recording.records.length));
    return { ...recording, records: [...before, ...other.records.slice(random.below(other.records.length))] };
  },
  'header and attributes': (recording, random) => ({ ...recording, head: oddBytes(recording.head, random, 0) }),
  feature: (recording, random) => {
    const features = new Map(recording.features);
    const bit = random.pick([...features.keys()]);
    features.set(bit, oddBytes(features.get(bit) as Buffer, random, 0));
    return { ...recording, features };
  },
};

const RECORD_NAMES = Object.keys(RECORD_DAMAGES);

/** Returns the file of a damaged recording. What was done to it is added to `steps`. */
export function damagedRecording(
  recording: RawRecording,
  other: RawRecording,
  random: Random,
  steps: string[],
): Buffer {
  let damaged = recording;
  for (let left = random.pick([1, 1, 1, 2, 4]); left > 0 && damaged.records.length > 1; left--) {
    const name = random.pick(random.oneIn(3) ? RECORD_NAMES : TRACE_DAMAGES);
    const change = RECORD_DAMAGES[name];
    const changed = change === undefined ? damageTrace(name, damaged, other, random) : change(damaged, random, other);
    if (changed === null) continue;
    steps.push(name);
    damaged = changed;
  }
  const file = putTogether(damaged);
  return random.oneIn(8) ? mutated(file, random, steps) : file;
}

function withChanged(
  recording: RawRecording,
  random: Random,
  isFit: (raw: RawRecord) => boolean,
  change: (raw: RawRecord) => RawRecord,
): RawRecording {
  const rows = [...recording.records.keys()].filter((row) => isFit(recording.records[row] as RawRecord));
  if (rows.length === 0) return recording;
  const row = random.pick(rows);
  return { ...recording, records: recording.records.with(row, change(recording.records[row] as RawRecord)) };
}

function withOddBytes(raw: RawRecord, random: Random): RawRecord {
  return { ...raw, bytes: oddBytes(raw.bytes, random, HEADER_BYTES) };
}

/** Flips bits, or writes an extreme number. */
function oddBytes(bytes: Buffer, random: Random, from: number): Buffer {
  const changed = Buffer.from(bytes);
  const count = changed.length - from;
  if (count <= 0) return changed;
  if (random.oneIn(2) || count < 8) {
    const at = from + random.below(count);
    changed[at] = (changed[at] as number) ^ (1 << random.below(8));
  } else changed.writeBigUInt64LE(random.pick(NUMBERS), from + 8 * random.below(count >> 3));
  return changed;
}
