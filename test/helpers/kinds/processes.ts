/**
 * Rewrites threads of a recording as processes of their own, which may run programs (exec).
 */
import { record, text, trailer, u32 } from '../perf/perf-data.js';
import type { RawRecord, RawRecording } from '../perf/rewrite.js';

const [COMM, EXIT, FORK, SAMPLE, MMAP2, ITRACE_START, SWITCH_CPU_WIDE, FIRST_OF_PERF] = [3, 4, 7, 9, 10, 12, 15, 64];
const EXEC = 1 << 13;
/** Of the trailer, from the end of its record. */
const [PID, TID, TIME, CPU, ID] = [-32, -28, -24, -16, -8] as const;

export interface ProcessOptions {
  /** Threads that become processes. */
  readonly isProcess: (tid: number) => boolean;
  /** Whether a thread runs a program where it begins: the same one, mapped anew. */
  readonly runsProgram: (tid: number) => boolean;
}

export function asProcesses(recording: RawRecording, { isProcess, runsProgram }: ProcessOptions): RawRecording {
  const mappings = recording.records.filter(({ type }) => type === MMAP2);
  const records = recording.records.flatMap((raw) => {
    const changed = withOwnPids(raw, isProcess);
    const child = raw.type === FORK ? raw.bytes.readInt32LE(16) : 0;
    if (child === 0 || !isProcess(child) || !runsProgram(child)) return [changed];
    return [changed, ...program(changed, child, mappings)];
  });
  return { ...recording, records };
}

/** The fields of thread ids that follow each other: process, thread. */
const PAIRS: Readonly<Record<number, readonly number[]>> = {
  [COMM]: [8],
  [ITRACE_START]: [8],
  [SWITCH_CPU_WIDE]: [8],
};

function withOwnPids(raw: RawRecord, isProcess: (tid: number) => boolean): RawRecord {
  if (raw.type >= FIRST_OF_PERF || raw.type === SAMPLE) return raw;
  const bytes = Buffer.from(raw.bytes);
  const set = (pidAt: number, tidAt: number) => {
    const tid = bytes.readInt32LE(tidAt);
    if (isProcess(tid)) bytes.writeInt32LE(tid, pidAt);
  };
  set(bytes.length + PID, bytes.length + TID);
  for (const at of PAIRS[raw.type] ?? []) set(at, at + 4);
  if (raw.type === FORK || raw.type === EXIT) {
    set(8, 16); // process, its parent, thread, its parent
    set(12, 20);
  }
  return { ...raw, bytes };
}

/** The records of an exec, at the time and with the trailer of a record. */
function program({ bytes }: RawRecord, tid: number, mappings: readonly RawRecord[]): RawRecord[] {
  const time = bytes.readBigUInt64LE(bytes.length + TIME);
  const cpu = bytes.readInt32LE(bytes.length + CPU);
  const id = Number(bytes.readBigUInt64LE(bytes.length + ID));
  const end = trailer({ pid: tid, tid, ns: time, cpu, id });
  const comm = record(COMM, EXEC, u32(tid), u32(tid), text('threads'), end);
  const own = mappings.map((mapping) => {
    const copy = Buffer.concat([mapping.bytes.subarray(0, mapping.bytes.length - end.length), end]);
    copy.writeInt32LE(tid, 8);
    copy.writeInt32LE(tid, 12);
    return { ...mapping, bytes: copy };
  });
  return [{ type: COMM, bytes: comm, trace: Buffer.alloc(0) }, ...own];
}
