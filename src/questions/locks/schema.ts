/**
 * zod schema of the JSON that `ptflame locks` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { QualityPart } from '../../profile-file/schema.js';
import { count, head, ns, nsOrNull, percentiles } from '../schema.js';
import { InsideCalls, WaitThread, waitsHead } from '../waits/schema.js';

const named = z.object({ name: z.string(), dso: z.string().nullable() });

/** waitedNs = probeNs + futexNs + passedOnNs + wakeUpNs + unknownNs. */
const held = {
  waits: count,
  waitedNs: ns,
  /** The holder is known, as a probe read it from the lock, or by futex calls. */
  probeNs: ns,
  futexNs: ns,
  /** Between two holders. */
  passedOnNs: ns,
  /** From the waking to running. */
  wakeUpNs: ns,
  unknownNs: ns,
};

/** Waits that had not ended when the recording, or the thread, did, and their part of unknownNs; those that the window cuts. */
const open = { openWaits: count, openNs: ns, cutWaits: count };

const distribution = { avgNs: nsOrNull, ...percentiles, maxNs: nsOrNull };

/** The process and address of the object, and what it is as far as known. */
const identity = { pid: z.number().int(), address: z.string(), kind: z.string() };

/** A call path, outermost function first, and the function of the program that it is in. */
const Spot = z.object({ ns, function: named.nullable(), path: z.array(named) });

export const LockHolder = z.object({
  /** Threads of one name. */
  threads: z.array(WaitThread),
  /** The function that gave the lock back. */
  function: named.nullable(),
  waits: count,
  /** Time that others waited; if several waited at once, the sum of their times. */
  heldNs: ns,
  /** The part of it that a probe read from the lock. */
  probeNs: ns,
  /** What the holder did meanwhile. */
  ranNs: ns,
  blockedNs: ns,
  preemptedNs: ns,
  spots: z.array(Spot),
});
export type LockHolder = z.infer<typeof LockHolder>;

export const LockRow = z.object({
  ...identity,
  /** A mutex or a read-write lock; other objects have no holder. */
  isLock: z.boolean(),
  ...held,
  ...open,
  longestOpenNs: ns,
  /** Of the waits that ended. */
  ...distribution,
  /** The most threads that waited at once. */
  convoy: count,
  wakeUps: z.object({ waits: count, ...distribution }),
  /** Where threads waited; call: the function of a system library that they called. */
  places: z.array(z.object({ function: named.nullable(), call: named.nullable(), waits: count, waitedNs: ns })),
  holders: z.array(LockHolder),
  wakers: z.array(
    z.object({
      kind: z.enum(['thread', 'interrupt', 'not-seen', 'open']),
      threads: z.array(WaitThread),
      function: named.nullable(),
      /** An interrupt that came while this thread ran may have done it. */
      isCandidate: z.boolean(),
      waits: count,
      waitedNs: ns,
    }),
  ),
});
export type LockRow = z.infer<typeof LockRow>;

export const LockWait = z.object({
  ...identity,
  thread: WaitThread,
  /** Where it waited. */
  function: named.nullable(),
  start: z.string(),
  ...held,
  /** The holder when it began. */
  holder: WaitThread.nullable(),
  holderSource: z.enum(['probe', 'futex']).nullable(),
  waker: WaitThread.nullable(),
  isWakerCandidate: z.boolean(),
  holders: z.array(LockHolder),
});
export type LockWait = z.infer<typeof LockWait>;

export const Locks = z.object({
  ...head('ptflame-locks'),
  ...waitsHead,
  /** The calls around the waits; null: not asked. */
  inside: InsideCalls.nullable(),
  /** Of mutexes and read-write locks. */
  total: z.object({ locks: count, ...held, ...open }),
  /** Also conditions, semaphores and other futexes; most time first. */
  locks: z.array(LockRow),
  slowest: z.array(LockWait),
  /** null: there are no calls. */
  quality: QualityPart.nullable(),
});
export type Locks = z.infer<typeof Locks>;
