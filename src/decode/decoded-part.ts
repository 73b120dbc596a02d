/**
 * What decoding a part of the trace gives: columns of rows as kernel/layout.ts has them. Plain data.
 */
import type { Nanoseconds } from '../model/units.js';
import type { Position } from './streams.js';
import {
  FAULT_BYTES,
  FAULT_CODE,
  FAULT_IP,
  FAULT_NS,
  FAULT_SLOT,
  RUN_BYTES,
  RUN_END_NS,
  RUN_EVENT_BYTES,
  RUN_EVENTS,
  RUN_SLOT,
  RUN_START_NS,
  SITE_BYTES,
  SITE_EDGE,
  SITE_FROM,
  SITE_IMAGE,
  SITE_KIND,
  SITE_TO,
} from './wasm/layout.js';

export interface DecodedPart {
  /** Runs of events, one after another, as in model/trace/event-run.ts. Their sites are numbers of the decoder. */
  readonly events: Int32Array;
  readonly runs: DataView;
  readonly errors: DataView;
  /** Where another decoder may take over, or this one may have taken over: hand-over.ts. */
  readonly marks: DataView;
  /** Of the state in each mark. */
  readonly stateBytes: number;
  readonly sites: DecoderSites;
  /** Offset after the last CYC packet that was counted on from an unknown start; 0: none. */
  readonly lastUnsure: number;
  /** Tick of the first event; 0: none. */
  readonly firstEvent: bigint;
  /** Where decoding stopped; null: at the end of the last stream. */
  readonly rest: Position | null;
  /** It stopped because the next part had begun, and else for want of space. */
  readonly isAtCut: boolean;
  /** Bytes of trace that were consumed. */
  readonly bytes: number;
}

/** The sites that a decoder has met since its last part, from number `first` on; 0: it is new. */
export interface DecoderSites {
  readonly first: number;
  readonly rows: DataView;
}

export interface SiteRow {
  readonly from: bigint;
  readonly to: bigint;
  readonly image: number;
  readonly kind: number;
  readonly edge: number;
}

/** Returns how many sites the rows hold. */
export function siteCount(rows: DataView): number {
  return rows.byteLength / SITE_BYTES;
}

export function siteRow(rows: DataView, row: number): SiteRow {
  const at = row * SITE_BYTES;
  return {
    from: rows.getBigUint64(at + SITE_FROM, true),
    to: rows.getBigUint64(at + SITE_TO, true),
    image: rows.getUint32(at + SITE_IMAGE, true),
    kind: rows.getUint8(at + SITE_KIND),
    edge: rows.getUint8(at + SITE_EDGE),
  };
}

/** Events of one thread. */
export interface DecodedRun {
  /** Row of the CPU's schedule. */
  readonly slot: number;
  /** Numbers in `events`. */
  readonly length: number;
  readonly events: number;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** Returns the runs from one row to another. */
export function runsOf({ runs: rows }: DecodedPart, from: number, to: number | undefined): DecodedRun[] {
  return rowsAt(rows, RUN_BYTES, from, to).map((at) => ({
    slot: rows.getUint32(at + RUN_SLOT, true),
    length: rows.getUint32(at + RUN_EVENT_BYTES, true) / 4,
    events: rows.getUint32(at + RUN_EVENTS, true),
    startNs: rows.getFloat64(at + RUN_START_NS, true),
    endNs: rows.getFloat64(at + RUN_END_NS, true),
  }));
}

export interface DecodedError {
  readonly slot: number;
  readonly timeNs: Nanoseconds;
  readonly code: number;
  /** Where the walk was; 0: unknown. */
  readonly ip: bigint;
}

/** Returns the errors from one row to another. */
export function errorsOf({ errors: rows }: DecodedPart, from: number, to: number | undefined): DecodedError[] {
  return rowsAt(rows, FAULT_BYTES, from, to).map((at) => ({
    slot: rows.getUint32(at + FAULT_SLOT, true),
    timeNs: rows.getFloat64(at + FAULT_NS, true),
    code: rows.getUint32(at + FAULT_CODE, true),
    ip: rows.getBigUint64(at + FAULT_IP, true),
  }));
}

/** Where rows begin. */
function rowsAt(rows: DataView, rowBytes: number, from: number, to = rows.byteLength / rowBytes): number[] {
  return Array.from({ length: to - from }, (_, row) => (from + row) * rowBytes);
}
