/**
 * Rewrites recordings as `perf record --snapshot` writes them: buffers that overwrite themselves, read now and then.
 */
import {
  buffersOf,
  type RawRecording,
  type TraceBuffer,
  traceOfCpu,
  withBuffers,
  withSettings,
} from '../perf/rewrite.js';
import { splitPackets } from './split-packets.js';

const IS_SNAPSHOT = 8;
const AUX = 11;
const AUX_FLAGS_AT = 24;
const OVERWRITE = 2;

/** The bytes of a CPU's trace that a snapshot holds. */
export interface Snapshot {
  readonly cpu: number;
  readonly start: number;
  readonly end: number;
}

/** `snapshots`: in the order in which they were taken. */
export function asSnapshots(recording: RawRecording, snapshots: readonly Snapshot[]): RawRecording {
  const before = buffersOf(recording);
  const buffers = snapshots.map(({ cpu, start, end }): TraceBuffer => {
    const all = traceOfCpu(recording, cpu);
    const { index, tid, reference } = before.find(
      (buffer) => buffer.cpu === cpu && buffer.offset + buffer.trace.length >= end,
    ) as TraceBuffer;
    return { cpu, tid, index, offset: start, reference, trace: all.subarray(start, end) };
  });
  const records = recording.records.map((raw) => {
    if (raw.type !== AUX) return raw;
    const bytes = Buffer.from(raw.bytes);
    bytes.writeUInt32LE(bytes.readUInt32LE(AUX_FLAGS_AT) | OVERWRITE, AUX_FLAGS_AT);
    return { ...raw, bytes };
  });
  return withSettings(withBuffers({ ...recording, records }, buffers), { [IS_SNAPSHOT]: 1 });
}

/** Snapshots of rings of some bytes, taken each time that so much trace was written; they end with a packet. */
export function snapshotsOf(recording: RawRecording, everyBytes: number, ringBytes: number): Snapshot[] {
  const cpus = [...new Set(buffersOf(recording).map(({ cpu }) => cpu))];
  return cpus.flatMap((cpu) => {
    const snapshots: Snapshot[] = [];
    let at = 0;
    let end = 0;
    for (const { bytes } of splitPackets(traceOfCpu(recording, cpu))) {
      at += bytes.length;
      if (at - end < everyBytes) continue;
      end = at;
      snapshots.push({ cpu, start: Math.max(0, end - ringBytes), end });
    }
    return snapshots;
  });
}
