/**
 * Counts values by range: by powers of two, or in equal steps.
 */
import type { FieldValues } from './field-values.js';

/** How many values are from `from` to below `to`. */
export interface ValueBar {
  readonly from: number;
  readonly to: number;
  readonly samples: number;
}

/** Returns the ranges that have values, in their order. `step`: the size of all ranges; null: by powers of two. */
export function valueHistogram({ numbers }: FieldValues, rows: Uint32Array, step: number | null): ValueBar[] {
  if (numbers === null) return [];
  const counts = new Map<number, ValueBar>();
  for (const row of rows) {
    if (Number.isNaN(numbers[row])) continue;
    const { from, to } = step === null ? powersAround(numbers[row]) : stepAround(numbers[row], step);
    counts.set(from, { from, to, samples: (counts.get(from)?.samples ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => a.from - b.from);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function stepAround(value: number, step: number): Range {
  const from = Math.floor(value / step) * step;
  return { from, to: from + step };
}

/** 0, 1, 2 to 3, 4 to 7… and likewise −1, −3 to −2, −7 to −4… */
function powersAround(value: number): Range {
  if (value === 0) return { from: 0, to: 1 };
  const least = powerBelow(Math.abs(value));
  return value > 0 ? { from: least, to: 2 * least } : { from: 1 - 2 * least, to: 1 - least };
}

/** Returns the largest power of two up to a number. */
function powerBelow(value: number): number {
  const power = 2 ** Math.floor(Math.log2(value)); // a logarithm is rounded
  return power > value ? power / 2 : power;
}
