/**
 * A trace: everything that replay and imports need, whatever it was read from. It is immutable.
 */

import type { DamagedLine, LineCounts, RecordingEnvironment } from '../../model/profile/profile.js';
import type { OtherSamples, SampleAccount, SideAccount } from '../../model/sample-table.js';
import { endsOfSamples, type SampleTable } from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';
import type { ValuesOfThreads } from '../../replay/probe-sites.js';
import type { StoredThreads } from '../../trace/stored-threads.js';
import type { DecodedHere } from '../decode/encoded-recording.js';

export interface Trace {
  /** Samples of tracepoints and probes, of all threads, selected or not; a table per event. */
  readonly samples: readonly SampleTable[];
  /** Those of probes, among the samples; null: there is none. */
  readonly hits: ValuesOfThreads | null;
  /** Its threads, with their bounds, events and records. */
  readonly store: StoredThreads;
  readonly symbols: SymbolTable;
  readonly sites: BranchSites;
  /** perf's clock at time 0, in whole seconds; null: nothing in the trace has a time. */
  readonly originSeconds: number | null;
  readonly account: ReadAccount;
  /** The environment of the recording; null: unknown, or there are several sources. */
  readonly recorded: RecordingEnvironment | null;
  /** The recordings that ptflame decoded itself. */
  readonly decoded: readonly DecodedHere[];
}

/** The account of everything that was read. */
export interface ReadAccount {
  /** Every line counts in one of them; `events` includes those of threads that are not selected. */
  readonly counts: Readonly<LineCounts>;
  /** Events of threads and CPUs that are not selected. */
  readonly unwanted: number;
  /** Branches with a time, and without one: a trace has only one of the two. */
  readonly timed: number;
  readonly timeless: number;
  /** Branches without a flag that gives their kind. */
  readonly flagless: number;
  /** By input name, then line; ten at most. */
  readonly firstDamaged: readonly DamagedLine[];
  /** Inputs that broke off, and why; what came before is used. */
  readonly broken: readonly BrokenInput[];
  readonly unknownFlags: { readonly words: readonly string[]; readonly lines: number };
  /** It was read from a recording, decoded by a perf that ptflame started. */
  readonly isDecodedHere: boolean;
  readonly samples: SampleAccount;
  /** By event. */
  readonly otherSamples: readonly OtherSamples[];
  /** Side recordings, in the order of the inputs. */
  readonly sides: readonly SideAccount[];
  /** Calls between probes that are not among the events. */
  readonly leftOutCalls: number;
  /** Recordings without Intel PT. */
  readonly withoutTrace: readonly string[];
}

export interface BrokenInput {
  readonly input: string;
  readonly reason: string;
}

/** Converts a time on perf's clock to nanoseconds since the trace's time 0. */
export function timeInTrace({ originSeconds }: Trace, { seconds, ns }: PerfTime): Nanoseconds {
  return (seconds - (originSeconds ?? 0)) * 1e9 + ns;
}

/** Returns the bounds of the branches; without branches, those of the switches and samples; zeros if there are none. */
export function boundsOfTrace({ store, samples }: Pick<Trace, 'store' | 'samples'>): Bounds {
  if (store.bounds.startNs <= store.bounds.endNs) return store.bounds;
  const bounds = boundsOfTimes(store.switches().timeNs, endsOfSamples(samples));
  return bounds.startNs <= bounds.endNs ? bounds : { startNs: 0, endNs: 0 };
}

/** Returns the part of the branches' time that is in a window; null: all of it. */
export function boundsInWindow({ store }: Pick<Trace, 'store'>, window: Bounds | null | undefined): Bounds {
  const { bounds } = store;
  const startNs = Math.max(bounds.startNs, window?.startNs ?? bounds.startNs);
  return { startNs, endNs: Math.max(startNs, Math.min(bounds.endNs, window?.endNs ?? bounds.endNs)) };
}

/** Times are not sorted among columns; infinite ones do not count. Without any, the start is infinite. */
export function boundsOfTimes(...columns: readonly ArrayLike<number>[]): Bounds {
  let startNs = Number.POSITIVE_INFINITY;
  let endNs = Number.NEGATIVE_INFINITY;
  for (const times of columns)
    for (let row = 0; row < times.length; row++) {
      if (!Number.isFinite(times[row])) continue;
      startNs = Math.min(startNs, times[row]);
      endNs = Math.max(endNs, times[row]);
    }
  return { startNs, endNs };
}
