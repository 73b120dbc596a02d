/**
 * Time outside the traced code: in a system call or another stop, on the processor or off it.
 */
import { SpecialSymbol } from '../../model/names/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { Action } from '../pairing/actions.js';
import { stopNode } from '../stack/open-frames.js';
import type { OpenStop, ReplayState } from '../state.js';
import { chargeUntil } from './charge.js';

/** The trace stops under the function on top. */
export function beginStop(
  state: ReplayState,
  symbol: typeof SpecialSymbol.Syscall | typeof SpecialSymbol.Untraced,
): void {
  state.stop = open(state, stopNode(state), symbol);
  if (state.switchedOut !== NONE) state.offCpu = open(state, state.stop.node, state.switchedOut);
}

/** The trace goes on, or ends: then `isSeen` is false. */
export function endStop(state: ReplayState, isSeen: boolean): void {
  switchIn(state, isSeen);
  if (state.stop) count(state, state.stop, isSeen);
  state.stop = null;
}

/** Switches and trace stops of one moment stand in any order: before its stop, a switch is only remembered. */
export function switchOut(
  state: ReplayState,
  symbol: typeof SpecialSymbol.OffCpu | typeof SpecialSymbol.Preempted,
): void {
  const under = stopNode(state);
  switchIn(state, true);
  state.switchedOut = symbol;
  if (state.stop) state.offCpu = open(state, state.stop.node, symbol);
  else if (state.facts.scope === 'user+kernel') state.offCpu = open(state, under, symbol);
}

export function switchIn(state: ReplayState, isSeen: boolean): void {
  state.switchedOut = NONE;
  if (state.offCpu) count(state, state.offCpu, isSeen);
  state.offCpu = null;
}

/** Traced code goes on: a switch that no stop followed meant nothing. */
export function forgetSwitch(state: ReplayState): void {
  state.switchedOut = NONE;
}

/** The thread leaves its processor, or gets one, in this row. */
export function applySwitch(state: ReplayState, row: number, action: Action): void {
  chargeUntil(state, state.events.timeNs[row]);
  if (action === Action.SwitchIn) switchIn(state, true);
  else switchOut(state, action === Action.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted);
}

function open({ tree, log, nowNs }: ReplayState, under: NodeId, symbol: SymbolId): OpenStop {
  const node = tree.child(under, symbol);
  log?.stop(node);
  return { node, sinceNs: nowNs };
}

function count({ tree, log, nowNs }: ReplayState, { node, sinceNs }: OpenStop, isSeen: boolean): void {
  log?.endStop(isSeen);
  if (isSeen) tree.countComplete(node, nowNs - sinceNs);
  else tree.countInferred(node, nowNs - sinceNs);
}
