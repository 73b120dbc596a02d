/**
 * Describes the calls in one part of a request, and for whom it waited.
 */
import { CONTINUES, type SpanTrees } from '../../../analysis/log/span-trees.js';
import { isOffCpu } from '../../../analysis/tree/outside.js';
import type { Shape } from '../../../model/calls/overlay.js';
import { countBelow } from '../../../model/columns.js';
import { isComplete } from '../../../model/profile/quality.js';
import { type Nanoseconds, NONE, type Tid } from '../../../model/units.js';
import type { Reason } from '../../../waits/reasons/reason.js';
import { rowEndingFrom, threadOf } from '../../../waits/schedule/schedule.js';
import type { ThreadDirectory } from '../../waits/thread-directory.js';
import type { RequestSpan, RequestWait } from '../found-requests.js';
import type { PlacedWaits } from '../hosts/host-waits.js';

export class RequestSpans {
  private readonly placed: PlacedWaits;
  private readonly threads: ThreadDirectory;
  private readonly paths: Shape;

  constructor(placed: PlacedWaits, threads: ThreadDirectory, paths: Shape) {
    this.placed = placed;
    this.threads = threads;
    this.paths = paths;
  }

  /**
   * `wanted`: the row of an interval among those that the thread was asked about. `minNs`: shorter calls are left out.
   * `laterNs`: is added to all times.
   */
  of(tid: Tid, trees: SpanTrees, wanted: number, minNs: Nanoseconds, laterNs: Nanoseconds): RequestSpan[] {
    const { interval, parent, node, startNs, endNs, ending } = trees;
    const first = countBelow(interval, wanted);
    const below: number[] = [];
    const depth: number[] = [];
    const selfNs: number[] = [];
    const rows: number[] = [];
    const placeOf = new Map<number, number>([[NONE, NONE]]); // by row: where it is among `rows`
    for (let row = first; row < interval.length && interval[row] === wanted; row++) {
      if (endNs[row] - startNs[row] < minNs) continue;
      const above = placeOf.get(parent[row]) ?? NONE;
      placeOf.set(row, rows.push(row) - 1);
      below.push(above);
      depth.push(above === NONE ? 0 : depth[above] + 1);
      selfNs.push(endNs[row] - startNs[row]);
      if (above !== NONE) selfNs[above] -= endNs[row] - startNs[row];
    }
    return rows.map((row, at) => {
      const symbol = this.paths.symbol[node[row]];
      const wait = isOffCpu(symbol) ? this.waitOf(tid, startNs[row], endNs[row]) : null;
      const times = { startNs: startNs[row] + laterNs, endNs: endNs[row] + laterNs, selfNs: selfNs[at] };
      const isInferred = ending[row] !== CONTINUES && !isComplete(ending[row]);
      return { depth: depth[at], parent: below[at], symbol, ...times, isInferred, wait };
    });
  }

  /** Returns the wait that overlaps an interval most. */
  private waitOf(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): RequestWait | null {
    const { waits } = this.placed;
    const thread = threadOf(waits, tid);
    if (thread === NONE) return null;
    let found = NONE;
    let mostNs = 0;
    for (let wait = rowEndingFrom(waits, thread, fromNs); wait < waits.starts[thread + 1]; wait++) {
      if (waits.outNs[wait] >= toNs) break;
      const ns = Math.min(toNs, waits.inNs[wait]) - Math.max(fromNs, waits.outNs[wait]);
      if (ns > mostNs) [found, mostNs] = [wait, ns];
    }
    return found === NONE ? null : this.describe(found);
  }

  private describe(wait: number): RequestWait {
    const { threads } = this;
    const { waits, facts } = this.placed;
    const waker = waits.waker[wait];
    return {
      reason: facts.reason[wait] as Reason,
      address: facts.addressOf(wait),
      endedBy: facts.endedBy(wait),
      waker: waker === NONE ? null : threads.of(waker),
      wakerPlace: facts.wakerPlaceOf(wait),
      wakeUpNs: waits.isOpen[wait] ? Number.NaN : waits.inNs[wait] - waits.wakeNs[wait],
    };
  }
}
