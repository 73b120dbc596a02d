/**
 * Symbols get the lines of their functions: one line for each, or none if it is not certain.
 */
import { expect, test } from 'vitest';
import { lineOf, SymbolTableBuilder } from '../../src/model/symbol-table.js';
import { NONE } from '../../src/model/units.js';
import { type FindSourceLines, withSourceLines } from '../../src/pipeline/replay/name-functions.js';

const FILE = '/usr/bin/a';

/** `functions`: name and start address. The file is mapped twice, at 0x10000 and 0x20000, from offset 0x1000 on. */
function linesOf(functions: readonly (readonly [name: string, start: number])[], find: FindSourceLines, file = FILE) {
  const builder = new SymbolTableBuilder();
  const symbol = functions.map(([name]) => builder.intern(name, file));
  const start = functions.map(([, address]) => address);
  const ids = { symbol, start, fileStart: [], parts: [], nameless: NONE, from: new Int32Array(), to: new Int32Array() };
  const mapping = { pid: 1, timeNs: 0, length: 0x1000, fileOffset: 0x1000, file };
  const mappings = [
    { ...mapping, start: 0x10000 },
    { ...mapping, start: 0x20000 },
  ];
  const table = withSourceLines(builder.build(), ids, mappings, find);
  return symbol.map((row) => lineOf(table, row));
}

/** The line is the offset. */
const OFFSETS: FindSourceLines = (file, functions) => functions.map(({ offset }) => ({ file, line: offset }));

test('looks functions up by their offset in the file', () => {
  expect(linesOf([['f', 0x10010]], OFFSETS)).toEqual([{ file: FILE, line: 0x1010 }]);
});

test('a function that is loaded twice has a line', () => {
  const line = { file: FILE, line: 0x1010 };
  expect(linesOf([['f', 0x10010], ['f', 0x20010]], OFFSETS)).toEqual([line, line]); // biome-ignore format: a table
});

test('functions of one name at several lines have none', () => {
  const functions = [
    ['init', 0x10010],
    ['init', 0x10020],
    ['init', 0x20010],
    ['other', 0x10030],
  ] as const;
  expect(linesOf(functions, OFFSETS)).toEqual([null, null, null, { file: FILE, line: 0x1030 }]);
});

test('functions without an address, outside of files, or in files without a path have none', () => {
  const functions = [
    ['f', Number.NaN],
    ['g', 0x30000],
  ] as const;
  expect(linesOf(functions, OFFSETS)).toEqual([null, null]);
  expect(linesOf([['f', 0x10010]], OFFSETS, '[vdso]')).toEqual([null]);
});
