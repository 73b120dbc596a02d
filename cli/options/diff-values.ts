/**
 * Parses the two sides and the limits of a comparison.
 */
import * as z from 'zod';
import type { DiffLimit, LimitedNumber } from '../../src/questions/diff/limits.js';
import { parseDuration, parsedList, parseFunction } from './question-values.js';
import { filters, selection } from './shared.js';

const LIMIT = /^(.+?)\s+(avg|total|self|calls|p99)\s+\+(\d{1,9}(?:\.\d{1,9})?)(%|[a-zµ]*)$/s;

/** "do_command avg +20%", "do_command calls +100", "/^get_/ p99 +5us". */
export function parseLimit(text: string): DiffLimit | null {
  const [, name = '', number = '', amount = '', unit = ''] = LIMIT.exec(text.trim()) ?? [];
  const functions = name === '' ? null : parseFunction(name);
  if (functions === null) return null;
  const of = { functions, number: number as LimitedNumber };
  if (unit === '%') return { ...of, increase: Number(amount) / 100, isShare: true };
  const increase = number === 'calls' ? countOf(amount, unit) : parseDuration(amount + unit);
  return increase === null || (number !== 'calls' && unit === '') ? null : { ...of, increase, isShare: false };
}

function countOf(amount: string, unit: string): number | null {
  return unit === '' ? Number(amount) : null;
}

export const limits = parsedList(
  parseLimit,
  "must be 'FUNCTION avg|total|self|calls|p99 +LIMIT', such as 'do_command avg +20%' or 'f p99 +5us'",
);

const { foldRecursion, ...sideFilters } = filters();
const sideSchema = z.strictObject({ ...selection(), ...sideFilters });

const LISTS = ['tid', 'pid', 'cpu', 'inside'];

/** The part of a trace that is one side of a comparison. */
export interface SideSelection {
  /** Replaces options of both sides. */
  readonly flags: z.infer<typeof sideSchema>;
  /** As given. */
  readonly text: string;
}

/** "tid=12", "window=+1ms,+2ms": options of the selection, for one side only. */
export const side = z.array(z.coerce.string()).transform((texts, context): SideSelection => {
  const { shape } = sideSchema;
  const values: Record<string, string | string[]> = {};
  for (const text of texts) {
    const [key = '', value = ''] = text.split(/=(.*)/s).map((part) => part.trim());
    if (!Object.hasOwn(shape, key) || value === '') {
      context.addIssue({
        code: 'custom',
        message: `must be OPTION=VALUE, such as tid=12, window=+1ms,+2ms or root=f; the options are ${Object.keys(shape).join(', ')}`,
      });
      return z.NEVER;
    }
    values[key] = LISTS.includes(key) ? [...(values[key] ?? []), value] : value;
  }
  const parsed = sideSchema.safeParse(values);
  if (parsed.success) return { flags: parsed.data, text: texts.join(' ') };
  for (const { path, message } of parsed.error.issues)
    context.addIssue({ code: 'custom', message: `${String(path[0])} ${message}` });
  return z.NEVER;
});
