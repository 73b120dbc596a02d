/**
 * Decides which calls switch stacks. Functions that do have known names; a linkage slot that leads to one may have
 * none.
 */
import { type Address, NONE } from '../../../model/units.js';
import { Trait } from '../../functions/traits.js';
import { calledIn, hasTrait, type SegmentState } from '../segment-state.js';
import { endsCallOnOther, switchHidden } from './switch-stacks.js';

/** Events read on the way to a switcher: of stubs, the linker and the switcher itself, not counting what they call. */
const MAX_EVENTS_TO_SWITCHER = 64;

/** True if the last call on this stack was made to switch to another one. */
export function isInSwitcher(state: SegmentState): boolean {
  if (!state.facts.functions.hasSwitchers && state.switcherSlots.size === 0) return false;
  const top = state.open.topOfStack();
  return top !== NONE && isToSwitcher(state, top);
}

function isToSwitcher(state: SegmentState, callRow: number): boolean {
  const { facts, events, switcherSlots } = state;
  return (
    hasTrait(state, calledIn(state, callRow), Trait.StackSwitcher) || switcherSlots.has(facts.to[events.site[callRow]])
  );
}

/**
 * Finds a stack switch that a hidden jump made after the last call: the return in `row` is on the other stack, and
 * determines which one it is.
 */
export function findHiddenSwitch(state: SegmentState, row: number, to: Address): void {
  const callRow = state.open.topOfStack();
  if (callRow === NONE) return;
  if (isToSwitcher(state, callRow)) {
    const firstRowThere = (switchRow: number) => firstRowAfter(state, switchRow, row);
    switchHidden(state, firstRowThere(callRow), row, to, {
      isToSwitcher: (other) => isToSwitcher(state, other),
      firstRowThere,
    });
  } else if (hasTrait(state, calledIn(state, callRow), Trait.Stub | Trait.Unknown)) findSlot(state, callRow, row, to);
}

/**
 * Finds a slot that leads to another stack: neither of two calls through it returns by itself, and right after one of
 * them the function that waits at the other one continues.
 */
function findSlot(state: SegmentState, callRow: number, row: number, to: Address): void {
  const { facts, switcherSlots } = state;
  const { site } = state.events;
  const slot = facts.to[site[callRow]];
  const first = firstRowAfter(state, callRow, row);
  const isToSlot = (other: number) => facts.to[site[other]] === slot;
  const continues = (other: number) => first === row || facts.fromFunction[site[first]] === calledIn(state, other);
  if (endsCallOnOther(state, to, isToSlot, continues)) switcherSlots.add(slot);
}

/** Returns the row of the first event after the code on the way to the function called in a row. */
function firstRowAfter(state: SegmentState, callRow: number, lastRow: number): number {
  const { events, facts, pairing } = state;
  const onTheWay = Trait.Stub | Trait.Resolver | Trait.StackSwitcher;
  let row = callRow + 1;
  for (let n = 0; n < MAX_EVENTS_TO_SWITCHER && row < lastRow; n++) {
    if (!hasTrait(state, facts.fromFunction[events.site[row]], onTheWay)) break;
    row = Math.max(row, pairing.link[row]) + 1;
  }
  return row;
}
