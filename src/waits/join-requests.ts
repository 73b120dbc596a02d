/**
 * Joins the parts of requests: a request is a call in one thread, and all work that this call handed to other threads,
 * that these handed on, and so on.
 */

import { float64Column, int32Column, uint8Column } from '../model/columns.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { HandOffBy, type HandOffs } from './hand-offs.js';
import { hasKey, type Moments } from './moments.js';

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

  constructor(
    private readonly roots: Roots,
    private readonly pushes: Moments,
    private readonly pops: Moments,
  ) {}

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

/** By time of beginning; the first part of a request is its root. */
export interface Parts {
  readonly length: number;
  readonly request: Int32Array; // row of Roots
  readonly parent: Int32Array; // the part that handed this one on; NONE: a root
  readonly tid: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  readonly by: Uint8Array; // HandOffBy; None: a root
  /** The moment at which it was taken; NONE: a root. */
  readonly pop: Int32Array;
  /** 1: it lies within another part of the same request in the same thread, which has its time already. */
  readonly isInside: Uint8Array;
  /** How many requests the work is for, itself included; takes of work of unknown requests count as one each. */
  readonly sharedBy: Int32Array;
  /** Time before `ownToNs` is of this part alone, as the thread had not taken more; from `sharedFromNs` on, it is shared. */
  readonly ownToNs: Float64Array;
  readonly sharedFromNs: Float64Array;
}

/** Work that a thread took. `batch`: the first pop of its batch. */
interface Taken {
  readonly pop: number;
  readonly batch: number;
  readonly tid: Tid;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly by: number;
}

/** Work that a thread is doing. `part`: NONE for that of no request. */
interface OpenWork {
  readonly part: number;
  readonly pop: number;
  readonly batch: number;
  readonly toNs: Nanoseconds;
}

/** For how many requests the work of a batch is, and when the last of it was taken. */
interface Sharing {
  readonly requests: Set<number>;
  unknown: number;
  lastNs: Nanoseconds;
  /** The part to which the time belongs until more is taken; NONE: it is of no request. */
  newest: number;
}

class PartsBuilder {
  private readonly request = int32Column();
  private readonly parent = int32Column();
  private readonly tid = int32Column();
  private readonly fromNs = float64Column();
  private readonly toNs = float64Column();
  private readonly by = uint8Column();
  private readonly pop = int32Column();
  private readonly batch = int32Column();
  private readonly isInside = uint8Column();
  private readonly ownToNs = float64Column();
  /** What each thread is doing, innermost last. */
  private readonly open = new Map<Tid, OpenWork[]>();
  private readonly sharing = new Map<number, Sharing>();

  addRoot(request: number, tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.add(request, NONE, { pop: NONE, batch: NONE, tid, fromNs, toNs, by: HandOffBy.None });
  }

  /** `parents`: none for work of no request. `isShared`: of several takes, or of several requests. */
  addTaken(parents: readonly number[], taken: Taken, isShared: boolean): void {
    const first = this.tid.length;
    for (const parent of parents) this.add(this.request.values[parent], parent, taken);
    if (parents.length === 0) this.openOf(taken.tid, taken.fromNs).push({ part: NONE, ...taken });
    if (isShared) this.share(first, taken);
  }

  /**
   * Returns the parts that a thread works on at a time. `wasTaken`: whether a pop took what is handed on now; if it is one
   * of those whose work is done together, only its part.
   */
  at(tid: Tid, timeNs: Nanoseconds, wasTaken: (pop: number) => boolean): readonly number[] {
    const open = this.openOf(tid, timeNs);
    const last = open.at(-1);
    if (last === undefined) return [];
    if (last.batch === NONE) return [last.part];
    const together = open.filter(({ batch }) => batch === last.batch);
    const own = together.length < 2 ? [] : together.filter(({ pop }) => wasTaken(pop));
    return (own.length > 0 ? own : together).map(({ part }) => part).filter((part) => part !== NONE);
  }

  build(): Parts {
    const sharing = Array.from(this.batch.view(), (batch) => this.sharing.get(batch));
    for (const { newest, lastNs } of this.sharing.values())
      if (newest !== NONE) this.ownToNs.values[newest] = Math.max(this.ownToNs.values[newest], lastNs);
    return {
      length: this.tid.length,
      request: this.request.view(),
      parent: this.parent.view(),
      tid: this.tid.view(),
      fromNs: this.fromNs.view(),
      toNs: this.toNs.view(),
      by: this.by.view(),
      pop: this.pop.view(),
      isInside: this.isInside.view(),
      sharedBy: Int32Array.from(sharing, (own) => (own ? own.requests.size + own.unknown : 1)),
      ownToNs: this.ownToNs.view(),
      sharedFromNs: Float64Array.from(sharing, (own, part) => own?.lastNs ?? this.fromNs.values[part]),
    };
  }

  /** `first`: of the parts of a take. */
  private share(first: number, { batch, fromNs }: Taken): void {
    let own = this.sharing.get(batch);
    if (own === undefined)
      this.sharing.set(batch, (own = { requests: new Set(), unknown: 0, lastNs: fromNs, newest: NONE }));
    const added = this.request.view().subarray(first);
    if (added.length === 0) own.unknown++;
    for (const request of added) own.requests.add(request);
    own.lastNs = fromNs;
    const newest = added.findIndex((_, at) => this.isInside.values[first + at] === 0);
    if (added.length > 0 && newest === NONE) return;
    if (own.newest !== NONE) this.ownToNs.values[own.newest] = fromNs;
    own.newest = newest === NONE ? NONE : first + newest;
  }

  private add(request: number, parent: number, taken: Taken): void {
    const { tid, fromNs, toNs, by, pop, batch } = taken;
    const open = this.openOf(tid, fromNs);
    const isAround = ({ part, toNs }: OpenWork) =>
      part !== NONE && toNs > fromNs && this.request.values[part] === request;
    this.isInside.push(open.some(isAround) ? 1 : 0);
    open.push({ part: this.tid.length, pop, batch, toNs });
    this.request.push(request);
    this.parent.push(parent);
    this.tid.push(tid);
    this.fromNs.push(fromNs);
    this.ownToNs.push(fromNs);
    this.toNs.push(toNs);
    this.by.push(by);
    this.pop.push(pop);
    this.batch.push(batch);
  }

  private openOf(tid: Tid, timeNs: Nanoseconds): OpenWork[] {
    let open = this.open.get(tid);
    if (open === undefined) this.open.set(tid, (open = []));
    while ((open.at(-1)?.toNs ?? Number.POSITIVE_INFINITY) <= timeNs) open.pop();
    return open;
  }
}
