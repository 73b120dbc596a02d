/**
 * Sums up waits by reason, by waker, by place and by thread.
 */
import { NONE, type Tid } from '../../../model/units.js';
import type { Reason } from '../../../waits/reasons/reason.js';
import { OffState } from '../../../waits/schedule/off-state.js';
import { threadOf } from '../../../waits/schedule/schedule.js';
import {
  type Distribution,
  distributionOf,
  type HistogramRow,
  histogramOf,
} from '../../../waits/summary/distribution.js';
import { groupOfRows, type WaitGroup, waitGroups } from '../../../waits/summary/wait-groups.js';
import { wakeUpNsOf } from '../../../waits/summary/wait-sums.js';
import type { TraceWaits } from '../ask-waits.js';
import type { KnownThread } from '../thread-directory.js';
import { EndedBy, type Place, type WaitFacts } from '../wait-facts.js';
import type { Candidates } from './candidates.js';

export interface WaitSummary {
  readonly all: WaitGroup;
  /** From waking to running, of the waits with a waking. */
  readonly wakeUps: Distribution;
  /** Of durations of waits, and of the times from waking to running. */
  readonly histogram: readonly HistogramRow[];
  readonly reasons: readonly (WaitGroup & { readonly reason: Reason; readonly endedBy: EndedBy })[];
  readonly wakers: readonly (WaitGroup & WakerOfGroup)[];
  /** Who may have ended waits without a known waker, by calls alone. */
  readonly candidates: readonly (WaitGroup & WakerOfGroup)[];
  readonly places: readonly (WaitGroup & Place)[];
  readonly threads: readonly (WaitGroup & ThreadOfGroup)[];
}

export interface WakerOfGroup extends Place {
  readonly endedBy: EndedBy;
  /** The threads of one name, by tid; empty unless threads ended the waits. */
  readonly threads: readonly KnownThread[];
}

export interface ThreadOfGroup {
  readonly thread: KnownThread;
  /** How long it ran while it was known. */
  readonly ranNs: number;
}

/** `rows`: the waits in question. `candidates`: null, if wakings were recorded. */
export function summarizeWaits(
  traceWaits: TraceWaits,
  facts: WaitFacts,
  rows: Uint32Array,
  candidates: Candidates | null = null,
): WaitSummary {
  const { shown: waits, threads } = traceWaits;
  const ended = rows.filter((wait) => !waits.isOpen[wait] && !waits.isCut[wait]);
  const wakeUps = Float64Array.from(rows, (wait) => wakeUpNsOf(waits, wait)).filter((ns) => !Number.isNaN(ns));
  const durations = Float64Array.from(ended, (wait) => waits.inNs[wait] - waits.outNs[wait]);
  return {
    all: groupOfRows(waits, rows),
    wakeUps: distributionOf(wakeUps),
    histogram: histogramOf(durations, wakeUps),
    reasons: waitGroups(waits, rows, (wait) => 16 * stateKey(facts.endedBy(wait)) + facts.reason[wait]).map((group) => {
      return { ...group, reason: facts.reason[group.example] as Reason, endedBy: facts.endedBy(group.example) };
    }),
    wakers: wakersOf(traceWaits, facts, rows),
    candidates: candidates ? candidateGroups(traceWaits, candidates, rows) : [],
    places: placesOf(traceWaits, facts, rows),
    threads: waitGroups(waits, rows, (wait) => waits.tid[wait]).map((group) => {
      const tid = waits.tid[group.example];
      return { ...group, thread: threads.of(tid), ranNs: ranNs(traceWaits, tid) };
    }),
  };
}

/** Preempted and unknown time has no reason. */
function stateKey(endedBy: EndedBy): number {
  return endedBy === EndedBy.Preempted || endedBy === EndedBy.Unknown ? endedBy : 0;
}

/** Of waits that needed a waker. */
function wakersOf(traceWaits: TraceWaits, facts: WaitFacts, all: Uint32Array): WaitSummary['wakers'] {
  const { shown: waits } = traceWaits;
  return wakerGroups(
    traceWaits,
    all.filter((wait) => waits.state[wait] === OffState.Blocked),
    {
      endedBy: (wait) => facts.endedBy(wait),
      tid: (wait) => waits.waker[wait],
      place: (wait) => facts.wakerPlaceOf(wait),
    },
  );
}

function candidateGroups(traceWaits: TraceWaits, candidates: Candidates, all: Uint32Array): WaitSummary['candidates'] {
  return wakerGroups(
    traceWaits,
    all.filter((wait) => candidates.waker[wait] !== NONE),
    {
      endedBy: () => EndedBy.MaybeThread,
      tid: (wait) => candidates.waker[wait],
      place: (wait) => candidates.placeOf(wait),
    },
  );
}

/** By wait. */
interface WakerColumns {
  endedBy(wait: number): EndedBy;
  tid(wait: number): Tid;
  place(wait: number): Place;
}

function wakerGroups(
  { shown: waits, threads }: TraceWaits,
  rows: Uint32Array,
  waker: WakerColumns,
): WaitSummary['wakers'] {
  const names = new Numbers();
  const nameOf = memoized((tid: Tid) => {
    const { comm, isRecorded } = threads.of(tid);
    return names.of(comm === null ? String(tid) : `${comm} ${isRecorded}`);
  });
  const places = new Numbers();
  const keyOf = (wait: number) => {
    const endedBy = waker.endedBy(wait);
    const name = isThread(endedBy) ? nameOf(waker.tid(wait)) : 0;
    return (endedBy * MAX_NUMBER + name) * MAX_NUMBER + places.of(keyOfPlace(waker.place(wait)));
  };
  const tids = new Map<number, Set<Tid>>(); // by key
  for (const wait of rows) {
    const key = keyOf(wait);
    const own = tids.get(key);
    if (own) own.add(waker.tid(wait));
    else tids.set(key, new Set([waker.tid(wait)]));
  }
  return waitGroups(waits, rows, keyOf).map((group) => {
    const endedBy = waker.endedBy(group.example);
    const own = isThread(endedBy) ? [...(tids.get(keyOf(group.example)) as Set<Tid>)] : [];
    const known = own.sort((a, b) => a - b).map((tid) => threads.of(tid));
    return { ...group, ...waker.place(group.example), endedBy, threads: known };
  });
}

function isThread(endedBy: EndedBy): boolean {
  return endedBy === EndedBy.Thread || endedBy === EndedBy.MaybeThread;
}

function placesOf({ shown: waits, calls }: TraceWaits, facts: WaitFacts, rows: Uint32Array): WaitSummary['places'] {
  if (calls === null) return [];
  const groups = waitGroups(waits, rows, (wait) => keyOfPlace(facts.placeOf(wait)));
  return groups.map((group) => ({ ...group, ...facts.placeOf(group.example) }));
}

function ranNs({ shown: waits }: TraceWaits, tid: Tid): number {
  const thread = threadOf(waits, tid);
  let ns = waits.endNs[thread] - waits.startNs[thread];
  for (let wait = waits.starts[thread]; wait < waits.starts[thread + 1]; wait++)
    ns -= waits.inNs[wait] - waits.outNs[wait];
  return Math.max(0, ns);
}

/** Different for each place: there are far fewer than 2^26 symbols. */
function keyOfPlace({ symbol, call }: Place): number {
  return (symbol + 1) * 2 ** 26 + call + 1;
}

/** More different names or places than this cannot occur: there are as many threads, or call paths. */
const MAX_NUMBER = 2 ** 23;

/** Numbers different values, from 1 on. */
class Numbers {
  private readonly known = new Map<string | number, number>();

  of(value: string | number): number {
    let number = this.known.get(value);
    if (number === undefined) this.known.set(value, (number = this.known.size + 1));
    return number;
  }
}

function memoized<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = compute(key)));
    return value;
  };
}
