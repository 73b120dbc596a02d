/**
 * Events of a thread as columns, one row per event.
 */

export interface EventRows {
  readonly timeNs: Float64Array;
  readonly site: Uint32Array;
}

/** Where tracing begins and ends, by site. */
export interface SiteEdges {
  readonly edge: Uint8Array; // TraceEdge
}

/** All events of one thread on one CPU. */
export interface Lane extends EventRows {
  readonly cpu: number;
  readonly length: number;
}
