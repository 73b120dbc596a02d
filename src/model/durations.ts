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
/** As many fit beside their owners into a whole number. */
const MOST_BLOCKS = 2 ** 26;
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

/** The same as a thread gives it away: blocks of counts, in the order in which they came to be; plain data. */
export interface DurationBlocks {
  readonly length: number;
  /** Whose each is: its function and its power of two. */
  readonly owners: Float64Array;
  readonly counts: Uint32Array; // `BLOCK` for each
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

/** Counts calls by function and duration: a block of counts for each power of two that a function has calls of. */
export class DurationsBuilder {
  /** By symbol: its row in `blocks`, or NONE. */
  private rowOf: Int32Array = new Int32Array(1024).fill(NONE);
  /** By row and power of two: the number of the block, or NONE. */
  private blocks: Int32Array = new Int32Array(256 * BLOCKS).fill(NONE);
  private rows = 0;
  private counts = new Uint32Array(1024 * BLOCK);
  /** By block: whose it is, `BLOCKS * symbol + power`. */
  private owners = new Float64Array(1024);
  private length = 0;

  /** Begins anew, in the same memory. */
  clear(): void {
    this.rowOf.fill(NONE);
    this.blocks.fill(NONE, 0, this.rows * BLOCKS);
    this.counts.fill(0, 0, this.length * BLOCK);
    this.rows = 0;
    this.length = 0;
  }

  add(symbol: SymbolId, ns: Nanoseconds): void {
    this.addCalls(symbol, bucketOf(ns), 1);
  }

  addCalls(symbol: SymbolId, bucket: number, calls: number): void {
    const power = bucket >>> BLOCK_BITS;
    const row = symbol < this.rowOf.length ? this.rowOf[symbol] : NONE;
    const known = row === NONE ? NONE : this.blocks[BLOCKS * row + power];
    const block = known === NONE ? this.blockOf(BLOCKS * symbol + power) : known; // it may make room: first of all
    this.counts[BLOCK * block + (bucket & (BLOCK - 1))] += calls;
  }

  addAll({ length, symbol, bucket, calls }: FunctionDurations): void {
    for (let row = 0; row < length; row++) this.addCalls(symbol[row], bucket[row], calls[row]);
  }

  /** Adds those of another one. */
  addBlocks({ length, owners, counts }: DurationBlocks): void {
    for (let block = 0; block < length; block++) {
      const to = BLOCK * this.blockOf(owners[block]);
      const own = this.counts;
      for (let place = 0; place < BLOCK; place++) own[to + place] += counts[BLOCK * block + place];
    }
  }

  /** A copy. */
  copy(): DurationBlocks {
    const { length } = this;
    return { length, owners: this.owners.slice(0, length), counts: this.counts.slice(0, BLOCK * length) };
  }

  build(): FunctionDurations {
    const { counts } = this;
    const order = this.blocksInOrder();
    let length = 0;
    for (let at = 0; at < this.length * BLOCK; at++) if (counts[at] > 0) length++;
    const [symbol, bucket, calls] = [new Int32Array(length), new Int32Array(length), new Float64Array(length)];
    let row = 0;
    for (const block of order) {
      const owner = this.owners[block];
      const power = owner % BLOCKS;
      for (let place = 0; place < BLOCK; place++) {
        if (counts[BLOCK * block + place] === 0) continue;
        symbol[row] = (owner - power) / BLOCKS;
        bucket[row] = BLOCK * power + place;
        calls[row++] = counts[BLOCK * block + place];
      }
    }
    return { length, symbol, bucket, calls };
  }

  /** By symbol, then power of two. There are fewer than 2^26 of them. */
  private blocksInOrder(): Float64Array {
    const keys = new Float64Array(this.length);
    for (let block = 0; block < keys.length; block++) keys[block] = this.owners[block] * MOST_BLOCKS + block;
    return keys.sort().map((key) => key % MOST_BLOCKS);
  }

  /** By its owner; it may make room. */
  private blockOf(owner: number): number {
    const power = owner % BLOCKS;
    const symbol = (owner - power) / BLOCKS;
    const known = symbol < this.rowOf.length ? this.rowOf[symbol] : NONE;
    const at = BLOCKS * (known === NONE ? this.addRow(symbol) : known) + power;
    return this.blocks[at] === NONE ? this.addBlock(at, owner) : this.blocks[at];
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

  private addBlock(at: number, owner: number): number {
    const block = this.length++;
    if (block === this.owners.length) {
      this.owners = resized(this.owners, 2 * block);
      this.counts = resized(this.counts, 2 * block * BLOCK);
    }
    this.owners[block] = owner;
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

/** A thread's, in order. */
export function durationsOf(blocks: DurationBlocks): FunctionDurations {
  const builder = new DurationsBuilder();
  builder.addBlocks(blocks);
  return builder.build();
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
