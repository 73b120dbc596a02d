/**
 * The parts that the trace of a CPU is decoded in. What decoding one gives: columns of rows as wasm/layout.ts has them, plain
 * data. Then their streams, and where the decoder of one may hand over to that of the next.
 */

import { isEqual } from '../codec/bytes.js';
import { firstThat } from '../model/columns.js';
import { BranchKind, TraceEdge } from '../model/trace/branch-sites.js';
import type { TraceTiming } from '../model/trace/perf-time.js';
import type { Nanoseconds } from '../model/units.js';
import {
  COUNT_BYTES,
  COUNT_CBR,
  COUNT_CYCLES,
  COUNT_EVENT_BYTES,
  COUNT_INSTRUCTIONS,
  COUNT_NS,
  COUNT_SITE,
  COUNT_SLOT,
  FAULT_BYTES,
  FAULT_CODE,
  FAULT_IP,
  FAULT_NS,
  FAULT_SLOT,
  KIND_ASYNC,
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_RETURN,
  KIND_INTERRUPT,
  KIND_IRET,
  KIND_NONE,
  KIND_RETURN,
  KIND_SYSCALL,
  KIND_SYSRET,
  KIND_VMENTRY,
  MARK_EVENT_BYTES,
  MARK_FAULTS,
  MARK_OFFSET,
  MARK_RUNS,
  MARK_STATE,
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
  STATE_CYCLE_START,
  STATE_EVENT_TIME,
  STATE_UNSURE_CYCLES,
  STATE_UNSURE_EVENT_TIME,
} from './wasm/layout.js';

export interface DecodedPart {
  /** Runs of events, one after another, as in model/trace/event-runs.ts. Their sites are numbers of the decoder. */
  readonly events: Int32Array;
  readonly runs: DataView;
  readonly errors: DataView;
  /** Where another decoder may take over, or this one may have taken over: parts.ts. */
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

/** What was counted up to an event, or to where another thread runs or the frequency changes. */
export interface DecodedCount {
  readonly ns: Nanoseconds;
  /** Since decoding began. */
  readonly instructions: number;
  /** Of CYC packets, while the program was traced. */
  readonly cycles: number;
  /** Number of the event's site; no site: it is a change. */
  readonly site: number;
  /** From here on: the row of the CPU's schedule, and the ratio of the core's clock to that of the bus; 0: unknown. */
  readonly slot: number;
  readonly busRatio: number;
  /** Numbers of the part's events (model/trace/event-runs.ts) before it, with those of its own event. */
  readonly eventLength: number;
}

export function countRows(rows: DataView): DecodedCount[] {
  return rowsAt(rows, COUNT_BYTES, 0, undefined).map((at) => ({
    ns: rows.getFloat64(at + COUNT_NS, true),
    instructions: rows.getFloat64(at + COUNT_INSTRUCTIONS, true),
    cycles: rows.getFloat64(at + COUNT_CYCLES, true),
    site: rows.getUint32(at + COUNT_SITE, true),
    slot: rows.getUint32(at + COUNT_SLOT, true),
    busRatio: rows.getUint32(at + COUNT_CBR, true),
    eventLength: rows.getUint32(at + COUNT_EVENT_BYTES, true) / Int32Array.BYTES_PER_ELEMENT,
  }));
}

/** Where rows begin. */
function rowsAt(rows: DataView, rowBytes: number, from: number, to = rows.byteLength / rowBytes): number[] {
  return Array.from({ length: to - from }, (_, row) => (from + row) * rowBytes);
}

const KINDS: ReadonlyMap<number, BranchKind> = new Map([
  [KIND_NONE, BranchKind.None],
  [KIND_CALL, BranchKind.Call],
  [KIND_CALL_INDIRECT, BranchKind.Call],
  [KIND_FAR_CALL, BranchKind.Call],
  [KIND_RETURN, BranchKind.Return],
  [KIND_FAR_RETURN, BranchKind.Return],
  [KIND_SYSCALL, BranchKind.Syscall],
  [KIND_SYSRET, BranchKind.Sysret],
  [KIND_IRET, BranchKind.Iret],
  [KIND_INTERRUPT, BranchKind.Interrupt],
  [KIND_VMENTRY, BranchKind.VmEntry],
]);

// Maps kinds of instructions to kinds of branches, as perf's flags name them.

/** An asynchronous branch is an interrupt ("hw int") unless the trace ends with it ("tr end  async"). */
export function branchKind(kind: number, edge: number): BranchKind {
  if (kind === KIND_ASYNC) return edge === TraceEdge.None ? BranchKind.Interrupt : BranchKind.Async;
  return KINDS.get(kind) ?? BranchKind.Jump;
}

const EDGES = [TraceEdge.None, TraceEdge.Begin, TraceEdge.End, TraceEdge.BeginAndEnd] as const;

export function traceEdge(edge: number): TraceEdge {
  return EDGES[edge] ?? TraceEdge.None;
}

// The encoded trace of one CPU: streams of trace records, and the parts that are decoded one by one.

/**
 * A trace record (AUXTRACE): where its bytes are among those of its CPU and in the file, and the tick it was written near.
 */
export interface TraceRecordBytes {
  readonly offset: number;
  readonly fileOffset: number;
  readonly sizeBytes: number;
  readonly reference: bigint;
}

/** Records whose bytes follow each other without a gap. */
export type Stream = readonly [TraceRecordBytes, ...TraceRecordBytes[]];

/** Offset after the last byte of a stream. */
export function endOf(stream: Stream): number {
  const { offset, sizeBytes } = stream[stream.length - 1] as TraceRecordBytes;
  return offset + sizeBytes;
}

/** Returns the row of the record that holds an offset of its stream. */
export function recordAt(stream: Stream, offset: number): number {
  return firstThat(1, stream.length, (row) => (stream[row] as TraceRecordBytes).offset > offset) - 1;
}

/**
 * A position in the trace of a CPU, and the state of the decoder that came there, at the begin of a stream at the end of the one
 * before; null: a decoder begins there.
 */
export interface Position {
  /** Row of the stream. */
  readonly stream: number;
  readonly offset: number;
  readonly state: Uint8Array | null;
}

/** What is decoded at once: a piece of a stream, or several whole streams. Plain data. */
export interface Part extends Position {
  readonly lastStream: number;
  /** Where the next part of the stream begins; Infinity: none does. */
  readonly cut: number;
}

/**
 * Divides the trace of a CPU into parts of about `partBytes`: it is cut anywhere, and a decoder begins at the first PSB after a
 * cut. Several streams are one part, because a stream goes on with the clock of the one before.
 */
export function* partsOf(streams: readonly Stream[], partBytes: number): Generator<Part> {
  const [first] = streams;
  if (first === undefined) return;
  const [{ offset }] = first;
  const lastStream = streams.length - 1;
  if (lastStream === 0) yield* piecesOf(0, offset, endOf(first), partBytes);
  else yield { stream: 0, lastStream, offset, cut: Number.POSITIVE_INFINITY, state: null };
}

function* piecesOf(stream: number, start: number, end: number, partBytes: number): Generator<Part> {
  for (let offset = start; offset < end; offset += partBytes) {
    const cut = offset + partBytes < end ? offset + partBytes : Number.POSITIVE_INFINITY;
    yield { stream, lastStream: stream, offset, cut, state: null };
  }
}

// Converts between perf's clock and the time stamp counter (TSC) of the CPU.

/** Converts perf's nanoseconds to TSC ticks: the inverse of the clock, rounded as perf rounds. */
export function toTicks(ns: bigint, { shift, mult, zero }: TraceTiming): bigint {
  const elapsed = BigInt.asUintN(64, ns - zero);
  const quotient = elapsed / mult;
  const remainder = elapsed % mult;
  return BigInt.asUintN(64, (quotient << BigInt(shift)) + (remainder << BigInt(shift)) / mult);
}

/** Converts TSC ticks to perf's nanoseconds. */
export function toNs(ticks: bigint, { shift, mult, zero }: TraceTiming): bigint {
  return BigInt.asUintN(64, zero + ((ticks * mult) >> BigInt(shift)));
}

// Finds where the decoder of one part may hand over to that of the next one: both noted their states at the same positions after
// a PSB, and where the states are equal, both decode what follows alike.
//
// Two things may be unknown to a decoder that began at a PSB: when the count of cycles began that CYC packets go on with, and the
// time of the last event, before which none may be. Both need not be known if they made no difference: then the next decoder is
// given what the one before knows.

/** A position where a decoder noted its state, and how much it had found before. */
export interface Mark {
  readonly offset: number;
  /** Numbers in `events`, rows of runs, rows of errors. */
  readonly events: number;
  readonly runs: number;
  readonly errors: number;
  readonly state: Uint8Array;
}

interface HandOver {
  /** The first part ends here. */
  readonly end: Mark;
  /** The next one begins here. */
  readonly start: Mark;
  /** The state of both. */
  readonly state: Uint8Array;
}

/** A decoded part from where its decoder took over; null: from its begin. */
export interface TakenOver {
  readonly decoded: DecodedPart;
  readonly from: Mark | null;
  /** The state in which it began, which completes what the decoder does not know; null: it knows all. */
  readonly known: Uint8Array | null;
}

export function handOver({ decoded, from, known }: TakenOver, next: DecodedPart): HandOver | null {
  const starts = new Map(marksOf(next).map((mark) => [mark.offset, mark]));
  for (const end of marksOf(decoded)) {
    const start = starts.get(end.offset);
    if (start === undefined || (from !== null && end.offset < from.offset)) continue;
    const state = completed(end.state, known);
    if (isEqual(state, completed(start.state, state)) && madeNoDifference(start, state, next))
      return { end, start, state };
  }
  return null;
}

/** The decoder has found nothing to begin with. */
export function hasNoPsb({ marks, isAtCut }: DecodedPart): boolean {
  return isAtCut && marks.byteLength === 0;
}

/** Completes what a decoder does not know by what the one before knew. */
export function completed(state: Uint8Array, known: Uint8Array | null): Uint8Array {
  if (known === null) return state;
  const complete = state.slice();
  const copy = (from: number, to: number) => complete.set(known.subarray(from, to), from);
  if (state[STATE_UNSURE_CYCLES] !== 0) {
    copy(STATE_CYCLE_START, STATE_EVENT_TIME);
    complete[STATE_UNSURE_CYCLES] = 0;
  }
  if (state[STATE_UNSURE_EVENT_TIME] !== 0) {
    copy(STATE_EVENT_TIME, STATE_UNSURE_CYCLES);
    complete[STATE_UNSURE_EVENT_TIME] = 0;
  }
  return complete;
}

/** Whether a decoder has found from a mark on what it would have found if it had known all. */
function madeNoDifference(
  { offset, state }: Mark,
  known: Uint8Array,
  { lastUnsure, firstEvent }: DecodedPart,
): boolean {
  if (state[STATE_UNSURE_CYCLES] !== 0 && lastUnsure > offset) return false;
  if (state[STATE_UNSURE_EVENT_TIME] === 0 || firstEvent === 0n) return true;
  return firstEvent >= new DataView(known.buffer, known.byteOffset).getBigUint64(STATE_EVENT_TIME, true);
}

function marksOf({ marks, stateBytes }: DecodedPart): Mark[] {
  const rowBytes = MARK_STATE + stateBytes;
  return Array.from({ length: marks.byteLength / rowBytes }, (_, row) => {
    const at = row * rowBytes;
    return {
      offset: Number(marks.getBigUint64(at + MARK_OFFSET, true)),
      events: marks.getUint32(at + MARK_EVENT_BYTES, true) / 4,
      runs: marks.getUint32(at + MARK_RUNS, true),
      errors: marks.getUint32(at + MARK_FAULTS, true),
      state: new Uint8Array(marks.buffer, marks.byteOffset + at + MARK_STATE, stateBytes),
    };
  });
}
