/**
 * Builds what a watching perf writes to its pipe.
 */
import { attribute, record, u32, u64 } from './perf-data.js';

/** IP, TID, TIME, CPU, registers and IDENTIFIER. */
const SAMPLE_TYPE = 0x11087;
const REGISTERS_AT = 80;
const STACK_POINTER = 1 << 7;
const ABI_64 = 2;
const COMM_EXEC = 1 << 13;

/** The head of the stream, and an attribute for each event with its id: 100, 101 and so on. */
export function streamHead(events: number): Buffer {
  const attributes = Array.from({ length: events }, (_, event) => {
    const bytes = attribute({ type: 5, sampleType: SAMPLE_TYPE });
    bytes.writeUInt32LE(STACK_POINTER, REGISTERS_AT);
    return record(64, 0, bytes, u64(100 + event));
  });
  return Buffer.concat([Buffer.from('PERFILE2'), u64(16), ...attributes]);
}

export interface HitValues {
  readonly event: number;
  readonly pid?: number;
  readonly tid: number;
  readonly ns: number;
  readonly sp: number;
}

export function hit({ event, pid = 1, tid, ns, sp }: HitValues): Buffer {
  const head = [u64(100 + event), u64(0x1000), u32(pid), u32(tid), u64(ns), u32(0), u32(0)];
  return record(9, 0, ...head, u64(ABI_64), u64(sp));
}

export const threadBegins = (pid: number, tid: number) => record(7, 0, u32(pid), u32(pid), u32(tid), u32(pid), u64(0));
export const threadEnds = (pid: number, tid: number) => record(4, 0, u32(pid), u32(pid), u32(tid), u32(pid), u64(0));
export const programBegins = (pid: number) => record(3, COMM_EXEC, u32(pid), u32(pid), Buffer.from('other\0\0\0'));
export const lostHits = (count: number) => record(2, 0, u64(100), u64(count));
