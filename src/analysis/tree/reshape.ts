/**
 * Changes the shape of a call tree. The time of all nodes that remain is kept.
 */
import { type CallTree, CallTreeBuilder, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import type { Profile } from '../../model/profile/profile.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { type FunctionSet, isDirectRecursion, isInSet } from '../questions.js';

/** Merges a function that calls itself directly into one frame; its calls are those from other functions. */
export function foldRecursion(tree: CallTree): CallTree {
  return rebuilt(tree, (node) => (isDirectRecursion(tree, node) ? NONE : tree.symbol[node]));
}

/**
 * Draws frames as others, and merges each run of frames that are drawn as one; its calls are those from outside the run.
 * `drawnAs`: by symbol, itself for what stays as it is.
 */
export function mergeRuns(tree: CallTree, drawnAs: Int32Array): CallTree {
  return rebuilt(tree, (node) => (isRun(tree, node, drawnAs) ? NONE : drawnAs[tree.symbol[node]]));
}

/** Gives what these functions take and call to their callers; without a caller, they stay. */
export function giveToCallers(tree: CallTree, functions: FunctionSet): CallTree {
  return rebuilt(tree, (node, caller) => {
    return caller !== ROOT && isInSet(functions, tree.symbol[node]) ? NONE : tree.symbol[node];
  });
}

/** `symbolOf`: of the frame that a node becomes above its caller; NONE: it becomes part of that, and its calls do not count. */
function rebuilt(tree: CallTree, symbolOf: (node: NodeId, caller: NodeId) => SymbolId): CallTree {
  const builder = new CallTreeBuilder();
  const newNode = new Int32Array(tree.length);
  builder.addTime(ROOT, tree, ROOT);
  builder.addCalls(ROOT, tree, ROOT);
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) {
    const caller = newNode[tree.parent[node]];
    const symbol = symbolOf(node, caller);
    newNode[node] = symbol === NONE ? caller : builder.child(caller, symbol);
    builder.addTime(newNode[node], tree, node);
    if (symbol !== NONE) builder.addCalls(newNode[node], tree, node);
  }
  return builder.build();
}

/** Whether a frame continues what its caller is drawn as. */
export function isRun(
  { parent, symbol }: Pick<CallTree, 'parent' | 'symbol'>,
  node: NodeId,
  drawnAs: Int32Array,
): boolean {
  const [own, caller] = [symbol[node], symbol[parent[node]]];
  return caller !== NONE && drawnAs[own] === drawnAs[caller] && drawnAs[own] !== own;
}

/** Keeps what is inside these functions; the outermost of them become the roots. */
export function reroot(tree: CallTree, roots: FunctionSet): CallTree {
  const builder = new CallTreeBuilder();
  const newNode = new Int32Array(tree.length).fill(NONE);
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) {
    const below = newNode[tree.parent[node]];
    if (below === NONE && !isInSet(roots, tree.symbol[node])) continue;
    newNode[node] = builder.child(below === NONE ? ROOT : below, tree.symbol[node]);
    builder.addTime(newNode[node], tree, node);
    builder.addCalls(newNode[node], tree, node);
  }
  return builder.build();
}

/** Removes these functions and everything below them. */
export function excludeFunctions(tree: CallTree, functions: FunctionSet): CallTree {
  const isOut = new Uint8Array(tree.length);
  for (let node: NodeId = ROOT + 1; node < tree.length; node++)
    isOut[node] = isOut[tree.parent[node]] || isInSet(functions, tree.symbol[node]) ? 1 : 0;
  const nodes = Int32Array.from(isOut, (_, node) => node);
  return selectNodes(
    tree,
    nodes.filter((node) => !isOut[node]),
  );
}

/** Sums up the call trees of all threads. */
export function treeOfAllThreads({ together, threads }: Pick<Profile, 'together' | 'threads'>): CallTree {
  if (together !== null) return together;
  const builder = new CallTreeBuilder();
  for (const { tree } of threads) builder.merge(tree);
  return builder.build();
}
