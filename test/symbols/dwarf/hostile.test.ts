/**
 * Debug information that would take for ever, or gigabytes: the work is bounded, what was left out is told, and the rest is read.
 */
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadZstd } from '../../../src/codec/zstd.js';
import { sourceOf } from '../../../src/symbols/byte-source.js';
import { inlineChains } from '../../../src/symbols/dwarf/inline-chains.js';
import { DebugBudget, NO_FILES, type OtherFiles } from '../../../src/symbols/dwarf/reading.js';
import { sourceLines } from '../../../src/symbols/dwarf/source-lines.js';
import { readElf } from '../../../src/symbols/elf-file.js';
import { elfFile, number, type SectionParts } from '../elf-builder.js';
import {
  abbreviation,
  FIRST,
  Form,
  inlined,
  LOW,
  lineTable,
  named,
  RANGE,
  REFERRING,
  setAddress,
  Tag,
  UNIT,
  unit,
} from './dwarf-builder.js';

interface Asked {
  readonly memoryBytes?: number;
  readonly others?: OtherFiles;
  readonly addresses?: number;
}

async function ask(
  sections: readonly SectionParts[],
  { memoryBytes = 2 ** 28, others = NO_FILES, addresses = 100 }: Asked = {},
) {
  const bytes = elfFile(sections);
  const { elf } = readElf(sourceOf(bytes));
  if (elf === null) throw new Error('no ELF file');
  const budget = new DebugBudget(memoryBytes);
  const reading = { budget, zstd: await loadZstd(), others };
  const asked = Float64Array.from({ length: addresses }, (_, row) => LOW + row);
  budget.begin(addresses);
  const chains = inlineChains(elf, asked, reading);
  const inlineLeftOut = [...budget.leftOut];
  budget.begin(addresses);
  const lines = sourceLines(elf, asked, reading);
  return { chains, lines, inlineLeftOut, linesLeftOut: [...budget.leftOut] };
}

describe('the work is bounded', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => [0x3000 + at, Form.Implicit, at % 64]);

  test('attributes count, not only entries; lines are still found', async () => {
    const { inlineLeftOut, lines } = await ask(
      named({
        '.debug_info': unit(Buffer.alloc(200_000, 2), 0),
        '.debug_abbrev': Buffer.concat([UNIT, abbreviation(2, Tag.Inlined, false, many(20_000)), Buffer.of(0)]),
        '.debug_line': lineTable(),
      }),
    );
    expect(inlineLeftOut).toEqual(['work']);
    expect(lines[0]).toEqual({ file: 'a', line: 7 });
  });

  test('what has no bytes and is not needed costs nothing', async () => {
    const { inlineLeftOut } = await ask(
      named({
        '.debug_info': unit(Buffer.alloc(200_000, 2).fill(0, 199_999), 0),
        '.debug_abbrev': Buffer.concat([UNIT, abbreviation(2, Tag.Variable, false, many(20_000)), Buffer.of(0)]),
      }),
    );
    expect(inlineLeftOut).toEqual([]);
  });

  test('units that each read another part of the abbreviations', async () => {
    const table = Buffer.concat(
      Array.from({ length: 20_000 }, (_, code) => abbreviation(10 + code, Tag.Variable, false, [])),
    );
    const units = Array.from({ length: 20_000 }, (_, at) => unit(Buffer.of(0), 0, at * 5));
    const { inlineLeftOut, linesLeftOut } = await ask(
      named({ '.debug_info': Buffer.concat(units), '.debug_abbrev': Buffer.concat([table, UNIT, Buffer.of(0)]) }),
    );
    expect([inlineLeftOut, linesLeftOut]).toEqual([['work'], ['work']]);
  });

  test('line tables within line tables, and rows that go back and forth', async () => {
    const one = lineTable([]);
    const count = 3000;
    const program = Buffer.from(
      Array.from({ length: 1000 }, () => [...setAddress(LOW), 1, ...setAddress(LOW + 99), 1, 0, 1, 1]).flat(),
    );
    const tables = Array.from({ length: count }, (_, row) => {
      const copy = Buffer.from(one);
      copy.writeUInt32LE((count - row) * one.length - 4 + program.length);
      return copy;
    });
    const { linesLeftOut } = await ask(
      named({
        '.debug_info': Buffer.concat(tables.map((_, row) => unit(Buffer.of(0), row * one.length))),
        '.debug_abbrev': Buffer.concat([UNIT, Buffer.of(0)]),
        '.debug_line': Buffer.concat([...tables, program]),
      }),
    );
    expect(linesLeftOut).toEqual(['work']);
  });

  test('split units that name the same file, or thousands that are not there', async () => {
    const split = abbreviation(1, Tag.Unit, false, [...RANGE, [0x10, Form.Offset], [0x2130, Form.Text], [0x2131, 7]]);
    const half = (id: number) => unit(Buffer.concat([Buffer.from('x\0'), number(8, id)]), 0);
    const table = Buffer.concat([split, Buffer.of(0)]);
    const { elf } = readElf(
      sourceOf(
        elfFile(
          named({
            '.debug_info.dwo': Buffer.concat(Array.from({ length: 2000 }, () => half(7))),
            '.debug_abbrev.dwo': table,
          }),
        ),
      ),
    );
    let opened = 0;
    const others = {
      ...NO_FILES,
      *split() {
        opened++;
        if (elf !== null) yield { path: '/x', elf };
      },
    };
    const skeletons = Array.from({ length: 5000 }, (_, row) => half(100 + row));
    const parts = named({ '.debug_info': Buffer.concat(skeletons), '.debug_abbrev': table });
    expect((await ask(parts, { others })).inlineLeftOut).toEqual(['work']);
    expect(opened).toBeLessThan(500);
  });
});

describe('memory is bounded', () => {
  const compressed = (name: string, kind: number, claimed: number, packed: Uint8Array) => ({
    ...{ name, isCompressed: true },
    bytes: Buffer.concat([number(4, kind), number(4, 0), number(8, claimed), number(8, 1), packed]),
  });
  const table = { name: '.debug_abbrev', bytes: Buffer.concat([UNIT, Buffer.of(0)]) };
  const lines = { name: '.debug_line', bytes: lineTable() };

  test.each([
    ['inflates to much more than its bytes have', 1, 2 ** 26, deflateSync(Buffer.alloc(2 ** 26))],
    ['claims that it does', 1, 2 ** 62, deflateSync(Buffer.alloc(100))],
    ['claims that it does, with zstd', 2, 2 ** 40, Buffer.alloc(100)],
  ])('a section that %s', async (_, kind, claimed, packed) => {
    const { inlineLeftOut, linesLeftOut } = await ask([compressed('.debug_info', kind, claimed, packed), table, lines]);
    expect([inlineLeftOut, linesLeftOut]).toEqual([['memory'], ['memory']]);
  });

  test('sections that together inflate to more than a part of --memory', async () => {
    const noise = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * at * 7919) >> 7));
    const fat = (name: string, bytes: Uint8Array) => {
      const whole = Buffer.concat([bytes, noise(2 ** 17), Buffer.alloc(2 ** 21)]);
      return compressed(name, 1, whole.length, deflateSync(whole));
    };
    const parts = ['.debug_info', '.debug_abbrev', '.debug_line', '.debug_str', '.debug_rnglists'];
    const bytes = [unit(Buffer.of(0), 0), table.bytes, lines.bytes, Buffer.of(0), Buffer.of(0)];
    const sections = parts.map((name, row) => fat(name, bytes[row] ?? Buffer.of(0)));
    expect((await ask(sections, { memoryBytes: 2 ** 24 })).linesLeftOut).toEqual(['memory']);
    expect((await ask(sections, { memoryBytes: 2 ** 26 })).lines[0]?.line).toBe(7);
  });

  test.each([
    ['zlib', 1],
    ['zstd', 2],
  ])('damaged %s is told', async (_, kind) => {
    const { linesLeftOut } = await ask([compressed('.debug_info', kind, 1000, Buffer.alloc(500, 7)), table, lines]);
    expect(linesLeftOut).toEqual(['compressed']);
  });

  test('names of 16 KB that overlap are not longer together than the file, and equal ones are one string', async () => {
    const functions = 400;
    const nameAt = (row: number) => 20 * row;
    const entries = Buffer.concat(
      Array.from({ length: functions }, (_, row) => Buffer.concat([Buffer.from([2]), number(4, nameAt(row))])),
    );
    const nested = Array.from({ length: functions }, (_, row) => inlined(FIRST + 5 * row));
    const parts = named({
      '.debug_info': unit(Buffer.concat([entries, ...nested, Buffer.alloc(functions + 1)]), 0),
      '.debug_abbrev': Buffer.concat([
        UNIT,
        abbreviation(2, Tag.Function, false, [[0x6e, Form.TextAt]]),
        REFERRING,
        Buffer.of(0),
      ]),
      '.debug_str': Buffer.concat([Buffer.alloc(16_000, 0x78), Buffer.of(0)]),
    });
    const { chains, inlineLeftOut } = await ask(parts);
    expect(inlineLeftOut).toEqual(['work']);
    expect((chains[0] ?? []).join('').length).toBeLessThan(2 ** 19);
    expect(new Set(chains).size).toBe(1);
  });
});
