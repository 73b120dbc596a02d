/**
 * zod schemas of the JSON that `ptflame waits` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { QualityPart } from '../../profile-file/schema.js';
import { count, head, missing, name, ns, nsOrNull, percentiles, thread } from '../schema.js';

/** What every answer about waits begins with, after its head. */
export const waitsHead = {
  trace: z.object({
    /** When the first thread was first seen, in seconds of perf's clock. */
    start: z.string(),
    durationNs: ns,
    /** Those whose waits are known. */
    threads: count,
    /** false: recorded without Intel PT; no function is known. */
    hasCalls: z.boolean(),
    /** false: no switch of any thread was recorded, so it is not known when threads waited. */
    hasSwitches: z.boolean(),
    /** The selected time in words; null: all of it. */
    part: z.string().nullable(),
  }),
  missing,
};

/** isTraced: its waits are known; others are known as wakers only. */
export const WaitThread = z.object({ ...thread, isTraced: z.boolean() });
export type WaitThread = z.infer<typeof WaitThread>;

/** A function, and the function of a system library that it called; null: not known, or none. */
export const WaitPlace = z.object({ function: z.object(name).nullable(), call: z.object(name).nullable() });
export type WaitPlace = z.infer<typeof WaitPlace>;

const distribution = {
  avgNs: nsOrNull,
  minNs: nsOrNull,
  ...percentiles,
  maxNs: nsOrNull,
};

/** totalNs = blockedNs + wakeUpNs + preemptedNs + unknownNs. */
const off = {
  waits: count,
  totalNs: ns,
  blockedNs: ns,
  wakeUpNs: ns,
  preemptedNs: ns,
  unknownNs: ns,
  /** The part of it that nothing explains: no waking was seen, or switches are missing. */
  unexplainedNs: ns,
};

/** Averages and percentiles are of the waits that ended, and that the window does not cut. */
export const WaitStats = z.object({ ...off, openWaits: count, cutWaits: count, longestOpenNs: ns, ...distribution });
export type WaitStats = z.infer<typeof WaitStats>;

const ENDED_BY = ['thread', 'interrupt', 'not-seen', 'open'] as const;

export const WakerRow = z.object({
  /** open: the wait did not end. */
  kind: z.enum(ENDED_BY),
  /** The threads of one name. */
  threads: z.array(WaitThread),
  ...WaitPlace.shape,
  /** Something else may have ended the wait, such as an interrupt that came while this thread ran. */
  isCandidate: z.boolean(),
  stats: WaitStats,
});
export type WakerRow = z.infer<typeof WakerRow>;

const PIECE_KINDS = [
  'running',
  'preempted',
  'wake-up',
  'interrupt',
  'not-traced',
  'maybe-thread',
  'not-seen',
  'unknown',
] as const;

export const PathPiece = z.object({
  kind: z.enum(PIECE_KINDS),
  /** From the beginning of the interval. */
  fromNs: ns,
  durationNs: ns,
  /** Whose doing, or whose wait it is. */
  thread: WaitThread,
  depth: count,
  /** What ran, most time first. */
  functions: z.array(z.object({ ...name, ns })),
  /** What the thread waited for and where, if it waited; null: it ran. */
  reason: z.string().nullable(),
  /** The reason was concluded from other waits. */
  isReasonInferred: z.boolean(),
  place: WaitPlace.nullable(),
  /** Of `not-traced` and `maybe-thread`: who woke it. */
  waker: WaitThread.nullable(),
  isCandidate: z.boolean(),
});
export type PathPiece = z.infer<typeof PathPiece>;

export const SlowWait = z.object({
  kind: z.enum(['wait', 'call']),
  thread: WaitThread,
  start: z.string(),
  durationNs: ns,
  /** Of a wait. */
  reason: z.string().nullable(),
  isReasonInferred: z.boolean(),
  address: z.string().nullable(),
  place: WaitPlace.nullable(),
  /** They add up to the duration. */
  path: z.array(PathPiece),
});
export type SlowWait = z.infer<typeof SlowWait>;

export const StagePoint = z.object({
  /** As asked. */
  name: z.string(),
  kind: z.enum(['function', 'event']),
  /** The event that it is; of a function: one of the same name, which is not meant; null: none. */
  event: z.string().nullable(),
});
export type StagePoint = z.infer<typeof StagePoint>;

export const StageRow = z.object({
  from: z.string(),
  to: z.string(),
  passes: count,
  ...off,
  onCpuNs: ns,
  durationNs: ns,
  ...distribution,
});
export type StageRow = z.infer<typeof StageRow>;

/** Calls that are asked about, not those within others of them; inferred: their start or end was not seen. */
export const InsideCalls = z.object({ calls: count, inferred: count, totalNs: ns });
export type InsideCalls = z.infer<typeof InsideCalls>;

export const WaitsAnswer = z.object({
  ...head('ptflame-waits'),
  ...waitsHead,
  /** The calls around the waits; null: not asked. */
  inside: InsideCalls.extend({ offNs: ns }).nullable(),
  stats: WaitStats,
  /** From waking to running. */
  wakeUps: z.object({ waits: count, ...distribution }),
  histogram: z.array(z.object({ fromNs: ns, toNs: ns, waits: count, wakeUps: count })),
  /** inferred: of so many waits, the reason was concluded from other waits. */
  reasons: z.array(z.object({ reason: z.string(), inferred: count, stats: WaitStats })),
  wakers: z.array(WakerRow),
  /** Who may have ended waits where no wakings were recorded, by calls alone; the same waits are not-seen above. */
  candidates: z.array(WakerRow),
  places: z.array(z.object({ ...WaitPlace.shape, stats: WaitStats })),
  threads: z.array(z.object({ thread: WaitThread, ranNs: ns, stats: WaitStats })),
  slowest: z.array(SlowWait),
  stages: z
    .object({ complete: count, incomplete: count, points: z.array(StagePoint), rows: z.array(StageRow) })
    .nullable(),
  /** null: there are no calls. */
  quality: QualityPart.nullable(),
});
export type WaitsAnswer = z.infer<typeof WaitsAnswer>;
