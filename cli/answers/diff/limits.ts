/**
 * Reports which limits were checked, and which functions became slower than they allow.
 */

import { PtflameError } from '../../../src/model/errors.js';
import { patternText } from '../../../src/pipeline/replay/find-functions.js';
import {
  type CheckedLimit,
  checkLimits,
  type DiffLimit,
  type ExceededLimit,
  isUnbounded,
} from '../../../src/questions/diff/limits.js';
import type { Diff } from '../../../src/questions/schema.js';
import { formatCount, formatDuration, formatMany, formatPercentChange } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { notify } from '../../terminal/notify.js';
import { averageCountCell } from '../numbers.js';

/**
 * Notes which limits passed, and increases that may be chance, unless `isStrict`.
 *
 * @throws PtflameError ABOVE_LIMIT, NO_SUCH_FUNCTION
 */
export function refuseAbove(
  diff: Diff,
  limits: readonly DiffLimit[],
  { isStrict, isQuiet }: { readonly isStrict: boolean; readonly isQuiet: boolean },
): void {
  const isExcused = ({ isWithinNoise }: ExceededLimit) => isWithinNoise && !isStrict;
  const checked = checkLimits(diff, limits);
  if (!isQuiet)
    for (const one of checked) {
      for (const each of one.exceeded.filter(isExcused)) notify(`note: ${excusedText(each)}`);
      if (one.exceeded.every(isExcused)) notify(passedText(one, isStrict));
    }
  const failures = checked.flatMap(({ exceeded }) => exceeded.filter((each) => !isExcused(each)));
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length > 0) for (const each of failures) notify(exceededText(each));
  const what = others.length === 0 ? exceededText(first) : `${failures.length} increases are above their limits`;
  throw new PtflameError('ABOVE_LIMIT', what, {
    hint: 'see what changed: ptflame diff BEFORE AFTER -o diff.html; or raise the limit',
  });
}

/** "passed: f p99 +20 %, checked on 12 functions; 9 of them cannot fail, with too few calls for p99 (…)". */
function passedText({ limit, compared, notCompared, unbounded }: CheckedLimit, isStrict: boolean): string {
  const checked = `passed: ${visibleText(patternText(limit.functions))} ${limit.number} ${allowedText(limit)}, checked on ${formatMany(compared, 'function')}`;
  const tooFew =
    unbounded === 0 || isStrict
      ? []
      : [
          `${unbounded === compared ? (compared === 1 ? 'it' : 'all') : `${formatCount(unbounded)} of them`} cannot fail: too few calls for p99 (${ENOUGH}); --strict judges ${compared === 1 ? 'it' : 'them'}`,
        ];
  const missing =
    notCompared === 0
      ? []
      : [`${formatCount(notCompared)} not compared: a side has no ${limit.number === 'p99' ? 'p99' : 'complete call'}`];
  return [checked, ...tooFew, ...missing].join('; ');
}

/** Fewer calls than these do not bound a 99th percentile. */
const ENOUGH = 'it takes some 900';

/** Returns "do_command: avg 3.3 ms → 5.1 ms, +54.5 %, is above +20 %". */
function exceededText({ limit, row, before, after }: ExceededLimit): string {
  const { number } = limit;
  const percent = before > 0 ? `, ${formatPercentChange(before, after)}` : '';
  return `${row.name}: ${number} ${numberText(limit, before)} → ${numberText(limit, after)}${percent}, is above ${allowedText(limit)}`;
}

function excusedText(each: ExceededLimit): string {
  return `${exceededText(each)}, but within noise: ${noiseText(each)}; not a failure (--strict makes it one)`;
}

/** "of 8 calls before and 9 after, differences up to 1.4 µs may be chance". */
function noiseText({ limit: { number }, row }: ExceededLimit): string {
  const { complete, p99Range, noise } = row;
  const calls = `${formatMany(complete.before, 'call')} before and ${formatCount(complete.after)} after`;
  if (number !== 'p99') {
    const ns = number === 'avg' ? noise.avgNs : number === 'self' ? noise.selfNs : noise.totalNs;
    return `with ${calls}, differences up to ${formatDuration(ns ?? 0)} may be chance`;
  }
  if (isUnbounded(row)) return `${calls}, too few before to bound p99 (${ENOUGH})`;
  const [high, low] = [p99Range.before?.highNs ?? 0, p99Range.after?.lowNs ?? 0];
  return `with ${calls}, p99 may be up to ${formatDuration(high)} before, and down to ${formatDuration(low)} after`;
}

function numberText({ number }: DiffLimit, value: number): string {
  return number === 'calls' ? averageCountCell(value) : formatDuration(value);
}

/** "+20 %", "+5 µs". */
function allowedText(limit: DiffLimit): string {
  const { increase, isShare } = limit;
  return isShare ? `+${Number((100 * increase).toPrecision(6))} %` : `+${numberText(limit, increase)}`;
}
