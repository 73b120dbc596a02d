/**
 * zod schema of the JSON that `ptflame requests` prints; docs/answers.md describes it.
 */

import * as z from 'zod';
import { eachPercentile } from '../../model/percentiles.js';
import { QualityPart } from '../../profile-file/schema.js';
import { count, head, name, ns, nsOrNull, Trace } from '../schema.js';
import { WaitPlace, WaitThread } from '../waits/schema.js';

/** How the thread that handed work on was found. */
const By = z.enum(['key', 'order', 'waking']);

const Group = z.object({ requests: count, minNs: ns, maxNs: ns, avgNs: ns });

/** Where there are several; null: it is the only one. */
const host = z.string().nullable();

export const RequestTime = z.object({
  host,
  /** It is time of the request's own thread; otherwise of others that worked for it. */
  isOwn: z.boolean(),
  ...WaitPlace.shape,
  /** A kind of stop, such as `[off-cpu]`; null: it ran. */
  stop: z.string().nullable(),
  /** Why it was off the CPU. */
  reason: z.string().nullable(),
  /** Averages per request. */
  typicalNs: ns,
  slowestNs: ns,
});
export type RequestTime = z.infer<typeof RequestTime>;

/** Threads of one name. */
export const RequestThreadTime = z.object({
  host,
  isOwn: z.boolean(),
  comm: z.string().nullable(),
  threads: count,
  typicalNs: ns,
  slowestNs: ns,
});
export type RequestThreadTime = z.infer<typeof RequestThreadTime>;

export const RequestWait = z.object({
  reason: z.string().nullable(),
  /** The reason was concluded from other waits. */
  isReasonInferred: z.boolean(),
  /** Of what it waited for, such as a lock. */
  address: z.string().nullable(),
  /** `preempted`, `unknown`: it needed no waker, or that is not known. open: the wait did not end. */
  endedBy: z.enum(['thread', 'interrupt', 'not-seen', 'preempted', 'unknown', 'open']),
  /** The waker's context is not known: an interrupt may have done it. */
  isCandidate: z.boolean(),
  waker: WaitThread.nullable(),
  /** What the waker did. */
  ...WaitPlace.shape,
  /** From its waking until it ran. */
  wakeUpNs: nsOrNull,
});
export type RequestWait = z.infer<typeof RequestWait>;

export const RequestSpan = z.object({
  depth: count,
  ...name,
  /** After the request began. */
  startNs: ns,
  durationNs: ns,
  selfNs: ns,
  /** Its start or its end was not seen. */
  isInferred: z.boolean(),
  wait: RequestWait.nullable(),
});
export type RequestSpan = z.infer<typeof RequestSpan>;

export const RequestPart = z.object({
  host,
  /** How far its times may be off on the clock of the request's host; null: that is not known. */
  errorNs: nsOrNull,
  thread: WaitThread,
  /** null: the request's own call. */
  by: By.nullable(),
  /** How many requests the work is for, this one included. */
  sharedBy: count,
  isCandidate: z.boolean(),
  /** The part that handed it on, and when. */
  parent: count.nullable(),
  handedOnNs: nsOrNull,
  startNs: ns,
  durationNs: ns,
  spans: z.array(RequestSpan),
});
export type RequestPart = z.infer<typeof RequestPart>;

export const RequestDetails = z.object({
  /** Only of a directory of snapshots: the one that the request is in. */
  recording: z.string().optional(),
  host,
  start: z.string(),
  durationNs: ns,
  parts: z.array(RequestPart),
});
export type RequestDetails = z.infer<typeof RequestDetails>;

export const RequestHost = z.object({
  name: z.string(),
  trace: Trace,
  /** How far its clock is ahead of another host's; null: others are compared to it, or no id relates it to them. */
  offset: z
    .object({ to: z.string(), lowNs: nsOrNull, highNs: nsOrNull, handOffs: count, contradictions: count })
    .nullable(),
  quality: QualityPart,
});
export type RequestHost = z.infer<typeof RequestHost>;

export const RequestsAnswer = z.object({
  ...head('ptflame-requests'),
  trace: Trace,
  /** Where there are several; `trace` and `quality` are those of the first. */
  hosts: z.array(RequestHost),
  functions: z.array(z.object(name)),
  requests: count,
  complete: count,
  threads: count,
  otherThreads: count,
  /** Of complete requests; null: there is none. */
  stats: z.object({ avgNs: ns, minNs: ns, ...eachPercentile(() => ns), maxNs: ns }).nullable(),
  joined: z.object({
    byKey: count,
    byOrder: count,
    byWaking: count,
    shared: count,
    forNoRequest: count,
    notJoined: count,
  }),
  /** isNamed: false: only wakings tell who worked for whom, so 0 of others is not known; events: that --flow could name. */
  flow: z.object({ isNamed: z.boolean(), events: z.array(z.string()) }),
  /** The half in the middle, by duration, and the slowest. */
  typical: Group.nullable(),
  slowest: Group.nullable(),
  where: z.array(RequestTime),
  whereByThread: z.array(RequestThreadTime),
  details: z.array(RequestDetails),
  quality: QualityPart,
});
export type RequestsAnswer = z.infer<typeof RequestsAnswer>;
