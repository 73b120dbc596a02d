/**
 * Source code of the page: which lines of a function it has, in which order, and that it is bounded.
 */
import { expect, test } from 'vitest';
import { SymbolTableBuilder, symbolLines } from '../../src/model/symbol-table.js';
import { NONE } from '../../src/model/units.js';
import { sourceForPage } from '../../src/page/contents/page-source.js';
import type { LineCalls } from '../../src/pipeline/replay/name-functions.js';

const FILE = '/src/a.c';
const builder = new SymbolTableBuilder();
const [f, g] = ['f', 'g'].map((name) => builder.intern(name, '/bin/a')) as [number, number];
const table = builder.build();
/** f begins in line 1. */
const SYMBOLS = {
  ...table,
  lines: symbolLines(table.name.map((name) => (name === 'f' ? { file: FILE, line: 1 } : null))),
};

const row = (line: number | null, callee = g, file = FILE): LineCalls => {
  return { caller: f, callee, calls: 1, inferred: 0, ns: 10, line: line === null ? null : { file, line } };
};
const text = (line: number) => `line ${line}`;
const read = (lines: number) => (file: string) =>
  file === FILE ? Array.from({ length: lines }, (_, at) => text(at + 1)) : null;

function linesOf(rows: readonly LineCalls[], lines = 2000) {
  const { functions } = sourceForPage(rows, SYMBOLS, read(lines));
  return functions[0]?.lines ?? [];
}

test('has all lines of a short function, then those of other files, and last what is on no known line', () => {
  const lines = linesOf([row(null, NONE), row(7, g, '/src/b.h'), row(3), row(3, NONE)], 5);
  expect(lines.map(({ line, file, text, ownNs, calls }) => [line, file, text, ownNs, calls?.length])).toEqual([
    [1, undefined, 'line 1', undefined, undefined],
    [2, undefined, 'line 2', undefined, undefined],
    [3, undefined, 'line 3', 10, 1],
    [4, undefined, 'line 4', undefined, undefined],
    [5, undefined, 'line 5', undefined, undefined],
    [7, '/src/b.h', undefined, undefined, 1],
    [null, undefined, undefined, 10, undefined],
  ]);
});

test('has only the lines around calls of a long function', () => {
  const numbers = linesOf([row(20), row(900)]).map(({ line }) => line);
  expect(numbers).toEqual([1, 2, 3, 4, 17, 18, 19, 20, 21, 22, 23, 897, 898, 899, 900, 901, 902, 903]);
});

test('keeps lines that the file does not have', () => {
  const lines = linesOf([row(3), row(9)], 4);
  expect(lines.map(({ line, text }) => [line, text]).slice(-2)).toEqual([
    [4, 'line 4'],
    [9, undefined],
  ]);
});

test('has bounded text, and all lines with calls', () => {
  const rows = Array.from({ length: 190 }, (_, at) => row(at + 1));
  const wide = (file: string) => read(2000)(file)?.map((own) => own.padEnd(5000)) ?? null;
  const all = Array.from({ length: 400 }, (_, at) => builder.intern(`f${at}`, '/bin/a'));
  const many = all.flatMap((caller, at) => rows.map((own) => ({ ...own, caller, ns: at })));
  const { functions, leftOut } = sourceForPage(many, { ...builder.build(), lines: undefined }, wide);
  const chars = functions.flatMap(({ lines }) => lines).reduce((sum, { text = '' }) => sum + text.length, 0);
  expect([functions.length, leftOut, functions[0]?.fn[0]]).toEqual([300, 100, 'f399']);
  expect(chars).toBeLessThanOrEqual(2 ** 18);
  expect(chars).toBeGreaterThan(2 ** 17);
  for (const { lines } of functions) expect(lines.filter(({ calls }) => calls).length).toBe(190);
});

test('leaves out functions of which no line is known', () => {
  expect(sourceForPage([row(null)], SYMBOLS, read(5))).toEqual({ functions: [], leftOut: 0 });
});
