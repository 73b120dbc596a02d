/**
 * The contents of a recording (perf.data) except the trace itself.
 */
import type { OtherSamples, SampleTable } from '../model/sample-table.js';
import type { PerfTime, TraceTiming } from '../model/trace/perf-time.js';
import type { SidebandRecord } from '../model/trace/trace-chunk.js';
import type { Address } from '../model/units.js';
import type { EventFormat } from './event-format.js';

export interface Recording {
  readonly sizeBytes: number;
  readonly machine: RecordedMachine;
  /** The command that recorded it; null: unknown. */
  readonly command: readonly string[] | null;
  /** Name of the Intel PT event, such as `intel_pt//u`; null if there is none. */
  readonly eventName: string | null;
  /** How tracing was set up; null if there is no Intel PT trace. */
  readonly trace: TraceSettings | null;
  /** How its packets are to be read; null likewise. */
  readonly encoding: TraceEncoding | null;
  /** Trace buffers, in the order of the file. */
  readonly buffers: readonly AuxBuffer[];
  /** The kernel's records about the buffers that it handed over, in the order of the file. */
  readonly auxRecords: readonly AuxRecord[];
  /** Switches, names, threads and mappings; by time, records of equal time in the order of the file. */
  readonly sideband: readonly RecordedEvent[];
  /** Code that was written into the kernel, in the order of the file. */
  readonly kernelCode: readonly WrittenCode[];
  /** What the kernel made while it ran, such as eBPF programs, in the order of the file. */
  readonly kernelSymbols: readonly MadeSymbol[];
  /** Samples of tracepoints and probes. */
  readonly samples: RecordedSamples;
  /** The clock of its times, as in clock_gettime(2) (`perf record -k`); null: perf's own. */
  readonly clockId: number | null;
  /** Files whose code ran, with their build ids if perf kept them. */
  readonly buildIds: readonly BuildId[];
  /** First and last time of all records that were not written before the recording began; null if nothing has a time. */
  readonly bounds: { readonly start: PerfTime; readonly end: PerfTime } | null;
  /** Records that perf was too slow to write (LOST), and lost samples. */
  readonly lostRecords: number;
  /** When these were lost, in the order of the file. */
  readonly losses: readonly Loss[];
  /** Faults of the file, in words; perf may crash on it. Empty: none. */
  readonly damage: readonly string[];
}

/** The name of code that the kernel made. */
export interface MadeSymbol {
  readonly start: Address;
  /** The address after its last byte. */
  readonly end: Address;
  readonly name: string;
}

/** Code that the kernel wrote: a changed instruction, or a program that it compiled. */
export interface WrittenCode {
  /** null: unknown, or before the recording began. */
  readonly time: PerfTime | null;
  readonly start: Address;
  readonly bytes: Uint8Array;
}

/** The kernel could not write records between two moments; null: unknown. */
export interface Loss {
  readonly after: PerfTime | null;
  readonly before: PerfTime | null;
}

export interface RecordedSamples {
  /** perf's clock at time 0 of the tables. */
  readonly originSeconds: number;
  readonly tables: readonly SampleTable[];
  /** Of the recorded events; empty if the recording lacks them, because perf was killed. */
  readonly formats: readonly EventFormat[];
  /** Samples of events whose format is unknown, or that have no time. */
  readonly unreadable: number;
  /** Samples that are too short or impossible. */
  readonly damaged: number;
  /** Samples of events that are neither tracepoints nor probes. */
  readonly others: readonly OtherSamples[];
}

/** The machine that recorded it; null: not in the file. */
export interface RecordedMachine {
  readonly hostName: string | null;
  readonly kernel: string | null;
  readonly architecture: string | null;
  readonly cpu: string | null;
  readonly cpusOnline: number | null;
  readonly cpusAvailable: number | null;
  readonly memoryBytes: number | null;
  readonly perfVersion: string | null;
}

export interface TraceSettings {
  /** False: one buffer per thread, and CPUs are unknown. */
  readonly isPerCpu: boolean;
  readonly isSnapshot: boolean;
  /** The trace contains times. */
  readonly hasTime: boolean;
  readonly hasCycles: boolean;
  readonly hasKernel: boolean;
  /** Switch records: none, from a tracepoint, of the recorded processes, of whole CPUs. */
  readonly switches: 'none' | 'tracepoint' | 'own' | 'all';
  /** Address filters, as passed to perf; empty: none. */
  readonly filter: string;
}

/** What a decoder needs of a recording in addition. */
export interface TraceEncoding {
  /** null: the recording does not contain it. */
  readonly timing: TraceTiming | null;
  /** The configuration of the event, as in the CPU's IA32_RTIT_CTL register (Intel SDM). */
  readonly config: bigint;
  /** The trace is in samples of other events (`perf record --aux-sample`), not in buffers. */
  readonly hasTraceInSamples: boolean;
  /** Samples of another event are in the trace, as packets. */
  readonly hasPebs: boolean;
}

/** A trace buffer in the file (AUXTRACE). */
export interface AuxBuffer {
  /** NONE for the buffer of a thread. */
  readonly cpu: number;
  /** NONE for the buffer of a CPU. */
  readonly tid: number;
  /** If the file is truncated, the bytes that exist. */
  readonly sizeBytes: number;
  /** Offset of its bytes in the file. */
  readonly fileOffset: number;
  /** Its offset in the trace of its CPU or thread. */
  readonly auxOffset: number;
  /** TSC ticks near the time when it was written; 0: unknown. */
  readonly reference: bigint;
}

/** The kernel's record about a trace buffer that was written (AUX). */
export interface AuxRecord {
  readonly cpu: number;
  readonly tid: number;
  readonly time: PerfTime | null;
  readonly auxOffset: number;
  readonly sizeBytes: number;
  /** The buffer was full: trace is missing after it. */
  readonly isTruncated: boolean;
  readonly isOverwrite: boolean;
  readonly isPartial: boolean;
  readonly isCollision: boolean;
}

export interface RecordedEvent {
  /** NONE if unknown. */
  readonly tid: number;
  readonly pid: number;
  readonly cpu: number;
  /** 0.000000000 for what existed before the recording began; null: not recorded. */
  readonly time: PerfTime | null;
  readonly record: SidebandRecord;
  /** The thread that runs next, of a switch out of a whole CPU's recording. */
  readonly next?: { readonly pid: number; readonly tid: number };
}

export interface BuildId {
  /** As text, unlike in sideband records, which have bytes. */
  readonly file: string;
  /** Hexadecimal. */
  readonly buildId: string;
  readonly isKernel: boolean;
}
