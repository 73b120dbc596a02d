/**
 * Finds lines in binaries that gcc and clang made, as LLVM's tools list them, and nothing in debug information that is broken.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceLine } from '../../../src/model/symbol-table.js';
import { sourceOf } from '../../../src/symbols/byte-source.js';
import { sourceLines } from '../../../src/symbols/dwarf/source-lines.js';
import { type ElfFile, type ElfSection, readElf } from '../../../src/symbols/elf-file.js';
import { elfFile } from '../elf-builder.js';
import { LOW, lineTable, named, setAddress, UNIT, unit } from './dwarf-builder.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/dwarf');
const BINARIES = readdirSync(FIXTURES).flatMap((name) => (name.endsWith('.gz') ? [name.slice(0, -3)] : []));

const bytesOf = (name: string) => gunzipSync(readFileSync(join(FIXTURES, `${name}.gz`)));

function linesIn(bytes: Uint8Array, addresses: readonly number[]): (SourceLine | null)[] {
  const { elf } = readElf(sourceOf(bytes));
  return elf === null ? [] : sourceLines(elf, Float64Array.from(addresses));
}

/** What LLVM's tools print of the functions of a binary. */
function functionsIn(name: string) {
  const lines = readFileSync(join(FIXTURES, `${name}.txt`), 'latin1')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [start = '', last = '', firstLine, lastLine, ...symbol] = line.split(' ');
    const at = { start: Number.parseInt(start, 16), last: Number.parseInt(last, 16) };
    return { ...at, firstLine: Number(firstLine), lastLine, symbol: symbol.join(' ') };
  });
}

test('has binaries of both compilers and of all versions', () => {
  expect(BINARIES).toHaveLength(10);
});

describe.each(BINARIES)('%s', (name) => {
  const functions = functionsIn(name);

  test('finds the line at which each function begins', () => {
    const found = linesIn(
      bytesOf(name),
      functions.map(({ start }) => start),
    );
    expect(found.map((line) => line?.line)).toEqual(functions.map(({ firstLine }) => firstLine));
  });

  test('finds file and line of the last byte of each function', () => {
    const decided = functions.filter(({ lastLine }) => lastLine !== '-');
    const found = linesIn(
      bytesOf(name),
      decided.map(({ last }) => last),
    );
    expect(found.map((line) => `${line?.file}:${line?.line}`)).toEqual(decided.map(({ lastLine }) => lastLine));
  });
});

test('finds the file of a function in a header', () => {
  const twice = functionsIn('gcc-5').find(({ symbol }) => symbol === 'twice');
  expect(linesIn(bytesOf('gcc-5'), [twice?.start ?? 0])).toEqual([{ file: '/src/twice.h', line: 4 }]);
});

describe('of several rows at the address', () => {
  const [CODE, STATEMENT] = [2, 6]; // opcodes: advance_pc, negate_stmt; 3 and 1: advance_line, copy
  const row = (lines: number) => [3, lines, 1];
  const end = [CODE, 16, 0, 1, 1];

  test.each([
    ['the first decides', [...row(9), ...row(5)], 10],
    ['the first that begins a statement decides', [STATEMENT, ...row(4), STATEMENT, ...row(5), ...row(1)], 10],
    ['one of no line does not', [3, 0x7f, 1, ...row(10)], 10],
    ['the last decides where none begins a statement', [STATEMENT, ...row(4), ...row(5)], 10],
    ['one at a later address does not count', [STATEMENT, ...row(9), CODE, 4, STATEMENT, ...row(5)], 10],
  ])('%s', (_, program, line) => {
    const bytes = elfFile(
      named({
        '.debug_info': unit(Buffer.of(0), 0),
        '.debug_abbrev': Buffer.concat([UNIT, Buffer.of(0)]),
        '.debug_line': lineTable([...setAddress(LOW), ...program, ...end]),
      }),
    );
    expect(linesIn(bytes, [LOW])).toEqual([{ file: 'a', line }]);
  });
});

test('knows no lines of code without debug information, nor outside of code', () => {
  const addresses = [0, 1, 0x400, 0x1000, 2 ** 40];
  for (const name of BINARIES) expect(linesIn(bytesOf(name), addresses)).toEqual(addresses.map(() => null));
});

describe('hostile debug information', () => {
  const sections = [
    '.debug_info',
    '.debug_abbrev',
    '.debug_line',
    '.debug_line_str',
    '.debug_rnglists',
    '.debug_ranges',
  ];

  /** Returns the parts of a binary that have debug information. */
  function debugParts(bytes: Uint8Array): { readonly at: number; readonly length: number }[] {
    const { elf } = readElf(sourceOf(bytes)) as { elf: ElfFile };
    const found = elf.sections.filter(({ name }) => sections.includes(name));
    return found.map(({ offset, length }) => ({ at: offset, length }));
  }

  test.each(['clang-4-split', 'clang-5-split', 'gcc-5', 'gcc-5-zlib', 'gxx-4'])('changed bytes: %s', (name) => {
    const whole = bytesOf(name);
    const parts = debugParts(whole);
    const addresses = functionsIn(name).map(({ start }) => start);
    const change = fc.record({ part: fc.nat(parts.length - 1), at: fc.nat(), byte: fc.nat(255), count: fc.nat(12) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = Uint8Array.from(whole);
        for (const { part, at, byte, count } of changes) {
          const { at: start, length } = parts[part] as (typeof parts)[0];
          const first = start + (at % length);
          bytes.fill(byte, first, Math.min(first + count + 1, start + length));
        }
        for (const line of linesIn(bytes, addresses)) if (line !== null) expect(line.line).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  test('units without end are given up', () => {
    const bytes = bytesOf('gcc-5');
    const { elf } = readElf(sourceOf(bytes)) as { elf: ElfFile };
    const info = elf.sections.find(({ name }) => name === '.debug_info') as ElfSection;
    let reads = 0;
    const endless = { ...elf, sections: elf.sections.map((own) => (own === info ? { ...own, length: 2 ** 40 } : own)) };
    const read = (_: number, length: number) => {
      reads++;
      return new Uint8Array(length);
    };
    const source = { length: 2 ** 41, read };
    expect(sourceLines({ ...endless, source }, Float64Array.of(0x1139))).toEqual([null]);
    expect(reads).toBeLessThan(10 ** 6);
  });

  test('a file that is cut anywhere gives lines or none', () => {
    const whole = bytesOf('gcc-5');
    for (let length = 0; length < whole.length; length += 61) linesIn(whole.subarray(0, length), [0x1139]);
  });
});
