/**
 * Counts durations of calls by function, in the buckets that ptflame uses.
 */
import type { ThreadProfile } from '../../src/model/profile/profile.js';
import type { Random } from '../generator/random.js';
import { spread } from './call-paths.js';

type Durations = NonNullable<ThreadProfile['durations']>;

/** Buckets per power of two; below 64 ns each bucket is 1 ns. */
const BLOCK = 32;
/** Keys per symbol: more than there are buckets. */
const KEYS = 2048;
/** The maximum number of different durations drawn for the calls of a path. */
const MAX_DRAWN = 24;

export class DurationCounts {
  /** By symbol and bucket. */
  private readonly calls = new Map<number, number>();

  add(symbol: number, minNs: number, maxNs: number, averageNs: number, calls: number, random: Random): void {
    this.count(symbol, minNs, 1);
    if (calls > 1) this.count(symbol, maxNs, 1);
    for (let left = calls - 2, drawn = Math.min(left, MAX_DRAWN); drawn > 0; drawn--) {
      const ns = Math.min(maxNs, Math.max(minNs, Math.round(averageNs * spread(random, 0.6))));
      const share = Math.ceil(left / drawn);
      this.count(symbol, ns, share);
      left -= share;
    }
  }

  build(): Durations {
    const keys = Float64Array.from(this.calls.keys()).sort();
    return {
      length: keys.length,
      symbol: Int32Array.from(keys, (key) => Math.floor(key / KEYS)),
      bucket: Int32Array.from(keys, (key) => key % KEYS),
      calls: keys.map((key) => this.calls.get(key) as number),
    };
  }

  private count(symbol: number, ns: number, calls: number): void {
    const key = symbol * KEYS + bucketOf(ns);
    this.calls.set(key, (this.calls.get(key) ?? 0) + calls);
  }
}

function bucketOf(ns: number): number {
  if (ns < 2 * BLOCK) return ns;
  const power = Math.floor(Math.log2(ns));
  return (power - 5) * BLOCK + Math.floor(ns / 2 ** (power - 5));
}
