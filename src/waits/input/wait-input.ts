/**
 * What waits are concluded from: when threads were switched, and what the kernel noted at tracepoints and probes.
 */
import type { LostSpan, SampleTable, SwitchColumns } from '../../model/sample-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

/** When a thread is known to have existed: from its fork or its first event to its exit or the end of the recording. */
export interface ThreadSpan {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

export interface WaitInput {
  readonly switches: SwitchColumns;
  readonly samples: readonly SampleTable[];
  /** Threads not listed here are known from their switches alone. */
  readonly threads: readonly ThreadSpan[];
  readonly lost: readonly LostSpan[];
}
