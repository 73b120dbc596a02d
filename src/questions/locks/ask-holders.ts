/**
 * Asks what holders of locks did while others waited.
 */
import { isStop } from '../../analysis/tree/outside.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import type { Spot } from '../../waits/locks/found-locks.js';
import type { CallsOfWaits } from '../waits/ask-waits.js';
import type { KeyedIntervals } from '../waits/keyed-intervals.js';
import { type Places, placesOf } from '../waits/places.js';

/** By key of `HoldingSums`; empty if calls are not known. */
export type SpotsOf = (key: number) => readonly Spot[];

export async function askHolders(calls: CallsOfWaits | null, asked: KeyedIntervals): Promise<SpotsOf> {
  if (calls === null || asked.threads === 0) return () => [];
  const { paths, threads } = await calls.askable.ask(asked.questions());
  const folded = new FoldedPaths(paths, placesOf(paths, calls.symbols));
  const times = new Map<number, Map<number, Nanoseconds>>();
  for (const { treesOver } of threads.values())
    treesOver?.key.forEach((key, row) => {
      const own = times.get(key) ?? new Map<number, Nanoseconds>();
      times.set(key, own);
      folded.add(own, treesOver.node[row], treesOver.ns[row]);
    });
  return (key) => folded.spotsOf(times.get(key) ?? new Map());
}

/** Less than this share of the time is not worth a path of its own. */
const MIN_SHARE = 0.1;

/**
 * Call paths that end with the first function of a system library, and with the stop within it, if there is one: what the
 * library did further is no news. A folded path has the number of its last function, or one beyond all nodes if a stop ends it.
 */
export class FoldedPaths {
  private readonly paths: Shape;
  private readonly places: Places;
  /** By node: the last function that is shown. */
  private readonly last: Int32Array;

  constructor(paths: Shape, places: Places) {
    this.paths = paths;
    this.places = places;
    const { parent, symbol } = paths;
    this.last = new Int32Array(paths.length);
    for (let node = 1; node < paths.length; node++) {
      const below = parent[node];
      this.last[node] = isStop(symbol[node]) || places.call[below] !== NONE ? this.last[below] : node;
    }
  }

  /** Adds time to a folded path and to all above it. */
  add(times: Map<number, Nanoseconds>, node: NodeId, ns: Nanoseconds): void {
    const addTo = (path: number) => times.set(path, (times.get(path) ?? 0) + ns);
    const { parent, symbol, length } = this.paths;
    if (isStop(symbol[node])) addTo(length + this.last[node] * STOPS + symbol[node] - SpecialSymbol.Syscall);
    for (let at = this.last[node]; at !== NONE; at = parent[at]) addTo(at);
  }

  /** Returns the paths with a notable share of the time, without that of longer ones; most time first. */
  spotsOf(times: ReadonlyMap<number, Nanoseconds>): Spot[] {
    const minNs = MIN_SHARE * (times.get(ROOT) ?? 0);
    const notable = [...times].filter(([path, ns]) => path !== ROOT && ns >= minNs && ns > 0);
    const own = new Map(notable);
    for (const [path, ns] of notable) own.set(this.above(path), (own.get(this.above(path)) ?? 0) - ns);
    return [...own]
      .filter(([, ns]) => ns >= minNs && ns > 0)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .map(([path, ns]) => ({ path: this.symbolsOf(path), symbol: this.places.symbol[this.functionOf(path)], ns }));
  }

  private above(path: number): number {
    return path < this.paths.length ? this.paths.parent[path] : this.functionOf(path);
  }

  private functionOf(path: number): NodeId {
    const { length } = this.paths;
    return path < length ? path : Math.floor((path - length) / STOPS);
  }

  private symbolsOf(path: number): SymbolId[] {
    const { parent, symbol, length } = this.paths;
    const symbols = path < length ? [] : [SpecialSymbol.Syscall + ((path - length) % STOPS)];
    for (let at = this.functionOf(path); at > ROOT; at = parent[at]) symbols.push(symbol[at]);
    return symbols.reverse();
  }
}

const STOPS = SpecialSymbol.Lost - SpecialSymbol.Syscall + 1;
