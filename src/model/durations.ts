/**
 * How long calls took: counts by size, in buckets that are exact below 64 ns and 1/32 of their size wide above, so that a
 * percentile is right within 1.6 %. Histograms of the same buckets add up.
 */
import { resized } from './columns.js';
import { type Nanoseconds, NONE, type SymbolId } from './units.js';

const BLOCK_BITS = 5;
/** Buckets of one power of two; what is below the first of them is exact. */
const BLOCK = 1 << BLOCK_BITS;
const EXACT = 2 * BLOCK;
/** For durations below 2^53 ns, 104 days: longer ones, which only garbled times make, are in the last bucket. */
const BLOCKS = 49;
export const BUCKETS = BLOCKS * BLOCK;
const LONGEST = 2 ** 53 - 1;
/** From here on bit operations do not reach; what is cut off does not change the bucket. */
const WIDE_BITS = 22;
const WIDE = 2 ** 31;

/** The bucket of a duration, a whole number of nanoseconds. */
export function bucketOf(ns: Nanoseconds): number {
  if (ns < EXACT) return ns;
  if (ns > LONGEST) return BUCKETS - 1;
  if (ns >= WIDE) return bucketOf(Math.floor(ns / 2 ** WIDE_BITS)) + WIDE_BITS * BLOCK;
  const power = 31 - Math.clz32(ns);
  return (power - BLOCK_BITS) * BLOCK + (ns >>> (power - BLOCK_BITS));
}

/** The shortest duration in a bucket. */
export function bucketStart(bucket: number): Nanoseconds {
  if (bucket < EXACT) return bucket;
  const power = Math.floor(bucket / BLOCK) - 1;
  return (BLOCK + (bucket % BLOCK)) * 2 ** power;
}

/** What stands for all durations in a bucket. */
export function bucketMiddle(bucket: number): Nanoseconds {
  return Math.floor((bucketStart(bucket) + bucketStart(bucket + 1) - 1) / 2);
}

/** Complete calls by duration; only buckets that have any. */
export interface Histogram {
  readonly bucket: ArrayLike<number>; // ascending
  readonly calls: ArrayLike<number>;
}

/** Complete calls by function and duration; by symbol, then bucket, both ascending. */
export interface FunctionDurations {
  readonly length: number;
  readonly symbol: Int32Array; // SymbolId
  readonly bucket: Int32Array;
  readonly calls: Float64Array;
}

/**
 * The duration that so large a part of the calls does not exceed (0.99: the 99th percentile); NaN if there is none.
 * `minNs`, `maxNs`: of the same calls, exact.
 */
export function percentile({ bucket, calls }: Histogram, part: number, minNs: Nanoseconds, maxNs: Nanoseconds): number {
  let all = 0;
  for (let row = 0; row < calls.length; row++) all += calls[row] as number;
  let rest = Math.max(1, Math.ceil(part * all));
  for (let row = 0; row < calls.length; row++) {
    rest -= calls[row] as number;
    if (rest <= 0) return Math.min(Math.max(bucketMiddle(bucket[row] as number), minNs), maxNs);
  }
  return Number.NaN;
}

/** Counts calls by function and duration. */
export class DurationsBuilder {
  /** By symbol: its row in `blocks`, or NONE. */
  private rowOf: Int32Array = new Int32Array(1024).fill(NONE);
  /** By row and power of two: where its counts begin, or NONE. */
  private blocks: Int32Array = new Int32Array(256 * BLOCKS).fill(NONE);
  private counts = new Float64Array(1024 * BLOCK);
  private rows = 0;
  private countsUsed = 0;

  /** Begins anew, in the same memory. */
  clear(): void {
    this.rowOf.fill(NONE);
    this.blocks.fill(NONE);
    this.counts.fill(0, 0, this.countsUsed);
    this.rows = 0;
    this.countsUsed = 0;
  }

  add(symbol: SymbolId, ns: Nanoseconds): void {
    this.addCalls(symbol, bucketOf(ns), 1);
  }

  addCalls(symbol: SymbolId, bucket: number, calls: number): void {
    const known = symbol < this.rowOf.length ? this.rowOf[symbol] : NONE;
    const at = BLOCKS * (known === NONE ? this.addRow(symbol) : known) + (bucket >>> BLOCK_BITS);
    const block = this.blocks[at] === NONE ? this.addBlock(at) : this.blocks[at]; // may make room: first of all
    this.counts[block + (bucket & (BLOCK - 1))] += calls;
  }

  addAll({ length, symbol, bucket, calls }: FunctionDurations): void {
    for (let row = 0; row < length; row++) this.addCalls(symbol[row], bucket[row], calls[row]);
  }

  build(): FunctionDurations {
    const found: { symbol: number[]; bucket: number[]; calls: number[] } = { symbol: [], bucket: [], calls: [] };
    for (let symbol = 0; symbol < this.rowOf.length; symbol++) {
      if (this.rowOf[symbol] === NONE) continue;
      for (let power = 0; power < BLOCKS; power++) {
        const start = this.blocks[BLOCKS * this.rowOf[symbol] + power];
        for (let at = start; start !== NONE && at < start + BLOCK; at++) {
          if (this.counts[at] === 0) continue;
          found.symbol.push(symbol);
          found.bucket.push(BLOCK * power + at - start);
          found.calls.push(this.counts[at]);
        }
      }
    }
    return {
      length: found.calls.length,
      symbol: Int32Array.from(found.symbol),
      bucket: Int32Array.from(found.bucket),
      calls: Float64Array.from(found.calls),
    };
  }

  private addRow(symbol: SymbolId): number {
    if (symbol >= this.rowOf.length) {
      const { length } = this.rowOf;
      this.rowOf = resized(this.rowOf, Math.max(2 * length, symbol + 1)).fill(NONE, length);
    }
    const row = this.rows++;
    if (this.rows * BLOCKS > this.blocks.length) {
      const { length } = this.blocks;
      this.blocks = resized(this.blocks, 2 * length).fill(NONE, length);
    }
    this.rowOf[symbol] = row;
    return row;
  }

  private addBlock(at: number): number {
    const block = this.countsUsed;
    this.countsUsed += BLOCK;
    if (this.countsUsed > this.counts.length) this.counts = resized(this.counts, 2 * this.counts.length);
    this.blocks[at] = block;
    return block;
  }
}

/** Of each function that has complete calls. */
export function histogramsOf({ length, symbol, bucket, calls }: FunctionDurations): Map<SymbolId, Histogram> {
  const histograms = new Map<SymbolId, Histogram>();
  for (let start = 0, end = 0; start < length; start = end) {
    while (end < length && symbol[end] === symbol[start]) end++;
    histograms.set(symbol[start], { bucket: bucket.subarray(start, end), calls: calls.subarray(start, end) });
  }
  return histograms;
}

/** Those of all threads together; null unless those of each are known. */
export function addedDurations(
  threads: readonly { readonly durations: FunctionDurations | null }[],
): FunctionDurations | null {
  const builder = new DurationsBuilder();
  for (const { durations } of threads) {
    if (durations === null) return null;
    builder.addAll(durations);
  }
  return builder.build();
}
