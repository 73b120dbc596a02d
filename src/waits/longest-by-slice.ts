/**
 * Chooses rows so that every part of the time keeps about as many: the longest of each.
 */
import type { Nanoseconds } from '../model/units.js';

interface SlicedRows {
  /** By row. */
  readonly slice: Int32Array;
  readonly ns: Float64Array;
  readonly slices: number;
}

/** Returns by row 1 if it is kept: `most` of them, of each slice about as many. */
export function longestBySlice({ slice, ns, slices }: SlicedRows, most: number): Uint8Array {
  const isKept = new Uint8Array(slice.length);
  if (slice.length <= most) return isKept.fill(1);
  const risingNs = groupedNs(slice, ns, slices).map((own) => own.sort());
  const limits = quotas(risingNs, most).map((quota, at) => limitOf(risingNs[at], quota));
  // of equally long ones, the first
  for (let row = 0; row < slice.length; row++) {
    const limit = limits[slice[row]];
    if (ns[row] > limit.ns || (ns[row] === limit.ns && limit.equal-- > 0)) isKept[row] = 1;
  }
  return isKept;
}

function groupedNs(slice: Int32Array, ns: Float64Array, slices: number): Float64Array[] {
  const counts = new Int32Array(slices);
  for (const at of slice) counts[at]++;
  const grouped = Array.from(counts, (count) => new Float64Array(count));
  for (let row = 0; row < slice.length; row++) grouped[slice[row]][--counts[slice[row]]] = ns[row];
  return grouped;
}

/** Returns how many each slice keeps: as many as all others, or all it has, and one more where that one is longest. */
function quotas(risingNs: readonly Float64Array[], most: number): number[] {
  const quota = commonQuota(
    risingNs.map(({ length }) => length),
    most,
  );
  const kept = risingNs.map(({ length }) => Math.min(quota, length));
  const left = most - kept.reduce((sum, own) => sum + own, 0);
  const nextNs = (at: number) => risingNs[at][risingNs[at].length - quota - 1];
  const more = [...risingNs.keys()].filter((at) => risingNs[at].length > quota);
  more.sort((a, b) => nextNs(b) - nextNs(a) || a - b);
  for (const at of more.slice(0, left)) kept[at]++;
  return kept;
}

/** Slices with fewer rows leave the others more. */
function commonQuota(counts: readonly number[], most: number): number {
  let left = most;
  const rising = [...counts].sort((a, b) => a - b);
  for (const [at, count] of rising.entries()) {
    const quota = Math.floor(left / (rising.length - at));
    if (count > quota) return quota;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the shortest duration that is kept, and how many of exactly that one. */
function limitOf(risingNs: Float64Array, quota: number): { readonly ns: Nanoseconds; equal: number } {
  if (quota === 0) return { ns: Number.POSITIVE_INFINITY, equal: 0 };
  const ns = risingNs[risingNs.length - quota];
  return { ns, equal: quota - (risingNs.length - 1 - risingNs.lastIndexOf(ns)) };
}
