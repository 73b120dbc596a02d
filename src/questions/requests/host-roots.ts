/**
 * The requests of all hosts, by their beginning on the common clock.
 */

import { float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { type Bounds, UNBOUNDED } from '../../model/units.js';
import type { Hosts } from '../../waits/hosts/host-flows.js';
import type { Roots } from '../../waits/join-requests.js';
import { overlaps } from '../../waits/summary/window.js';
import type { RootCalls } from './root-calls.js';

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

/** `calls`: by host. `window`: on the common clock; only calls that overlap it. */
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
