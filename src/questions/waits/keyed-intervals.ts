/**
 * Collects intervals of threads, each with the key of the row that its time counts for: columns, because locks have
 * millions.
 */
import { float64Column, int32Column } from '../../model/columns.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

export class KeyedIntervals {
  private readonly byThread = new Map<Tid, ReturnType<typeof intervalColumns>>();

  get threads(): number {
    return this.byThread.size;
  }

  /** `count`: how often the interval counts. */
  add(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds, key: number, count = 1): void {
    let own = this.byThread.get(tid);
    if (own === undefined) this.byThread.set(tid, (own = intervalColumns()));
    own.fromNs.push(fromNs);
    own.toNs.push(toNs);
    own.key.push(key);
    own.count.push(count);
  }

  /** Returns what threads are to be asked: what they did in their intervals. */
  questions() {
    return new Map(
      Array.from(this.byThread, ([tid, { fromNs, toNs, key, count }]) => {
        const times = { fromNs: fromNs.view().slice(), toNs: toNs.view().slice() };
        const treesOver = { ...times, key: key.view().slice(), count: count.view().slice() };
        return [tid, { nodesAt: null, treesOver, spans: null, spanTrees: null }] as const;
      }),
    );
  }
}

function intervalColumns() {
  return { fromNs: float64Column(), toNs: float64Column(), key: int32Column(), count: int32Column() };
}
