/**
 * Adds up where the time of requests goes: by thread, function, and why it waited.
 */
import type { TimeRows } from '../../../analysis/log/time-rows.js';
import { isOffCpu, isStop } from '../../../analysis/tree/outside.js';
import type { Shape } from '../../../model/calls/overlay.js';
import { NONE } from '../../../model/units.js';
import { Reason } from '../../../waits/reasons/reason.js';
import type { Places } from '../../waits/places.js';
import type { RequestThreadTime, RequestTime } from '../found-requests.js';

/** Keys of intervals: of typical or of slow requests, plus their own thread or others. */
export const TimeKey = { Typical: 0, Slowest: 2, Own: 0, Other: 1 } as const;
const KEYS = 4;

/** The key of time that `sharedBy` requests share: each gets an equal part, so that the time is counted once. */
export function sharedKey(key: number, sharedBy: number): number {
  return key + KEYS * (sharedBy - 1);
}

type Summed<Row> = { -readonly [Field in keyof Row]: Row[Field] };
type Sums = Pick<RequestTime, 'isOwn' | 'typicalNs' | 'slowestNs'>;

/** The call paths of a host's threads. */
export interface HostPaths {
  readonly host: number;
  readonly paths: Shape;
  readonly places: Places;
}

export class RequestTimes {
  private readonly byPlace = new Map<string, Summed<RequestTime>>();
  private readonly byThread = new Map<string, Summed<RequestThreadTime>>();

  /** Adds the time of a thread. `comm`: its name. */
  add(of: HostPaths, comm: string | null, { key, node, ns }: TimeRows): void {
    const names = new Set<Summed<RequestThreadTime>>();
    for (let row = 0; row < key.length; row++) {
      const isOwn = key[row] % 2 === TimeKey.Own;
      const ownNs = ns[row] / (Math.floor(key[row] / KEYS) + 1);
      const thread = this.threadRow(of.host, isOwn, comm);
      names.add(thread);
      for (const sum of [this.placeRow(of, isOwn, node[row]), thread]) {
        if (key[row] % KEYS < TimeKey.Slowest) sum.typicalNs += ownNs;
        else sum.slowestNs += ownNs;
      }
    }
    for (const thread of names) thread.threads++;
  }

  /** Averages per request, the longest first. `typical`, `slowest`: how many requests these are. */
  where(typical: number, slowest: number): RequestTime[] {
    return averages(this.byPlace, typical, slowest);
  }

  threads(typical: number, slowest: number): RequestThreadTime[] {
    return averages(this.byThread, typical, slowest);
  }

  private placeRow({ host, paths, places }: HostPaths, isOwn: boolean, node: number): Summed<RequestTime> {
    const own = paths.symbol[node];
    const stop = isStop(own) ? own : NONE;
    const reason = stop !== NONE && isOffCpu(stop) ? (places.reason[node] as Reason) : Reason.Unknown;
    const place = { symbol: places.symbol[node], call: places.call[node] };
    return rowOf(this.byPlace, `${host} ${isOwn} ${place.symbol} ${place.call} ${stop} ${reason}`, () => {
      return { host, isOwn, place, stop, reason, typicalNs: 0, slowestNs: 0 };
    });
  }

  private threadRow(host: number, isOwn: boolean, comm: string | null): Summed<RequestThreadTime> {
    return rowOf(this.byThread, `${host} ${isOwn} ${comm}`, () => {
      return { host, isOwn, comm, threads: 0, typicalNs: 0, slowestNs: 0 };
    });
  }
}

function rowOf<Row>(rows: Map<string, Row>, key: string, create: () => Row): Row {
  let row = rows.get(key);
  if (row === undefined) rows.set(key, (row = create()));
  return row;
}

function averages<Row extends Sums>(sums: ReadonlyMap<string, Row>, typical: number, slowest: number): Row[] {
  const rows = [...sums].map(([key, row]) => {
    return { key, row: { ...row, typicalNs: row.typicalNs / typical, slowestNs: row.slowestNs / slowest } };
  });
  const longestNs = ({ row }: (typeof rows)[number]) => Math.max(row.typicalNs, row.slowestNs);
  return rows.sort((a, b) => longestNs(b) - longestNs(a) || (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}
