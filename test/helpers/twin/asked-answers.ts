/**
 * Questions and answers of the real code, in the terms of the reference code.
 */

import { expect } from 'vitest';
import type { CallsAnswer } from '../../../src/analysis/calls/calls-answer.js';
import type { ChildRow } from '../../../src/analysis/calls/latency.js';
import { latencyOf } from '../../../src/analysis/calls/latency.js';
import type { CallFilter, CallSelection, FunctionSet } from '../../../src/analysis/questions.js';
import { functionsOf } from '../../../src/analysis/tree/functions.js';
import { recordsSwitches } from '../../../src/analysis/tree/outside.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import type { FunctionDurations } from '../../../src/model/calls/durations.js';
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import { compareSymbols } from '../../../src/model/symbol-table.js';
import { NONE, type SymbolId } from '../../../src/model/units.js';
import type { PathRow } from './path-rows.js';
import type { AskedFunctions, FunctionRow, ReferenceFilter } from './reference-answers.js';
import type { CompareNames } from './reference-latency.js';

/** What the reference code calls a function. */
export type NameOf = (symbol: SymbolId) => string;

export function callFilter(
  { window, inside, root, foldsRecursion }: ReferenceFilter,
  symbols: SymbolTable,
  nameOf: NameOf,
): CallFilter {
  return {
    window,
    inside: inside.map((asked) => askedSet(asked, symbols, nameOf)),
    root: root && setOf(root, symbols, nameOf),
    foldsRecursion,
  };
}

export function askedSet(
  { functions, durations }: AskedFunctions,
  symbols: SymbolTable,
  nameOf: NameOf,
): CallSelection {
  return { functions: setOf(functions, symbols, nameOf), durations };
}

function setOf(functions: ReadonlySet<string>, { length }: SymbolTable, nameOf: NameOf): FunctionSet {
  return Uint8Array.from({ length }, (_, symbol) => (functions.has(nameOf(symbol)) ? 1 : 0));
}

/** The nodes of trees by path, added up per path. */
export function rowsOfTrees(trees: readonly CallTree[], nameOf: NameOf): Map<string, PathRow> {
  const rows = new Map<string, PathRow>();
  for (const tree of trees) {
    const paths = [''];
    for (let node = 0; node < tree.length; node++) {
      const parent = paths[tree.parent[node]];
      if (node > 0) paths.push(parent ? `${parent}\n${nameOf(tree.symbol[node])}` : nameOf(tree.symbol[node]));
      add(rows, paths[node], tree, node);
    }
  }
  return rows;
}

function add(rows: Map<string, PathRow>, path: string, tree: CallTree, node: number): void {
  const { calls, inferredCalls, unwoundCalls, selfNs, inferredNs, completeNs, minNs, maxNs, longestCutNs } = tree;
  const old = rows.get(path);
  rows.set(path, {
    calls: calls[node] + (old?.calls ?? 0),
    inferredCalls: inferredCalls[node] + (old?.inferredCalls ?? 0),
    unwoundCalls: unwoundCalls[node] + (old?.unwoundCalls ?? 0),
    longestCutNs: Math.max(longestCutNs[node], old?.longestCutNs ?? 0),
    selfNs: selfNs[node] + (old?.selfNs ?? 0),
    inferredNs: inferredNs[node] + (old?.inferredNs ?? 0),
    completeNs: completeNs[node] + (old?.completeNs ?? 0),
    minNs: Math.min(minNs[node], old?.minNs ?? Infinity),
    maxNs: Math.max(maxNs[node], old?.maxNs ?? -Infinity),
  });
}

/** Callers or callees under the names of the reference code; null: none, or the function itself. */
export function namedOr(nameOf: NameOf, symbol: SymbolId): string | null {
  return symbol === NONE ? null : nameOf(symbol);
}

/** The rows of `report` in the terms of the reference code. */
export function functionsInWords(
  { tree, durations }: { readonly tree: CallTree; readonly durations: FunctionDurations },
  nameOf: NameOf,
): Record<string, FunctionRow> {
  return Object.fromEntries(
    functionsOf(tree, durations, recordsSwitches(tree)).map(({ symbol, inferredBy = {}, ...row }) => {
      // the reference has no reasons: they add up to all inferred time
      const knownNs = Object.values(inferredBy).reduce((sum, ns) => sum + ns, 0);
      expect(knownNs, nameOf(symbol)).toBe(row.inferredNs);
      return [nameOf(symbol), row];
    }),
  );
}

/** An answer in the terms of the reference code. */
export function latencyInWords(answer: CallsAnswer, symbols: SymbolTable, nameOf: NameOf) {
  const { children, callers, chains, slowest, ...rest } = latencyOf(answer, symbols);
  const childRow = ({ symbol, ...row }: ChildRow) => ({ child: namedOr(nameOf, symbol), ...row });
  return {
    ...rest,
    children: children.map(childRow),
    callers: callers.map(({ caller, stats, children: own }) => {
      return { caller: namedOr(nameOf, caller), stats, children: own.map(childRow) };
    }),
    chains: chains.map(({ path, ...row }) => ({ path: path.map(nameOf), ...row })),
    slowest: slowest.map(({ differences, ...call }) => ({
      ...call,
      differences: differences.map(({ symbol, ...row }) => ({ fn: namedOr(nameOf, symbol), ...row })),
    })),
  };
}

/** The order in which the real code shows names. */
export function comparerOf(symbols: SymbolTable, nameOf: NameOf): CompareNames {
  const ids = new Map(Array.from({ length: symbols.length }, (_, symbol) => [nameOf(symbol), symbol]));
  const idOf = (name: string | null) => (name === null ? NONE : (ids.get(name) as SymbolId));
  return (a, b) => compareSymbols(symbols, idOf(a), idOf(b));
}

/** Compares numbers: those counted in buckets are right within 3 %, all others are equal. */
export function expectSame(real: unknown, reference: unknown, where = ''): void {
  if (Object.is(real, reference)) return; // calling vitest each time is slow
  if (typeof real === 'object' && real !== null && typeof reference === 'object' && reference !== null) {
    const [keys, referenceKeys] = [Object.keys(real).sort(), Object.keys(reference).sort()];
    if (keys.join() !== referenceKeys.join()) expect(keys, where).toEqual(referenceKeys);
    for (const [key, value] of Object.entries(real))
      expectSame(value, (reference as Record<string, unknown>)[key], `${where}.${key}`);
  } else if (/\.p\d+Ns$/.test(where) && Number.isFinite(reference))
    expect(Math.abs((real as number) - (reference as number)), where).toBeLessThanOrEqual(0.03 * (reference as number));
  else expect(real, where).toEqual(reference);
}
