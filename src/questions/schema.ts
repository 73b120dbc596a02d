/**
 * zod schemas of the JSON that commands print; docs/answers.md describes it.
 */

import * as z from 'zod';
import { eachPercentile } from '../model/percentiles.js';
import { MetaPart, QualityPart } from '../profile-file/schema.js';

export const ns = z.number();
/** null: there is no complete call, or durations were not counted. */
export const nsOrNull = z.number().nullable();
export const count = z.number().int().min(0);

/** The part of a time outside traced code; the part of that off CPU, if the trace records it. */
const outside = { outsideNs: ns, offCpuNs: ns };
/** The part of `outsideNs` directly on the function, not on its callees. */
const outsideSelf = { outsideSelfNs: ns };

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

/** The first fields of every answer. */
export const head = { version: z.literal(2), producer: z.object({ name: z.string(), version: z.string() }) };

/** Where a function begins in source code, if `--srcline` asked for that and it is known. */
const srcline = z.object({ file: z.string(), line: z.number().int().min(1) }).optional();
export const name = { name: z.string(), dso: z.string().nullable(), srcline };
const thread = { tid: z.number().int(), pid: z.number().int().nullable(), comm: z.string().nullable() };
/** Calls. inferred: with an unseen start or end. unwound: complete, but ended in an exception or a longjmp. */
const calls = { calls: count, inferred: count, unwound: count, totalNs: ns };
/** Of complete calls; `longestCutNs`: the longest time that an inferred call lasted at least. */
const range = { avgNs: nsOrNull, minNs: nsOrNull, maxNs: nsOrNull, longestCutNs: nsOrNull };
export const percentiles = eachPercentile(() => nsOrNull);
const durations = { ...range, ...percentiles };

export const FunctionRow = z.object({
  ...name,
  /** A kind of stop: `[syscall]`, `[untraced]`, `[off-cpu]`, `[preempted]`, `[lost]`. Its calls are stops. */
  isStop: z.boolean(),
  /** Inlined, as `--inline` asked for: its calls are not counted, and its time is that of what its code calls. */
  isInlined: z.literal(true).optional(),
  ...calls,
  selfNs: ns,
  outsideNs: ns,
  ...outsideSelf,
  onCpuNs: ns,
  inferredNs: ns,
  ...durations,
});
export type FunctionRow = z.infer<typeof FunctionRow>;

export const ThreadReport = z.object({
  ...thread,
  totalNs: ns,
  outsideNs: ns,
  onCpuNs: ns,
  functions: z.array(FunctionRow),
});
export type ThreadReport = z.infer<typeof ThreadReport>;

export const Report = z.object({
  format: z.literal('ptflame-report'),
  ...head,
  trace: Trace,
  functions: z.array(FunctionRow),
  /** Only if requested. */
  threads: z.array(ThreadReport).optional(),
  quality: QualityPart,
});
export type Report = z.infer<typeof Report>;

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

export const SlowCall = z.object({
  ...thread,
  start: z.string(),
  durationNs: ns,
  /** It ended in an exception or a longjmp. */
  isUnwound: z.boolean(),
  ...outside,
  differences: z.array(DifferenceRow),
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
  format: z.literal('ptflame-latency'),
  ...head,
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
  /** Only if requested. */
  overTime: CallsOverTime.optional(),
  quality: QualityPart,
});
export type Latency = z.infer<typeof Latency>;

export const Stacks = z.object({
  format: z.literal('ptflame-stacks'),
  ...head,
  trace: Trace,
  at: z.string(),
  threads: z.array(
    z.object({
      ...thread,
      /** Outermost first; a stop is on top. `isStartSeen`: if false, the call may be older than `sinceNs`. */
      frames: z.array(z.object({ ...name, since: z.string(), sinceNs: ns, isStartSeen: z.boolean() })),
    }),
  ),
  quality: QualityPart,
});
export type Stacks = z.infer<typeof Stacks>;

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
  format: z.literal('ptflame-diff'),
  ...head,
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
