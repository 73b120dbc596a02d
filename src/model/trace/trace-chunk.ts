/**
 * What the parser hands to the store: a piece of one input, as columns of events and a few records.
 */
import type { Address, Nanoseconds, Tid } from '../units.js';

/** Branch events in the order of the input. */
export interface EventColumns {
  readonly length: number;
  readonly tid: Int32Array;
  readonly cpu: Int32Array; // NONE where it was not printed
  readonly site: Uint32Array; // SiteId
  readonly timeNs: Float64Array; // Nanoseconds, as printed: it may step back
}

export interface EventRun {
  readonly tid: Tid;
  readonly cpu: number; // NONE where it was not printed
  /** In numbers, as event-run.ts has them. */
  readonly length: number;
  readonly events: number;
}

/** Branch events by thread and processor, each in their order. */
export interface GroupedEvents {
  readonly runs: readonly EventRun[];
  /** One run behind the other. */
  readonly events: Int32Array;
  /** Over all events; meaningless if there is none. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** What is not a branch, but belongs among a thread's events. `tid` or `cpu` is NONE if perf does not know it. */
export type TraceRecord = { readonly tid: Tid; readonly cpu: number; readonly timeNs: Nanoseconds } & (
  | {
      readonly what: 'gap';
      readonly code: number;
      readonly message: string;
      /** Where the error was; NaN if perf does not know. */
      readonly ip: Address;
      readonly pid: number; // NONE if perf does not know it
    }
  | { readonly what: 'switch'; readonly direction: 'in' | 'out' | 'preempted' }
  | { readonly what: 'exec'; readonly pid: number }
  | { readonly what: 'exit'; readonly pid: number }
  /** Its process is traced: it had a processor when the trace began. */
  | { readonly what: 'traced'; readonly pid: number }
  | { readonly what: 'fork'; readonly pid: number; readonly parentPid: number }
);

/** Who a thread is, from some time on. */
export interface ThreadName {
  readonly tid: Tid;
  readonly timeNs: Nanoseconds;
  readonly pid: number | null;
  readonly comm: string | null;
  /** The thread that made it, whose name it has until it gets its own; null: not known. */
  readonly parent: Tid | null;
}

/** A file in the memory of a process, from some time on. */
export interface Mapping {
  readonly pid: number; // -1: the kernel
  /** −Infinity if it was there before the recording. */
  readonly timeNs: Nanoseconds;
  readonly start: Address;
  readonly length: number; // bytes
  /** Of its first byte in the file; NaN if it is not known. */
  readonly fileOffset: number;
  /** As perf prints it: a path, or a name like `[vdso]` or `//anon`. */
  readonly file: string;
}

export interface TraceChunk {
  readonly events: EventColumns;
  /** More events, behind those. */
  readonly grouped: GroupedEvents | null;
  readonly records: readonly TraceRecord[];
  readonly names: readonly ThreadName[];
  readonly mappings: readonly Mapping[];
}

/** Which threads and processors are wanted; an absent list means all. */
export interface Selection {
  readonly tids?: readonly Tid[];
  readonly pids?: readonly number[];
  readonly cpus?: readonly number[];
  /** A thread is wanted if any name it had matches. */
  readonly comm?: RegExp;
}
