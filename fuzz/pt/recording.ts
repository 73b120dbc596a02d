/**
 * A perf.data file of one process on many CPUs: mapped files of code, and the trace of each CPU.
 */
import { type Bytes, littleEndian } from './packets.js';

export interface TraceSettings {
  readonly shift: number;
  readonly mult: number;
  readonly zero: number;
  /** Negative: no MTC packets. */
  readonly mtcPeriod: number;
  readonly ctcNumerator: number;
  readonly ctcDenominator: number;
  readonly maxBusRatio: number;
}

export interface MappedFile {
  readonly path: string;
  readonly start: number;
  readonly length: number;
}

/** One AUXTRACE record. */
export interface TracePiece {
  readonly cpu: number;
  readonly offset: number;
  readonly reference: bigint;
  readonly bytes: Bytes;
}

export const PID = 100;
const PT_TYPE = 8;
const ATTR_BYTES = 128;
const SAMPLE_TYPE = 0x1_008f; // IP, TID, TIME, ADDR, CPU, IDENTIFIER
const PT_ID = 1;
const SIDEBAND_ID = 100_001;

class Writer {
  private readonly parts: Buffer[] = [];
  length = 0;
  raw(bytes: Uint8Array): this {
    this.parts.push(Buffer.from(bytes));
    this.length += bytes.length;
    return this;
  }
  u16(...values: number[]): this {
    for (const value of values) this.raw(Uint8Array.from(littleEndian(BigInt(value), 2)));
    return this;
  }
  u32(...values: number[]): this {
    for (const value of values) this.raw(Uint8Array.from(littleEndian(BigInt.asUintN(32, BigInt(value)), 4)));
    return this;
  }
  u64(...values: (number | bigint)[]): this {
    for (const value of values) this.raw(Uint8Array.from(littleEndian(BigInt.asUintN(64, BigInt(value)), 8)));
    return this;
  }
  text(value: string): this {
    const bytes = Buffer.from(`${value}\0`);
    return this.raw(bytes).raw(Buffer.alloc(-bytes.length & 7));
  }
  done(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function attribute(isTrace: boolean, { mtcPeriod }: TraceSettings): Buffer {
  const mtc = mtcPeriod < 0 ? 0 : 0x200 | (mtcPeriod << 14);
  const config = isTrace ? 0x2403 | mtc : 9; // pt, cyc, tsc, branch; or a dummy
  const flags = isTrace ? 0x4_0062 : 0x4_0062 | (1 << 8) | (1 << 9) | (1 << 13) | (1 << 23) | (1 << 24) | (1 << 26);
  const out = new Writer().u32(isTrace ? PT_TYPE : 1, ATTR_BYTES).u64(config, 1, SAMPLE_TYPE, 4, flags);
  return out.raw(Buffer.alloc(ATTR_BYTES - out.length)).done();
}

function record(type: number, misc: number, body: Writer): Buffer {
  return new Writer()
    .u32(type)
    .u16(misc, body.length + 8)
    .raw(body.done())
    .done();
}

/** The end of each record of the kernel: thread, time, CPU, event. */
function stamped(body: Writer, ns: number, id: number, cpu: number): Writer {
  return body
    .u32(PID, PID)
    .u64(ns)
    .u32(cpu, 0)
    .u64(id + cpu);
}

function records(settings: TraceSettings, files: readonly MappedFile[], cpus: number): Buffer[] {
  const { shift, mult, zero, mtcPeriod, ctcNumerator, ctcDenominator, maxBusRatio } = settings;
  const all = Array.from({ length: cpus }, (_, cpu) => cpu);
  const info = new Writer().u32(1, 0).u64(PT_TYPE, shift, mult, zero, 1, 0x400, 0x800, 3, 0, 1);
  info.u64(mtcPeriod < 0 ? 0 : 0x200, mtcPeriod < 0 ? 0 : 0x3c000, ctcNumerator, ctcDenominator, 2, maxBusRatio, 0, 0);
  return [
    record(79, 0, new Writer().u64(shift, mult, zero, 0, 0, 1)),
    ...[PT_ID, SIDEBAND_ID].flatMap((id) =>
      all.map((cpu) => record(69, 0, new Writer().u64(1, id + cpu, cpu, cpu, -1))),
    ),
    record(70, 0, info),
    record(3, 0x2000, stamped(new Writer().u32(PID, PID).text('generated'), zero, SIDEBAND_ID, 0)),
    ...files.map(({ path, start, length }) => {
      const body = new Writer().u32(PID, PID).u64(start, length, 0).u32(0, 0).u64(0, 0).u32(5, 2).text(path);
      return record(10, 2, stamped(body, zero, SIDEBAND_ID, 0));
    }),
    ...all.map((cpu) => record(12, 0, stamped(new Writer().u32(PID, PID), zero, PT_ID, cpu))),
  ];
}

function traceRecord({ cpu, offset, reference, bytes }: TracePiece): Buffer[] {
  return [record(71, 0, new Writer().u64(bytes.length, offset, reference).u32(cpu, -1, cpu, 0)), Buffer.from(bytes)];
}

export function recordingBytes(
  settings: TraceSettings,
  files: readonly MappedFile[],
  pieces: readonly TracePiece[],
  cpus: number,
): Buffer {
  const all = Array.from({ length: cpus }, (_, cpu) => cpu);
  const ids = 104;
  const attributes = ids + 16 * cpus;
  const start = attributes + 2 * (ATTR_BYTES + 16);
  const data = Buffer.concat([...records(settings, files, cpus), ...pieces.flatMap(traceRecord)]);
  const head = new Writer().raw(Buffer.from('PERFILE2')).u64(104, ATTR_BYTES + 16, attributes, 2 * (ATTR_BYTES + 16));
  head
    .u64(start, data.length, 0, 0, 0, 0, 0, 0)
    .u64(...all.map((cpu) => PT_ID + cpu), ...all.map((cpu) => SIDEBAND_ID + cpu));
  head
    .raw(attribute(true, settings))
    .u64(ids, 8 * cpus)
    .raw(attribute(false, settings))
    .u64(ids + 8 * cpus, 8 * cpus);
  return Buffer.concat([head.done(), data]);
}
