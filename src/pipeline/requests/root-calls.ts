/**
 * The calls that are requests: calls of the root functions that are not inside another one.
 */
import type { Spans } from '../../analysis/log/spans.js';
import { type FunctionSet, isInSet } from '../../analysis/questions.js';
import { float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { isComplete } from '../../model/profile/quality.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { Roots } from '../../waits/requests/join-requests.js';
import type { CallsOfWaits } from '../waits/ask-waits.js';

export class RootCalls implements Roots {
  readonly length: number;
  readonly tid: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** NaN: its start or its end was not seen. */
  readonly durationNs: Float64Array;
  private readonly rowsOfThread = new Map<Tid, number[]>();

  /** `spans`: may have calls of other functions, too. */
  constructor({ spans, paths }: Pick<CallsOfWaits, 'spans' | 'paths'>, functions: FunctionSet) {
    const [tids, fromNs, toNs, durationNs] = [int32Column(), float64Column(), float64Column(), float64Column()];
    for (const [tid, own] of spans)
      for (const row of rootRows(own, (node) => isInSet(functions, paths.symbol[node]))) {
        tids.push(tid);
        fromNs.push(own.startNs[row]);
        toNs.push(own.endNs[row]);
        durationNs.push(isComplete(own.ending[row]) ? own.endNs[row] - own.startNs[row] : Number.NaN);
      }
    const byStart = rowNumbers(tids.length).sort(
      (a, b) => fromNs.values[a] - fromNs.values[b] || tids.values[a] - tids.values[b] || a - b,
    );
    this.length = byStart.length;
    this.tid = valuesOf(tids.view(), byStart);
    this.fromNs = valuesOf(fromNs.view(), byStart);
    this.toNs = valuesOf(toNs.view(), byStart);
    this.durationNs = valuesOf(durationNs.view(), byStart);
    this.tid.forEach((tid, row) => {
      const own = this.rowsOfThread.get(tid);
      if (own) own.push(row);
      else this.rowsOfThread.set(tid, [row]);
    });
  }

  get threads(): ReadonlySet<Tid> {
    return new Set(this.rowsOfThread.keys());
  }

  /** Whether a thread is in a request at a time. */
  isWithin(tid: Tid, ns: Nanoseconds): boolean {
    const rows = this.rowsOfThread.get(tid) ?? [];
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.fromNs[rows[middle]] <= ns) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.toNs[rows[low - 1]] > ns;
  }
}

/** Calls within others are part of these. */
function rootRows({ node, outer }: Spans, isRoot: (node: number) => boolean): Int32Array {
  const around = new Int32Array(outer.length).fill(NONE); // the outermost root call that each is inside of, or is
  return Int32Array.from(outer.keys()).filter((row) => {
    const outside = outer[row] === NONE ? NONE : around[outer[row]];
    const isOutermost = outside === NONE && isRoot(node[row]);
    around[row] = isOutermost ? row : outside;
    return isOutermost;
  });
}
