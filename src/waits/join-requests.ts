/**
 * Joins the parts of requests: a request is a call in one thread, and all work that this call handed to other threads,
 * that these handed on, and so on.
 */
import type { Nanoseconds, Tid } from '../model/units.js';
import { NONE } from '../model/units.js';
import type { HandOffs } from './hand-offs.js';
import { hasKey, type Moments } from './moments.js';
import { type Parts, PartsBuilder } from './parts.js';

/** Calls that begin a request, by time. */
export interface Roots {
  readonly length: number;
  readonly tid: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

/** By pop: when the work was done, and the first pop of its batch. */
export interface Work {
  readonly endNs: Float64Array;
  readonly batch: Int32Array;
}

export function joinRequests(roots: Roots, pushes: Moments, pops: Moments, handOffs: HandOffs, work: Work): Parts {
  return new RequestJoiner(roots, pushes, pops).join(handOffs, work);
}

/** Goes through roots, pushes and pops by time. */
class RequestJoiner {
  private readonly parts = new PartsBuilder();
  /** By push so far: the parts that handed it on. */
  private readonly owners: (readonly number[])[] = [];
  private root = 0;
  private readonly roots: Roots;
  private readonly pushes: Moments;
  private readonly pops: Moments;

  constructor(roots: Roots, pushes: Moments, pops: Moments) {
    this.roots = roots;
    this.pushes = pushes;
    this.pops = pops;
  }

  join({ push, by }: HandOffs, { endNs, batch }: Work): Parts {
    const { tid, timeNs, length } = this.pops;
    const takes = countsOf(batch);
    for (let pop = 0; pop < length; pop++) {
      const fromNs = timeNs[pop];
      this.passUntil(fromNs);
      const parents = push[pop] === NONE ? [] : this.owners[push[pop]];
      const taken = { pop, batch: batch[pop], tid: tid[pop], fromNs, toNs: endNs[pop], by: by[pop] };
      this.parts.addTaken(parents, taken, takes[batch[pop]] > 1 || parents.length > 1);
    }
    this.passUntil(Number.POSITIVE_INFINITY);
    return this.parts.build();
  }

  /** Adds the roots and the pushes up to a time. */
  private passUntil(untilNs: Nanoseconds): void {
    const { roots, pushes, pops, owners, parts } = this;
    for (;;) {
      const rootNs = this.root < roots.length ? roots.fromNs[this.root] : Number.POSITIVE_INFINITY;
      const pushNs = owners.length < pushes.length ? pushes.timeNs[owners.length] : Number.POSITIVE_INFINITY;
      const nextNs = Math.min(rootNs, pushNs);
      if (nextNs > untilNs || nextNs === Number.POSITIVE_INFINITY) return;
      if (rootNs <= pushNs) parts.addRoot(this.root, roots.tid[this.root], rootNs, roots.toNs[this.root++]);
      else owners.push(parts.at(pushes.tid[owners.length], pushNs, sameKey(pops, pushes, owners.length)));
    }
  }
}

function countsOf(batch: Int32Array): Int32Array {
  const counts = new Int32Array(batch.length);
  for (const first of batch) counts[first]++;
  return counts;
}

/** What a thread hands on under the key of something that it took is an answer to that. */
function sameKey(pops: Moments, pushes: Moments, push: number): (pop: number) => boolean {
  return (pop) => hasKey(pushes, push) && pops.key[pop] === pushes.key[push];
}

/** Returns batches of one pop each. */
export function eachAlone(pops: number): Int32Array {
  return Int32Array.from({ length: pops }, (_, pop) => pop);
}

/** The work that a thread takes lasts until it takes the next. `lastNs`: the end of the trace. */
export function endsByNextPop({ length, tid, timeNs }: Moments, lastNs: Nanoseconds): Float64Array {
  const nextNs = new Map<Tid, Nanoseconds>();
  const endNs = new Float64Array(length);
  for (let pop = length - 1; pop >= 0; pop--) {
    endNs[pop] = nextNs.get(tid[pop]) ?? lastNs;
    nextNs.set(tid[pop], timeNs[pop]);
  }
  return endNs;
}
