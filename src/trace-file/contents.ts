/**
 * What a trace file holds beside the events: all that was read, and nothing that depends on who read it or in which order.
 */

import type { SymbolTable } from '../model/names/symbol-table.js';
import type { BranchSites } from '../model/trace/branch-sites.js';
import type { Mapping, ThreadName, TraceRecord } from '../model/trace/trace-chunk.js';
import type { TraceFileMeta } from './meta.js';

export interface TraceContents {
  readonly meta: TraceFileMeta;
  readonly symbols: SymbolTable;
  /** Those of records that are no branch first, then by where they come from. */
  readonly sites: BranchSites;
  readonly side: SideRecords;
}

/** What is told beside the branches; times as those of the events. */
export interface SideRecords {
  readonly records: readonly TraceRecord[];
  readonly names: readonly ThreadName[];
  readonly mappings: readonly Mapping[];
}
