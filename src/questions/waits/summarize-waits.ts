/**
 * Sums up waits by reason, by waker, by place and by thread: the tables of an answer.
 */
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { KeyNumbers } from '../../waits/input/group-rows.js';
import { Reason } from '../../waits/reason.js';
import { OffState, threadOf } from '../../waits/schedule.js';
import { type Distribution, distributionOf, histogramOf } from '../../waits/summary/distribution.js';
import {
  endedNsOf,
  groupOfRows,
  mostTimeFirst,
  rowsByKey,
  type WaitGroup,
  type WaitSums,
  waitGroups,
  wakeUpNsOf,
} from '../../waits/summary/wait-sums.js';
import { finiteOrNull, percentilesOrNulls } from '../common.js';
import type { TraceWaits } from './ask-waits.js';
import type { Candidates } from './candidates.js';
import type { WaitStats, WaitsAnswer, WakerRow } from './schema.js';
import { EndedBy, type Place, type WaitFacts } from './wait-facts.js';
import { reasonName, waitPlace, waitThread } from './wait-names.js';

type Tables = Pick<
  WaitsAnswer,
  'stats' | 'wakeUps' | 'histogram' | 'reasons' | 'wakers' | 'candidates' | 'places' | 'threads'
>;

/** `rows`: the waits in question. `candidates`: null, if wakings were recorded. */
export function summarizeWaits(
  traceWaits: TraceWaits,
  facts: WaitFacts,
  rows: Uint32Array,
  candidates: Candidates | null = null,
): Tables {
  const { shown: waits } = traceWaits;
  const wakeUps = knownOf(rows, (wait) => wakeUpNsOf(waits, wait));
  const histogram = histogramOf(
    knownOf(rows, (wait) => endedNsOf(waits, wait)),
    wakeUps,
  );
  return {
    stats: waitStats(groupOfRows(waits, rows)),
    wakeUps: { waits: wakeUps.length, ...distributionRow(distributionOf(wakeUps)) },
    histogram: histogram.map(({ fromNs, toNs, counts }) => ({ fromNs, toNs, waits: counts[0], wakeUps: counts[1] })),
    reasons: reasonsOf(traceWaits, facts, rows),
    wakers: wakersOf(traceWaits, facts, rows),
    candidates: candidates ? candidateRows(traceWaits, candidates, rows) : [],
    places: placesOf(traceWaits, facts, rows),
    threads: threadsOf(traceWaits, rows),
  };
}

function waitStats(group: WaitGroup): WaitStats {
  const { open: openWaits, cut: cutWaits, longestOpenNs, durations } = group;
  return { ...offRow(group), openWaits, cutWaits, longestOpenNs, ...distributionRow(durations) };
}

/** What time off the CPU consisted of. */
export function offRow({ waits, offNs, blockedNs, wakeUpNs, preemptedNs, unknownNs, unexplainedNs }: WaitSums) {
  return { waits, totalNs: offNs, blockedNs, wakeUpNs, preemptedNs, unknownNs, unexplainedNs };
}

export function distributionRow(durations: Distribution) {
  return {
    avgNs: finiteOrNull(durations.avgNs),
    minNs: finiteOrNull(durations.minNs),
    ...percentilesOrNulls(durations),
    maxNs: finiteOrNull(durations.maxNs),
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

function reasonsOf({ shown: waits }: TraceWaits, facts: WaitFacts, rows: Uint32Array): Tables['reasons'] {
  const keyOf = (wait: number) => REASONS * stateKey(facts.endedBy(wait)) + facts.reason[wait];
  const inferred = new Map<number, number>(); // by key
  rows
    .filter((wait) => facts.isInferred(wait))
    .forEach((wait) => {
      inferred.set(keyOf(wait), (inferred.get(keyOf(wait)) ?? 0) + 1);
    });
  return waitGroups(waits, rows, keyOf).map((group) => ({
    reason: reasonOf(facts, group.example),
    inferred: inferred.get(keyOf(group.example)) ?? 0,
    stats: waitStats(group),
  }));
}

const REASONS = Object.keys(Reason).length;

/** Preempted and unknown time has no reason. */
function stateKey(endedBy: EndedBy): number {
  return endedBy === EndedBy.Preempted || endedBy === EndedBy.Unknown ? endedBy : 0;
}

/** Returns why a thread waited, in a word. */
export function reasonOf(facts: WaitFacts, wait: number): string {
  const endedBy = facts.endedBy(wait);
  if (endedBy === EndedBy.Preempted) return 'preempted';
  return endedBy === EndedBy.Unknown ? 'switches missing' : reasonName(facts.reason[wait]);
}

function placesOf({ shown: waits, calls }: TraceWaits, facts: WaitFacts, rows: Uint32Array): Tables['places'] {
  if (calls === null) return [];
  const groups = waitGroups(waits, rows, (wait) => facts.placeNumber(wait));
  return groups.map((group) => {
    return { ...waitPlace(calls.symbols, facts.placeOf(group.example)), stats: waitStats(group) };
  });
}

function threadsOf(traceWaits: TraceWaits, rows: Uint32Array): Tables['threads'] {
  const { shown: waits, threads } = traceWaits;
  return waitGroups(waits, rows, (wait) => waits.tid[wait]).map((group) => {
    const tid = waits.tid[group.example];
    return { thread: waitThread(threads.of(tid)), ranNs: ranNs(traceWaits, tid), stats: waitStats(group) };
  });
}

function ranNs({ shown: waits }: TraceWaits, tid: Tid): Nanoseconds {
  const thread = threadOf(waits, tid);
  let ns = waits.endNs[thread] - waits.startNs[thread];
  for (let wait = waits.starts[thread]; wait < waits.starts[thread + 1]; wait++)
    ns -= waits.inNs[wait] - waits.outNs[wait];
  return Math.max(0, ns);
}

/** Groups waits that needed a waker. `all`: the waits in question. */
function wakersOf(traceWaits: TraceWaits, facts: WaitFacts, all: Uint32Array): WakerRow[] {
  const { shown: waits } = traceWaits;
  return wakerRows(
    traceWaits,
    all.filter((wait) => waits.state[wait] === OffState.Blocked),
    {
      endedBy: (wait) => facts.endedBy(wait),
      tid: waits.waker,
      placeNumber: (wait) => facts.wakerPlaceNumber(wait),
      place: (wait) => facts.wakerPlaceOf(wait),
    },
  );
}

/** Groups waits without a known waker by those that may have ended them. */
function candidateRows(traceWaits: TraceWaits, candidates: Candidates, all: Uint32Array): WakerRow[] {
  return wakerRows(
    traceWaits,
    all.filter((wait) => candidates.waker[wait] !== NONE),
    {
      endedBy: () => EndedBy.MaybeThread,
      tid: candidates.waker,
      placeNumber: (wait) => candidates.placeNumber(wait),
      place: (wait) => candidates.placeOf(wait),
    },
  );
}

/** By wait. */
interface WakerColumns {
  endedBy(wait: number): EndedBy;
  readonly tid: Int32Array;
  placeNumber(wait: number): number;
  place(wait: number): Place;
}

/** Groups waits by who ended them, and where that thread was: threads of one name are one waker. */
function wakerRows(traceWaits: TraceWaits, rows: Uint32Array, waker: WakerColumns): WakerRow[] {
  const { shown: waits, threads, symbols } = traceWaits;
  const wakers = new Wakers(waker.tid, threads);
  const keyOf = (wait: number) => {
    const endedBy = waker.endedBy(wait);
    const name = isThread(endedBy) ? wakers.nameOf(waker.tid[wait]) : 0;
    return endedBy + ENDS * (name + wakers.names * waker.placeNumber(wait));
  };
  const groups = rowsByKey(rows, keyOf).map((own) => ({ ...groupOfRows(waits, own), rows: own }));
  return mostTimeFirst(groups).map((group) => {
    const endedBy = waker.endedBy(group.example);
    const tids = isThread(endedBy) ? wakers.among(group.rows) : [];
    return {
      kind: KINDS[endedBy],
      threads: tids.map((tid) => waitThread(threads.of(tid))),
      ...waitPlace(symbols, waker.place(group.example)),
      isCandidate: endedBy === EndedBy.MaybeThread,
      stats: waitStats(group),
    };
  });
}

const KINDS: Readonly<Record<EndedBy, WakerRow['kind']>> = {
  [EndedBy.Thread]: 'thread',
  [EndedBy.MaybeThread]: 'thread',
  [EndedBy.Interrupt]: 'interrupt',
  [EndedBy.NotSeen]: 'not-seen',
  [EndedBy.Open]: 'open',
  [EndedBy.Preempted]: 'not-seen', // these need no waker
  [EndedBy.Unknown]: 'not-seen',
};

const ENDS = Object.keys(EndedBy).length;

/** The threads that woke others, with numbers for their names. */
class Wakers {
  /** More than any number of a name. */
  readonly names: number;
  private readonly numbers: KeyNumbers;
  /** By number of the thread: its name, and the last question about it. */
  private readonly name: Int32Array;
  private readonly asked: Int32Array;
  private questions = 0;

  constructor(
    private readonly waker: Int32Array,
    threads: TraceWaits['threads'],
  ) {
    this.numbers = new KeyNumbers(waker);
    for (let wait = 0; wait < waker.length; wait++) this.numbers.add(waker[wait]);
    const texts = this.numbers.keys.map((tid) => {
      const { comm, isRecorded } = threads.of(tid);
      return comm === null ? String(tid) : `${comm} ${isRecorded}`;
    });
    const number = new Map([...new Set(texts)].map((text, row) => [text, row + 1]));
    this.name = Int32Array.from(texts, (text) => number.get(text) as number);
    this.names = number.size + 1;
    this.asked = new Int32Array(texts.length);
  }

  nameOf(tid: Tid): number {
    return this.name[this.numbers.find(tid)];
  }

  /** Returns the wakers of these waits, by tid. */
  among(rows: Uint32Array): Tid[] {
    const { waker, numbers, asked } = this;
    const tids: Tid[] = [];
    this.questions++;
    for (let row = 0; row < rows.length; row++) {
      const number = numbers.find(waker[rows[row]]);
      if (asked[number] === this.questions) continue;
      asked[number] = this.questions;
      tids.push(waker[rows[row]]);
    }
    return tids.sort((a, b) => a - b);
  }
}

function isThread(endedBy: EndedBy): boolean {
  return endedBy === EndedBy.Thread || endedBy === EndedBy.MaybeThread;
}
