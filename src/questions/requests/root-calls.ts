/**
 * The calls that are requests: calls of the root functions that are not inside another one.
 */
import type { Spans } from '../../analysis/log/spans.js';
import { type FunctionSet, isInSet } from '../../analysis/questions.js';
import { countAtOrBelow, float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { isComplete } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { Roots } from '../../waits/join-requests.js';
import type { CallsOfTrace } from '../waits/ask-waits.js';

export class RootCalls implements Roots {
  readonly length: number;
  readonly tid: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** NaN: its start or its end was not seen. */
  readonly durationNs: Float64Array;
  readonly symbol: Int32Array;
  private readonly ofThread = new Map<Tid, Pick<Spans, 'startNs' | 'endNs'>>();

  /** `spans`: may have calls of other functions, too. */
  constructor({ spans, paths }: Pick<CallsOfTrace, 'spans' | 'paths'>, functions: FunctionSet) {
    const [tids, symbol] = [int32Column(), int32Column()];
    const [fromNs, toNs, durationNs] = [float64Column(), float64Column(), float64Column()];
    for (const [tid, own] of spans) {
      const rows = rootRows(own, (node) => isInSet(functions, paths.symbol[node]));
      const [startNs, endNs] = [valuesOf(own.startNs, rows), valuesOf(own.endNs, rows)];
      const ending = valuesOf(own.ending, rows);
      this.ofThread.set(tid, { startNs, endNs });
      tids.append(rows.map(() => tid));
      symbol.append(valuesOf(own.node, rows).map((node) => paths.symbol[node]));
      fromNs.append(startNs);
      toNs.append(endNs);
      durationNs.append(endNs.map((ns, row) => (isComplete(ending[row]) ? ns - startNs[row] : Number.NaN)));
    }
    const byStart = rowNumbers(tids.length).sort(
      (a, b) => fromNs.values[a] - fromNs.values[b] || tids.values[a] - tids.values[b] || a - b,
    );
    this.length = byStart.length;
    this.tid = valuesOf(tids.view(), byStart);
    this.fromNs = valuesOf(fromNs.view(), byStart);
    this.toNs = valuesOf(toNs.view(), byStart);
    this.durationNs = valuesOf(durationNs.view(), byStart);
    this.symbol = valuesOf(symbol.view(), byStart);
  }

  /** Whether a thread is in a request at a time. */
  isWithin(tid: Tid, ns: Nanoseconds): boolean {
    const own = this.ofThread.get(tid);
    if (own === undefined) return false;
    const begun = countAtOrBelow(own.startNs, ns);
    return begun > 0 && own.endNs[begun - 1] > ns;
  }
}

/** Calls within others are part of these. */
function rootRows({ node, outer }: Spans, isRoot: (node: number) => boolean): Int32Array {
  const rows = int32Column();
  const isWithin = new Uint8Array(outer.length); // 1: it is a root call, or inside of one
  for (let row = 0; row < outer.length; row++) {
    const isInside = outer[row] !== NONE && isWithin[outer[row]] === 1;
    isWithin[row] = isInside || isRoot(node[row]) ? 1 : 0;
    if (isWithin[row] && !isInside) rows.push(row);
  }
  return rows.view();
}
