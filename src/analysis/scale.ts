/**
 * Scales the numbers of a recording, so that two recordings of different load or length can be compared.
 */
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { PtflameError } from '../model/errors.js';
import type { Nanoseconds } from '../model/units.js';
import { isStop } from './tree/outside.js';

/** Per call of the outermost functions, which `--root` chooses; per second of the recording. */
export type Per = 'call' | 'second';

const NS_PER_SECOND = 1e9;

/**
 * Returns the factor for times and numbers of calls; null: absolute numbers.
 *
 * @throws PtflameError BAD_OPTION if there is nothing to divide by
 */
export function scaleOf(tree: CallTree, durationNs: Nanoseconds, per: Per | null): number {
  if (per === null) return 1;
  const divisor = per === 'second' ? durationNs / NS_PER_SECOND : rootCalls(tree);
  if (divisor > 0) return 1 / divisor;
  throw new PtflameError(
    'BAD_OPTION',
    `--per ${per}: BEFORE or AFTER has no ${per === 'call' ? 'calls' : 'duration'}`,
    {
      hint: 'leave out --per',
    },
  );
}

function rootCalls({ length, parent, symbol, calls }: CallTree): number {
  let sum = 0;
  for (let node = ROOT + 1; node < length; node++)
    if (parent[node] === ROOT && !isStop(symbol[node])) sum += calls[node];
  return sum;
}
