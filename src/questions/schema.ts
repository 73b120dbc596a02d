/**
 * zod schemas of what the JSON of several commands has in common; docs/answers.md describes it.
 */

import * as z from 'zod';
import { eachPercentile } from '../model/percentiles.js';
import { MetaPart } from '../profile-file/schema.js';

export const ns = z.number();
/** null: there is no complete call, or durations were not counted. */
export const nsOrNull = z.number().nullable();
export const count = z.number().int().min(0);

/** The part of a time outside traced code; the part of that off CPU, if the trace records it. */
export const outside = { outsideNs: ns, offCpuNs: ns };
/** The part of `outsideNs` directly on the function, not on its callees. */
export const outsideSelf = { outsideSelfNs: ns };

export const Trace = z.object({
  /** When the selection begins, in seconds of perf's clock. */
  start: z.string(),
  durationNs: ns,
  threads: count,
  /** Wall time of all threads. */
  totalNs: ns,
  ...outside,
  /** The trace records when threads lost their CPU: `onCpuNs` is exact. If false, it is traced code alone. */
  hasSwitches: z.boolean(),
  /** The selection in words; null: the full trace. */
  part: z.string().nullable(),
  /** Of a merged profile: `threads` counts groups, whose `tid` is only a number. Absent: one trace. */
  merged: MetaPart.shape.merged,
  /** All time is blocked time of waiters, as in `render --blocked-by`; absent: it is not. */
  isBlockedTime: z.literal(true).optional(),
});

/** The first fields of every answer: `...head('ptflame-report')`. */
export const head = <Format extends string>(format: Format) => ({
  format: z.literal(format),
  version: z.literal(2),
  producer: z.object({ name: z.string(), version: z.string() }),
});

/** Where a function begins in source code, if `--srcline` asked for that and it is known. */
const srcline = z.object({ file: z.string(), line: z.number().int().min(1) }).optional();
export const name = { name: z.string(), dso: z.string().nullable(), srcline };
export const thread = { tid: z.number().int(), pid: z.number().int().nullable(), comm: z.string().nullable() };
/** Calls. inferred: with an unseen start or end. unwound: complete, but ended in an exception or a longjmp. */
export const calls = { calls: count, inferred: count, unwound: count, totalNs: ns };
/** Of complete calls; `longestCutNs`: the longest time that an inferred call lasted at least. */
export const range = { avgNs: nsOrNull, minNs: nsOrNull, maxNs: nsOrNull, longestCutNs: nsOrNull };
export const percentiles = eachPercentile(() => nsOrNull);
export const durations = { ...range, ...percentiles };

/** What the recording lacks, and what would help. */
export const missing = z.array(z.object({ what: z.string(), remedy: z.string().nullable() }));
