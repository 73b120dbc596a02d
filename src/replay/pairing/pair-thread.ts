/**
 * Pairs each return with its call before replay, as brackets are matched, by addresses alone.
 *
 * Decides for each event what it does to the stack (`actions.ts`), for each call which event ends it, and for each
 * return where it lands. It also finds the returns without a matching call in the segment: their targets are callers
 * that were entered before the segment began. So replay never has to look ahead. The cost is linear: searches in the open
 * calls have a bound or an index.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import type { Address } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { Action, ActionFlag } from './actions.js';
import { CallKind } from './calls.js';
import { pairInKernel } from './pair-in-kernel.js';
import { pairJump, pairReturn } from './pair-return.js';
import { OwnPairingMemory, type Pairing, type PairingMemory, type Segment } from './pairing.js';
import { newSegmentState, type SegmentState } from './segment-state.js';
import { SkippedCalls } from './skipped-calls.js';
import { pairStart, pairStop } from './trace-edges.js';

/** Maximum number of linkage slots that lead to functions that switch stacks. */
const MAX_SWITCHER_SLOTS = 4;

/** Pairs a thread's returns with its calls. Starts over whenever it finds new slots that lead to other stacks. */
export function pairThread(
  events: ThreadEvents,
  facts: SiteFacts,
  memory: PairingMemory = new OwnPairingMemory(),
): Pairing {
  const slots = new Set<Address>();
  for (;;) {
    const known = slots.size;
    const pairing = pairAll(events, facts, memory, slots);
    if (slots.size === known || known >= MAX_SWITCHER_SLOTS) return pairing;
  }
}

/**
 * Pairs all segments. `slots`: linkage slots known to lead to another stack though no name says so; new ones are added.
 */
function pairAll(events: ThreadEvents, facts: SiteFacts, memory: PairingMemory, slots: Set<Address>): Pairing {
  const pairing: Pairing = {
    ...memory.take(events.length),
    segments: [],
    skipped: new SkippedCalls(),
    skippedByReturn: new Map(),
    switches: [],
    stacks: [],
    hiddenSwitches: new Map(),
    aborts: [],
    replacedStack: new Map(),
  };
  const { segments, action, hiddenSwitches } = pairing;
  let row = 0;
  while (row < events.length) {
    const step = facts.step[events.site[row]];
    if (step < Step.Gap) {
      const segment = pairSegment(newSegmentState(events, facts, pairing, slots, memory), row);
      segments.push(segment);
      row = segment.endRow;
    } else action[row++] = actionOfRecord(step);
  }
  for (const switchRow of hiddenSwitches.keys()) action[switchRow] |= ActionFlag.HiddenSwitch;
  return pairing;
}

function actionOfRecord(step: number): number {
  return step - Step.Gap + Action.Gap;
}

function pairSegment(state: SegmentState, firstRow: number): Segment {
  let row = pairWhileSimple(state, firstRow);
  while (row < state.events.length && pairEvent(state, row)) row = pairWhileSimple(state, row + 1);
  const { unmatchedRows, open, stoppedAt } = state;
  return { firstRow, endRow: row, unmatchedRows, openRows: open.allRows(), stoppedAt };
}

/** Has the kernel pair simple events, if there is one, and returns the first row that is not simple. */
function pairWhileSimple(state: SegmentState, firstRow: number): number {
  const { events, facts, open, kernel } = state;
  if (kernel === null || !Number.isNaN(state.stoppedAt) || facts.hasAborts) return firstRow;
  const row = pairInKernel(open, events, kernel, firstRow);
  if (row > firstRow) {
    state.hasBegun = true;
    state.interruptedAt = Number.NaN;
  }
  return row;
}

/**
 * Pairs one event. False if it does not follow from the events before it: trace data is missing, or a new program
 * begins.
 */
function pairEvent(state: SegmentState, row: number): boolean {
  const { facts, events, pairing } = state;
  const site = events.site[row];
  const step = facts.step[site] as Step;
  const isStopped = !Number.isNaN(state.stoppedAt);
  if (step >= Step.Gap) {
    if (step === Step.Exec || (step === Step.Gap && !isStopped)) return false;
    if (step === Step.Gap) state.hasLossWhileStopped = true;
    pairing.action[row] = actionOfRecord(step);
    return true;
  }
  if (step !== Step.Start) {
    if (isStopped) return false;
    pairBranch(state, row, site, step);
  } else if (!state.hasBegun) pairing.action[row] = Action.Start;
  else if (!pairStart(state, row, site)) return false;
  state.hasBegun = true;
  return true;
}

function pairBranch(state: SegmentState, row: number, site: number, step: Step): void {
  const { action } = state.pairing;
  if (step < Step.End) state.interruptedAt = Number.NaN;
  else return pairStop(state, row, site, step);
  switch (step) {
    case Step.Call:
    case Step.KernelEntry:
      action[row] = Action.Call;
      return state.open.push(row, state.facts.from[site], step === Step.Call ? CallKind.Call : CallKind.KernelEntry);
    case Step.Return:
      return pairReturn(state, row, site);
    case Step.Jump:
      action[row] = Action.Jump;
      return pairJump(state, row, site);
  }
}
