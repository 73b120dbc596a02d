/**
 * Sorts rows by time.
 */

/**
 * Returns the rows of a column in the order of their values; rows of equal values stay in their order. null: they are in
 * order, as those of text are. Merges the ascending runs: a recording has one for each buffer that perf wrote.
 */
export function timeOrder(times: Float64Array): Uint32Array | null {
  let ends = runEnds(times);
  if (ends.length === 1) return null;
  let from = new Uint32Array(times.length);
  for (let row = 0; row < from.length; row++) from[row] = row;
  let to = new Uint32Array(times.length);
  while (ends.length > 1) {
    ends = mergePairs(times, from, ends, to);
    [from, to] = [to, from];
  }
  return from;
}

/** Returns a copy of a column with its rows in an order; null: as they are. */
export function inOrder<Values extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  values: Values,
  order: Uint32Array | null,
): Values {
  if (order === null) return values.slice() as Values;
  const sorted = new (values.constructor as new (length: number) => Values)(order.length);
  for (let at = 0; at < order.length; at++) sorted[at] = values[order[at]];
  return sorted;
}

/** Returns where the ascending runs end. */
function runEnds(times: Float64Array): number[] {
  const ends: number[] = [];
  for (let row = 1; row < times.length; row++) if (times[row] < times[row - 1]) ends.push(row);
  ends.push(times.length);
  return ends;
}

function mergePairs(times: Float64Array, from: Uint32Array, ends: readonly number[], to: Uint32Array): number[] {
  const merged: number[] = [];
  for (let pair = 0, start = 0; pair < ends.length; pair += 2) {
    const middle = ends[pair] as number;
    const end = ends[pair + 1] ?? middle;
    merge(times, from, [start, middle, end], to);
    merged.push(end);
    start = end;
  }
  return merged;
}

function merge(
  times: Float64Array,
  from: Uint32Array,
  [start, middle, end]: readonly [number, number, number],
  to: Uint32Array,
): void {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const isLeft = left < middle && (right === end || times[from[left]] <= times[from[right]]);
    to[at] = isLeft ? from[left++] : from[right++];
  }
}
