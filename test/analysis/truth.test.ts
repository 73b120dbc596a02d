/**
 * Rows of `report` against exact truth: how often each function was called, and how long it was on the stack.
 */
import { expect, test } from 'vitest';
import { functionsOf } from '../../src/analysis/tree/functions.js';
import { isStop } from '../../src/analysis/tree/outside.js';
import { SpecialSymbol, SymbolKind } from '../../src/model/names/symbol-table.js';
import type { TailCalls } from '../../src/replay/stack/frame.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';
import { type FunctionTruth, gentraceFunctions, ptemuFunctions, visible } from '../helpers/truth/function-truth.js';

test.each(['plain', 'nasty', 'plt', 'ties', 'attach', 'tail-shown', 'kernel'])(
  'gentrace, %s: all calls and all time of every function',
  async (name) => {
    const truth = gentraceFunctions(fixture(`truth/gentrace-${name}.truth.json.gz`).toString());
    const rows = await rowsOf(`truth/gentrace-${name}.perf.txt.gz`, 'nest');
    expect(rows).toEqual(truth);
  },
);

/**
 * Real programs, of which calls and returns alone are printed: which function a jump went to shows only later, or never.
 * The floors are what was reached when they were written, rounded down: they only rise.
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
  'ptemu, %s: the calls of at least %d %%, the total of at least %d %% of the functions, within 3 %%',
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
  if (together === null) throw new Error('there is no tree');
  const rows = new Map<string, FunctionTruth>();
  // The truth calls all that has no symbol by one name.
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

/** In programs whose functions do not call themselves, a function's time is that of its calls. */
test.each([
  ['cpp', 6],
  ['jumps', 3],
])('ptemu, %s: calls that an exception or a longjmp ended count with their true duration', async (name, fewest) => {
  const truth = ptemuFunctions(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString());
  const trace = fixture(`truth/ptemu-${name}.perf.txt.gz`);
  const { together, symbols } = await analyzeText(trace, { extend: false, trees: 'together', tailCalls: 'replace' });
  if (together === null) throw new Error('there is no tree');
  const unwound = functionsOf(together, null, false).filter(({ unwound, inferred }) => unwound > 0 && inferred === 0);
  expect(unwound.length).toBeGreaterThanOrEqual(fewest);
  for (const { symbol, calls, completeNs } of unwound) {
    const { calls: all, totalNs } = truth.get(visible(symbols.name[symbol])) ?? NO_TIME;
    expect([calls, Math.abs(completeNs - totalNs) <= 3], symbols.name[symbol]).toEqual([all, true]);
  }
});
