/**
 * Tests which call paths are pure waits, and that hiding them takes out nothing else.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isOnPaths,
  namingNode,
  pathsOf,
  pureWaitsOf,
  withoutPureWaits,
} from '../../../src/analysis/findings/pure-waits.js';
import { PURE_OFF_CPU, PURE_RUNNING, PURE_STOPS, PURE_TIME } from '../../../src/analysis/findings/thresholds.js';
import { isLost, isOffCpu, isStop } from '../../../src/analysis/tree/outside.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../../../src/model/calls/call-tree.js';
import { Doubt } from '../../../src/model/calls/doubts.js';
import { SpecialSymbol, SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { callTrees, chainOf, sum } from '../../helpers/random/random-trees.js';

const { Syscall, OffCpu, Preempted, Lost } = SpecialSymbol;
const [MAIN, WORK, NAP] = [10, 11, 12];

type OwnTime = readonly [path: readonly number[], ns: number];

/** Paths with their own times. */
function treeOf(...paths: readonly OwnTime[]): CallTree {
  const builder = new CallTreeBuilder();
  for (const [path, ns] of paths)
    builder.charge(
      path.reduce((node, symbol) => builder.child(node, symbol), ROOT),
      ns,
      Doubt.None,
    );
  return builder.build();
}

/** The functions and stops of a path. */
const pathTo = (tree: CallTree, node: number) => [...chainOf(tree, node)].reverse();
const pathsIn = (tree: CallTree, hasSwitches = true) =>
  pureWaitsOf(tree, hasSwitches).waits.map(({ node, ns }) => [pathTo(tree, node), ns]);

/** By node: is it one of these or below one. */
function isBelow(tree: CallTree, tops: readonly number[], node: number): boolean {
  for (let at = node; at !== ROOT; at = tree.parent[at] as number) if (tops.includes(at)) return true;
  return false;
}

describe('a pure wait', () => {
  const working = [[MAIN, WORK], 1000] as const;

  test('is the highest call path that only waits', () => {
    const tree = treeOf(working, [[MAIN, NAP, WORK, Syscall, OffCpu], 990], [[MAIN, NAP, WORK], 4], [[MAIN, NAP], 5]);
    expect(pathsIn(tree)).toEqual([[[MAIN, NAP], 999]]);
  });

  test.each<[string, OwnTime, OwnTime]>([
    ['runs for more than a hundredth of its time', [[MAIN, NAP], 11], [[MAIN, NAP, OffCpu], 989]],
    ['has a hundredth of the running time', [[MAIN, NAP], 11], [[MAIN, NAP, OffCpu], 9000]],
    ['has less than 0.5 % of the time', [[MAIN, NAP, OffCpu], 5], [[MAIN], 0]],
    ['kept the CPU in system calls', [[MAIN, NAP, Syscall], 200], [[MAIN, NAP, Syscall, OffCpu], 800]],
    ['has lost time', [[MAIN, NAP, Lost], 20], [[MAIN, NAP, OffCpu], 980]],
    ['is a stop of code that runs', [[MAIN, WORK, Preempted], 900], [[MAIN, WORK], 0]],
  ])('is none if it %s', (_, ...paths) => {
    expect(pathsIn(treeOf(working, ...paths))).toEqual([]);
  });

  test('may be in system calls if switches are not recorded', () => {
    const tree = treeOf(working, [[MAIN, NAP, Syscall], 800]);
    expect([pathsIn(tree, false), pathsIn(tree)]).toEqual([[[[MAIN, NAP], 800]], []]);
  });

  test('is named by the next function with a symbol, along the most time, else by a caller', () => {
    const symbols = new SymbolTableBuilder();
    const [main, nap, poll] = ['main', 'nap', 'poll'].map((name) => symbols.intern(name, null)) as [
      number,
      number,
      number,
    ];
    const [none, other] = ['/lib/c', '/lib/d'].map((file) => symbols.intern('[unknown]', file)) as [number, number];
    const table = symbols.build();
    const nameIn = (tree: CallTree) => {
      const [first] = pureWaitsOf(tree, true).waits;
      return first && table.name[tree.symbol[namingNode(tree, table, first)] as number];
    };
    const busy = [[main], 1000] as const;
    expect(nameIn(treeOf(busy, [[main, none, nap, OffCpu], 10], [[main, none, poll, OffCpu], 20]))).toBe('poll');
    expect(nameIn(treeOf(busy, [[main, none, OffCpu], 10]))).toBe('main');
    expect(nameIn(treeOf([[none], 1000], [[none, other, OffCpu], 10]))).toBe('[unknown]');
  });
});

test('the pure waits of any tree are those of the definition, and hiding them takes out only them', () => {
  fc.assert(
    fc.property(callTrees, fc.boolean(), (tree, hasSwitches) => {
      const nodes = Array.from({ length: tree.length - 1 }, (_, at) => at + 1);
      const timeIn = (top: number, isWanted: (symbol: number) => boolean) =>
        sum(
          nodes
            .filter((node) => isBelow(tree, [top], node) && isWanted(tree.symbol[node] as number))
            .map((node) => tree.selfNs[node] as number),
        );
      const allNs = sum(tree.selfNs);
      const runningNs =
        allNs -
        sum(nodes.filter((node) => isStop(tree.symbol[node] as number)).map((node) => tree.selfNs[node] as number));
      const isPure = (node: number) => {
        const totalNs = timeIn(node, () => true);
        const stopsNs = timeIn(node, (symbol) => isStop(symbol) && !isLost(symbol));
        const ranNs = timeIn(node, (symbol) => !isStop(symbol));
        return (
          !isStop(tree.symbol[node] as number) &&
          totalNs > 0 &&
          totalNs >= PURE_TIME * allNs &&
          stopsNs >= PURE_STOPS * totalNs &&
          ranNs <= PURE_RUNNING * runningNs &&
          (!hasSwitches || timeIn(node, isOffCpu) >= PURE_OFF_CPU * stopsNs)
        );
      };
      const highest = nodes.filter(
        (node) => isPure(node) && !isBelow(tree, nodes.filter(isPure), tree.parent[node] as number),
      );
      const found = pureWaitsOf(tree, hasSwitches);
      const tops = found.waits.map(({ node }) => node);
      expect([...tops].sort((a, b) => a - b)).toEqual(highest);
      expect(found.ns).toBe(sum(highest.map((node) => timeIn(node, () => true))));

      const shown = withoutPureWaits(tree, found);
      expect(sum(shown.selfNs)).toBe(allNs - found.ns);
      const left = nodes.filter((node) => !isBelow(tree, tops, node));
      expect(Array.from({ length: shown.length - 1 }, (_, at) => pathTo(shown, at + 1))).toEqual(
        left.map((node) => pathTo(tree, node)),
      );
      const paths = pathsOf(tree, found);
      for (const node of nodes) expect(isOnPaths(paths, pathTo(tree, node))).toBe(!left.includes(node));
    }),
    { numRuns: 300 },
  );
});
