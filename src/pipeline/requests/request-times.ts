/**
 * Adds up where the time of requests goes: by thread, function, and why it waited.
 */
import type { TimeRows } from '../../analysis/log/time-rows.js';
import { isOffCpu, isStop } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import { NONE } from '../../model/units.js';
import { Reason } from '../../waits/reasons/reason.js';
import { type Places, placesOf } from '../waits/places.js';
import type { RequestThreadTime, RequestTime } from './found-requests.js';

/** Keys of intervals: of typical or of slow requests, plus their own thread or others. */
export const TimeKey = { Typical: 0, Slowest: 2, Own: 0, Other: 1 } as const;

type Summed<Row> = { -readonly [Field in keyof Row]: Row[Field] };
type Sums = Pick<RequestTime, 'isOwn' | 'typicalNs' | 'slowestNs'>;

export class RequestTimes {
  private readonly places: Places;
  private readonly byPlace = new Map<string, Summed<RequestTime>>();
  private readonly byThread = new Map<string, Summed<RequestThreadTime>>();
  private readonly paths: Shape;

  constructor(paths: Shape, symbols: SymbolTable) {
    this.paths = paths;
    this.places = placesOf(paths, symbols);
  }

  /** Adds the time of a thread. `comm`: its name. */
  add(comm: string | null, { key, node, ns }: TimeRows): void {
    const names = new Set<Summed<RequestThreadTime>>();
    for (let row = 0; row < key.length; row++) {
      const isOwn = key[row] % 2 === TimeKey.Own;
      const thread = this.threadRow(isOwn, comm);
      names.add(thread);
      for (const sum of [this.placeRow(isOwn, node[row]), thread]) {
        if (key[row] < TimeKey.Slowest) sum.typicalNs += ns[row];
        else sum.slowestNs += ns[row];
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

  private placeRow(isOwn: boolean, node: number): Summed<RequestTime> {
    const own = this.paths.symbol[node];
    const stop = isStop(own) ? own : NONE;
    const reason = stop !== NONE && isOffCpu(stop) ? (this.places.reason[node] as Reason) : Reason.Unknown;
    const place = { symbol: this.places.symbol[node], call: this.places.call[node] };
    return rowOf(this.byPlace, `${isOwn} ${place.symbol} ${place.call} ${stop} ${reason}`, () => {
      return { isOwn, place, stop, reason, typicalNs: 0, slowestNs: 0 };
    });
  }

  private threadRow(isOwn: boolean, comm: string | null): Summed<RequestThreadTime> {
    return rowOf(this.byThread, `${isOwn} ${comm}`, () => ({ isOwn, comm, threads: 0, typicalNs: 0, slowestNs: 0 }));
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
