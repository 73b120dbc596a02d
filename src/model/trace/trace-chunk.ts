/**
 * What the parser passes to the store: a piece of one input, as runs of events and a few records.
 */
import type { Address, Nanoseconds, Tid } from '../units.js';

export interface EventRun {
  readonly tid: Tid;
  readonly cpu: number; // NONE if not printed
  /** In numbers, see event-runs.ts. */
  readonly length: number;
  readonly events: number;
}

/** Branch events by lane, in order. */
export interface GroupedEvents {
  readonly runs: readonly EventRun[];
  /** The runs, one after another. */
  readonly events: Int32Array;
  /** Of all events; meaningless if there is none. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** A record that belongs among a thread's events. `tid` or `cpu` is NONE if perf does not know it. */
export type TraceRecord = { readonly tid: Tid; readonly cpu: number; readonly timeNs: Nanoseconds } & (
  | {
      readonly what: 'gap';
      readonly code: number;
      readonly message: string;
      /** Address of the error; NaN if perf does not know it. */
      readonly ip: Address;
      readonly pid: number; // NONE if perf does not know it
    }
  | { readonly what: 'switch'; readonly direction: 'in' | 'out' | 'preempted' }
  | { readonly what: 'exec'; readonly pid: number }
  | { readonly what: 'exit'; readonly pid: number }
  /** Its process is traced: it was on a CPU when tracing began. */
  | { readonly what: 'traced'; readonly pid: number }
  | { readonly what: 'fork'; readonly pid: number; readonly parentPid: number }
);

/** The identity of a thread from some time on. */
export interface ThreadName {
  readonly tid: Tid;
  readonly timeNs: Nanoseconds;
  readonly pid: number | null;
  readonly comm: string | null;
  /** The thread that created it, whose name it has until it gets its own; null if unknown. */
  readonly parent: Tid | null;
}

/** A mapped file in a process from some time on. */
export interface Mapping {
  readonly pid: number; // -1: the kernel
  /** −Infinity if it existed before the recording. */
  readonly timeNs: Nanoseconds;
  readonly start: Address;
  readonly length: number; // bytes
  /** Of its first byte in the file; NaN if unknown. */
  readonly fileOffset: number;
  /** As perf prints it: a path, or a name like `[vdso]` or `//anon`. */
  readonly file: string;
}

export interface TraceChunk {
  /** Those of a lane in the order of the input. */
  readonly events: readonly GroupedEvents[];
  readonly records: readonly TraceRecord[];
  readonly names: readonly ThreadName[];
  readonly mappings: readonly Mapping[];
}

/** The selected threads and CPUs; an absent list means all. */
export interface Selection {
  readonly tids?: readonly Tid[];
  readonly pids?: readonly number[];
  readonly cpus?: readonly number[];
  /** A thread is selected if any of its names matches. */
  readonly comm?: RegExp;
  /** A thread is not selected if any of its names matches. */
  readonly excludeComm?: RegExp;
}

// What the kernel reports to perf in addition to the trace: context switches, thread names, memory mappings.

/** `name` and `file`: bytes as latin1 characters. */
export type SidebandRecord =
  | { readonly what: 'switch'; readonly direction: 'in' | 'out' | 'preempted' }
  | { readonly what: 'comm'; readonly exec: boolean; readonly name: string; readonly pid: number; readonly tid: number }
  | {
      readonly what: 'fork';
      readonly pid: number;
      readonly tid: number;
      readonly parentPid: number;
      readonly parent: number;
    }
  | { readonly what: 'exit'; readonly pid: number; readonly tid: number }
  /** Tracing of a thread began (ITRACE_START); perf script does not print it. */
  | { readonly what: 'traced'; readonly pid: number; readonly tid: number }
  | {
      readonly what: 'mmap';
      readonly pid: number; // -1: the kernel
      readonly start: Address;
      readonly length: number; // bytes
      readonly fileOffset: number; // of its first byte
      readonly file: string;
    }
  | { readonly what: 'other' };
