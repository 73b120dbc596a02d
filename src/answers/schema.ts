/**
 * zod schemas of what commands print as JSON: the shape, for whoever reads it; docs/answers.md tells it in words.
 */
import * as z from 'zod';
import { QualityPart } from '../profile-file/schema.js';

const ns = z.number();
/** null: there is no complete call, or nobody counted. */
const nsOrNull = z.number().nullable();
const count = z.number().int().min(0);

/** Of some time, what was outside of traced code, and off the processor as far as the trace tells. */
const away = { outsideNs: ns, offCpuNs: ns };
/** The part of `outsideNs` directly on the function, not on what it called. */
const outsideSelf = { outsideSelfNs: ns };

const Trace = z.object({
  /** On perf's clock, seconds: when what is looked at begins. */
  start: z.string(),
  durationNs: ns,
  threads: count,
  /** Wall time of all threads. */
  totalNs: ns,
  ...away,
  /** The trace tells when threads lost their processors: then `onCpuNs` is exact, else it is traced code alone. */
  hasSwitches: z.boolean(),
  /** What of the trace is looked at, in words; null: all of it. */
  part: z.string().nullable(),
});

/** What all answers begin with. */
const head = { version: z.literal(2), producer: z.object({ name: z.string(), version: z.string() }) };

const name = { name: z.string(), dso: z.string().nullable() };
const who = { tid: z.number().int(), pid: z.number().int().nullable(), comm: z.string().nullable() };
/** Some calls; inferred: those of which the start or the end was not seen; unwound: of the others, those that did not return. */
const calls = { calls: count, inferred: count, unwound: count, totalNs: ns };
/** Of complete calls; `longestCutNs`: one of the inferred ones lasted so long at least. */
const range = { avgNs: nsOrNull, minNs: nsOrNull, maxNs: nsOrNull, longestCutNs: nsOrNull };
const durations = { ...range, p50Ns: nsOrNull, p90Ns: nsOrNull, p99Ns: nsOrNull };

export const FunctionRow = z.object({
  ...name,
  /** A kind of stop: `[syscall]`, `[untraced]`, `[off-cpu]`, `[preempted]`, `[lost]`. Its calls are stops. */
  isStop: z.boolean(),
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
  ...who,
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
  /** Only where they were asked for. */
  threads: z.array(ThreadReport).optional(),
  quality: QualityPart,
});
export type Report = z.infer<typeof Report>;

export const LatencyStats = z.object({
  ...calls,
  ...away,
  ...outsideSelf,
  ...durations,
  p999Ns: nsOrNull,
});
export type LatencyStats = z.infer<typeof LatencyStats>;

/** Self: what a function did itself, in place of a function that it called. */
const child = { ...name, isSelf: z.boolean() };

export const ChildRow = z.object({
  ...child,
  calls: count,
  inferred: count,
  totalNs: ns,
  ...away,
  onCpuNs: ns,
  /** Its time for each of its own calls, seen whole or not. */
  avgNs: nsOrNull,
  perCallNs: nsOrNull,
  share: z.number(),
});
export type ChildRow = z.infer<typeof ChildRow>;

export const CallerRow = z.object({
  ...name,
  /** null: nothing that was seen called it. */
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
  ...who,
  start: z.string(),
  durationNs: ns,
  /** An exception or a longjmp ended it. */
  isUnwound: z.boolean(),
  ...away,
  differences: z.array(DifferenceRow),
});
export type SlowCall = z.infer<typeof SlowCall>;

export const Latency = z.object({
  format: z.literal('ptflame-latency'),
  ...head,
  trace: Trace,
  /** The functions that were asked about. */
  functions: z.array(FunctionRow),
  stats: LatencyStats,
  histogram: z.array(z.object({ fromNs: ns, toNs: ns, calls: count, outsideCalls: count, offCpuCalls: count })),
  /** No call was seen whole: children, callers and chains are of the parts that were seen. */
  isOfParts: z.boolean(),
  children: z.array(ChildRow),
  callers: z.array(CallerRow),
  chains: z.array(z.object({ path: z.array(z.string()), ...calls, ...range })),
  /** Paths with least time, where all of them would be too long to be read. */
  chainsLeftOut: count,
  slowest: z.array(SlowCall),
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
      ...who,
      /** Lowest first; a stop of the trace stands on top. */
      /** `isStartSeen`: else it was there before, and `sinceNs` is the least. */
      frames: z.array(z.object({ ...name, since: z.string(), sinceNs: ns, isStartSeen: z.boolean() })),
    }),
  ),
  quality: QualityPart,
});
export type Stacks = z.infer<typeof Stacks>;

const change = z.object({ before: z.number(), after: z.number() });
const changeOrNull = z.object({ before: nsOrNull, after: nsOrNull });

export const DiffRow = z.object({
  ...name,
  isStop: z.boolean(),
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
});
export type DiffRow = z.infer<typeof DiffRow>;

export const Diff = z.object({
  format: z.literal('ptflame-diff'),
  ...head,
  before: Trace,
  after: Trace,
  functions: z.array(DiffRow),
  quality: z.object({ before: QualityPart, after: QualityPart }),
});
export type Diff = z.infer<typeof Diff>;
