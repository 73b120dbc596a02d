/**
 * Finds which parts of small binaries are in one function, one test per rule.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { functionBounds } from '../../src/symbols/bounds.js';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { demangle } from '../../src/symbols/demangle/demangle.js';
import { readElf } from '../../src/symbols/elf-file.js';
import { buildSymbolTable } from '../../src/symbols/symbol-table.js';
import {
  number,
  type ProgramParts,
  program,
  type SectionParts,
  type SymbolParts,
  TEXT_ADDRESS,
  TEXT_OFFSET,
} from './elf-builder.js';

/** `.text` and `.data` of a program have as many bytes each. */
const SECTION_BYTES = 0x4000;
const FRAMES_ADDRESS = TEXT_ADDRESS + 2 * SECTION_BYTES;
const CIE_BYTES = 20;

function elfOf(parts: ProgramParts) {
  const { elf } = readElf(sourceOf(program(parts)));
  if (elf === null) throw new Error('no ELF file');
  return elf;
}

/** Relative to the start of `.text`. */
type Range = readonly [start: number, end: number];

/** `.eh_frame`, and the table of it; `shift`: of the starts in the table. */
function framesOf(ranges: readonly Range[], shift = 0): SectionParts[] {
  const word = (value: number) => number(4, value >>> 0);
  const startAt = (row: number) => FRAMES_ADDRESS + CIE_BYTES + 20 * row + 8;
  const frames = ranges.map(([start, end], row) =>
    Buffer.concat([16, 24 + 20 * row, TEXT_ADDRESS + start - startAt(row), end - start, 0].map(word)),
  );
  const bytes = Buffer.concat([Buffer.alloc(CIE_BYTES), ...frames]);
  const headerAt = FRAMES_ADDRESS + bytes.length;
  const rows = ranges.map(([start], row) => [TEXT_ADDRESS + start + shift - headerAt, startAt(row) - 8 - headerAt]);
  const header = Buffer.concat([Buffer.from([1, 0x1b, 3, 0x3b]), ...[0, ranges.length, ...rows.flat()].map(word)]);
  return [
    { name: '.eh_frame', isAllocated: true, address: FRAMES_ADDRESS, bytes },
    { name: '.eh_frame_hdr', isAllocated: true, address: headerAt, bytes: header },
  ];
}

/** The range around an offset, relative to the start of `.text`. */
function around(offset: number, symbols: readonly SymbolParts[], more: readonly SectionParts[] = []): Range | null {
  const elf = elfOf({ symbols: symbols.map(inText), more });
  const found = functionBounds(elf, elf)(TEXT_OFFSET + offset);
  return found && [found.start - TEXT_OFFSET, found.end - TEXT_OFFSET];
}

function inText(symbol: SymbolParts): SymbolParts {
  return { ...symbol, value: symbol.value + TEXT_ADDRESS };
}

describe('a symbol', () => {
  const outer = { name: 'outer', value: 16, size: 48 };

  test.each([
    [15, null],
    [16, [16, 64]],
    [63, [16, 64]],
    [64, null],
  ])('is a function: around %d', (offset, range) => {
    expect(around(offset, [outer])).toEqual(range);
  });

  test.each([
    [20, [16, 32]],
    [33, [32, 40]],
    [50, [40, 64]],
  ])('in another one cuts that: around %d', (offset, range) => {
    expect(around(offset, [outer, { name: 'inner', value: 32, size: 8 }])).toEqual(range);
  });

  test('without a size is a bound, and nothing is known of what follows', () => {
    const label = { name: 'label', value: 32 };
    expect(around(20, [outer, label])).toEqual([16, 32]);
    expect(around(40, [label])).toBeNull();
  });

  test('of another file does not count', () => {
    expect(around(20, [{ ...outer, section: 0 }])).toBeNull();
  });
});

describe('a frame of the unwinder', () => {
  const frames = framesOf([
    [0, 32],
    [32, 100],
  ]);

  test('is a function without a symbol', () => {
    expect([around(31, [], frames), around(32, [], frames), around(100, [], frames)]).toEqual([
      [0, 32],
      [32, 100],
      null,
    ]);
  });

  test('is cut by symbols', () => {
    expect(around(50, [{ name: 'part', value: 40, size: 8 }], frames)).toEqual([48, 100]);
  });

  test('does not count if table and frame differ', () => {
    expect(around(5, [], framesOf([[0, 32]], 1))).toBeNull();
  });

  test('does not count in a linkage table', () => {
    const plt = { name: '.plt', isAllocated: true, address: TEXT_ADDRESS, bytes: new Uint8Array(32) };
    expect([around(5, [], [...frames, plt]), around(40, [], [...frames, plt])]).toEqual([null, [32, 100]]);
  });

  test.each([3, 11, 20, 27])('that is cut off is no error: %d bytes are left', (bytes) => {
    const cut = frames.map((section) => ({ ...section, bytes: section.bytes.subarray(0, bytes) }));
    expect(around(5, [], cut)).toBeNull();
  });
});

test('all of a function has the same name, or none', () => {
  const bytes = fc.integer({ min: 0, max: 400 });
  const symbol = fc.record({
    name: fc.constantFrom('a', '_b', 'c', 'dd', 'e'),
    value: bytes,
    size: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
    type: fc.constantFrom('untyped', 'object', 'function'),
    binding: fc.constantFrom('local', 'global', 'weak'),
    visibility: fc.constantFrom('default', 'hidden'),
  } as const);
  fc.assert(
    fc.property(
      fc.array(symbol, { maxLength: 12 }),
      fc.array(symbol, { maxLength: 4 }),
      bytes,
      (symbols, exported, at) => {
        const elf = elfOf({ symbols: symbols.map(inText), dynamic: exported.map(inText), more: framesOf([[0, 500]]) });
        const range = functionBounds(elf, elf)(TEXT_OFFSET + at);
        expect(range).not.toBeNull();
        const table = buildSymbolTable(elf, elf, { demangle, pltNames: 'all' });
        const { start, end } = range ?? { start: 0, end: 0 };
        expect(start <= TEXT_OFFSET + at && TEXT_OFFSET + at < end).toBe(true);
        for (const other of [start, end - 1]) expect(table.find(other)).toEqual(table.find(TEXT_OFFSET + at));
      },
    ),
    { numRuns: 300 },
  );
});
