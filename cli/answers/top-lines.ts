/**
 * The first rows of a long table, and how many more there are.
 */
import { formatCount } from '../../src/text.js';
import { NOTHING } from './numbers.js';

/** A table of so many rows at most (0: of all), and how many are left out. */
export function topLines<Row>(rows: readonly Row[], top: number, table: (rows: readonly Row[]) => string[]): string[] {
  const shown = top === 0 ? rows : rows.slice(0, top);
  const left = rows.length - shown.length;
  return [...table(shown), ...(left > 0 ? [`${NOTHING} and ${formatCount(left)} more: --top ${rows.length}`] : [])];
}
