/**
 * Samples: moments at which a thread passed a tracepoint or a probe, with the values that the kernel noted there.
 */
import type { Nanoseconds } from './units.js';

/** What the CPU was doing for whom: in an interrupt, the thread of the sample is only its victim. */
export const SampleContext = { Unknown: 0, Task: 1, SoftInterrupt: 2, HardInterrupt: 3 } as const;
export type SampleContext = (typeof SampleContext)[keyof typeof SampleContext];

/** All samples of one event, by time; samples of equal time are in the order of the recording. */
export interface SampleTable {
  /** As perf prints it, such as `sched:sched_waking` or `probe_libc:lock_slow`. */
  readonly event: string;
  readonly length: number;
  readonly timeNs: Float64Array; // Nanoseconds
  /** The thread that ran, 0 for an idle CPU. */
  readonly tid: Int32Array;
  readonly pid: Int32Array;
  readonly cpu: Int32Array; // NONE if unknown
  readonly context: Uint8Array; // SampleContext
  readonly fields: readonly SampleField[];
}

/** How perf prints the numbers of a field. */
export type NumberStyle = 'signed' | 'unsigned' | 'hexadecimal';

export type SampleField = {
  readonly style?: NumberStyle /* default: signed */;
} /** Exact integers; those of 64 bits from 2^63 on are negative, as in `Address`. A sample without this field has NaN. */ & (
  | { readonly name: string; readonly numbers: Float64Array; readonly texts: null }
  /** Texts, or numbers beyond 2^53 as perf prints them; a sample without this field has ''. */
  | { readonly name: string; readonly numbers: null; readonly texts: readonly string[] }
);

/** One sample, before it is in a table. */
export interface Sample {
  readonly timeNs: Nanoseconds;
  readonly tid: number;
  readonly pid: number;
  readonly cpu: number;
  readonly context: SampleContext;
  readonly values: readonly SampleValue[];
}

export type SampleValue = { readonly name: string; readonly value: number | string };

/** Returns the table of an event; null: it was not recorded; one that never happened has no rows. */
export function tableOf(tables: readonly SampleTable[], event: string): SampleTable | null {
  return tables.find((table) => table.event === event) ?? null;
}

/** Events were recorded, and none of them happened. */
export function areAllEmpty(tables: readonly SampleTable[]): boolean {
  return tables.length > 0 && tables.every(({ length }) => length === 0);
}

/** Returns a field's numbers; null if it is missing or a text. */
export function numbersOf({ fields }: SampleTable, name: string): Float64Array | null {
  return fields.find((field) => field.name === name)?.numbers ?? null;
}

/** Returns a field's texts; null if it is missing or a number. */
export function textsOf({ fields }: SampleTable, name: string): readonly string[] | null {
  return fields.find((field) => field.name === name)?.texts ?? null;
}

/** The event of samples that have only the functions that the kernel was in when it switched threads, as `kernel_stack`. */
export const KERNEL_STACKS = 'kernel-stacks';

/** The kernel was seen where threads waited, but none of its functions has a name: these are in notes next to the recording. */
export function lacksKernelNames(samples: readonly SampleTable[]): boolean {
  const table = tableOf(samples, KERNEL_STACKS);
  return table !== null && table.length > 0 && textsOf(table, 'kernel_stack') === null;
}

const WAKING = 'sched:sched_waking';

/**
 * Returns the first and the last time of each event whose samples show from when to when threads were recorded. Wakings
 * are those of the whole machine, and the recording that has them may begin earlier and end later.
 */
export function endsOfSamples(samples: readonly SampleTable[]): Nanoseconds[] {
  const tables = samples.filter(({ event }) => event !== WAKING);
  return tables.flatMap(({ timeNs }) => [...timeNs.subarray(0, 1), ...timeNs.subarray(-1)]);
}

// What is missing of the samples of a trace.

/** Time in which samples were lost. */
export interface LostSpan {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

/** Samples of one event that ptflame does not use, such as cycles. */
export interface OtherSamples {
  /** Without modifiers; null: unknown, or one of too many. */
  readonly event: string | null;
  readonly samples: number;
}

export const MAX_OTHER_EVENTS = 20;
const MAX_NAME_LENGTH = 80;

/** Counts samples of other events. Keeps the smallest names, so that the result does not depend on their order. */
export class OtherSampleCounts {
  private readonly byEvent = new Map<string, number>();
  private nameless = 0;

  add(event: string | null, samples = 1): void {
    const name = event?.replace(/:[ukhGHpPSDWeIb]+$/, '').slice(0, MAX_NAME_LENGTH);
    if (name === undefined) this.nameless += samples;
    else this.byEvent.set(name, (this.byEvent.get(name) ?? 0) + samples);
    if (this.byEvent.size > MAX_OTHER_EVENTS) this.forgetLargestName();
  }

  addAll(others: readonly OtherSamples[]): void {
    for (const { event, samples } of others) this.add(event, samples);
  }

  /** By name; those without one last. */
  build(): OtherSamples[] {
    const named = [...this.byEvent].sort(([a], [b]) => (a < b ? -1 : 1));
    const rest = this.nameless > 0 ? [{ event: null, samples: this.nameless }] : [];
    return [...named.map(([event, samples]) => ({ event, samples })), ...rest];
  }

  private forgetLargestName(): void {
    const largest = [...this.byEvent.keys()].reduce((a, b) => (a > b ? a : b));
    this.nameless += this.byEvent.get(largest) ?? 0;
    this.byEvent.delete(largest);
  }
}

/** What is missing of the samples of the inputs, without side recordings. */
export interface SampleAccount {
  /** Of text; they count as ignored lines, because replay does not need them. */
  readonly lines: number;
  /** Their format is unknown, because perf was killed. */
  readonly unreadable: number;
  /** Too short or impossible; also in side recordings. */
  readonly damaged: number;
  /** Records and samples that the kernel could not write. */
  readonly lost: number;
  /** When they were lost; also in side recordings. */
  readonly lostSpans: readonly LostSpan[];
}

/** A side recording: wakings on the whole machine, or others that the user named. */
export interface SideAccount {
  /** The recording that it belongs to. */
  readonly input: string;
  readonly side: string;
  readonly isMissing: boolean;
  readonly samples: number;
  readonly unreadable: number;
  readonly lost: number;
}

/** The context switches of all threads of a trace, as the kernel recorded them. */
export const SwitchKind = { In: 0, Out: 1, Preempted: 2 } as const;
export type SwitchKind = (typeof SwitchKind)[keyof typeof SwitchKind];

/** By thread, then by time; those of equal time are by CPU, then outs before ins. */
export interface SwitchColumns {
  readonly length: number;
  readonly timeNs: Float64Array; // Nanoseconds
  readonly tid: Int32Array;
  readonly cpu: Int32Array; // NONE if unknown
  readonly kind: Uint8Array; // SwitchKind; preempted: out, but runnable
}
