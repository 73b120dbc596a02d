/**
 * Inserts and removes rows: they stay in order, and the tree stays balanced.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { OrderedRows } from '../../src/symbols/ordered-rows.js';

function inOrder(rows: OrderedRows, row = rows.root): number[] {
  return row === NONE ? [] : [...inOrder(rows, rows.left[row]), row, ...inOrder(rows, rows.right[row])];
}

function depthOf(rows: OrderedRows, row: number): number {
  return row === NONE ? 0 : 1 + Math.max(depthOf(rows, rows.left[row]), depthOf(rows, rows.right[row]));
}

const keys = fc.array(fc.nat(50), { minLength: 1, maxLength: 300 });

test('orders rows by key, and equal ones by insertion', () => {
  fc.assert(
    fc.property(keys, (all) => {
      const rows = new OrderedRows(Float64Array.from(all));
      for (const row of all.keys()) rows.insert(row);
      expect(inOrder(rows)).toEqual([...all.keys()].sort((one, other) => all[one] - all[other] || one - other));
      expect(depthOf(rows, rows.root)).toBeLessThanOrEqual(2 * Math.log2(all.length + 1));
    }),
  );
});

test('keeps the order of rows when others are removed', () => {
  fc.assert(
    fc.property(keys, fc.array(fc.boolean(), { minLength: 300, maxLength: 300 }), (all, isRemoved) => {
      const rows = new OrderedRows(Float64Array.from(all));
      for (const row of all.keys()) rows.insert(row);
      const wanted = inOrder(rows).filter((row) => !isRemoved[row]);
      for (const row of all.keys()) if (isRemoved[row]) rows.remove(row);
      expect(inOrder(rows)).toEqual(wanted);
      expect(depthOf(rows, rows.root)).toBeLessThanOrEqual(2 * Math.log2(wanted.length + 1));
    }),
  );
});

test('builds the tree of the textbook from ascending keys', () => {
  const rows = new OrderedRows(Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8]));
  for (let row = 0; row < 8; row++) rows.insert(row);
  expect([rows.root, rows.left[3], rows.right[3], rows.right[5]]).toEqual([3, 1, 5, 6]);
});
