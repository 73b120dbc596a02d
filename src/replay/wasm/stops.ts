/**
 * Stops at which nothing happens: the trace stops, and with the next event it starts in the same function. Has the same
 * effect as `beginStop` and `endStop` in time/stops.ts.
 */
import {
  FRAME_FUNCTION,
  FRAME_NODE,
  RULE_NO_JUMPS,
  RULE_NO_STOPS,
  SITE_BITS,
  SITE_FROM_FUNCTION,
  SITE_TO_FUNCTION,
} from './layout';
import { logEndStop, logStop } from './log';
import { countNode } from './returns';
import { ACTION_RESUME, ACTION_STOP, ACTION_SYSCALL, SYMBOL_SYSCALL, SYMBOL_UNTRACED } from './rules';
import { actionAt, rules, sites } from './thread';
import { childOf } from './tree';

/** True if the event in `row` stops the trace and the next one, whose site is in the window, starts it again there. */
export function isBriefStop(top: usize, row: u32, siteAt: usize): bool {
  const action = actionAt(row);
  if (action !== ACTION_SYSCALL && action !== ACTION_STOP) return false;
  if ((rules & (RULE_NO_STOPS | RULE_NO_JUMPS)) !== 0 || actionAt(row + 1) !== ACTION_RESUME) return false;
  const fn = load<i32>(top, FRAME_FUNCTION);
  const stop = sites + ((<usize>load<u32>(siteAt)) << SITE_BITS);
  const start = sites + ((<usize>load<u32>(siteAt, 4)) << SITE_BITS);
  return load<i32>(stop, SITE_FROM_FUNCTION) === fn && load<i32>(start, SITE_TO_FUNCTION) === fn;
}

/** Begins a stop under the frame on top, and returns its node. */
export function beginStop(top: usize, row: u32, ns: f64): u32 {
  const symbol = actionAt(row) === ACTION_SYSCALL ? SYMBOL_SYSCALL : SYMBOL_UNTRACED;
  const node = childOf(load<u32>(top, FRAME_NODE), symbol);
  logStop(node, ns);
  return node;
}

/** Ends a stop. */
export function endStop(node: u32, sinceNs: f64, ns: f64): void {
  logEndStop(ns);
  countNode(node, ns - sinceNs);
}
