/**
 * Checks what must hold for the profile of any trace.
 */
import { expect } from 'vitest';
import type { Profile, Quality, ThreadProfile } from '../../../src/index.js';
import { type CallTree, ROOT } from '../../../src/model/calls/call-tree.js';
import { totalTimes } from '../../../src/model/calls/tree-view.js';
import { SpecialSymbol, SymbolKind, type SymbolTable } from '../../../src/model/symbol-table.js';

/** 13 days: any sum of a few hundred such times is exact. */
const MAX_EXACT_NS = 2 ** 50;

export function expectSound(profile: Profile): void {
  const { threads, symbols, quality, meta } = profile;
  for (const thread of threads) expectSoundThread(thread, symbols);
  expectSoundSums(profile);
  const totalNs = sum(threads.map(({ startNs, endNs }) => endNs - startNs));
  if (threads.every(isExact)) expect(quality.totalNs, 'total time').toBe(totalNs);
  expect(meta.endNs, 'bounds of the recording').toBeGreaterThanOrEqual(meta.startNs);
}

/** Checks that the quality agrees with the trees; holds for any part of a trace. */
export function expectSoundSums({ threads, symbols, quality }: Profile): void {
  expectSoundQuality(quality);
  const isLost = (symbol: number) => symbol === SpecialSymbol.Lost;
  const isFunction = (symbol: number) => symbols.kind[symbol] !== SymbolKind.Synthetic;
  expect(quality.lostNs, 'lost time').toBe(sumOf(threads, 'selfNs', isLost));
  expect(sum(quality.gaps.map(({ lengthNs }) => lengthNs)), 'lost time').toBe(quality.lostNs);
  expect(inferredCalls(quality), 'inferred calls').toBe(sumOf(threads, 'inferredCalls', isFunction));
}

/** A garbled time may be a thousand years away: sums of such times pass 2^53 and are rounded. */
function isExact({ startNs, endNs }: ThreadProfile): boolean {
  return Math.abs(startNs) < MAX_EXACT_NS && Math.abs(endNs) < MAX_EXACT_NS;
}

export function inferredCalls(quality: Quality): number {
  return sum(Object.values(quality.inferredCalls));
}

function expectSoundQuality(quality: Quality): void {
  const { lines, events, gapLines, ignoredLines, damagedLines, lostNs, inferredNs, unknownNs, totalNs } = quality;
  expect(lines, 'lines').toBe(events + gapLines + ignoredLines + damagedLines);
  for (const ns of [lostNs, inferredNs, unknownNs]) {
    expect(ns, 'quality').toBeGreaterThanOrEqual(0);
    if (totalNs < MAX_EXACT_NS) expect(ns, 'quality').toBeLessThanOrEqual(totalNs);
  }
  for (const { lengthNs } of quality.gaps) expect(lengthNs, 'gap').toBeGreaterThanOrEqual(0);
}

function expectSoundThread(thread: ThreadProfile, symbols: SymbolTable): void {
  const { tid, tree, startNs, endNs } = thread;
  const faults: string[] = [];
  const totals = totalTimes(tree);
  for (let node = 0; node < tree.length; node++) {
    const fault = faultOf(tree, node, totals[node]);
    if (fault !== null) faults.push(`${symbols.name[tree.symbol[node]] ?? 'root'}: ${fault}`);
  }
  expect(faults, `thread ${tid}`).toEqual([]);
  if (isExact(thread)) expect(sum(tree.selfNs), `time of thread ${tid}`).toBe(endNs - startNs);
}

/** Returns what is wrong with a node, or null. The comparisons treat NaN as a fault, too. */
function faultOf(tree: CallTree, node: number, totalNs: number): string | null {
  const { calls, inferredCalls: inferred, selfNs, inferredNs, completeNs, minNs, maxNs, parent } = tree;
  if (!(selfNs[node] >= 0)) return `self time ${selfNs[node]}`;
  if (!(totalNs >= selfNs[node])) return `total time ${totalNs}, self time ${selfNs[node]}`;
  if (!(inferredNs[node] >= 0 && inferredNs[node] <= selfNs[node])) return `inferred time ${inferredNs[node]}`;
  const complete = calls[node] - inferred[node];
  if (!(inferred[node] >= 0 && complete >= 0)) return `${calls[node]} calls, ${inferred[node]} inferred`;
  if (complete === 0 && completeNs[node] !== 0) return `no complete call, but ${completeNs[node]} ns of them`;
  if (complete > 0) {
    const averageNs = completeNs[node] / complete;
    if (!(minNs[node] >= 0 && minNs[node] <= averageNs && averageNs <= maxNs[node]))
      return `calls of ${minNs[node]} to ${maxNs[node]} ns, ${averageNs} on average`;
  }
  if (node !== ROOT && !(parent[node] >= 0 && parent[node] < node)) return `parent ${parent[node]} of node ${node}`;
  return null;
}

function sumOf(
  threads: readonly ThreadProfile[],
  column: 'selfNs' | 'inferredCalls',
  isCounted: (symbol: number) => boolean,
): number {
  return sum(threads.flatMap(({ tree }) => Array.from(tree[column]).filter((_, node) => isCounted(tree.symbol[node]))));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
