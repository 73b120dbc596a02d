/**
 * Histograms of call durations, with buckets that are exact below 64 ns and 1/32 of their size wide above, so that a
 * percentile is accurate to 1.6 %. All histograms have the same buckets and can be added.
 */
import { resized } from '../columns.js';
import { type Nanoseconds, NONE, type SymbolId } from '../units.js';

const BLOCK_BITS = 5;
/** Number of buckets per power of two. Durations below the first full power are exact. */
const BLOCK = 1 << BLOCK_BITS;
export const EXACT_BUCKETS = 2 * BLOCK;
/** Maximum number of blocks: a block number and its owner must fit into one integer together. */
const MAX_BLOCKS = 2 ** 26;
/** Number of powers of two: covers 2^53 ns (104 days). Longer durations (damaged times) are in the last bucket. */
const BLOCKS = 49;
export const BUCKETS = BLOCKS * BLOCK;
const MAX_NS = 2 ** 53 - 1;
/**
 * Bit operations take 31 bits, so longer durations are shifted down by `WIDE_BITS` first. The bits that are cut off do
 * not change the bucket.
 */
const WIDE_BITS = 22;
const MAX_INT_NS = 2 ** 31;

/** Returns the bucket of a duration in whole nanoseconds. */
export function bucketOf(ns: Nanoseconds): number {
  if (ns < EXACT_BUCKETS) return ns;
  if (ns > MAX_NS) return BUCKETS - 1;
  if (ns >= MAX_INT_NS) return bucketOf(Math.floor(ns / 2 ** WIDE_BITS)) + WIDE_BITS * BLOCK;
  const power = 31 - Math.clz32(ns);
  return (power - BLOCK_BITS) * BLOCK + (ns >>> (power - BLOCK_BITS));
}

/** Returns the shortest duration in a bucket. */
export function bucketStart(bucket: number): Nanoseconds {
  if (bucket < EXACT_BUCKETS) return bucket;
  const power = Math.floor(bucket / BLOCK) - 1;
  return (BLOCK + (bucket % BLOCK)) * 2 ** power;
}

/** Returns the duration that represents a bucket. */
export function bucketMiddle(bucket: number): Nanoseconds {
  return Math.floor((bucketStart(bucket) + bucketStart(bucket + 1) - 1) / 2);
}

/** The complete calls by duration; only non-empty buckets. */
export interface Histogram {
  readonly bucket: ArrayLike<number>; // ascending
  readonly calls: ArrayLike<number>;
}

/** The complete calls by function and duration: by symbol, then bucket, both ascending. */
export interface FunctionDurations {
  readonly length: number;
  readonly symbol: Int32Array; // SymbolId
  readonly bucket: Int32Array;
  readonly calls: Float64Array;
}

/** The same as a builder holds it: blocks of counts, in the order in which they were added. Plain data. */
export interface DurationBlocks {
  readonly length: number;
  /** By block: its function and power of two. */
  readonly owners: Float64Array;
  readonly counts: Uint32Array; // `BLOCK` for each
}

/**
 * Returns the duration that a share `part` of the calls does not exceed (0.99: the 99th percentile); NaN if there are
 * no calls. `minNs`, `maxNs`: exact values of the same calls.
 */
export function percentile({ bucket, calls }: Histogram, part: number, minNs: Nanoseconds, maxNs: Nanoseconds): number {
  let all = 0;
  for (let row = 0; row < calls.length; row++) all += calls[row];
  let rest = Math.max(1, Math.ceil(part * all));
  for (let row = 0; row < calls.length; row++) {
    rest -= calls[row];
    if (rest <= 0) return Math.min(Math.max(bucketMiddle(bucket[row]), minNs), maxNs);
  }
  return Number.NaN;
}

/** The memory that calls are counted in, all zeros at first. Workers can share it one after the other. Plain data. */
export interface HistogramMemory {
  /** By symbol: 1 + its row in `blocks`; 0: it has none. */
  rowOf: Int32Array;
  /** By row and power of two: 1 + the number of the block; 0: there is none. */
  blocks: Int32Array;
  counts: Uint32Array;
  /** By block: its function and power of two, `BLOCKS * symbol + power`. */
  owners: Float64Array;
  /** Number of rows and of blocks in use. */
  readonly used: Int32Array;
}

const ROWS = 0;
const LENGTH = 1;

function ownMemory(): HistogramMemory {
  return {
    rowOf: new Int32Array(1024),
    blocks: new Int32Array(256 * BLOCKS),
    counts: new Uint32Array(1024 * BLOCK),
    owners: new Float64Array(1024),
    used: new Int32Array(2),
  };
}

/**
 * Allocates shared memory for all calls of this many functions. It never has to grow, and only the part in use takes
 * real memory.
 */
export function sharedHistogramMemory(symbols: number): HistogramMemory {
  const blocks = symbols * BLOCKS;
  return {
    rowOf: new Int32Array(new SharedArrayBuffer(4 * symbols)),
    blocks: new Int32Array(new SharedArrayBuffer(4 * blocks)),
    counts: new Uint32Array(new SharedArrayBuffer(4 * blocks * BLOCK)),
    owners: new Float64Array(new SharedArrayBuffer(8 * blocks)),
    used: new Int32Array(new SharedArrayBuffer(8)),
  };
}

/** Counts calls by function and duration: one block of counts for each power of two in which a function has calls. */
export class DurationsBuilder {
  private readonly memory: HistogramMemory;
  /** By symbol: 1 if its calls are counted; null: all calls are. */
  private readonly only: Uint8Array | null;

  constructor(options: { readonly memory?: HistogramMemory; readonly only?: Uint8Array | null } = {}) {
    this.memory = options.memory ?? ownMemory();
    this.only = options.only ?? null;
  }

  /** Clears all counts and keeps the memory. */
  clear(): void {
    const { rowOf, blocks, counts, used } = this.memory;
    rowOf.fill(0);
    blocks.fill(0, 0, used[ROWS] * BLOCKS);
    counts.fill(0, 0, used[LENGTH] * BLOCK);
    used.fill(0);
  }

  add(symbol: SymbolId, ns: Nanoseconds): void {
    if (this.only === null || this.only[symbol] === 1) this.addCalls(symbol, bucketOf(ns), 1);
  }

  addCalls(symbol: SymbolId, bucket: number, calls: number): void {
    const { memory } = this;
    const power = bucket >>> BLOCK_BITS;
    const row = symbol < memory.rowOf.length ? memory.rowOf[symbol] - 1 : NONE;
    const known = row === NONE ? NONE : memory.blocks[BLOCKS * row + power] - 1;
    const block = known === NONE ? this.blockOf(BLOCKS * symbol + power) : known; // first, as it may reallocate
    memory.counts[BLOCK * block + (bucket & (BLOCK - 1))] += calls;
  }

  /** Counts calls that are listed as pairs of a symbol and a bucket. */
  addPairs(pairs: Int32Array, length: number): void {
    for (let at = 0; at < 2 * length; at += 2)
      if (this.only === null || this.only[pairs[at]] === 1) this.addCalls(pairs[at], pairs[at + 1], 1);
  }

  addAll({ length, symbol, bucket, calls }: FunctionDurations): void {
    for (let row = 0; row < length; row++) this.addCalls(symbol[row], bucket[row], calls[row]);
  }

  /** Adds the counts of another builder. */
  addBlocks({ length, owners, counts }: DurationBlocks): void {
    for (let block = 0; block < length; block++) {
      const to = BLOCK * this.blockOf(owners[block]);
      const own = this.memory.counts;
      for (let index = 0; index < BLOCK; index++) own[to + index] += counts[BLOCK * block + index];
    }
  }

  /** Returns the blocks, which share memory with this builder. */
  blocks(): DurationBlocks {
    const { owners, counts, used } = this.memory;
    const length = used[LENGTH];
    return { length, owners: owners.subarray(0, length), counts: counts.subarray(0, BLOCK * length) };
  }

  build(): FunctionDurations {
    const all = this.blocks();
    const found = countUsed(all);
    const [symbol, bucket, calls] = [new Int32Array(found), new Int32Array(found), new Float64Array(found)];
    let row = 0;
    for (const block of inOrder(all)) {
      const owner = all.owners[block];
      const power = owner % BLOCKS;
      for (let index = 0; index < BLOCK; index++) {
        if (all.counts[BLOCK * block + index] === 0) continue;
        symbol[row] = (owner - power) / BLOCKS;
        bucket[row] = BLOCK * power + index;
        calls[row++] = all.counts[BLOCK * block + index];
      }
    }
    return { length: found, symbol, bucket, calls };
  }

  /** Returns the block of an owner; adds it, and may reallocate, if it is new. */
  private blockOf(owner: number): number {
    const power = owner % BLOCKS;
    const symbol = (owner - power) / BLOCKS;
    const at = BLOCKS * this.rowFor(symbol) + power;
    return this.memory.blocks[at] === 0 ? this.addBlock(at, owner) : this.memory.blocks[at] - 1;
  }

  private rowFor(symbol: SymbolId): number {
    const { memory } = this;
    if (symbol >= memory.rowOf.length)
      memory.rowOf = resized(memory.rowOf, Math.max(2 * memory.rowOf.length, symbol + 1));
    if (memory.rowOf[symbol] > 0) return memory.rowOf[symbol] - 1;
    const row = memory.used[ROWS]++;
    if (memory.used[ROWS] * BLOCKS > memory.blocks.length)
      memory.blocks = resized(memory.blocks, 2 * memory.blocks.length);
    memory.rowOf[symbol] = row + 1;
    return row;
  }

  private addBlock(at: number, owner: number): number {
    const { memory } = this;
    const block = memory.used[LENGTH]++;
    if (block === memory.owners.length) {
      memory.owners = resized(memory.owners, 2 * block);
      memory.counts = resized(memory.counts, 2 * block * BLOCK);
    }
    memory.owners[block] = owner;
    memory.blocks[at] = block + 1;
    return block;
  }
}

/** Returns block numbers ordered by symbol, then power of two. There are fewer than 2^26 of them. */
function inOrder({ length, owners }: DurationBlocks): Float64Array {
  const keys = new Float64Array(length);
  for (let block = 0; block < length; block++) keys[block] = owners[block] * MAX_BLOCKS + block;
  return keys.sort().map((key) => key % MAX_BLOCKS);
}

/** Returns the histogram of each function that has complete calls. */
export function histogramsOf({ length, symbol, bucket, calls }: FunctionDurations): Map<SymbolId, Histogram> {
  const histograms = new Map<SymbolId, Histogram>();
  for (let start = 0, end = 0; start < length; start = end) {
    while (end < length && symbol[end] === symbol[start]) end++;
    histograms.set(symbol[start], { bucket: bucket.subarray(start, end), calls: calls.subarray(start, end) });
  }
  return histograms;
}

/** Returns the number of buckets that are not empty. */
function countUsed({ counts }: DurationBlocks): number {
  let used = 0;
  for (let at = 0; at < counts.length; at++) if (counts[at] > 0) used++;
  return used;
}

/** Returns the durations of all threads together; null unless those of each thread are known. */
export function mergeDurations(
  threads: readonly { readonly durations: FunctionDurations | null }[],
): FunctionDurations | null {
  const known = threads.flatMap(({ durations }) => durations ?? []);
  if (known.length < threads.length) return null;
  return known.length === 1 ? known[0] : mergeByFunction(known);
}

/** Adds up calls by function and bucket. They are passed twice, as memory for what may be equal would be much larger. */
function mergeByFunction(all: readonly FunctionDurations[]): FunctionDurations {
  const runs = runsBySymbol(all);
  let length = 0;
  addRuns(all, runs, () => {
    length++;
  });
  const [symbol, bucket, calls] = [new Int32Array(length), new Int32Array(length), new Float64Array(length)];
  let row = 0;
  addRuns(all, runs, (ofSymbol, ofBucket, sum) => {
    symbol[row] = ofSymbol;
    bucket[row] = ofBucket;
    calls[row++] = sum;
  });
  return { length, symbol, bucket, calls };
}

/** Returns what has rows of each symbol, in the order of symbols: `symbol * all.length + index in all`. */
function runsBySymbol(all: readonly FunctionDurations[]): Float64Array {
  const keys: number[] = [];
  all.forEach(({ length, symbol }, index) => {
    let last = NONE;
    for (let row = 0; row < length; row++) {
      const own = symbol[row];
      if (own !== last) keys.push(own * all.length + index);
      last = own;
    }
  });
  return Float64Array.from(keys).sort();
}

/** Passes the sums to `onSum`, by symbol, then bucket. */
function addRuns(
  all: readonly FunctionDurations[],
  runs: Float64Array,
  onSum: (symbol: SymbolId, bucket: number, calls: number) => void,
): void {
  const next = new Int32Array(all.length);
  const sums = new Float64Array(BUCKETS);
  for (let run = 0; run < runs.length; ) {
    const own = Math.floor(runs[run] / all.length);
    let [from, to] = [BUCKETS, 0];
    for (; runs[run] < (own + 1) * all.length; run++) {
      const index = runs[run] % all.length;
      const { length, symbol, bucket, calls } = all[index] as FunctionDurations;
      let row = next[index];
      from = Math.min(from, bucket[row]);
      for (; row < length && symbol[row] === own; row++) sums[bucket[row]] += calls[row];
      to = Math.max(to, bucket[row - 1] + 1);
      next[index] = row;
    }
    for (let at = from; at < to; at++) if (sums[at] > 0) onSum(own, at, sums[at]);
    sums.fill(0, from, to);
  }
}
