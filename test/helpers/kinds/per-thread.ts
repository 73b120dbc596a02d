/**
 * Rewrites recordings as `perf record --per-thread` writes them: a buffer for each thread instead of each CPU.
 */
import { u64 } from '../perf/perf-data.js';
import {
  buffersOf,
  type RawRecord,
  type RawRecording,
  type TraceBuffer,
  traceOfCpu,
  withBuffers,
  withSettings,
} from '../perf/rewrite.js';
import { cyclesOf, littleEndian, type Packet, splitPackets } from './split-packets.js';

const SWITCHES = 7;
const IS_PER_CPU = 9;
const FIRST_OF_PERF = 64;
const ID_INDEX = 69;
const SWITCH_TYPES = [14, 15];
const SAMPLE = 9;
const CPU_BIT = 0x80n;
/** Of the trailer from its end: id, then CPU. */
const CPU_FROM_END = 16;

/** Settings, records and attributes of a recording by thread; `buffers`: its trace. */
export function perThread(recording: RawRecording, buffers: readonly TraceBuffer[], keepsCpu: boolean): RawRecording {
  const records = recording.records
    .filter(({ type }) => !SWITCH_TYPES.includes(type))
    .map((raw) => withoutCpus(raw, keepsCpu));
  const head = keepsCpu ? recording.head : withoutCpuBit(recording.head);
  const settings = { [SWITCHES]: 0, [IS_PER_CPU]: 0 };
  return withSettings(withBuffers({ ...recording, head, records }, buffers), settings);
}

/** The trace of a program with one thread, on one CPU, as that thread's. */
export function ofOneThread(recording: RawRecording, tid: number, keepsCpu = false): RawRecording {
  return perThread(
    recording,
    buffersOf(recording).map((buffer) => ({ ...buffer, cpu: -1, tid })),
    keepsCpu,
  );
}

function withoutCpus(raw: RawRecord, keepsCpu: boolean): RawRecord {
  const { type, bytes } = raw;
  if (type === ID_INDEX) return { ...raw, bytes: withoutCpuIndex(bytes) };
  if (type >= FIRST_OF_PERF || type === SAMPLE || keepsCpu) return raw;
  const at = bytes.length - CPU_FROM_END;
  const shorter = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 8)]);
  shorter.writeUInt16LE(shorter.length, 6);
  return { ...raw, bytes: shorter };
}

/** Rows of id, index, CPU and thread. */
function withoutCpuIndex(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let at = 16; at < bytes.length; at += 32) changed.writeBigInt64LE(-1n, at + 16);
  return changed;
}

function withoutCpuBit(before: Buffer): Buffer {
  const head = Buffer.from(before);
  const start = Number(head.readBigUInt64LE(24));
  const step = Number(head.readBigUInt64LE(16));
  for (let at = start; at < start + Number(head.readBigUInt64LE(32)); at += step)
    head.writeBigUInt64LE(head.readBigUInt64LE(at + 24) & ~CPU_BIT, at + 24);
  return head;
}

/** What a thread did on a CPU without another one between. */
interface Stretch {
  readonly tid: number;
  readonly tick: bigint;
  readonly parts: Buffer[];
}

const PSB = Buffer.from('0282'.repeat(8), 'hex');
const PSBEND = Buffer.from('0223', 'hex');
const FULL_PGE = 0xd1;

/**
 * The trace of a program with several threads, by thread; `tidAt` returns who runs on a CPU at a tick. As of a real thread,
 * trace begins anew (PSB+) where a CPU begins with a thread. The recording has CYC packets, and a core clock as fast as the TSC.
 */
export function byThread(
  recording: RawRecording,
  tidAt: (cpu: number, tick: bigint) => number,
  keepsCpu: boolean,
): RawRecording {
  const cpus = new Set(buffersOf(recording).map(({ cpu }) => cpu));
  const all = [...cpus].flatMap((cpu) => stretchesOf(traceOfCpu(recording, cpu), (tick) => tidAt(cpu, tick)));
  all.sort((a, b) => (a.tick < b.tick ? -1 : Number(a.tick > b.tick)));
  const offsets = new Map<number, number>();
  const buffers = all.map(({ tid, tick, parts }) => {
    const trace = Buffer.concat(parts);
    const offset = offsets.get(tid) ?? 0;
    offsets.set(tid, offset + trace.length);
    return { cpu: -1, tid, index: [...offsets.keys()].indexOf(tid), offset, reference: tick, trace };
  });
  return perThread(recording, buffers, keepsCpu);
}

function stretchesOf(trace: Buffer, tidAt: (tick: bigint) => number): Stretch[] {
  const stretches: Stretch[] = [];
  let tick = 0n;
  let outside: Packet[] = []; // since the last TIP.PGD
  let isOutside = true;
  for (const packet of splitPackets(trace)) {
    if (packet.kind === 'tsc') tick = littleEndian(packet.bytes.subarray(1));
    else if (packet.kind === 'cyc') tick += BigInt(cyclesOf(packet));
    if (packet.kind !== 'pge') {
      if (isOutside) outside.push(packet);
      else stretches[stretches.length - 1]?.parts.push(packet.bytes);
      isOutside ||= packet.kind === 'pgd';
      continue;
    }
    const last = stretches[stretches.length - 1];
    const tid = tidAt(tick);
    if (last?.tid === tid) last.parts.push(...outside.map(({ bytes }) => bytes), packet.bytes);
    else stretches.push({ tid, tick, parts: begin(outside, packet) });
    isOutside = false;
    outside = [];
  }
  return stretches;
}

function begin(outside: readonly Packet[], { ip }: Packet): Buffer[] {
  const first = outside.findLastIndex(({ kind }) => kind === 'tsc');
  const times = outside.slice(first).filter(({ kind }) => ['tsc', 'tma', 'cbr'].includes(kind));
  return [PSB, ...times.map(({ bytes }) => bytes), PSBEND, Buffer.from([FULL_PGE]), u64(ip ?? 0n)];
}
