/**
 * zod schemas of the JSON that `ptflame values` prints; docs/answers.md describes it.
 */

import * as z from 'zod';
import { eachPercentileTitle } from '../../model/percentiles.js';
import { QualityPart } from '../../profile-file/schema.js';
import { count, head, missing, name, ns, thread } from '../schema.js';
import { InsideCalls } from '../waits/schema.js';

/** Numbers beyond 2^53 are texts. */
const exact = z.union([z.number(), z.string()]);

export const ValueStatistics = z.object({
  samples: count,
  distinct: count,
  /** null: there are none, or they are texts. */
  avg: z.number().nullable(),
  min: exact.nullable(),
  ...eachPercentileTitle(() => exact.nullable()),
  max: exact.nullable(),
});
export type ValueStatistics = z.infer<typeof ValueStatistics>;

const function_ = z.object(name).nullable();

export const ValuesAnswer = z.object({
  ...head('ptflame-values'),
  /** From the first of these samples to the last; null: there is none. */
  seen: z.object({ start: z.string(), durationNs: ns }).nullable(),
  event: z.string(),
  field: z.string(),
  /** How perf prints the values. */
  style: z.enum(['signed', 'unsigned', 'hexadecimal', 'text']),
  missing,
  /** The calls around the samples; null: not asked. */
  inside: InsideCalls.nullable(),
  /** Samples of the event that have no such field. */
  without: count,
  stats: ValueStatistics,
  /** From `from` to below `to`; ranges without samples are left out. */
  histogram: z.array(z.object({ from: z.number(), to: z.number(), samples: count })),
  /** Most samples first; values as perf prints them. */
  values: z.array(z.object({ value: z.string(), samples: count, threads: count })),
  threads: z.array(z.object({ ...thread, stats: ValueStatistics })),
  /** The function of the thread and what it called; null: not known. Without --by function: null. */
  functions: z.array(z.object({ function: function_, call: function_, stats: ValueStatistics })).nullable(),
  /** null: calls were not asked. */
  quality: QualityPart.nullable(),
});
export type ValuesAnswer = z.infer<typeof ValuesAnswer>;
