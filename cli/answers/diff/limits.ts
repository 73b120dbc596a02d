/**
 * Reports which functions became slower than their limits allow.
 */

import { PtflameError } from '../../../src/model/errors.js';
import { checkLimits, type DiffLimit, type ExceededLimit } from '../../../src/questions/diff/limits.js';
import type { Diff } from '../../../src/questions/schema.js';
import { formatDuration, formatPercentChange } from '../../../src/render/format.js';
import { notify } from '../../terminal/notify.js';
import { averageCountCell } from '../numbers.js';

/**
 * Notes increases that may be chance, unless `isStrict`.
 *
 * @throws PtflameError ABOVE_LIMIT, NO_SUCH_FUNCTION
 */
export function refuseAbove(
  diff: Diff,
  limits: readonly DiffLimit[],
  { isStrict, isQuiet }: { readonly isStrict: boolean; readonly isQuiet: boolean },
): void {
  const exceeded = checkLimits(diff, limits);
  const isExcused = ({ isWithinNoise }: ExceededLimit) => isWithinNoise && !isStrict;
  if (!isQuiet)
    for (const each of exceeded.filter(isExcused))
      notify(`note: ${exceededText(each)}, but within noise: not a failure (--strict makes it one)`);
  const failures = exceeded.filter((each) => !isExcused(each));
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length > 0) for (const each of failures) notify(exceededText(each));
  const what = others.length === 0 ? exceededText(first) : `${failures.length} increases are above their limits`;
  throw new PtflameError('ABOVE_LIMIT', what, {
    hint: 'see what changed: ptflame diff BEFORE AFTER -o diff.html; or raise the limit',
  });
}

/** Returns "do_command: avg 3.3 ms → 5.1 ms, +54.5 %, is above +20 %". */
function exceededText({ limit, row, before, after }: ExceededLimit): string {
  const { number, increase, isShare } = limit;
  const text = (value: number) => (number === 'calls' ? averageCountCell(value) : formatDuration(value));
  const percent = before > 0 ? `, ${formatPercentChange(before, after)}` : '';
  const allowed = isShare ? `+${Number((100 * increase).toPrecision(6))} %` : `+${text(increase)}`;
  return `${row.name}: ${number} ${text(before)} → ${text(after)}${percent}, is above ${allowed}`;
}
