/**
 * Sums up waits by reason, by waker, by place and by thread.
 */
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { KeyNumbers } from '../../waits/input/key-numbers.js';
import { Reason } from '../../waits/reason.js';
import { OffState } from '../../waits/schedule/off-state.js';
import { threadOf } from '../../waits/schedule/schedule.js';
import { type Distribution, distributionOf, type HistogramRow, histogramOf } from '../../waits/summary/distribution.js';
import { groupOfRows, mostTimeFirst, rowsByKey, type WaitGroup, waitGroups } from '../../waits/summary/wait-groups.js';
import { endedNsOf, wakeUpNsOf } from '../../waits/summary/wait-sums.js';
import type { TraceWaits } from './ask-waits.js';
import type { Candidates } from './candidates.js';
import type { KnownThread } from './thread-directory.js';
import { EndedBy, type Place, type WaitFacts } from './wait-facts.js';

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

/** Groups waits by who ended them, and where that thread was: threads of one name are one waker. */
interface WakerGroup extends WaitGroup, Place {
  readonly endedBy: EndedBy;
  /** The threads of one name, by tid; empty unless threads ended the waits. */
  readonly threads: readonly KnownThread[];
}

/** Groups waits that needed a waker. `all`: the waits in question. */
function wakerGroups(traceWaits: TraceWaits, facts: WaitFacts, all: Uint32Array): WakerGroup[] {
  const { shown: waits } = traceWaits;
  return groupsOf(
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
function candidateGroups(traceWaits: TraceWaits, candidates: Candidates, all: Uint32Array): WakerGroup[] {
  return groupsOf(
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

function groupsOf({ shown: waits, threads }: TraceWaits, rows: Uint32Array, waker: WakerColumns): WakerGroup[] {
  const wakers = new Wakers(waker.tid, threads);
  const keyOf = (wait: number) => {
    const endedBy = waker.endedBy(wait);
    const name = isThread(endedBy) ? wakers.nameOf(waker.tid[wait]) : 0;
    return endedBy + ENDS * (name + wakers.names * waker.placeNumber(wait));
  };
  const groups = rowsByKey(rows, keyOf).map((own) => {
    const group = groupOfRows(waits, own);
    const endedBy = waker.endedBy(group.example);
    const known = isThread(endedBy) ? wakers.among(own).map((tid) => threads.of(tid)) : [];
    return { ...group, ...waker.place(group.example), endedBy, threads: known };
  });
  return mostTimeFirst(groups);
}

const ENDS = Object.keys(EndedBy).length;

/** The threads that woke others, with numbers for their names. */
class Wakers {
  /** More than any number of a name. */
  readonly names: number;
  private readonly waker: Int32Array;
  private readonly numbers: KeyNumbers;
  /** By number of the thread: its name, and the last question about it. */
  private readonly name: Int32Array;
  private readonly asked: Int32Array;
  private questions = 0;

  constructor(waker: Int32Array, threads: TraceWaits['threads']) {
    this.waker = waker;
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
