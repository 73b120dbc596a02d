/**
 * Collects intervals of threads with a key each, and asks what these threads did in them.
 */
import type { Shape } from '../../model/calls/overlay.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { AskableTrace } from '../../pipeline/ask-threads.js';
import { KeyedIntervals } from '../../questions/waits/keyed-intervals.js';

export interface TimesByKey {
  readonly paths: Shape;
  /** By key: nodes of the paths with their time, the most time first. */
  readonly times: ReadonlyMap<number, readonly NodeTime[]>;
}

export interface NodeTime {
  readonly node: number;
  readonly ns: Nanoseconds;
}

export class AskedIntervals {
  private readonly askable: AskableTrace;
  private readonly tids: ReadonlySet<Tid>;
  private readonly intervals = new KeyedIntervals();

  constructor(askable: AskableTrace) {
    this.askable = askable;
    this.tids = new Set(askable.trace.store.tids);
  }

  /** Threads that were not traced are not asked. */
  add(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds, key: number): void {
    if (toNs > fromNs && this.tids.has(tid)) this.intervals.add(tid, fromNs, toNs, key);
  }

  async ask(): Promise<TimesByKey> {
    const { paths, threads } = await this.askable.ask(this.intervals.questions());
    const times = new Map<number, NodeTime[]>();
    for (const { treesOver } of threads.values())
      treesOver?.key.forEach((key, row) => {
        const time = { node: treesOver.node[row], ns: treesOver.ns[row] };
        const own = times.get(key);
        if (own) own.push(time);
        else times.set(key, [time]);
      });
    for (const own of times.values()) own.sort((a, b) => b.ns - a.ns || a.node - b.node);
    return { paths, times };
  }
}
