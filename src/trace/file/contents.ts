/**
 * The contents of a trace file except the events: all that was read, independent of which worker read it and in which order.
 */

import type { SampleAccount, SampleTable, SideAccount } from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import type { Mapping, ThreadName, TraceRecord } from '../../model/trace/trace-chunk.js';
import type { TraceFileMeta } from './meta.js';

export interface TraceContents {
  readonly meta: TraceFileMeta;
  readonly symbols: SymbolTable;
  /** The sites of records first, then by source address. */
  readonly sites: BranchSites;
  readonly side: SideRecords;
  readonly samples: StoredSamples;
}

/** Samples, a table per event, and what is missing of them; times likewise. */
export interface StoredSamples {
  readonly tables: readonly SampleTable[];
  readonly account: SampleAccount;
  readonly sides: readonly SideAccount[];
}

/** Records other than branches; their times are relative to the same time 0 as those of events. */
export interface SideRecords {
  readonly records: readonly TraceRecord[];
  readonly names: readonly ThreadName[];
  readonly mappings: readonly Mapping[];
}
