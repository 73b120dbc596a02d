/**
 * Counts how many threads wait for the same object at once.
 */
import type { Waits } from '../waits.js';

/** Returns the largest number of these waits that overlap. A wait ends before another begins at the same moment. */
export function longestConvoy({ outNs, inNs }: Pick<Waits, 'outNs' | 'inNs'>, rows: Uint32Array): number {
  const starts = Float64Array.from(rows, (wait) => outNs[wait]).sort();
  const ends = Float64Array.from(rows, (wait) => inNs[wait]).sort();
  let ended = 0;
  let most = 0;
  for (let started = 0; started < starts.length; started++) {
    while (ends[ended] <= starts[started]) ended++;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
}
