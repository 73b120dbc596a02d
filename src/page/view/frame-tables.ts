/**
 * Builds frame tables from trees: ordered siblings, with names, families and weights.
 */

import { functionSet } from '../../analysis/questions.js';
import { bottomUp, callersOfFunction } from '../../analysis/tree/callers.js';
import { type Metric, ownWeights } from '../../analysis/tree/outside.js';
import { reroot } from '../../analysis/tree/reshape.js';
import { type CallTree, nodeColumns, ROOT, selectNodes, usedNodes } from '../../model/calls/call-tree.js';
import { overlayTrees, sumsOf } from '../../model/calls/overlay.js';
import { inPreOrder, orderedTree, totalTimes } from '../../model/calls/tree-view.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { symbolRanks } from '../../model/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { diffPaths, widthsOf } from '../../render/diff/paths.js';
import type { FoundFrames } from '../../render/find-frames.js';
import { classOf, type Family, familyOf } from '../../render/frames/colours.js';
import { type FrameTable, frameNames, frameTable, subtreeSums } from '../../render/frames/frame-table.js';
import { type Libraries, librariesOf } from '../../render/frames/libraries.js';
import type { ComparedTable, Sides } from './comparison.js';
import { shownNames } from './shown-names.js';
import type { Order, State } from './state.js';

/** Callers with a smaller share are not split further: they would be invisible. */
const MIN_SHARE = 1 / 20_000;

interface Look extends Pick<State, 'isInverted' | 'order'> {
  readonly width: Metric;
}

export class FrameTables {
  /** Names by symbol, as the page shows them; families are by symbol, too. */
  readonly names: readonly string[];
  /** Names in frames: with the file if another file has a function of the same name. */
  readonly frameNames: readonly string[];
  /** Symbols with other names in files. */
  readonly renamed: readonly SymbolId[];
  readonly families: readonly Family[];
  readonly libraries: Libraries;
  private readonly rank: Int32Array;
  /** Cache by tree: only `weight`, `self` and `total` depend on the width. */
  private readonly known = new WeakMap<CallTree, FrameTable>();

  constructor(
    symbols: SymbolTable,
    private readonly hasSwitches: boolean,
  ) {
    const shown = shownNames(symbols);
    this.names = shown.names;
    this.renamed = shown.renamed;
    const frames = [...frameNames(symbols)];
    for (const symbol of shown.renamed) frames[symbol] = shown.names[symbol] as string;
    this.frameNames = frames;
    this.families = symbols.name.map((_, symbol) => familyOf(symbol, symbols));
    this.libraries = librariesOf(symbols);
    this.rank = symbolRanks(symbols);
  }

  /** Returns the CSS class of a function, by its library. */
  classOf(symbol: SymbolId): string {
    const { files, of } = this.libraries;
    const library = files.length === 0 ? null : (of[symbol] as number);
    return classOf(this.families[symbol] as Family, this.frameNames[symbol] as string, library);
  }

  /** Returns the same tree with siblings by name. */
  byName(tree: CallTree): CallTree {
    const { rank } = this;
    return inPreOrder(tree, (a, b) => rank[tree.symbol[a]] - rank[tree.symbol[b]]);
  }

  /** Returns the table of a tree whose siblings are ordered by name. `isInverted`: from leaves, by weight. */
  ofWidth(tree: CallTree, { width, isInverted, order }: Look): FrameTable {
    const own = ownWeights(tree, width, this.hasSwitches);
    const weight = width === 'calls' ? 'calls' : 'ns';
    if (isInverted) return this.ofLeaves({ ...tree, selfNs: own }, weight);
    if (order === 'name') return this.table(tree, own, weight);
    const ordered = this.bySize(tree, own);
    return this.table(ordered, ownWeights(ordered, width, this.hasSwitches), weight);
  }

  /** Returns both sides of a comparison on the call paths of both, likewise; heaviest first are those drawn widest. */
  ofSides(
    { before, after }: { readonly before: CallTree; readonly after: CallTree },
    sides: Sides,
    look: Look & Pick<State, 'widthOf'>,
  ): ComparedTable {
    const { width, isInverted } = look;
    const trees = isInverted ? this.inverted(before, after, width) : ([before, after] as const);
    const hasNoise = width === 'wall' && !isInverted;
    const shared = this.overlaid(...trees);
    if (look.order === 'name' && !isInverted) return this.compared(shared, sides, look, hasNoise);
    const { table } = this.compared(shared, sides, look, hasNoise);
    const ordered = shared.map((tree) => this.bySize(tree, table.self)) as [CallTree, CallTree];
    return this.compared(ordered, sides, look, hasNoise);
  }

  private inverted(before: CallTree, after: CallTree, width: Metric): [CallTree, CallTree] {
    const weighted = [before, after].map((tree) => ({ ...tree, selfNs: ownWeights(tree, width, this.hasSwitches) }));
    const least = Math.min(...weighted.map(minTotal));
    return weighted.map((tree) => bottomUp(tree, least)) as [CallTree, CallTree];
  }

  /** Returns trees of the same shape, siblings by name. */
  private overlaid(...trees: readonly [CallTree, CallTree]): [CallTree, CallTree] {
    const ordered = trees.map((tree) => orderedTree(tree, this.rank));
    const { shape, nodes } = overlayTrees(ordered, this.rank);
    return ordered.map((tree, at) => sumsOf(shape, [{ ...tree, node: nodes[at] as Int32Array }])) as [
      CallTree,
      CallTree,
    ];
  }

  /** `trees`: of the same shape. */
  private compared(
    [before, after]: readonly [CallTree, CallTree],
    sides: Sides,
    { width, isInverted, widthOf }: Omit<Look, 'order'> & Pick<State, 'widthOf'>,
    hasNoise: boolean,
  ): ComparedTable {
    const ownOf = (tree: CallTree) => (isInverted ? tree.selfNs : ownWeights(tree, width, this.hasSwitches));
    const own = { before: ownOf(before), after: ownOf(after) };
    const weight = width === 'calls' ? 'calls' : 'ns';
    const now = this.table(after, own.after, weight);
    const old = { ...now, tree: before, self: own.before, total: subtreeSums(before, own.before) };
    const paths = diffPaths({
      ...{ parent: after.parent, symbol: after.symbol, names: this.frameNames, omitted: now.omitted },
      ...{ before, after, scales: sides.scales, per: null, sides: sides.names },
      counted: { weight, ...own, hasNoise },
    });
    const widths = widthsOf(paths, widthOf);
    return {
      sides,
      paths,
      before: old,
      after: now,
      table: { ...now, self: widths, total: subtreeSums(after, widths) },
    };
  }

  private ofLeaves(tree: CallTree, weight: 'ns' | 'calls'): FrameTable {
    const inverted = this.bySize(bottomUp(tree, minTotal(tree)));
    return { ...this.table(inverted, inverted.selfNs, weight), isInverted: true };
  }

  /** Returns the table of some call paths with times of their own; null: all are 0. */
  ofTimes({ parent, symbol }: WaitsByPath['paths'], selfNs: Float64Array): FrameTable | null {
    const { length } = selfNs;
    const none = nodeColumns(() => new Float64Array(length));
    const tree = { ...none, length, parent: Int32Array.from(parent), symbol: Int32Array.from(symbol), selfNs };
    const used = usedNodes(tree);
    return used.length === 1 ? null : this.table(this.bySize(selectNodes(tree, used)));
  }

  /** Returns the callers and the callees of a function, each with the function itself below the root. */
  callersAndCallees(
    tree: CallTree,
    symbol: SymbolId,
    order: Order,
  ): { readonly callers: FrameTable; readonly callees: FrameTable } {
    const inside = reroot(tree, functionSet([symbol], this.names.length));
    const callees = order === 'name' ? this.byName(inside) : this.bySize(inside);
    const callers = this.bySize(callersOfFunction(tree, symbol, minTotal(callees)));
    return { callers: this.table(callers), callees: this.table(callees) };
  }

  /** Likewise on both sides of a comparison. */
  comparedCallersAndCallees(
    { before, after }: { readonly before: CallTree; readonly after: CallTree },
    symbol: SymbolId,
    sides: Sides,
  ): { readonly callers: ComparedTable; readonly callees: ComparedTable } {
    const inside = functionSet([symbol], this.names.length);
    const look = { width: 'wall', isInverted: false, order: 'weight', widthOf: 'larger' } as const;
    const both = (of: (tree: CallTree) => CallTree) =>
      this.ofSides({ before: of(before), after: of(after) }, sides, look);
    return {
      callees: both((tree) => reroot(tree, inside)),
      callers: both((tree) => callersOfFunction(tree, symbol, 0)),
    };
  }

  /** Returns the same tree with siblings by weight, the heaviest first, equal ones by name. */
  private bySize(tree: CallTree, own = tree.selfNs): CallTree {
    const { rank } = this;
    const total = totalTimes({ parent: tree.parent, selfNs: own });
    return inPreOrder(tree, (a, b) => total[b] - total[a] || rank[tree.symbol[a]] - rank[tree.symbol[b]]);
  }

  private table(tree: CallTree, own = tree.selfNs, weight: 'ns' | 'calls' = 'ns'): FrameTable {
    const known = this.known.get(tree);
    if (known !== undefined) return { ...known, weight, self: own, total: subtreeSums(tree, own) };
    const { frameNames: names, families, libraries } = this;
    const table = frameTable({ tree, names, families, libraries, omitted: new Float64Array(tree.length), weight }, own);
    this.known.set(tree, table);
    return table;
  }
}

function minTotal(tree: CallTree): number {
  return totalTimes(tree)[ROOT] * MIN_SHARE;
}

/**
 * Finds frames by their path of symbols, which stays valid when the tree changes.
 *
 * Returns the node at the end of a path; null if the path does not exist.
 */
export function nodeAt(table: FrameTable, path: readonly SymbolId[]): NodeId | null {
  const nodes = nodesOn(table, path);
  return nodes.length < path.length ? null : (nodes.at(-1) ?? ROOT);
}

/** Returns the longest prefix of a path that exists. */
export function existingPrefix(table: FrameTable, path: readonly SymbolId[]): readonly SymbolId[] {
  return path.slice(0, nodesOn(table, path).length);
}

/** Returns the nodes of a path, as far as it exists. */
function nodesOn({ tree, firstChild, nextSibling }: FrameTable, path: readonly SymbolId[]): NodeId[] {
  const nodes: NodeId[] = [];
  let node: NodeId = ROOT;
  for (const symbol of path) {
    node = firstChild[node];
    while (node !== NONE && tree.symbol[node] !== symbol) node = nextSibling[node];
    if (node === NONE) break;
    nodes.push(node);
  }
  return nodes;
}

/** Returns the siblings that fill the width; the root without a zoom or if the zoomed path does not exist. */
export function zoomedRange(
  table: FrameTable,
  { zoom, zoomLast }: Pick<State, 'zoom' | 'zoomLast'>,
): { readonly first: NodeId; readonly last: NodeId } {
  const first = nodeAt(table, zoom);
  if (first === null || first === ROOT) return { first: ROOT, last: ROOT };
  const last = zoomLast === null ? first : nodeAt(table, [...zoom.slice(0, -1), zoomLast]);
  return { first, last: last === null || last < first ? first : last };
}

/** Returns the path of symbols to a node. */
export function pathTo({ tree }: FrameTable, node: NodeId): SymbolId[] {
  const path: SymbolId[] = [];
  for (let at = node; at !== ROOT; at = tree.parent[at]) path.push(tree.symbol[at]);
  return path.reverse();
}

/**
 * Restricts a graph to the matches of a search, and steps through them.
 *
 * Returns the table with only the weight of matches and their callees.
 */
export function onlyMatches(table: FrameTable, found: FoundFrames): FrameTable {
  const isInside = insideMatches(table, found);
  const self = table.self.map((own, node) => (isInside[node] ? own : 0));
  return { ...table, self, total: subtreeSums(table.tree, self) };
}

/** Returns 1 for each node that is a match or below one. */
export function insideMatches({ parent }: FrameTable, { isMatch }: FoundFrames): Uint8Array {
  const isInside = new Uint8Array(parent.length);
  for (let node: NodeId = ROOT; node < isInside.length; node++)
    isInside[node] = isMatch[node] || (node !== ROOT && isInside[parent[node]]) ? 1 : 0;
  return isInside;
}

/** Returns the tables with only the weight of matches and their callees. */
export function onlyComparedMatches({ sides, paths, ...tables }: ComparedTable, found: FoundFrames): ComparedTable {
  const [table, before, after] = [tables.table, tables.before, tables.after].map((each) =>
    onlyMatches(each, found),
  ) as [FrameTable, FrameTable, FrameTable];
  const hasNoise = paths.counted?.hasNoise ?? true;
  const counted = { weight: table.weight, before: before.self, after: after.self, hasNoise };
  return { sides, paths: diffPaths({ ...paths, counted }), table, before, after };
}

export interface Match {
  readonly node: NodeId;
  /** Rank by weight; 1 is the largest. */
  readonly rank: number;
}

/**
 * Returns the match after `from` (`by`: 1) or before it (-1), from the largest to the smallest, equal ones in node order, wrapping
 * around; null if there are no matches. `from`: null starts before the first. Does not sort: there may be a million matches.
 */
export function nextMatch(
  { total }: FrameTable,
  { isMatch }: FoundFrames,
  from: NodeId | null,
  by: 1 | -1,
): Match | null {
  const isBefore = (a: NodeId, b: NodeId) => total[a] > total[b] || (total[a] === total[b] && a < b);
  const isNearer = by === 1 ? isBefore : (a: NodeId, b: NodeId) => isBefore(b, a);
  let next: NodeId | null = null;
  let first: NodeId | null = null;
  for (let node: NodeId = ROOT; node < isMatch.length; node++) {
    if (isMatch[node] === 0) continue;
    if (first === null || isNearer(node, first)) first = node;
    if (from !== null && isNearer(from, node) && (next === null || isNearer(node, next))) next = node;
  }
  const found = next ?? first;
  if (found === null) return null;
  let rank = 1;
  for (let node: NodeId = ROOT; node < isMatch.length; node++) if (isMatch[node] && isBefore(node, found)) rank++;
  return { node: found, rank };
}
