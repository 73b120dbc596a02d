/**
 * The requests of all hosts, by their beginning on the common clock.
 */
import type { Hosts } from '../../../waits/hosts/host-flows.js';
import type { Roots } from '../../../waits/requests/join-requests.js';
import type { RootCalls } from '../root-calls.js';

export interface HostRoots extends Roots {
  /** NaN: its start or its end was not seen. */
  readonly durationNs: Float64Array;
  /** The host of each, and when it began and ended on that host's clock. */
  readonly host: Int32Array;
  readonly ownFromNs: Float64Array;
  readonly ownToNs: Float64Array;
}

/** `calls`: by host. */
export function hostRoots(calls: readonly RootCalls[], { clocks, threads }: Hosts): HostRoots {
  const fromNs = calls.map((own, host) => clocks.commonTimes(host, own.fromNs));
  const rows = calls.flatMap(({ length }, host) => Array.from({ length }, (_, row) => ({ host, row })));
  rows.sort((a, b) => fromNs[a.host][a.row] - fromNs[b.host][b.row] || a.host - b.host || a.row - b.row);
  const times = (column: (own: RootCalls) => Float64Array) =>
    Float64Array.from(rows, ({ host, row }) => column(calls[host])[row]);
  const ownToNs = times(({ toNs }) => toNs);
  return {
    length: rows.length,
    tid: Int32Array.from(rows, ({ host, row }) => threads.idOf(host, calls[host].tid[row])),
    fromNs: Float64Array.from(rows, ({ host, row }) => fromNs[host][row]),
    toNs: ownToNs.map((ns, at) => clocks.common(rows[at].host, ns)),
    durationNs: times(({ durationNs }) => durationNs),
    host: Int32Array.from(rows, ({ host }) => host),
    ownFromNs: times((own) => own.fromNs),
    ownToNs,
  };
}
