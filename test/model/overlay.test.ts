/**
 * Sums of call trees, compared with a builder that adds node by node in any order.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallTree, CallTreeBuilder, NODE_COLUMNS, ROOT } from '../../src/model/calls/call-tree.js';
import { overlayTrees, type Shape, TreeSum } from '../../src/model/calls/overlay.js';
import { isOrdered, nodeOrder, orderedTree, sortedTree } from '../../src/model/calls/tree-view.js';
import { callTrees, chainOf, SYMBOLS } from '../helpers/random/random-trees.js';

/** By symbol; the order of siblings. */
const ranks = fc
  .shuffledSubarray([...Array(SYMBOLS).keys()], { minLength: SYMBOLS })
  .map((own) => Int32Array.from(own));
const treeLists = fc.array(callTrees, { maxLength: 7 });

/** The numbers of each node, by path. */
function numbersByPath(tree: CallTree): Map<string, number[]> {
  return new Map(
    [...tree.symbol.keys()].map((node) => [pathOf(tree, node), NODE_COLUMNS.map((name) => tree[name][node] as number)]),
  );
}

function pathOf(shape: Shape, node: number): string {
  return chainOf(shape, node).reverse().join(' ');
}

/** The paths in the order of the tree, each as the ranks from the root on. */
function rankedPaths(tree: Shape, rank: Int32Array): number[][] {
  return [...tree.symbol.keys()].map((node) =>
    chainOf(tree, node)
      .reverse()
      .map((symbol) => rank[symbol] as number),
  );
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, depth) => rank !== b[depth]);
  return at === -1 ? a.length - b.length : (a[at] as number) - (b[at] ?? -1);
}

test('orders a tree without changing a number', () => {
  fc.assert(
    fc.property(callTrees, ranks, (tree, rank) => {
      const ordered = orderedTree(tree, rank);
      expect(numbersByPath(ordered)).toEqual(numbersByPath(tree));
      const paths = rankedPaths(ordered, rank);
      expect(paths).toEqual(paths.toSorted(comparePaths));
      expect(orderedTree(ordered, rank)).toBe(ordered); // and knows that it is
    }),
    { numRuns: 300 },
  );
});

test('orders siblings by ranks of any size, equal ones by number', () => {
  const rank = fc.oneof(fc.nat(3), fc.nat(70_000), fc.nat(2 ** 31 - 1));
  fc.assert(
    fc.property(fc.array(rank, { maxLength: 40 }), (ranks) => {
      const rows = [...ranks.keys()].sort((a, b) => (ranks[a] as number) - (ranks[b] as number));
      const parent = Int32Array.from([-1, ...ranks], (_, node) => (node === ROOT ? -1 : ROOT));
      const order = nodeOrder({ length: parent.length, parent }, Int32Array.from([0, ...ranks]));
      expect([...order]).toEqual([ROOT, ...rows.map((row) => row + 1)]);
    }),
  );
});

test('orders trees, and says where each node is now', () => {
  fc.assert(
    fc.property(treeLists, ranks, (trees, rank) => {
      for (const tree of trees) {
        const { parent, symbol } = structuredClone(tree);
        const { tree: ordered, newId } = sortedTree(tree, rank);
        expect(isOrdered(ordered, rank)).toBe(true);
        const nodes = Array.from(newId);
        expect(nodes.map((to) => ordered.selfNs[to])).toEqual([...tree.selfNs]);
        expect(nodes.map((to) => ordered.symbol[to])).toEqual([...symbol]);
        expect(nodes.slice(1).map((to) => ordered.parent[to])).toEqual([...parent.slice(1)].map((from) => nodes[from]));
        expect([tree.parent, tree.symbol]).toEqual([parent, symbol]); // its paths may still be needed
      }
    }),
    { numRuns: 300 },
  );
});

test('overlays trees: each path once, in order, and each node on its own path', () => {
  fc.assert(
    fc.property(treeLists, ranks, (trees, rank) => {
      const ordered = trees.map((tree) => orderedTree(tree, rank));
      const { shape, nodes } = overlayTrees(ordered, rank);
      const paths = ordered.flatMap((tree) => [...tree.symbol.keys()].map((node) => pathOf(tree, node)));
      expect([...shape.symbol.keys()].map((node) => pathOf(shape, node)).sort()).toEqual(
        [...new Set(['', ...paths])].sort(),
      );
      const ranked = rankedPaths(shape, rank);
      expect(ranked).toEqual(ranked.toSorted(comparePaths));
      expect(nodes.map((own) => [...own].map((node) => pathOf(shape, node)))).toEqual(
        ordered.map((tree) => [...tree.symbol.keys()].map((node) => pathOf(tree, node))),
      );
    }),
    { numRuns: 300 },
  );
});

test('adds up trees like a builder that adds node by node, in whatever portions', () => {
  fc.assert(
    fc.property(treeLists, ranks, fc.constantFrom(1, 30, 1e6), (trees, rank, portion) => {
      const sum = new TreeSum(rank, portion);
      const builder = new CallTreeBuilder();
      for (const tree of trees) {
        sum.add(orderedTree(tree, rank));
        builder.merge(tree, ROOT, (symbol) => symbol);
      }
      const built = sum.build();
      expect(numbersByPath(built)).toEqual(numbersByPath(builder.build()));
      expect(orderedTree(built, rank)).toBe(built);
    }),
    { numRuns: 300 },
  );
});
