/**
 * Compares the tree of callers with a slow reference that follows each chain on its own.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bottomUp, callersOfFunction, callersTree } from '../../../src/analysis/tree/callers.js';
import { functionsOf } from '../../../src/analysis/tree/functions.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { totalTimes } from '../../../src/model/calls/tree-view.js';
import { callTrees, chainOf, SYMBOLS, sum } from '../../helpers/random/random-trees.js';

/** By path from the root, as text. */
type Rows = Record<string, number>;

const minWeights = fc.constantFrom(0, 1, 4, 11, 1000, 5000);
const symbols = fc.integer({ min: 0, max: SYMBOLS - 1 });
const weighedTrees = callTrees.chain((tree) =>
  fc.tuple(fc.constant(tree), fc.array(fc.nat(9), { minLength: tree.length, maxLength: tree.length })),
);

/** A caller gets its own row if the chains through it weigh `min` or more, and not 0; a function, if not 0. */
function referenceCallers(
  tree: CallTree,
  weights: Float64Array,
  min: number,
): { readonly ns: Rows; readonly calls: Rows } {
  const chains = Array.from({ length: tree.length - 1 }, (_, at) => chainOf(tree, at + 1));
  const weightThrough = (path: readonly number[]) =>
    sum(chains.map((chain, at) => (path.every((symbol, step) => chain[step] === symbol) ? (weights[at + 1] ?? 0) : 0)));
  const ns: Rows = {};
  const calls: Rows = {};
  chains.forEach((chain, at) => {
    let end = '';
    for (let length = 1; length <= chain.length; length++) {
      const path = chain.slice(0, length);
      if (weightThrough(path) < (length === 1 ? 1 : Math.max(1, min))) break;
      end = path.join(' ');
      calls[end] = (calls[end] ?? 0) + tree.calls[at + 1];
    }
    ns[end] = (ns[end] ?? 0) + weights[at + 1];
  });
  return { ns, calls };
}

/** Nodes with time in them or below. */
function rowsOf(tree: CallTree): { readonly ns: Rows; readonly calls: Rows } {
  const totalNs = totalTimes(tree);
  const paths = Array.from(totalNs.keys()).filter((node) => totalNs[node] > 0);
  const rows = (column: Float64Array, nodes: readonly number[]): Rows =>
    Object.fromEntries(nodes.map((node) => [chainOf(tree, node).reverse().join(' '), column[node]]));
  return { ns: rows(tree.selfNs, paths), calls: rows(tree.calls, paths.filter(Boolean)) };
}

const positive = (rows: Rows) => Object.fromEntries(Object.entries(rows).filter(([, value]) => value > 0));

function outermostTotals(tree: CallTree, symbol: number): Float64Array {
  return totalTimes(tree).map((ns, node) => {
    const [own, ...callers] = chainOf(tree, node);
    return own === symbol && !callers.includes(symbol) ? ns : 0;
  });
}

test('puts time on the same paths as the slow reference, and loses none', () => {
  fc.assert(
    fc.property(callTrees, minWeights, (tree, min) => {
      const found = bottomUp(tree, min);
      expect(positive(rowsOf(found).ns)).toEqual(positive(referenceCallers(tree, tree.selfNs, min).ns));
      expect(sum(found.selfNs)).toBe(sum(tree.selfNs.subarray(1)));
    }),
    { numRuns: 500 },
  );
});

test('works for any weights', () => {
  fc.assert(
    fc.property(weighedTrees, minWeights, ([tree, weights], min) => {
      const weightNs = Float64Array.from(weights);
      const found = callersTree(tree, [...weightNs.keys()].slice(1), weightNs, min);
      expect(positive(rowsOf(found).ns)).toEqual(positive(referenceCallers(tree, weightNs, min).ns));
    }),
  );
});

test('counts the same calls as the slow reference, including those that took no time', () => {
  fc.assert(
    fc.property(callTrees, minWeights, (tree, min) => {
      expect(rowsOf(bottomUp(tree, min)).calls).toEqual(referenceCallers(tree, tree.selfNs, min).calls);
    }),
    { numRuns: 500 },
  );
});

test('has each function below the root with its self time', () => {
  fc.assert(
    fc.property(callTrees, (tree) => {
      const own = functionSums(tree, (node) => tree.selfNs[node]);
      const found = bottomUp(tree, 0);
      const totalNs = totalTimes(found);
      const tops = Array.from(totalNs.keys()).filter((node) => found.parent[node] === 0 && totalNs[node] > 0);
      expect(new Map(tops.map((node) => [found.symbol[node], totalNs[node]]))).toEqual(own);
    }),
  );
});

describe('callers of one function', () => {
  test('share its total time, and recursion counts once', () => {
    fc.assert(
      fc.property(callTrees, symbols, minWeights, (tree, symbol, min) => {
        const found = callersOfFunction(tree, symbol, min);
        const expected = referenceCallers(tree, outermostTotals(tree, symbol), min);
        expect(positive(rowsOf(found).ns)).toEqual(positive(expected.ns));
        const row = functionsOf(tree, null, false).find((each) => each.symbol === symbol);
        if (row) expect(sum(found.selfNs)).toBe(row.totalNs);
      }),
      { numRuns: 500 },
    );
  });

  test('have all calls, including those that took no time', () => {
    fc.assert(
      fc.property(callTrees, symbols, (tree, symbol) => {
        const calls = functionSums(tree, (node) => {
          const [, ...callers] = chainOf(tree, node);
          return callers.includes(symbol) ? 0 : tree.calls[node];
        });
        const found = callersOfFunction(tree, symbol, 0);
        if (found.length > 1) expect(found.calls[1]).toBe(calls.get(symbol) ?? 0);
      }),
      { numRuns: 500 },
    );
  });
});

/** Only functions whose sum is not 0. */
function functionSums(tree: CallTree, value: (node: number) => number): Map<number, number> {
  const sums = new Map<number, number>();
  for (let node = 1; node < tree.length; node++)
    if (value(node) > 0) sums.set(tree.symbol[node], (sums.get(tree.symbol[node]) ?? 0) + value(node));
  return sums;
}
