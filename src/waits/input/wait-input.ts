/**
 * What waits are concluded from: when threads were switched, and what the kernel noted at tracepoints and probes.
 */
import type { SampleTable } from '../../model/samples/sample-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

export const SwitchKind = { In: 0, Out: 1, Preempted: 2 } as const;
export type SwitchKind = (typeof SwitchKind)[keyof typeof SwitchKind];

/** Context-switch records (PERF_RECORD_SWITCH, or its machine-wide form), in any order. */
export interface Switches {
  readonly timeNs: Float64Array;
  readonly tid: Int32Array;
  readonly cpu: Int32Array; // NONE if unknown
  readonly kind: Uint8Array; // SwitchKind
}

/** When a thread is known to have existed: from its fork or its first event to its exit or the end of the recording. */
export interface ThreadSpan {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** Time in which samples were lost. */
export interface LostSpan {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

export interface WaitInput {
  readonly switches: Switches;
  readonly samples: readonly SampleTable[];
  /** Threads not listed here are known from their switches alone. */
  readonly threads: readonly ThreadSpan[];
  readonly lost: readonly LostSpan[];
}

export const NO_SWITCHES: Switches = {
  timeNs: new Float64Array(0),
  tid: new Int32Array(0),
  cpu: new Int32Array(0),
  kind: new Uint8Array(0),
};
