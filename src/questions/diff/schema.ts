/**
 * zod schema of the JSON that `ptflame diff` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { QualityPart } from '../../profile-file/schema.js';
import { count, head, name, ns, nsOrNull, Trace } from '../schema.js';

const change = z.object({ before: z.number(), after: z.number() });
const changeOrNull = z.object({ before: nsOrNull, after: nsOrNull });

const p99Range = z.object({ lowNs: ns, highNs: nsOrNull }).nullable();

export const DiffRow = z.object({
  ...name,
  isStop: z.boolean(),
  /** Only AFTER, or only BEFORE, has the function. */
  isNew: z.boolean(),
  isGone: z.boolean(),
  calls: change,
  inferred: change,
  unwound: change,
  totalNs: change,
  selfNs: change,
  outsideNs: change,
  outsideSelfNs: change,
  avgNs: changeOrNull,
  p99Ns: changeOrNull,
  maxNs: changeOrNull,
  longestCutNs: changeOrNull,
  /** Calls with a known duration, on which noise depends; not divided by anything. */
  complete: change,
  /** Where p99 is to be expected, by the number of calls; highNs null: too few to bound it; null: durations are not known. */
  p99Range: z.object({ before: p99Range, after: p99Range }),
  /** Differences up to this may be chance; null: unknown, as one side has fewer than two complete calls. */
  noise: z.object({ totalNs: nsOrNull, selfNs: nsOrNull, avgNs: nsOrNull }),
  /** Whether the two numbers differ, but may do so by chance. */
  withinNoise: z.object({ totalNs: z.boolean(), selfNs: z.boolean(), avgNs: z.boolean(), p99Ns: z.boolean() }),
});
export type DiffRow = z.infer<typeof DiffRow>;

export const Diff = z.object({
  ...head('ptflame-diff'),
  /** What times and numbers of calls are divided by; null: nothing. */
  per: z.enum(['call', 'second']).nullable(),
  before: Trace,
  after: Trace,
  /** How many functions differ in any number. */
  changed: count,
  functions: z.array(DiffRow),
  quality: z.object({ before: QualityPart, after: QualityPart }),
});
export type Diff = z.infer<typeof Diff>;
