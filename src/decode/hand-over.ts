/**
 * Finds where the decoder of one part may hand over to that of the next one: both noted their states at the same positions after
 * a PSB, and where the states are equal, both decode what follows alike.
 *
 * Two things may be unknown to a decoder that began at a PSB: when the count of cycles began that CYC packets go on with, and the
 * time of the last event, before which none may be. Both need not be known if they made no difference: then the next decoder is
 * given what the one before knows.
 */

import type { DecodedPart } from './decoded-part.js';
import {
  MARK_EVENT_BYTES,
  MARK_FAULTS,
  MARK_OFFSET,
  MARK_RUNS,
  MARK_STATE,
  STATE_CYCLE_START,
  STATE_EVENT_TIME,
  STATE_UNSURE_CYCLES,
  STATE_UNSURE_EVENT_TIME,
} from './wasm/layout.js';

/** A position where a decoder noted its state, and how much it had found before. */
export interface Mark {
  readonly offset: number;
  /** Numbers in `events`, rows of runs, rows of errors. */
  readonly events: number;
  readonly runs: number;
  readonly errors: number;
  readonly state: Uint8Array;
}

export interface HandOver {
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

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
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
