/**
 * The calls that are requests: calls of the root functions that are not inside another one.
 */
import type { Spans } from '../../analysis/log/spans.js';
import { type FunctionSet, isInSet } from '../../analysis/questions.js';
import { countAtOrBelow, float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { isComplete } from '../../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type Tid, UNBOUNDED } from '../../model/units.js';
import type { Hosts } from '../../waits/host-flows.js';
import type { Roots } from '../../waits/join-requests.js';
import { overlaps } from '../../waits/summary/window.js';
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

export interface HostRoots extends Roots {
  /** NaN: its start or its end was not seen. */
  readonly durationNs: Float64Array;
  /** The function, as a symbol of its host. */
  readonly symbol: Int32Array;
  /** The host of each, and when it began and ended on that host's clock. */
  readonly host: Int32Array;
  readonly ownFromNs: Float64Array;
  readonly ownToNs: Float64Array;
}

/** Orders the requests of all hosts by their beginning on the common clock. `calls`: by host. `window`: only calls that overlap it. */
export function hostRoots(
  calls: readonly RootCalls[],
  { clocks, threads }: Hosts,
  window: Bounds = UNBOUNDED,
): HostRoots {
  const fromNs = calls.map((own, host) => clocks.commonTimes(host, own.fromNs));
  const toNs = calls.map((own, host) => clocks.commonTimes(host, own.toNs));
  const { host, row } = byTime(fromNs, (own, at) => overlaps(window, fromNs[own][at], toNs[own][at]));
  const times = (columns: readonly Float64Array[]) => Float64Array.from(host, (own, at) => columns[own][row[at]]);
  return {
    length: host.length,
    tid: host.map((own, at) => threads.idOf(own, calls[own].tid[row[at]])),
    fromNs: times(fromNs),
    toNs: times(toNs),
    durationNs: times(calls.map(({ durationNs }) => durationNs)),
    symbol: host.map((own, at) => calls[own].symbol[row[at]]),
    host,
    ownFromNs: times(calls.map((own) => own.fromNs)),
    ownToNs: times(calls.map((own) => own.toNs)),
  };
}

/** Orders the wanted calls of hosts by their beginning. Returns the host of each, and its row there. */
function byTime(
  fromNs: readonly Float64Array[],
  isWanted: (host: number, row: number) => boolean,
): { readonly host: Int32Array; readonly row: Int32Array } {
  const all = float64Column();
  const [host, row] = [int32Column(), int32Column()];
  fromNs.forEach((own, of) => {
    const rows = rowNumbers(own.length).filter((at) => isWanted(of, at));
    all.append(valuesOf(own, rows));
    row.append(rows);
    host.append(new Int32Array(rows.length).fill(of));
  });
  if (fromNs.length === 1) return { host: host.view(), row: row.view() };
  const order = rowNumbers(all.length).sort((a, b) => all.values[a] - all.values[b] || a - b);
  return { host: valuesOf(host.view(), order), row: valuesOf(row.view(), order) };
}
