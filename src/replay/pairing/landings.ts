/**
 * Where exceptions land: how far down the stack an unwinder stepped, and which open calls it left for good.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { calledIn, hasTrait, type SegmentState, type Walk } from './segment-state.js';
import { isSignal, MAX_SEARCH_DEPTH } from './stacks.js';

/** All searches together read at most this many times the rows of the thread. A trace that needs more is not real. */
const MAX_PASSES = 16;

// Counts how far down the stack an unwinder stepped. It visits one frame after the other, and for each calls the
// function that reads how the frame is unwound (libgcc: `uw_frame_state_for`). The first function that the unwinder
// calls does so once, for the unwinder itself; the one that searches for the landing does so for the unwinder's caller
// and for each frame below it, down to the landing.

/**
 * Returns how many frames below its caller the unwinder that `callRow` called will land, by its steps before `endRow`;
 * or NONE.
 */
export function countSteps(state: Walk, callRow: number, endRow: number): number {
  const { events, pairing } = state;
  if (state.unwinderRowsRead > MAX_PASSES * events.length) return NONE;
  return stepsOf(
    callsBetween(state, callRow, endRow)
      .filter((row) => isInUnwinder(state, row)) // not in the linker's code, which resolves the unwinder's symbol
      .map((row) => functionsCalledBetween(state, row, Math.min(endRow, pairing.rows.linkAt(row)))),
  );
}

/** `called`: for each call that the unwinder makes, which functions that one calls. */
function stepsOf(called: readonly (readonly FunctionId[])[]): number {
  const [first, ...others] = called.filter(({ length }) => length > 0);
  const reader = first?.[0];
  const search = others.findLast(([fn]) => fn === reader);
  return search === undefined ? NONE : search.filter((fn) => fn === reader).length - 1;
}

/** Counts the steps of an unwinder whose calls are not paired yet. Depths are those of functions. */
export class UnwinderSteps {
  private readonly called: FunctionId[][] = [];

  /** `depth`: of the unwinder. */
  constructor(readonly depth: number) {}

  /** Adds a call that a function at some depth makes. */
  add(depth: number, fn: FunctionId, isInUnwinder: boolean): void {
    if (depth === this.depth) this.called.push(isInUnwinder ? [] : [NONE]);
    else if (depth === this.depth + 1) this.called.at(-1)?.push(fn);
  }

  /** Returns the depth of the function that it will land in; or null. */
  landing(): number | null {
    const steps = stepsOf(this.called.filter(([fn]) => fn !== NONE));
    return steps === NONE ? null : this.depth - 1 - steps;
  }
}

/** Returns the rows of the calls between `callRow` and `endRow`, without the calls that these make. */
function callsBetween(state: Walk, callRow: number, endRow: number): number[] {
  const { rows: paired } = state.pairing;
  const rows: number[] = [];
  for (let row = callRow + 1; row < endRow; row = Math.max(row, paired.linkAt(row)) + 1) {
    const step = state.facts.step[state.events.siteAt(row)];
    state.unwinderRowsRead++;
    if (paired.linkAt(row) > row && (step === Step.Call || step === Step.EndCall)) rows.push(row);
  }
  return rows;
}

function functionsCalledBetween(state: Walk, callRow: number, endRow: number): FunctionId[] {
  const { events, facts } = state;
  return callsBetween(state, callRow, endRow).map((row) => facts.toFunction[events.siteAt(row)]);
}

function isInUnwinder({ facts, events }: Walk, row: number): boolean {
  const fn = facts.fromFunction[events.siteAt(row)];
  return fn !== NONE && (facts.functions.traits[fn] & Trait.Unwinder) !== 0;
}

/**
 * Notes which of the uppermost open calls exceptions have left for good, up to the event in `row`: no return ends them.
 * Returns look for their calls by address, and in a recursion all have the same one.
 */
export function noteUnwound(state: SegmentState, row: number): void {
  const { open, unwound } = state;
  for (let index = Math.max(0, open.length - MAX_SEARCH_DEPTH); index < open.length; index++) {
    const raiserRow = open.rowAt(index);
    if (!hasTrait(state, calledIn(state, raiserRow), Trait.Raiser) || unwound.has(raiserRow)) continue;
    const landingRow = findLanding(state, raiserRow, row);
    if (landingRow === NONE) continue;
    const landing = landingOf(state, index, landingRow);
    for (let over = landing === NONE ? index : landing + 1; over <= index; over++) unwound.add(open.rowAt(over));
  }
}

/** Returns the row of the first event after the unwinder that `raiserRow` called, at most `lastRow`; NONE if it called another one. */
function findLanding(state: SegmentState, raiserRow: number, lastRow: number): number {
  const { events, facts, pairing, walk } = state;
  const onTheWay = Trait.Stub | Trait.Resolver | Trait.Unwinder | Trait.Unknown;
  for (let row = raiserRow + 1; row <= lastRow; row = Math.max(row, pairing.rows.linkAt(row)) + 1) {
    if (++walk.unwinderRowsRead > MAX_PASSES * events.length) return NONE;
    const site = events.siteAt(row);
    if (!hasTrait(state, facts.fromFunction[site], onTheWay)) return row;
    if (hasTrait(state, facts.toFunction[site], Trait.Raiser) && pairing.rows.linkAt(row) < row) return NONE;
  }
  return NONE;
}

/** Returns the index of the open call whose function the unwinder called at an index landed in, before the event in `row`; or NONE. */
function landingOf(state: SegmentState, index: number, row: number): number {
  const { open, unwound, events, facts } = state;
  const { symbol } = facts.functions;
  const raiserRow = open.rowAt(index);
  const fn = facts.fromFunction[events.siteAt(row)];
  const below = (from: number) => {
    let at = from - 1;
    while (at >= 0 && unwound.has(open.rowAt(at))) at--;
    return at;
  };
  const isResumer = hasTrait(state, calledIn(state, raiserRow), Trait.Resumer);
  let left = countSteps(state.walk, raiserRow, row);
  let landing = below(index);
  if (left === NONE) return isResumer ? below(landing) : NONE;
  for (; left > 0 && landing !== NONE; landing = below(landing)) left -= isSignal(open.at(landing).kind) ? 2 : 1;
  if (left !== 0 || landing === NONE) return NONE;
  const ran = facts.fromFunction[events.siteAt(open.rowAt(landing + 1))];
  return ran !== NONE && symbol[ran] === symbol[fn] ? landing : NONE;
}
