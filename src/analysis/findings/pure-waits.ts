/**
 * Finds the call paths of a tree that did nothing but wait, and takes them out.
 */
import { type CallTree, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import { SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { isStop, timeSums } from '../tree/outside.js';
import { PURE_OFF_CPU, PURE_RUNNING, PURE_STOPS, PURE_TIME } from './thresholds.js';

export interface PureWait {
  /** The highest node of the call path, a function; it and all below it are the pure wait. */
  readonly node: NodeId;
  readonly ns: Nanoseconds;
}

export interface PureWaits {
  /** The most time first. */
  readonly waits: readonly PureWait[];
  readonly ns: Nanoseconds;
}

export const NO_PURE_WAITS: PureWaits = { waits: [], ns: 0 };

/** Returns the pure waits of a tree (see `PURE_STOPS`). `hasSwitches`: the trace records when threads lost their CPU. */
export function pureWaitsOf(tree: CallTree, hasSwitches: boolean): PureWaits {
  const { length, parent, symbol } = tree;
  const { totalNs, outsideNs, offCpuNs, lostNs } = timeSums(tree);
  const maxRunningNs = PURE_RUNNING * (totalNs[ROOT] - outsideNs[ROOT]);
  const minNs = Math.max(Number.MIN_VALUE, PURE_TIME * totalNs[ROOT]);
  const isPure = (node: NodeId) => {
    const stopsNs = outsideNs[node] - lostNs[node];
    return (
      totalNs[node] >= minNs &&
      stopsNs >= PURE_STOPS * totalNs[node] &&
      totalNs[node] - outsideNs[node] <= maxRunningNs &&
      (!hasSwitches || offCpuNs[node] >= PURE_OFF_CPU * stopsNs) &&
      !isStop(symbol[node]) // preempted code ran
    );
  };
  const isInside = new Uint8Array(length);
  const waits: PureWait[] = [];
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    isInside[node] = isInside[parent[node]];
    if (isInside[node] || !isPure(node)) continue;
    isInside[node] = 1;
    waits.push({ node, ns: totalNs[node] });
  }
  waits.sort((a, b) => b.ns - a.ns || a.node - b.node);
  return { waits, ns: waits.reduce((sum, { ns }) => sum + ns, 0) };
}

/** Returns the tree without its pure waits. */
export function withoutPureWaits(tree: CallTree, { waits }: PureWaits): CallTree {
  if (waits.length === 0) return tree;
  const isOut = new Uint8Array(tree.length);
  for (const { node } of waits) isOut[node] = 1;
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) if (isOut[tree.parent[node]]) isOut[node] = 1;
  const nodes = Int32Array.from(isOut, (_, node) => node);
  return selectNodes(
    tree,
    nodes.filter((node) => isOut[node] === 0),
  );
}

/**
 * Returns the node that names a pure wait: the next one of a function with a symbol, along the most time; if there is none, a
 * caller; else the node itself.
 */
export function namingNode(tree: CallTree, { kind }: Pick<SymbolTable, 'kind'>, { node: top }: PureWait): NodeId {
  const { length, parent, symbol } = tree;
  const isNamed = (node: NodeId) => {
    const own = kind[symbol[node]];
    return own === SymbolKind.Function || own === SymbolKind.Inlined;
  };
  const { totalNs } = timeSums(tree);
  const heaviest = new Int32Array(length).fill(NONE);
  for (let node = length - 1; node > ROOT; node--) {
    const before = heaviest[parent[node]];
    if (before === NONE || totalNs[node] >= totalNs[before]) heaviest[parent[node]] = node;
  }
  for (let node = top; node !== NONE; node = heaviest[node]) if (isNamed(node)) return node;
  for (let node = parent[top]; node !== ROOT; node = parent[node]) if (isNamed(node)) return node;
  return top;
}

/** Some call paths by their functions from the root on; null: one of them ends here. */
export interface CallPaths {
  readonly below: ReadonlyMap<SymbolId, CallPaths | null>;
}

/** Returns the call paths of pure waits, none of which leads to another. */
export function pathsOf({ parent, symbol }: CallTree, { waits }: PureWaits): CallPaths {
  const root = new Map<SymbolId, CallPaths | null>();
  for (const { node } of waits) {
    const path: SymbolId[] = [];
    for (let at = parent[node]; at !== ROOT; at = parent[at]) path.push(symbol[at]);
    let below = root;
    for (const own of path.reverse()) {
      const next = below.get(own)?.below ?? new Map<SymbolId, CallPaths | null>();
      below.set(own, { below: next });
      below = next as typeof root;
    }
    below.set(symbol[node], null);
  }
  return { below: root };
}

/** Whether a path is one of these, or leads on from one. */
export function isOnPaths(paths: CallPaths, path: readonly SymbolId[]): boolean {
  let at: CallPaths | null | undefined = paths;
  for (const symbol of path) {
    at = at.below.get(symbol);
    if (at == null) return at === null;
  }
  return false;
}
