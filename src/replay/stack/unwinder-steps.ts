/**
 * Counts how far down the stack an unwinder stepped. It visits one frame after the other, and for each calls the
 * function that reads how the frame is unwound (libgcc: `uw_frame_state_for`). The first function that the unwinder
 * calls does so once, for the unwinder itself; the one that searches for the landing does so for the unwinder's caller
 * and for each frame below it, down to the landing.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { ReplayState } from '../state.js';

/** All searches together read at most this many times the rows of the thread. A trace that needs more is not real. */
const MAX_PASSES = 16;

/**
 * Returns how many frames below its caller the unwinder that `callRow` called will land, by its steps before `endRow`;
 * or NONE.
 */
export function countSteps(state: ReplayState, callRow: number, endRow: number): number {
  const { events, pairing } = state;
  if (state.unwinderRowsRead > MAX_PASSES * events.length) return NONE;
  const [first, ...others] = callsBetween(state, callRow, endRow)
    .filter((row) => isInUnwinder(state, row)) // not in the linker's code, which resolves the unwinder's symbol
    .map((row) => functionsCalledBetween(state, row, Math.min(endRow, pairing.link[row])))
    .filter((called) => called.length > 0);
  const reader = first?.[0];
  const search = others.findLast((called) => called[0] === reader);
  return search === undefined ? NONE : search.filter((fn) => fn === reader).length - 1;
}

/** Returns the rows of the calls between `callRow` and `endRow`, without the calls that these make. */
function callsBetween(state: ReplayState, callRow: number, endRow: number): number[] {
  const { link } = state.pairing;
  const rows: number[] = [];
  for (let row = callRow + 1; row < endRow; row = Math.max(row, link[row]) + 1) {
    const step = state.facts.step[state.events.site[row]];
    state.unwinderRowsRead++;
    if (link[row] > row && (step === Step.Call || step === Step.EndCall)) rows.push(row);
  }
  return rows;
}

function functionsCalledBetween(state: ReplayState, callRow: number, endRow: number): FunctionId[] {
  const { events, facts } = state;
  return callsBetween(state, callRow, endRow).map((row) => facts.toFunction[events.site[row]]);
}

function isInUnwinder({ facts, events }: ReplayState, row: number): boolean {
  const fn = facts.fromFunction[events.site[row]];
  return fn !== NONE && (facts.functions.traits[fn] & Trait.Unwinder) !== 0;
}
