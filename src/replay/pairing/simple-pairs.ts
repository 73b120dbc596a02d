/**
 * Pairs calls and returns as long as nothing else happens, which is nearly always: each return ends the call on top,
 * with no other stack, signal or kernel entry above it. Has the same effect as `pairEvent`, without its checks.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import { Action } from './actions.js';
import { CallKind } from './calls.js';
import type { OpenCalls } from './open-calls.js';
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
  let { rows, addresses, kinds, length } = open; // local names make the loop several times as fast
  const { Stay, Call, Return } = Step;
  const { Call: calls, Return: returns } = Action;
  let row = firstRow;
  for (; row < site.length; row++) {
    const id = site[row];
    const kind = simplePair[id];
    if (kind === Call) {
      if (length === rows.length) {
        open.grow();
        ({ rows, addresses, kinds } = open);
      }
      rows[length] = row;
      addresses[length] = from[id];
      kinds[length++] = CallKind.Call;
      action[row] = calls;
    } else if (kind === Return) {
      if (length === lowest) break;
      const distance = to[id] - addresses[length - 1];
      if (!(distance > 0 && distance <= MAX_CALL_BYTES)) break;
      const callRow = rows[--length];
      action[row] = returns;
      link[row] = callRow;
      link[callRow] = row;
    } else if (kind !== Stay) break;
  }
  open.length = length;
  return row;
}
