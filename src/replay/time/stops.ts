/**
 * Stops: time outside traced code, in a system call or otherwise untraced, on a CPU or off it.
 */
import { SpecialSymbol } from '../../model/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { Action } from '../pairing/actions.js';
import { stopNode } from '../stack/open-frames.js';
import type { OpenStop, ReplayState } from '../state.js';
import { chargeUntil } from './charge.js';

/** Begins a stop under the function on top. `row`: the event that comes from there; NONE: there is none. */
export function beginStop(
  state: ReplayState,
  symbol: typeof SpecialSymbol.Syscall | typeof SpecialSymbol.Untraced,
  row: number = NONE,
): void {
  state.stop = open(state, stopNode(state, row), symbol);
  if (state.switchedOut !== NONE) state.offCpu = open(state, state.stop.node, state.switchedOut);
}

/** Ends a stop. `isSeen`: false if it ends only because the trace ends. */
export function endStop(state: ReplayState, isSeen: boolean): void {
  switchIn(state, isSeen);
  if (state.stop) count(state, state.stop, isSeen);
  state.stop = null;
}

/**
 * Switches the thread out. Switches and trace stops of one moment come in any order, so a switch before its stop is
 * only noted.
 */
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

/** Forgets a switch that no stop followed: traced code continues. */
export function forgetSwitch(state: ReplayState): void {
  state.switchedOut = NONE;
}

/** Applies a switch record: the thread leaves its CPU, or gets one. */
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
