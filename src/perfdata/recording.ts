/**
 * What a recording (perf.data) tells of itself without being decoded.
 */
import type { PerfTime } from '../model/trace/perf-time.js';
import type { SidebandRecord } from '../model/trace/sideband.js';

export interface Recording {
  readonly sizeBytes: number;
  readonly machine: RecordedMachine;
  /** The command that recorded it; null if it does not tell. */
  readonly command: readonly string[] | null;
  /** Of the Intel PT event, as `intel_pt//u`; null if there is none. */
  readonly eventName: string | null;
  /** How its trace was made; null if it holds none of Intel PT. */
  readonly trace: TraceSettings | null;
  /** Pieces of trace, in the order of the file. */
  readonly buffers: readonly AuxBuffer[];
  /** What the kernel wrote of each piece that it gave away, in the order of the file. */
  readonly auxRecords: readonly AuxRecord[];
  /** Switches, names, threads and mappings; by time, records of equal time in the order of the file. */
  readonly sideband: readonly RecordedEvent[];
  /** Files whose code ran, with their build ids where perf kept them. */
  readonly buildIds: readonly BuildId[];
  /** First and last time of anything but what was there before; null if nothing has a time. */
  readonly bounds: { readonly start: PerfTime; readonly end: PerfTime } | null;
  /** Records that perf could not write as it was too slow (LOST), and lost samples. */
  readonly lostRecords: number;
  /** What is wrong with the file, in words; perf may die on it. Empty: nothing. */
  readonly damage: readonly string[];
}

/** Where it was recorded; null: the file does not tell. */
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
  /** False: a buffer for each thread, and nobody knows the processors. */
  readonly isPerCpu: boolean;
  readonly isSnapshot: boolean;
  /** Time can be told from the trace. */
  readonly hasTime: boolean;
  readonly hasCycles: boolean;
  readonly hasKernel: boolean;
  /** Of switches of threads: none, by a tracepoint, of the recorded processes, of whole processors. */
  readonly switches: 'none' | 'tracepoint' | 'own' | 'all';
  /** Of address filters, as given to perf; empty: none. */
  readonly filter: string;
}

/** A piece of trace in the file (AUXTRACE). */
export interface AuxBuffer {
  /** NONE for a buffer of a thread. */
  readonly cpu: number;
  /** NONE for a buffer of a processor. */
  readonly tid: number;
  /** Of a piece that is cut, what there is of it. */
  readonly sizeBytes: number;
  /** Where its bytes begin in the file. */
  readonly fileOffset: number;
  /** Where it stands among the bytes of its processor or thread. */
  readonly auxOffset: number;
}

/** A piece of trace that was written (AUX). */
export interface AuxRecord {
  readonly cpu: number;
  readonly tid: number;
  readonly time: PerfTime | null;
  readonly auxOffset: number;
  readonly sizeBytes: number;
  /** The buffer was full: something is missing behind it. */
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
  /** 0.000000000 for what was there before the recording began; null: not recorded. */
  readonly time: PerfTime | null;
  readonly record: SidebandRecord;
}

export interface BuildId {
  /** As text; in sideband records it is bytes. */
  readonly file: string;
  /** Hexadecimal. */
  readonly buildId: string;
  readonly isKernel: boolean;
}
