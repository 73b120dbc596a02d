/**
 * What callgrind files must show, read from the trees alone: calls and wall time between functions, by name.
 */
import type { Profile } from '../../../src/index.js';
import { SpecialSymbol } from '../../../src/model/symbol-table.js';
import { frameNames } from '../../../src/render/frames/frame-table.js';

/** The names of functions: with the file if another file has a function of the same name. */
export function namesOf({ symbols, threads }: Profile): readonly string[] {
  const specials: readonly number[] = Object.values(SpecialSymbol);
  return frameNames(symbols, new Set([...specials, ...threads.flatMap(({ tree }) => [...tree.symbol])]));
}

export interface Edge {
  calls: number;
  /** Of calls while the callee was not on the stack already, with its callees. */
  wallNs: number;
}

/** By caller and callee, each on a line; without the calls of the lowest functions. */
export function edgesOf(profile: Profile): ReadonlyMap<string, Edge> {
  const names = namesOf(profile);
  const edges = new Map<string, Edge>();
  for (const { tree } of profile.threads)
    for (let node = 1; node < tree.length; node++) {
      const above = callersOf(tree.parent, node).map((caller) => names[tree.symbol[caller]] as string);
      // The time of a node is that of each call which leads to it, but of the first call of each function only.
      const path = [names[tree.symbol[node]] as string, ...above];
      path.forEach((callee, at) => {
        const caller = path[at + 1];
        if (caller === undefined) return;
        const key = `${caller}\n${callee}`;
        const edge = edges.get(key) ?? { calls: 0, wallNs: 0 };
        edges.set(key, edge);
        if (at === 0) edge.calls += tree.calls[node];
        if (!path.includes(callee, at + 1)) edge.wallNs += tree.selfNs[node];
      });
    }
  return edges;
}

/** From the caller outwards, without the root. */
function callersOf(parent: Int32Array, node: number): number[] {
  const callers: number[] = [];
  for (let caller = parent[node]; caller > 0; caller = parent[caller]) callers.push(caller);
  return callers;
}
