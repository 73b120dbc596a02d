/**
 * Compares tables of random symbols, which overlap and share starts, with a plain twin: perf's way, one tree from the first
 * symbol on.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { readElf } from '../../src/symbols/elf-file.js';
import { findRow, OrderedRows } from '../../src/symbols/ordered-rows.js';
import { buildSymbolTable } from '../../src/symbols/symbol-table.js';
import { times } from '../helpers/random/times.js';
import { program, type SymbolParts, TEXT_ADDRESS, TEXT_OFFSET } from './elf-builder.js';

const PAGE_BYTES = 4096;
const BROKEN_SECTION = 48;
/** So large that it and a row's number are no exact number together. */
const HUGE = 2 ** 50;

const symbols: fc.Arbitrary<SymbolParts[]> = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', '_a', 'bb', '__c', 'name'),
    value: fc.oneof(
      { weight: 20, arbitrary: fc.nat(40) },
      { weight: 1, arbitrary: fc.nat(4).map((at) => HUGE + 2 * at) },
    ),
    size: fc.oneof(fc.constantFrom(0, 1, 4), fc.nat(30)),
    binding: fc.constantFrom('local', 'global', 'weak'),
    section: fc.oneof({ weight: 25, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(BROKEN_SECTION) }),
  }),
  { maxLength: 30 },
);

/** Returns where a symbol begins that holds each offset. */
function twin(tables: readonly (readonly SymbolParts[])[]): (offset: number) => [string, number, number] | null {
  const all = tables.flat();
  const start = Float64Array.from(all, ({ value }) => TEXT_OFFSET + value);
  const end = Float64Array.from(all, ({ value, size = 0 }) => TEXT_OFFSET + value + size);
  const tree = new OrderedRows(start);
  const inOrder = (row = tree.root): number[] =>
    row === NONE ? [] : [...inOrder(tree.left[row]), row, ...inOrder(tree.right[row])];
  let row = 0;
  read: for (const table of tables) {
    for (const { section } of table) {
      if (section === BROKEN_SECTION) break read;
      tree.insert(row++);
    }
    const order = inOrder();
    order.forEach((each, at) => {
      if (end[each] !== start[each]) return;
      const next = order[at + 1];
      end[each] = next === undefined ? (Math.ceil(start[each] / PAGE_BYTES) + 1) * PAGE_BYTES : start[next];
    });
    let kept = NONE;
    for (const each of order) {
      const isAlias = kept !== NONE && start[kept] === start[each];
      const isKept = isAlias && isBetter(all[kept], all[each], end[kept] > start[kept], end[each] > start[each]);
      if (isAlias) tree.remove(isKept ? each : kept);
      if (!isKept) kept = each;
    }
  }
  return (offset) => {
    const found = findRow(tree, end, offset);
    return found === NONE ? null : [all[found].name, start[found], end[found]];
  };
}

function isBetter(one: SymbolParts, other: SymbolParts, oneHasSize: boolean, otherHasSize: boolean): boolean {
  const ranks = [
    (hasSize: boolean) => Number(hasSize),
    (_: boolean, { binding }: SymbolParts) => Number(binding !== 'weak'),
    (_: boolean, { binding }: SymbolParts) => Number(binding === 'global'),
    (_: boolean, { name }: SymbolParts) => -name.search(/[^_]/),
    (_: boolean, { name }: SymbolParts) => name.length,
  ];
  const differences = ranks.map((rank) => rank(oneHasSize, one) - rank(otherHasSize, other));
  return (differences.find((difference) => difference !== 0) ?? 0) >= 0;
}

test('finds what perf finds', () => {
  fc.assert(
    fc.property(symbols, symbols, (own, dynamic) => {
      const moved = [own, dynamic].map((table) => table.map((each) => ({ ...each, value: each.value + TEXT_ADDRESS })));
      const { elf } = readElf(sourceOf(program({ symbols: moved[0], dynamic: moved[1] })));
      if (elf === null) throw new Error('no ELF file');
      const table = buildSymbolTable(elf, elf, { demangle: () => null, pltNames: 'all' });
      const wanted = twin([own, dynamic]);
      const offsets = [0, HUGE].flatMap((base) => Array.from({ length: 75 }, (_, at) => base + TEXT_OFFSET - 2 + at));
      for (const offset of offsets) {
        const found = table.find(offset);
        expect(found && [found.name, found.start, found.end], `at ${offset}`).toEqual(wanted(offset));
      }
    }),
    { numRuns: times(1000) },
  );
});
