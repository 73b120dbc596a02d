/**
 * The parts of requests, and what each thread is working on while they are collected.
 */
import { float64Column, int32Column, uint8Column } from '../model/columns.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { HandOffBy } from './hand-offs.js';

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
export interface Taken {
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

export class PartsBuilder {
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
