/**
 * Joins the parts of requests: a request is a call in one thread, and all work that this call handed to other threads,
 * that these handed on, and so on.
 */
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { NONE } from '../../model/units.js';
import { HandOffBy, type HandOffs } from '../handoffs/hand-offs.js';
import type { Moments } from '../handoffs/moments.js';

/** Calls that begin a request, by time. */
export interface Roots {
  readonly length: number;
  readonly tid: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
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
}

/** `endNs`: by pop, when the taken work was done. */
export function joinRequests(
  roots: Roots,
  pushes: Moments,
  pops: Moments,
  { push, by }: HandOffs,
  endNs: Float64Array,
): Parts {
  const parts = new PartsBuilder();
  const owner = new Int32Array(pushes.length).fill(NONE); // the part that handed it on
  let [root, handedOn] = [0, 0];
  const beginAndHandOn = (untilNs: Nanoseconds) => {
    for (;;) {
      const rootNs = root < roots.length ? roots.fromNs[root] : Number.POSITIVE_INFINITY;
      const pushNs = handedOn < pushes.length ? pushes.timeNs[handedOn] : Number.POSITIVE_INFINITY;
      if (Math.min(rootNs, pushNs) > untilNs || Math.min(rootNs, pushNs) === Number.POSITIVE_INFINITY) return;
      if (rootNs <= pushNs) parts.addRoot(root, roots.tid[root], rootNs, roots.toNs[root++]);
      else owner[handedOn] = parts.at(pushes.tid[handedOn++], pushNs);
    }
  };
  for (let pop = 0; pop < pops.length; pop++) {
    beginAndHandOn(pops.timeNs[pop]);
    const parent = push[pop] === NONE ? NONE : owner[push[pop]];
    parts.addTaken(parent, pop, pops.tid[pop], pops.timeNs[pop], endNs[pop], by[pop]);
  }
  beginAndHandOn(Number.POSITIVE_INFINITY);
  return parts.build();
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

class PartsBuilder {
  private readonly request = int32Column();
  private readonly parent = int32Column();
  private readonly tid = int32Column();
  private readonly fromNs = float64Column();
  private readonly toNs = float64Column();
  private readonly by = uint8Column();
  private readonly pop = int32Column();
  private readonly isInside = uint8Column();
  /** What each thread is doing, innermost last; NONE: work of no request. */
  private readonly open = new Map<Tid, { readonly part: number; readonly toNs: Nanoseconds }[]>();

  addRoot(request: number, tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.add(request, NONE, tid, fromNs, toNs);
    this.noteTaking(HandOffBy.None, NONE, false);
  }

  /** `parent`: NONE for work of no request. */
  addTaken(parent: number, pop: number, tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds, by: number): void {
    if (parent === NONE) {
      this.openOf(tid, fromNs).push({ part: NONE, toNs });
      return;
    }
    const request = this.request.values[parent];
    const around = this.at(tid, fromNs);
    this.add(request, parent, tid, fromNs, toNs);
    this.noteTaking(by, pop, around !== NONE && this.request.values[around] === request);
  }

  /** Returns the part that a thread works on at a time; NONE. */
  at(tid: Tid, timeNs: Nanoseconds): number {
    return this.openOf(tid, timeNs).at(-1)?.part ?? NONE;
  }

  build(): Parts {
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
    };
  }

  private noteTaking(by: number, pop: number, isInside: boolean): void {
    this.by.push(by);
    this.pop.push(pop);
    this.isInside.push(isInside ? 1 : 0);
  }

  private add(request: number, parent: number, tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.openOf(tid, fromNs).push({ part: this.tid.length, toNs });
    this.request.push(request);
    this.parent.push(parent);
    this.tid.push(tid);
    this.fromNs.push(fromNs);
    this.toNs.push(toNs);
  }

  private openOf(tid: Tid, timeNs: Nanoseconds): { readonly part: number; readonly toNs: Nanoseconds }[] {
    let open = this.open.get(tid);
    if (open === undefined) this.open.set(tid, (open = []));
    while ((open.at(-1)?.toNs ?? Number.POSITIVE_INFINITY) < timeNs) open.pop();
    return open;
  }
}
