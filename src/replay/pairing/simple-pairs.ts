/**
 * Pairs calls and returns as long as nothing else happens, which is nearly always: each return ends the call on top,
 * with no other stack, signal or kernel entry above it. Has the same effect as `pairEvent`, without its checks.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import type { ReplayKernel } from '../host/replay-kernel.js';
import { CALL_BYTES, HEAD_DEPTH, HEAD_LOWEST, HEAD_STACK_LIMIT, HEAD_STOP, STOP_FULL } from '../kernel/layout.js';
import { Action } from './actions.js';
import { CallKind } from './calls.js';
import { ADDRESS, CALL_FLOATS, CALL_INTS, KIND, type OpenCalls, ROW } from './open-calls.js';
import type { Pairing } from './pairing.js';

/** Pairs rows until one is not simple, and returns that row. */
export function pairSimple(
  open: OpenCalls,
  { site }: ThreadEvents,
  { simplePair, from, to }: SiteFacts,
  { action, link }: Pairing,
  firstRow: number,
): number {
  const lowest = open.firstSimple;
  let { length } = open;
  let { ints, floats } = open.calls; // local names make the loop several times as fast
  const { Stay, Call, Return } = Step;
  const { Call: calls, Return: returns } = Action;
  let row = firstRow;
  for (; row < site.length; row++) {
    const id = site[row];
    const kind = simplePair[id];
    if (kind === Call) {
      if (CALL_INTS * length === ints.length) {
        open.calls.grow();
        ({ ints, floats } = open.calls);
      }
      floats[CALL_FLOATS * length + ADDRESS] = from[id];
      ints[CALL_INTS * length + ROW] = row;
      ints[CALL_INTS * length++ + KIND] = CallKind.Call;
      action[row] = calls;
    } else if (kind === Return) {
      if (length === lowest) break;
      const distance = to[id] - floats[CALL_FLOATS * (length - 1) + ADDRESS];
      if (!(distance > 0 && distance <= MAX_CALL_BYTES)) break;
      const callRow = ints[CALL_INTS * --length + ROW];
      action[row] = returns;
      link[row] = callRow;
      link[callRow] = row;
    } else if (kind !== Stay) break;
  }
  open.length = length;
  return row;
}

/** Has the kernel do the same. */
export function pairInKernel(open: OpenCalls, events: ThreadEvents, kernel: ReplayKernel, firstRow: number): number {
  const { head, calls } = kernel;
  head.set(HEAD_DEPTH, open.length);
  head.set(HEAD_LOWEST, open.firstSimple);
  for (let row = firstRow; ; ) {
    const end = kernel.loadSites(events, row);
    head.set(HEAD_STACK_LIMIT, Math.floor(kernel.memory.stack.ints.byteLength / CALL_BYTES));
    const stoppedAt = calls.pair(row, end);
    open.length = head.get(HEAD_DEPTH);
    if (head.get(HEAD_STOP) === STOP_FULL) kernel.memory.stack.grow();
    else if (stoppedAt < end || stoppedAt === events.length) return stoppedAt;
    row = stoppedAt;
  }
}
