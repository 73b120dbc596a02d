/**
 * A trace that has been read, whatever it was read from: everything that replay and an import work on. Nothing changes it any more.
 */

import type { SymbolTable } from '../../model/names/symbol-table.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { DamagedLine, LineCounts } from '../../model/profile/quality.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Nanoseconds } from '../../model/units.js';
import type { StoredThreads } from '../../store/stored-threads.js';

export interface Trace {
  /** Its threads: how long they were recorded, and of each its events, its records, and what they tell. */
  readonly store: StoredThreads;
  readonly symbols: SymbolTable;
  readonly sites: BranchSites;
  /** perf's clock at time 0, whole seconds; null: nothing in the trace has a time. */
  readonly originSeconds: number | null;
  readonly account: ReadAccount;
  /** Where it was recorded; null: it does not tell, or it was read from several sources. */
  readonly recorded: RecordingEnvironment | null;
}

/** What became of all that was read. */
export interface ReadAccount {
  /** Every line in one of them; `events` are also those of threads that are not wanted. */
  readonly counts: Readonly<LineCounts>;
  /** Events of threads and processors that are not wanted. */
  readonly unwanted: number;
  /** Branches with a time, and without one: a trace has one kind or the other. */
  readonly timed: number;
  readonly timeless: number;
  /** Branches that do not say of which kind they are. */
  readonly flagless: number;
  /** By input name, then line; ten at most. */
  readonly firstDamaged: readonly DamagedLine[];
  /** Inputs that broke off, and why: what came before is used. */
  readonly broken: readonly BrokenInput[];
  readonly unknownFlags: { readonly words: readonly string[]; readonly lines: number };
  /** It was read from a recording, which perf was started for. */
  readonly isDecodedHere: boolean;
}

export interface BrokenInput {
  readonly input: string;
  readonly reason: string;
}

/** A time of perf's clock, since the trace's time 0. */
export function timeInTrace({ originSeconds }: Trace, { seconds, ns }: PerfTime): Nanoseconds {
  return (seconds - (originSeconds ?? 0)) * 1e9 + ns;
}
