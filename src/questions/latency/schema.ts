/**
 * zod schema of the JSON that `ptflame latency` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { WORK_KINDS } from '../../analysis/kernel-work.js';
import { QualityPart } from '../../profile-file/schema.js';
import { FunctionRow } from '../report/schema.js';
import {
  calls,
  count,
  durations,
  head,
  name,
  ns,
  nsOrNull,
  outside,
  outsideSelf,
  range,
  Trace,
  thread,
} from '../schema.js';

export const LatencyStats = z.object({
  ...calls,
  ...outside,
  ...outsideSelf,
  ...durations,
  p999Ns: nsOrNull,
});
export type LatencyStats = z.infer<typeof LatencyStats>;

/** isSelf: the self time of a function, not a callee. */
const child = { ...name, isSelf: z.boolean() };

export const ChildRow = z.object({
  ...child,
  calls: count,
  inferred: count,
  totalNs: ns,
  ...outside,
  onCpuNs: ns,
  /** Its time per call of its own, complete or inferred. */
  avgNs: nsOrNull,
  perCallNs: nsOrNull,
  share: z.number(),
});
export type ChildRow = z.infer<typeof ChildRow>;

export const CallerRow = z.object({
  ...name,
  /** null: no known caller. */
  name: z.string().nullable(),
  stats: LatencyStats,
  children: z.array(ChildRow),
});
export type CallerRow = z.infer<typeof CallerRow>;

export const DifferenceRow = z.object({
  ...child,
  depth: count,
  calls: count,
  ns,
  averageCalls: z.number(),
  averageNs: z.number(),
  differenceNs: z.number(),
});
export type DifferenceRow = z.infer<typeof DifferenceRow>;

/**
 * Instructions of the program, with those of its callees; iterations of the function's hottest loop; cycles and frequencies:
 * null: not recorded.
 */
export const CallCounts = z.object({
  instructions: count,
  cycles: count.nullable(),
  /** Instructions per cycle. */
  ipc: z.number().nullable(),
  iterations: count,
  minMhz: z.number().nullable(),
  meanMhz: z.number().nullable(),
});
export type CallCounts = z.infer<typeof CallCounts>;

export const SlowCall = z.object({
  /** Only of a directory of snapshots: the one that the call is in. */
  recording: z.string().optional(),
  ...thread,
  start: z.string(),
  durationNs: ns,
  /** It ended in an exception or a longjmp. */
  isUnwound: z.boolean(),
  ...outside,
  differences: z.array(DifferenceRow),
  /** What the kernel did in it, compared with all calls; only of a recording with `record --why`. */
  work: z
    .array(
      z.object({
        kind: z.enum(WORK_KINDS),
        ...{ count, ns: ns.nullable(), averageCount: z.number(), averageNs: z.number().nullable() },
      }),
    )
    .optional(),
  /** Its arguments and its result, as perf prints them; only where probes recorded them. */
  /** What the CPU did in it; only of recordings that ptflame decodes, where it could be told from other calls. */
  counts: CallCounts.optional(),
  values: z.array(z.object({ at: z.enum(['entry', 'return']), name: z.string(), value: z.string() })).optional(),
});
export type SlowCall = z.infer<typeof SlowCall>;

/** A call, by when it was. Of an inferred one, `durationNs` is how long it lasted at least. */
export const TimedCall = z.object({
  ...thread,
  start: z.string(),
  /** Since `trace.start`. */
  startNs: ns,
  durationNs: ns,
  isInferred: z.boolean(),
  isUnwound: z.boolean(),
});
export type TimedCall = z.infer<typeof TimedCall>;

/** When calls began, and how long they took; with `--timeline` or `--heatmap`. */
export const CallsOverTime = z.object({
  /** The longest calls, longest first. */
  calls: z.array(TimedCall),
  /** How many shorter ones are only counted in the cells. */
  callsLeftOut: count,
  /** `trace.durationNs` in equal parts. */
  columns: count,
  /** Calls that began in a column and took at least `fromNs` and less than `toNs`; cells without calls are left out. */
  cells: z.array(z.object({ column: count, fromNs: ns, toNs: ns, calls: count, inferred: count })),
});
export type CallsOverTime = z.infer<typeof CallsOverTime>;

export const Latency = z.object({
  ...head('ptflame-latency'),
  trace: Trace,
  /** The functions in the question. */
  functions: z.array(FunctionRow),
  stats: LatencyStats,
  histogram: z.array(z.object({ fromNs: ns, toNs: ns, calls: count, outsideCalls: count, offCpuCalls: count })),
  /** There is no complete call: children, callers and chains are of the seen parts of inferred calls. */
  isOfParts: z.boolean(),
  children: z.array(ChildRow),
  callers: z.array(CallerRow),
  chains: z.array(z.object({ path: z.array(z.string()), ...calls, ...range })),
  /** How many paths were left out, those with least time: all of them would be too long to read. */
  chainsLeftOut: count,
  slowest: z.array(SlowCall),
  /** The medians of some calls, chosen at random; only where they were counted. */
  typical: CallCounts.extend({ calls: count }).optional(),
  /** Only if requested. */
  overTime: CallsOverTime.optional(),
  quality: QualityPart,
});
export type Latency = z.infer<typeof Latency>;
