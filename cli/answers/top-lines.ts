/**
 * Formats the first rows of a long table and the number of the others.
 */
import { formatCount } from '../../src/render/format.js';
import { UNKNOWN } from './numbers.js';

/** Formats at most `top` rows (0: all), and a line with the number of rows left out. */
export function topLines<Row>(rows: readonly Row[], top: number, table: (rows: readonly Row[]) => string[]): string[] {
  const shown = top === 0 ? rows : rows.slice(0, top);
  const left = rows.length - shown.length;
  return [...table(shown), ...(left > 0 ? [`${UNKNOWN} and ${formatCount(left)} more: --top ${rows.length}`] : [])];
}
