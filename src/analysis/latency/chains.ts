/**
 * Lists the call paths that lead to the calls of a function.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { childrenOf, viewOf } from '../../model/calls/tree-view.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { compareSymbols } from '../../model/symbol-table.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../model/units.js';
import { type DurationRange, durationRange } from '../tree/duration-stats.js';

/** A call path to the function, and the calls made on it. */
export interface ChainRow extends DurationRange {
  readonly path: readonly SymbolId[]; // outermost first; the last one is the function
  readonly calls: number;
  readonly inferred: number;
  readonly unwound: number;
  /** Of complete calls; if there is none, of the seen parts of inferred calls. */
  readonly totalNs: Nanoseconds;
}

export interface Chains {
  /** Most time first. */
  readonly chains: readonly ChainRow[];
  /** How many paths were left out, those with least time: all paths together would be too long. */
  readonly chainsLeftOut: number;
}

/** Recursion of depth n has n paths of n/2 frames on average: all of them would not fit into memory. */
const MAX_CHAIN_FRAMES = 1_000_000;

/**
 * Most time first. Paths beyond `MAX_CHAIN_FRAMES` frames in total are left out, so deep recursion stays readable.
 * `isOfParts`: there is no complete call.
 */
export function chainsOf(paths: CallTree, isOfParts: boolean, symbols: SymbolTable): Chains {
  const { depth } = viewOf(paths);
  const rank = ranksByName(paths, symbols);
  const nodes = Array.from(paths.calls.keys()).filter((node) => paths.calls[node] > 0);
  const { calls } = paths;
  const totalNs = paths.selfNs.map((ns, node) => (isOfParts ? ns : ns - paths.inferredNs[node]));
  nodes.sort((a, b) => totalNs[b] - totalNs[a] || calls[b] - calls[a] || rank[a] - rank[b]);
  let frames = 0;
  const shown = nodes.filter((node, row) => (frames += depth[node]) <= MAX_CHAIN_FRAMES || row === 0);
  return {
    chains: shown.map((node) => chainRow(paths, node, totalNs[node])),
    chainsLeftOut: nodes.length - shown.length,
  };
}

function chainRow(paths: CallTree, node: NodeId, totalNs: Nanoseconds): ChainRow {
  const path: SymbolId[] = [];
  for (let at = node; at !== ROOT; at = paths.parent[at]) path.push(paths.symbol[at]);
  const counted = { calls: paths.calls[node], inferred: paths.inferredCalls[node] };
  const took = { completeNs: paths.completeNs[node], minNs: paths.minNs[node], maxNs: paths.maxNs[node] };
  const range = durationRange({ ...counted, ...took, longestCutNs: paths.longestCutNs[node] });
  return { path: path.reverse(), ...counted, unwound: paths.unwoundCalls[node], totalNs, ...range };
}

/** Ranks the paths of all nodes by the names in them. */
function ranksByName(tree: CallTree, symbols: SymbolTable): Int32Array {
  const view = viewOf(tree);
  const ranks = new Int32Array(tree.length);
  const open: NodeId[] = [ROOT];
  let rank = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    ranks[node] = rank++;
    const children = childrenOf(view, node);
    children.sort((a, b) => compareSymbols(symbols, tree.symbol[b], tree.symbol[a]));
    for (const child of children) open.push(child);
  }
  return ranks;
}
