/**
 * Sums up waits by reason, by waker, by place and by thread.
 */
import type { Nanoseconds, Tid } from '../../model/units.js';
import { Reason } from '../../waits/reasons/reason.js';
import { threadOf } from '../../waits/schedule/schedule.js';
import { type Distribution, distributionOf, type HistogramRow, histogramOf } from '../../waits/summary/distribution.js';
import { groupOfRows, type WaitGroup, waitGroups } from '../../waits/summary/wait-groups.js';
import { endedNsOf, wakeUpNsOf } from '../../waits/summary/wait-sums.js';
import type { TraceWaits } from './ask-waits.js';
import type { Candidates } from './candidates.js';
import type { KnownThread } from './thread-directory.js';
import { EndedBy, type Place, type WaitFacts } from './wait-facts.js';
import { candidateGroups, type WakerGroup, wakerGroups } from './waker-groups.js';

export interface WaitSummary {
  readonly all: WaitGroup;
  /** From waking to running, of the waits with a waking. */
  readonly wakeUps: Distribution;
  /** Of durations of waits, and of the times from waking to running. */
  readonly histogram: readonly HistogramRow[];
  readonly reasons: readonly ReasonGroup[];
  readonly wakers: readonly WakerGroup[];
  /** Who may have ended waits without a known waker, by calls alone. */
  readonly candidates: readonly WakerGroup[];
  readonly places: readonly (WaitGroup & Place)[];
  readonly threads: readonly (WaitGroup & ThreadOfGroup)[];
}

export interface ReasonGroup extends WaitGroup {
  readonly reason: Reason;
  readonly endedBy: EndedBy;
  /** Waits whose reason was concluded from other waits. */
  readonly inferred: number;
}

export interface ThreadOfGroup {
  readonly thread: KnownThread;
  /** How long it ran while it was known. */
  readonly ranNs: Nanoseconds;
}

/** `rows`: the waits in question. `candidates`: null, if wakings were recorded. */
export function summarizeWaits(
  traceWaits: TraceWaits,
  facts: WaitFacts,
  rows: Uint32Array,
  candidates: Candidates | null = null,
): WaitSummary {
  const { shown: waits } = traceWaits;
  const wakeUps = knownOf(rows, (wait) => wakeUpNsOf(waits, wait));
  const durations = knownOf(rows, (wait) => endedNsOf(waits, wait));
  return {
    all: groupOfRows(waits, rows),
    wakeUps: distributionOf(wakeUps),
    histogram: histogramOf(durations, wakeUps),
    reasons: reasonsOf(traceWaits, facts, rows),
    wakers: wakerGroups(traceWaits, facts, rows),
    candidates: candidates ? candidateGroups(traceWaits, candidates, rows) : [],
    places: placesOf(traceWaits, facts, rows),
    threads: threadsOf(traceWaits, rows),
  };
}

/** Returns what is known of the waits, without NaN. */
function knownOf(rows: Uint32Array, nsOf: (wait: number) => number): Float64Array {
  const values = new Float64Array(rows.length);
  let known = 0;
  for (let row = 0; row < rows.length; row++) {
    const value = nsOf(rows[row]);
    if (!Number.isNaN(value)) values[known++] = value;
  }
  return values.subarray(0, known);
}

function reasonsOf({ shown: waits }: TraceWaits, facts: WaitFacts, rows: Uint32Array): WaitSummary['reasons'] {
  const keyOf = (wait: number) => REASONS * stateKey(facts.endedBy(wait)) + facts.reason[wait];
  const inferred = new Map<number, number>(); // by key
  rows
    .filter((wait) => facts.isInferred(wait))
    .forEach((wait) => {
      inferred.set(keyOf(wait), (inferred.get(keyOf(wait)) ?? 0) + 1);
    });
  return waitGroups(waits, rows, keyOf).map((group) => ({
    ...group,
    reason: facts.reason[group.example] as Reason,
    endedBy: facts.endedBy(group.example),
    inferred: inferred.get(keyOf(group.example)) ?? 0,
  }));
}

const REASONS = Object.keys(Reason).length;

/** Preempted and unknown time has no reason. */
function stateKey(endedBy: EndedBy): number {
  return endedBy === EndedBy.Preempted || endedBy === EndedBy.Unknown ? endedBy : 0;
}

function placesOf({ shown: waits, calls }: TraceWaits, facts: WaitFacts, rows: Uint32Array): WaitSummary['places'] {
  if (calls === null) return [];
  const groups = waitGroups(waits, rows, (wait) => facts.placeNumber(wait));
  return groups.map((group) => ({ ...group, ...facts.placeOf(group.example) }));
}

function threadsOf(traceWaits: TraceWaits, rows: Uint32Array): WaitSummary['threads'] {
  const { shown: waits, threads } = traceWaits;
  return waitGroups(waits, rows, (wait) => waits.tid[wait]).map((group) => {
    const tid = waits.tid[group.example];
    return { ...group, thread: threads.of(tid), ranNs: ranNs(traceWaits, tid) };
  });
}

function ranNs({ shown: waits }: TraceWaits, tid: Tid): Nanoseconds {
  const thread = threadOf(waits, tid);
  let ns = waits.endNs[thread] - waits.startNs[thread];
  for (let wait = waits.starts[thread]; wait < waits.starts[thread + 1]; wait++)
    ns -= waits.inNs[wait] - waits.outNs[wait];
  return Math.max(0, ns);
}
