/**
 * Why time is inferred: each reason in a trace that has it, the same in all sums, and kept by whatever changes a tree.
 */
import { describe, expect, test } from 'vitest';
import { reportOf } from '../../src/answers.js';
import { CallTreeBuilder, ROOT, selectNodes } from '../../src/model/calls/call-tree.js';
import { byTime, Doubt, DoubtTotals, eachDoubt, type NodeDoubts } from '../../src/model/calls/doubts.js';
import { sumsOf } from '../../src/model/calls/overlay.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { NONE } from '../../src/model/units.js';
import { withCallers } from '../../src/replay/losses/known-paths.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const profileOf = (name: string) => analyzeText(fixture(`accuracy/${name}.txt.gz`));

/** The reasons with at least 1 % of the time of a recording, most first. */
function reasonsOf({ quality }: Profile): string[] {
  const { inferredBy = {}, totalNs } = quality;
  return byTime(inferredBy).flatMap(([doubt, ns]) => (ns >= 0.01 * totalNs ? [doubt] : []));
}

describe('reasons', () => {
  test.each([
    ['tasks', ['HiddenJump'], 'fibers that are told apart'],
    ['coro1-branches', ['StackChoice'], 'stacks that are told apart by returns, and the time of switches'],
    ['ocaml', ['OddReturn'], 'exceptions raised by a return'],
    ['exc1', [], 'rethrow in recursion: no frame that was unwound returns'],
    ['java-c1', ['AfterLoss', 'Lost'], 'generated code'],
    ['pcre-jit-ovf-branches', ['Lost', 'AfterLoss'], 'the same, with jumps: none is hidden'],
    ['gosel1', ['UnseenStart'], 'goroutines that are seen late'],
    ['bco2', ['StackChoice', 'Landing', 'HiddenJump'], 'coroutines that wait alike, and are unwound'],
  ])('%s: %s (%s)', async (name: string, reasons: string[]) => {
    expect(reasonsOf(await profileOf(name))).toEqual(reasons);
  });

  test('callers that only another thread shows', async () => {
    const tree = new CallTreeBuilder();
    tree.charge(tree.child(ROOT, 7), 10);
    tree.charge(tree.child(1, 5), 3, Doubt.Lost);
    const times = new DoubtTotals();
    times.addTree(withCallers(tree.build(), [8]));
    expect(times.build()).toEqual({ UnseenCallers: 10, Lost: 3 });
  });
});

test.each(['java-c1', 'exc1', 'steal-trunc', 'gomix'])(
  '%s: all sums of reasons are the inferred time',
  async (name) => {
    const { quality, threads, ...profile } = await profileOf(name);
    const { inferredBy = {}, inferredNs, hiddenNs, lostNs } = quality;
    const sum = (times: object) => Object.values(times).reduce((all: number, ns: number) => all + ns, 0);
    expect(sum(inferredBy)).toBe(inferredNs + hiddenNs);
    expect(inferredBy.HiddenJump ?? 0).toBe(hiddenNs);
    expect(inferredBy.Lost ?? 0).toBe(lostNs);
    expect(sum(inferredBy)).toBeGreaterThan(0);
    const { functions } = reportOf({ ...profile, quality, threads });
    expect(functions.length).toBeGreaterThan(50);
    for (const row of functions) expect(sum(row.inferredBy ?? {}), row.name).toBe(row.inferredNs);
  },
);

test('the highest of several reasons counts, and what is left is around hidden jumps', () => {
  const tree = new CallTreeBuilder();
  const node = tree.child(ROOT, 6);
  for (const [ns, doubt] of [
    [1, Doubt.None],
    [2, Doubt.HiddenJump],
    [4, Doubt.AfterLoss],
    [8, Doubt.Landing],
    [16, Doubt.AfterLoss],
  ] as const)
    tree.charge(node, ns, doubt);
  expect(partsOf(tree.build())).toEqual([
    [node, Doubt.Landing, 8],
    [node, Doubt.AfterLoss, 20],
    [node, Doubt.HiddenJump, 2],
  ]);
});

function partsOf(tree: { readonly inferredNs: Float64Array; readonly doubts?: NodeDoubts | undefined }): number[][] {
  const parts: number[][] = [];
  eachDoubt(tree, (node, doubt, ns) => parts.push([node, doubt, ns]));
  return parts;
}

/** Three functions below each other, each with its own reason. */
function threeReasons(): CallTreeBuilder {
  const tree = new CallTreeBuilder();
  for (const doubt of [Doubt.Landing, Doubt.StackChoice, Doubt.OddReturn])
    tree.charge(tree.child(tree.length - 1, 5 + doubt), doubt, doubt);
  return tree;
}

test('reasons move along with their nodes', () => {
  const selected = selectNodes(threeReasons().build(), Int32Array.of(ROOT, 3, 2));
  expect(partsOf(selected)).toEqual([
    [1, Doubt.OddReturn, 5],
    [2, Doubt.StackChoice, 4],
  ]);
});

test('reasons add up where trees do', () => {
  const merged = threeReasons();
  merged.merge(threeReasons().build(), ROOT, (symbol) => symbol);
  expect(partsOf(merged.build())).toEqual([
    [1, Doubt.Landing, 4],
    [2, Doubt.StackChoice, 8],
    [3, Doubt.OddReturn, 10],
  ]);
  const shape = { length: 2, parent: Int32Array.of(NONE, ROOT), symbol: Int32Array.of(NONE, 6) };
  const rows = { ...threeReasons().build(), node: Int32Array.of(0, 1, 1, 1) };
  expect(partsOf(sumsOf(shape, [rows, rows]))).toEqual([
    [1, Doubt.Landing, 4],
    [1, Doubt.StackChoice, 8],
    [1, Doubt.OddReturn, 10],
  ]);
});

test('a tree that does not know its reasons makes those of a sum unknown', () => {
  const { doubts: _, ...old } = threeReasons().build();
  const merged = threeReasons();
  merged.merge(old, ROOT, (symbol) => symbol);
  expect(merged.build().doubts).toBeUndefined();
});
