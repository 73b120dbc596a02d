/**
 * Checks of columns in a profile.
 */
import { damagedAt } from '../codec/file-fault.js';

/** Checks that all columns are as long as the first. `path`: of the columns in the file. */
export function checkLengths(columns: Readonly<Record<string, ArrayLike<unknown>>>, path: string): void {
  const [[first, { length }] = ['', []], ...rest] = Object.entries(columns);
  for (const [name, { length: rows }] of rest)
    if (rows !== length) throw damagedAt(`${path}.${name}`, `has ${rows} rows, but ${first} has ${length}`);
}

export function isRow(value: number, rows: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < rows;
}
