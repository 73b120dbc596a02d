/**
 * Groups waits by who ended them, and where that thread was: threads of one name are one waker.
 */
import { NONE, type Tid } from '../../model/units.js';
import { KeyNumbers } from '../../waits/input/key-numbers.js';
import { OffState } from '../../waits/schedule/off-state.js';
import { groupOfRows, mostTimeFirst, rowsByKey, type WaitGroup } from '../../waits/summary/wait-groups.js';
import type { TraceWaits } from './ask-waits.js';
import type { Candidates } from './candidates.js';
import type { KnownThread } from './thread-directory.js';
import { EndedBy, type Place, type WaitFacts } from './wait-facts.js';

export interface WakerGroup extends WaitGroup, Place {
  readonly endedBy: EndedBy;
  /** The threads of one name, by tid; empty unless threads ended the waits. */
  readonly threads: readonly KnownThread[];
}

/** Groups waits that needed a waker. `all`: the waits in question. */
export function wakerGroups(traceWaits: TraceWaits, facts: WaitFacts, all: Uint32Array): WakerGroup[] {
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
export function candidateGroups(traceWaits: TraceWaits, candidates: Candidates, all: Uint32Array): WakerGroup[] {
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
