/**
 * Events of a thread as columns: a row is an event.
 */

/** As many rows in each column. */
export interface EventRows {
  readonly timeNs: Float64Array;
  readonly site: Uint32Array;
}

/** Of branch sites: where the trace begins and ends. */
export interface SiteEdges {
  readonly edge: Uint8Array; // TraceEdge
}

/** What one processor saw of a thread. */
export interface Lane extends EventRows {
  readonly cpu: number;
  readonly length: number;
}
