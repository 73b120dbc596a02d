/**
 * The option `--inside` of questions about waits and values, and the line that says what it selected.
 */
import { patternText } from '../../src/pipeline/replay/find-functions.js';
import type { CallPattern } from '../../src/pipeline/replay/selection.js';
import type { InsideCalls } from '../../src/questions/waits/schema.js';
import { formatBounds, formatCount, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { callPattern } from '../options/question-values.js';
import { type FlagMeta, flag } from '../usage/flag.js';
import { shareCell } from './cells.js';

/** `what`: is selected, "waits"; `more`: what else it means. */
export function insideFlag(what: string, more = '', meta: FlagMeta = {}) {
  const description = `only ${what} inside calls of FUNCTION, or FUNCTION#MIN,MAX for calls of that duration${more}`;
  return flag(callPattern.optional(), description, { value: 'CALLS', ...meta });
}

/** Its description for those who need few options. */
export const INSIDE_WAITS = { common: 'only waits inside calls of FUNCTION, or FUNCTION#MIN,MAX' };

/** `offNs`: of their time off the CPU, if that is known. */
export function insideLines(
  inside: (InsideCalls & { readonly offNs?: number }) | null,
  pattern: CallPattern | undefined,
): string[] {
  if (inside === null || pattern === undefined) return [];
  const { calls, inferred, totalNs, offNs } = inside;
  const { functions, ...bounds } = pattern;
  const durations = formatBounds(bounds);
  const name = patternText(functions) + (durations === '' ? '' : ` of ${durations}`);
  const cut = inferred === 0 ? '' : ` (${formatCount(inferred)} of them inferred)`;
  const per = calls === 0 ? '' : `, ${formatDuration((offNs ?? totalNs) / calls)} per call`;
  const time =
    offNs === undefined
      ? `${formatDuration(totalNs)} in them`
      : `${shareCell(offNs, totalNs)} of their ${formatDuration(totalNs)} off the CPU`;
  return [`only inside ${formatMany(calls, 'call')} of ${visibleText(name)}${cut}: ${time}${per}`];
}
