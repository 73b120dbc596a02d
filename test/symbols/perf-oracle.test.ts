/**
 * Compares with perf: binaries with random symbols, many of which overlap or share an address.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { demangle } from '../../src/symbols/demangle/demangle.js';
import { readElf } from '../../src/symbols/elf-file.js';
import { buildSymbolTable } from '../../src/symbols/symbol-table.js';
import { test } from '../helpers/cli/run-cli.js';
import { program, type SymbolParts, TEXT_ADDRESS, TEXT_OFFSET } from './elf-builder.js';
import { askPerf } from './sampled.js';

const PROGRAMS = Number(process.env['SYMBOL_PROGRAMS'] ?? 60);
/** All symbols are in this many bytes, so that they overlap. */
const SPAN = 256;

const symbol: fc.Arbitrary<SymbolParts> = fc.record({
  name: fc.stringMatching(/^(_{0,2}[a-z]{1,6}|_ZN1[ab]1[cd]E[iv]|_Z3[a-z]{3}i{1,6})$/),
  value: fc.nat(SPAN - 1).map((at) => TEXT_ADDRESS + (at & ~3)),
  size: fc.constantFrom(0, 0, 1, 4, 8, 16, 40, 120),
  type: fc.constantFrom('function', 'function', 'object', 'untyped', 'indirect', 'section'),
  binding: fc.constantFrom('global', 'global', 'local', 'weak', 'unique'),
  visibility: fc.constantFrom('default', 'default', 'hidden', 'internal', 'protected'),
  section: fc.oneof(
    { weight: 200, arbitrary: fc.constantFrom(1, 1, 1, 2, 3, 0, 0xfff1) },
    { weight: 1, arbitrary: fc.constantFrom(48, 0xff00, 0xfff2) },
  ),
});
const symbols = fc.array(symbol, { minLength: 1, maxLength: 40 });
const programs = fc.oneof(
  fc.record({ symbols, dynamic: fc.option(symbols, { nil: [] }) }),
  fc.record({ dynamic: symbols }),
);

test('finds the names that perf finds', async ({ dir }) => {
  const all = fc.sample(programs, { numRuns: PROGRAMS, seed: Number(process.env['SEED'] ?? 1) });
  const offsets = [...Array(SPAN + 160).keys()].map((at) => TEXT_OFFSET - 8 + at).concat(TEXT_OFFSET + 0x1004);
  const files = await Promise.all(
    all.map(async (parts, index) => {
      const bytes = program(parts);
      const path = await dir.write(`program-${index}`, Buffer.from(bytes));
      return { path, offsets, bytes: bytes.length, elf: readElf(sourceOf(bytes)).elf };
    }),
  );
  const printed = askPerf(join(dir.path, 'perf.data'), files);
  const ours = files.flatMap(({ elf }) => {
    if (elf === null) throw new Error('no ELF file');
    const table = buildSymbolTable(elf, elf, { demangle, pltNames: 'perf-6.1' });
    return offsets.map((offset) => {
      const found = table.find(offset);
      return found === null ? '[unknown]' : `${found.name}+0x${(offset - found.start).toString(16)}`;
    });
  });
  const different = ours.flatMap((name, at) => (name === printed[at] ? [] : [{ at, name, perf: printed[at] }]));
  expect(different.slice(0, 5)).toEqual([]);
  expect(ours.filter((name) => name !== '[unknown]').length).toBeGreaterThan(PROGRAMS * 100);
}, 120_000);
