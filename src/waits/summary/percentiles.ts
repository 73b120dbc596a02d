/**
 * Finds percentiles without sorting everything.
 */

/** Short ranges are sorted; so is what is left after as many steps as a good choice of pivots never needs. */
const SORTED_LENGTH = 512;
const MAX_STEPS = 64;

/**
 * Returns for each part, ascending, the least value that this part of the values does not exceed; NaN if there are no
 * values. Changes their order.
 */
export function percentiles(values: Float64Array, parts: readonly number[]): number[] {
  let from = 0;
  return parts.map((part) => {
    if (values.length === 0) return Number.NaN;
    const at = Math.max(0, Math.ceil(part * values.length) - 1);
    moveToPlace(values, from, at);
    from = at; // nothing before it is greater
    return values[at];
  });
}

/** Moves values, from a row on, until this row has the value that it would have if they were sorted (Hoare's quickselect). */
function moveToPlace(values: Float64Array, first: number, at: number): void {
  let [from, to] = [first, values.length];
  for (let step = 0; step < MAX_STEPS && to - from > SORTED_LENGTH; step++) {
    const [left, right] = divide(values, from, to);
    if (at <= left) to = left + 1;
    else if (at >= right) from = right;
    else return; // all values between the two are equal
  }
  values.subarray(from, to).sort();
}

/** Divides rows at the median of three; returns the last row of the smaller values and the first of the greater ones. */
function divide(values: Float64Array, from: number, to: number): readonly [left: number, right: number] {
  const pivot = medianOf(values[from], values[(from + to) >>> 1], values[to - 1]);
  let [left, right] = [from, to - 1];
  while (left <= right) {
    while (values[left] < pivot) left++;
    while (values[right] > pivot) right--;
    if (left > right) break;
    const value = values[left];
    values[left++] = values[right];
    values[right--] = value;
  }
  return [right, left];
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
