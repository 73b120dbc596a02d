/**
 * The calls that are requests: calls of the root functions that are not inside another one.
 */
import type { Spans } from '../../analysis/log/spans.js';
import { type FunctionSet, isInSet } from '../../analysis/questions.js';
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
    const rows = [...spans].flatMap(([tid, own]) => {
      const isRoot = rootRows(own, (node) => isInSet(functions, paths.symbol[node]));
      return Array.from(isRoot, (row) => ({ tid, own, row }));
    });
    rows.sort((a, b) => a.own.startNs[a.row] - b.own.startNs[b.row] || a.tid - b.tid);
    this.length = rows.length;
    this.tid = Int32Array.from(rows, ({ tid }) => tid);
    this.fromNs = Float64Array.from(rows, ({ own, row }) => own.startNs[row]);
    this.toNs = Float64Array.from(rows, ({ own, row }) => own.endNs[row]);
    this.durationNs = Float64Array.from(rows, ({ own, row }) =>
      isComplete(own.ending[row]) ? own.endNs[row] - own.startNs[row] : Number.NaN,
    );
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
