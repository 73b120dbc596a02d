/**
 * Turns durations into the bound that selects the longest of them.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';

/**
 * Returns the least bound that at most `max` of the durations reach: of equal ones, either all are selected or none, so
 * that the order of the durations does not matter. 0: all are.
 */
export function boundForLongest(durations: Float64Array, max: number): Nanoseconds {
  if (durations.length <= max) return 0;
  const ascending = durations.slice().sort();
  const tooShort = ascending[ascending.length - max - 1];
  return ascending[countAtOrBelow(ascending, tooShort)] ?? tooShort + 1;
}
