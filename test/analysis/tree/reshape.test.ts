/**
 * Checks that the parts of a tree, and the parts of its time, add up to the whole.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  METRICS,
  onCpuNs,
  ownWeights,
  recordsSwitches,
  timeSums,
  timeSumsAt,
} from '../../../src/analysis/tree/outside.js';
import { excludeFunctions, foldRecursion, reroot } from '../../../src/analysis/tree/reshape.js';
import { type CallTree, ROOT } from '../../../src/model/calls/call-tree.js';
import { SpecialSymbol } from '../../../src/model/symbol-table.js';
import { callTrees, functionSets, sum } from '../../helpers/random/random-trees.js';

const COLUMNS = ['calls', 'inferredCalls', 'selfNs', 'inferredNs', 'completeNs'] as const;
const sums = (tree: CallTree) => COLUMNS.map((column) => sum(tree[column]));

test('the inside of functions and the rest add up to the tree', () => {
  fc.assert(
    fc.property(callTrees, functionSets, (tree, functions) => {
      const [inside, outside] = [sums(reroot(tree, functions)), sums(excludeFunctions(tree, functions))];
      expect(inside.map((part, at) => part + outside[at])).toEqual(sums(tree));
    }),
  );
});

test('folding recursion loses no time, and leaves no recursion', () => {
  fc.assert(
    fc.property(callTrees, (tree) => {
      const { parent, symbol, selfNs, inferredNs } = foldRecursion(tree);
      expect([sum(selfNs), sum(inferredNs)]).toEqual([sum(tree.selfNs), sum(tree.inferredNs)]);
      for (let node = 1; node < symbol.length; node++) expect(symbol[node]).not.toBe(symbol[parent[node]]);
    }),
  );
});

test('on-CPU, off-CPU and lost time add up to wall time if the trace has switches', () => {
  fc.assert(
    fc.property(callTrees, fc.boolean(), (tree, hasSwitches) => {
      const of = Object.fromEntries(METRICS.map((metric) => [metric, ownWeights(tree, metric, hasSwitches)]));
      for (let node = 0; node < tree.length; node++) {
        const at = (metric: string) => of[metric]?.[node];
        const lost = tree.symbol[node] === SpecialSymbol.Lost ? tree.selfNs[node] : 0;
        expect(at('cpu') + (hasSwitches ? at('off-cpu') + lost : at('outside'))).toBe(at('wall'));
        expect(at('off-cpu')).toBeLessThanOrEqual(at('outside'));
        expect(at('calls')).toBe(tree.calls[node]);
      }
      expect(sum(of['cpu'])).toBe(onCpuNs(timeSumsAt(timeSums(tree), ROOT), hasSwitches));
      expect(recordsSwitches(tree)).toBe([3, 4].some((symbol) => tree.symbol.includes(symbol)));
    }),
  );
});
