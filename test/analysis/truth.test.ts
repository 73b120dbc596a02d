/**
 * Compares rows of `report` with the exact truth: the calls and the total time of each function.
 */
import { expect, test } from 'vitest';
import { functionsOf } from '../../src/analysis/tree/functions.js';
import { isStop } from '../../src/analysis/tree/outside.js';
import { SpecialSymbol, SymbolKind } from '../../src/model/symbol-table.js';
import type { TailCalls } from '../../src/replay/stack/frame.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';
import { type FunctionTruth, gentraceFunctions, ptemuFunctions, visible } from '../helpers/truth/function-truth.js';

test.each(['plain', 'nasty', 'plt', 'ties', 'attach', 'tail-shown', 'kernel'])(
  'gentrace, %s: has all calls and all time of each function',
  async (name) => {
    const truth = gentraceFunctions(fixture(`truth/gentrace-${name}.truth.json.gz`).toString());
    const rows = await rowsOf(`truth/gentrace-${name}.perf.txt.gz`, 'nest');
    expect(rows).toEqual(truth);
  },
);

/**
 * Real programs, of which only calls and returns are printed: where a jump led shows later or never. The limits are the
 * results when they were written, rounded down. They may only rise.
 */
test.each([
  ['rec', 95.1, 85.3],
  ['libc', 95.2, 85.6],
  ['threads1', 94.4, 85.6],
  ['threads4', 94.4, 87.3],
  ['loop', 97, 86.7],
  ['cpp', 90.9, 78.9],
  ['sig', 95.4, 86.2],
  ['rec-mix', 92.6, 85.3],
])(
  'ptemu, %s: has the right calls of %d %% of functions, and the total within 3 %% of %d %% of them',
  async (name, calls, totals) => {
    const truth = ptemuFunctions(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString());
    const rows = await rowsOf(`truth/ptemu-${name}.perf.txt.gz`, 'replace');
    const share = (isRight: (row: FunctionTruth, truth: FunctionTruth) => boolean) => {
      const right = [...truth].filter(([fn, row]) => isRight(rows.get(fn) ?? NO_TIME, row));
      return (100 * right.length) / truth.size;
    };
    expect(share((row, { calls: all }) => row.calls === all)).toBeGreaterThanOrEqual(calls);
    const isNear = (row: FunctionTruth, { totalNs }: FunctionTruth) =>
      Math.abs(row.totalNs - totalNs) <= 0.03 * totalNs;
    expect(share(isNear)).toBeGreaterThanOrEqual(totals);
  },
);

const NO_TIME: FunctionTruth = { calls: 0, totalNs: 0, ownNs: 0 };

async function rowsOf(path: string, tailCalls: TailCalls): Promise<Map<string, FunctionTruth>> {
  const { together, symbols } = await analyzeText(fixture(path), { extend: false, trees: 'together', tailCalls });
  if (together === null) throw new Error('no tree');
  const rows = new Map<string, FunctionTruth>();
  // The truth has one name for all code without a symbol.
  const asInTruth = together.symbol.map((row) =>
    symbols.kind[row] === SymbolKind.Unknown ? SpecialSymbol.Unknown : row,
  );
  const sums = functionsOf({ ...together, symbol: asInTruth }, null, false);
  for (const { symbol, calls, totalNs, selfNs, outsideSelfNs } of sums) {
    if (isStop(symbol)) continue;
    const name = visible(symbols.name[symbol]);
    const row = rows.get(name) ?? { calls: 0, totalNs: 0, ownNs: 0 };
    rows.set(name, {
      calls: row.calls + calls,
      totalNs: row.totalNs + totalNs,
      ownNs: row.ownNs + selfNs + outsideSelfNs,
    });
  }
  return new Map([...rows].sort());
}

/** In programs without recursion, a function's total time is that of its calls. */
test.each([
  ['cpp', 6],
  ['jumps', 3],
])('ptemu, %s: calls that ended in an exception or a longjmp have their true duration', async (name, min) => {
  const truth = ptemuFunctions(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString());
  const trace = fixture(`truth/ptemu-${name}.perf.txt.gz`);
  const { together, symbols } = await analyzeText(trace, { extend: false, trees: 'together', tailCalls: 'replace' });
  if (together === null) throw new Error('no tree');
  const unwound = functionsOf(together, null, false).filter(({ unwound, inferred }) => unwound > 0 && inferred === 0);
  expect(unwound.length).toBeGreaterThanOrEqual(min);
  for (const { symbol, calls, completeNs } of unwound) {
    const { calls: all, totalNs } = truth.get(visible(symbols.name[symbol])) ?? NO_TIME;
    expect([calls, Math.abs(completeNs - totalNs) <= 3], symbols.name[symbol]).toEqual([all, true]);
  }
});
