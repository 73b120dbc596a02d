/**
 * Finds symbols of small binaries by perf's rules, one test per rule.
 */
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { demangle } from '../../src/symbols/demangle/demangle.js';
import { type ElfFile, type ElfSection, readElf } from '../../src/symbols/elf-file.js';
import { buildSymbolTable, type PltNames, type SymbolTable } from '../../src/symbols/symbol-table.js';
import { number, type ProgramParts, program, type SymbolParts, TEXT_ADDRESS, TEXT_OFFSET } from './elf-builder.js';

/** Values are relative to the start of `.text`. */
function tableOf(parts: ProgramParts, pltNames: PltNames = 'perf-6.1'): SymbolTable {
  const { elf } = readElf(sourceOf(program(parts)));
  if (elf === null) throw new Error('no ELF file');
  return buildSymbolTable(elf, elf, { demangle, pltNames });
}

function named(symbols: readonly SymbolParts[], offset: number): string | null {
  const moved = symbols.map((symbol) => ({ ...symbol, value: symbol.value + TEXT_ADDRESS }));
  return tableOf({ symbols: moved }).find(TEXT_OFFSET + offset)?.name ?? null;
}

describe('a symbol', () => {
  const main = [{ name: 'main', value: 16, size: 8 }];

  test.each([
    [15, null],
    [16, 'main'],
    [23, 'main'],
    [24, null],
  ])('from 16 to 24: at %d is %s', (offset, name) => {
    expect(named(main, offset)).toBe(name);
  });

  test('starts at an offset in the file', () => {
    const table = tableOf({ symbols: [{ name: 'main', value: TEXT_ADDRESS + 16, size: 8 }] });
    expect(table.find(TEXT_OFFSET + 20)).toEqual({ name: 'main', start: TEXT_OFFSET + 16, end: TEXT_OFFSET + 24 });
  });

  test('without a size ends at the next one', () => {
    expect(
      named(
        [
          { name: 'a', value: 0 },
          { name: 'b', value: 64, size: 8 },
        ],
        63,
      ),
    ).toBe('a');
  });

  test('without a size ends at the end of the next page if it is the last one', () => {
    const last = [{ name: 'a', value: 16 }];
    expect([0x1fff, 0x2000].map((offset) => named(last, offset))).toEqual(['a', null]);
  });
});

describe('perf uses or ignores', () => {
  test.each<[string, Partial<SymbolParts>, boolean]>([
    ['a function', {}, true],
    ['an indirect function', { type: 'indirect' }, true],
    ['an object', { type: 'object', section: 2 }, true],
    ['a label in code', { type: 'untyped' }, true],
    ['a hidden label', { type: 'untyped', visibility: 'hidden' }, false],
    ['a hidden function', { visibility: 'hidden' }, true],
    ['a section', { type: 'section' }, false],
    ['one that is elsewhere', { section: 0 }, false],
    ['one that is not in memory', { section: 3 }, false],
    ['one without a section', { section: 0xfff1 }, false],
  ])('%s: %j', (_, parts, isTaken) => {
    expect(named([{ name: 'a', value: 0, size: 8, ...parts }], 4)).toBe(isTaken ? 'a' : null);
  });
});

test('a table ends at the first symbol whose section is not in the file, without sizes and aliases being handled', () => {
  const good = ['one', 'two', 'three'].map((name, at) => ({ name, value: 64 * at, size: at === 0 ? 0 : 8 }));
  const all = [...good.slice(0, 2), { name: 'bad', value: 0, section: 48 }, ...good.slice(2)];
  expect([1, 64, 128].map((offset) => named(all, offset))).toEqual([null, 'two', null]);
});

describe('of two symbols with one start', () => {
  test.each<[string, Partial<SymbolParts>, Partial<SymbolParts>]>([
    ['the one with a size, if the other comes first', { name: 'a', size: 8 }, { name: 'longer' }],
    ['not the weak one', { name: 'a', size: 8 }, { name: 'longer', size: 8, binding: 'weak' }],
    ['the global one', { name: 'a', size: 8 }, { name: 'longer', size: 8, binding: 'local' }],
    ['the one with fewer underscores', { name: 'a', size: 8 }, { name: '_longer', size: 8 }],
    ['the longer one', { name: 'longer', size: 8 }, { name: 'a', size: 8 }],
    ['the longer one, though a single digit differs', { name: '_Z2fii', size: 8 }, { name: '_Z1fii', size: 8 }],
    ['the one that is longer when demangled', { name: '_ZN1a1bEv', size: 8 }, { name: '_Z3abciiiiiiiiii', size: 8 }],
  ])('keeps %s', (_, better, worse) => {
    const all = [better, worse, { name: 'next', value: 64, size: 8 }].map((parts) => ({
      name: '',
      value: 0,
      ...parts,
    }));
    const wanted = demangle(all[0].name) ?? all[0].name;
    const orders = worse.size === undefined ? [all.toReversed()] : [all, all.toReversed()];
    expect(orders.map((order) => named(order, 0))).toEqual(orders.map(() => wanted));
  });

  test('keeps the second one without a size, which has got one by then', () => {
    const all = [
      { name: 'a', value: 0, size: 8 },
      { name: 'longer', value: 0 },
      { name: 'next', value: 64, size: 8 },
    ];
    expect([0, 63].map((offset) => named(all, offset))).toEqual(['longer', 'longer']);
  });

  test('keeps the first one otherwise', () => {
    const all = ['one', 'two'].map((name) => ({ name, value: 0, size: 8 }));
    expect([named(all, 0), named(all.toReversed(), 0)]).toEqual(['one', 'two']);
  });
});

describe('of two symbols that overlap', () => {
  test('finds the one that is higher in the tree, not the smaller one', () => {
    const wide = { name: 'wide', value: 0, size: 64 };
    const narrow = { name: 'narrow', value: 16, size: 8 };
    expect([named([wide, narrow], 20), named([narrow, wide], 20)]).toEqual(['wide', 'narrow']);
  });
});

describe('calls into libraries', () => {
  const plt = (name: string, address: number, code: readonly number[], entryBytes = 16) => ({
    ...{ name, isAllocated: true, address, bytes: Uint8Array.from(code), entryBytes },
  });
  const relocation = (word: number, symbol: number) =>
    Buffer.concat([number(8, word), number(4, 7), number(4, symbol), number(8, 0)]);
  const jump = (from: number, to: number) => [0xff, 0x25, ...number(4, 2 ** 32 + to - from - 6).subarray(0, 4)];
  const AT = TEXT_ADDRESS + 0x8000;
  const parts: ProgramParts = {
    symbols: [{ name: 'main', value: TEXT_ADDRESS, size: 8 }],
    dynamic: [
      { name: 'puts', value: 0, section: 0 },
      { name: '_ZN1a1bEv', value: 0, section: 0 },
    ],
    more: [
      plt('.plt', AT, new Array(48).fill(0)),
      plt('.plt.got', AT + 48, [...jump(AT + 48, AT + 64), 0x66, 0x90], 8),
      { name: '.rela.plt', bytes: Buffer.concat([relocation(1, 2), relocation(2, 1)]) },
      { name: '.rela.dyn', bytes: relocation(AT + 64, 1) },
    ],
  };

  test('names slots of .plt in the order of the relocations, from the second one on', () => {
    const table = tableOf(parts);
    const all = [...Array(0x20000).keys()].map((at) => table.find(at)?.name).filter((name) => name?.endsWith('@plt'));
    expect([[...new Set(all)], all.length]).toEqual([['a::b@plt', 'puts@plt'], 32]);
  });

  test('names slots of .plt.got if all are requested', () => {
    const count = (style: PltNames) => {
      const table = tableOf(parts, style);
      return [...Array(0x20000).keys()].filter((at) => table.find(at)?.name === 'puts@plt').length;
    };
    expect([count('perf-6.1'), count('all')]).toEqual([16, 24]);
  });

  test('ends a symbol without a size at the first slot; for perf 6.1, it hides the slot', () => {
    const withInit = (value: number, style: PltNames) =>
      tableOf({ ...parts, symbols: [...(parts.symbols ?? []), { name: '_init', value, size: 0 }] }, style);
    const before = withInit(TEXT_ADDRESS, 'perf-6.1');
    const slot = [...Array(0x20000).keys()].find((at) => before.find(at)?.name === 'a::b@plt') as number;
    const nameIn = (style: PltNames) => withInit(TEXT_ADDRESS + slot - TEXT_OFFSET - 8, style).find(slot)?.name;
    expect([nameIn('perf-6.1'), nameIn('all')]).toEqual(['_init', 'a::b@plt']);
  });

  test('names none if the binary has no symbols', () => {
    const table = tableOf({ ...parts, symbols: [] });
    expect([...Array(0x20000).keys()].some((at) => table.find(at) !== null)).toBe(false);
  });
});

describe('long names', () => {
  const NAME_BYTES = 2 ** 20;

  /** A table of symbols whose names begin in one long name: all of them are at one address if `step` is 0. */
  function sharing(count: number, step: number, nameStep: number) {
    let demangled = 0;
    const symbols = Array.from({ length: count }, (_, row) => ({
      name: 'x',
      value: TEXT_ADDRESS + row * step,
      size: 8,
    }));
    const bytes = program({ symbols });
    const { elf } = readElf(sourceOf(bytes)) as { elf: ElfFile };
    const [table, names] = ['.symtab', '.symtab.names'].map((name) => elf.sections.find((own) => own.name === name));
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (let row = 1; row <= count; row++) view.setUint32((table?.offset ?? 0) + 24 * row, 1 + row * nameStep, true);
    const long = { ...(names as ElfSection), offset: bytes.length, length: NAME_BYTES };
    const source = sourceOf(Buffer.concat([bytes, Buffer.alloc(NAME_BYTES - 1, '_'), Buffer.alloc(1)]));
    const sections = elf.sections.map((own) => (own === names ? long : own));
    const counting = (name: string) => {
      demangled += name.length;
      return demangle(name);
    };
    const own = { ...elf, source, sections };
    return { table: buildSymbolTable(own, own, { demangle: counting, pltNames: 'all' }), demangled: () => demangled };
  }

  test('of many symbols are one text, cut and marked', () => {
    const { table, demangled } = sharing(500, 16, 0);
    const found = Array.from({ length: 500 }, (_, row) => table.find(TEXT_OFFSET + 16 * row)?.name);
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toMatch(/^_{1024}…\[cut, 0x1\]$/);
    expect(demangled()).toBeLessThan(NAME_BYTES);
  });

  test('that begin alike are different ones', () => {
    const { table } = sharing(500, 16, 1);
    const found = Array.from({ length: 500 }, (_, row) => table.find(TEXT_OFFSET + 16 * row)?.name);
    expect(new Set(found).size).toBe(500);
    expect(Math.max(...found.map((name) => name?.length ?? 0))).toBeLessThan(1100);
  });

  test('of aliases are compared as far as the file is long', () => {
    const { table, demangled } = sharing(3000, 0, 1);
    expect(table.find(TEXT_OFFSET)?.name).toMatch(/^_{1024}…/);
    expect(demangled()).toBeLessThan(16 * NAME_BYTES);
  });
});
