/**
 * Noise is never underestimated, and real changes are found.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  averageNoise,
  isWithinNoise,
  mayShareQuantile,
  noiseOf,
  quantileRange,
  selfVariance,
  variance,
} from '../../src/analysis/compare.js';
import { bucketOf, type Histogram } from '../../src/model/calls/durations.js';

function histogramOf(durations: readonly number[]): Histogram {
  const counts = new Map<number, number>();
  for (const ns of durations) counts.set(bucketOf(ns), (counts.get(bucketOf(ns)) ?? 0) + 1);
  const bucket = [...counts.keys()].sort((a, b) => a - b);
  return { bucket, calls: bucket.map((own) => counts.get(own) as number) };
}

function sampleOf(durations: readonly number[]) {
  const completeNs = durations.reduce((sum, ns) => sum + ns, 0);
  return { complete: durations.length, completeNs, minNs: Math.min(...durations), maxNs: Math.max(...durations) };
}

function trueVariance(durations: readonly number[]): number {
  const avg = sampleOf(durations).completeNs / durations.length;
  return durations.reduce((sum, ns) => sum + (ns - avg) ** 2, 0) / (durations.length - 1);
}

const durations = fc.array(fc.oneof(fc.nat(100), fc.nat(1e9)), { minLength: 2, maxLength: 40 });

test('the variance is at least that of the durations, with a histogram and without', () => {
  fc.assert(
    fc.property(durations, (own) => {
      const exact = trueVariance(own) * (1 - 1e-9);
      const [byRange, byBoth] = [variance(sampleOf(own), null), variance(sampleOf(own), histogramOf(own))];
      expect(byRange).toBeGreaterThanOrEqual(exact);
      expect(byBoth).toBeGreaterThanOrEqual(exact);
      expect(byBoth).toBeLessThanOrEqual(byRange);
    }),
  );
});

test('a histogram makes the variance accurate', () => {
  const own = [...Array.from({ length: 1000 }, (_, at) => 1000 + at), 1_000_000];
  expect(variance(sampleOf(own), histogramOf(own))).toBeLessThan(1.05 * trueVariance(own));
});

test('of self times, the variance is at most that of calls, and that of times between zero and the longest', () => {
  const sample = sampleOf([10, 20, 30]);
  expect(selfVariance(sample, 0, 100)).toBe(0);
  expect(selfVariance(sample, 45, 100)).toBe(100);
  expect(selfVariance(sample, 3, 100)).toBeCloseTo((29 * 1 * 3) / 2);
});

test.each([[[]], [[5]]])('%j has no known variance', (own) => {
  const spread = variance(sampleOf(own), null);
  expect(spread).toBeNaN();
  expect(noiseOf({ variance: spread, calls: own.length }, { variance: 1, calls: 100 })).toBeNaN();
  expect(isWithinNoise(1, 2, Number.NaN)).toBe(false);
});

const avgNoise = (a: readonly number[], b: readonly number[]) => {
  const of = (own: readonly number[]) => ({
    variance: variance(sampleOf(own), histogramOf(own)) / own.length,
    calls: own.length,
  });
  return noiseOf(of(a), of(b));
};
const average = (own: readonly number[]) => sampleOf(own).completeNs / own.length;

/** Deterministic: a linear congruential generator. */
function generator(seed: number): () => number {
  let state = seed;
  return () => (state = (1_103_515_245 * state + 12_345) % 2 ** 31) / 2 ** 31;
}

describe.each([2, 3, 10, 1000])('of %i calls', (calls) => {
  /** Durations with a long tail, as those of system calls. */
  const drawn = (random: () => number, factor: number) =>
    Array.from({ length: calls }, () => Math.round(factor * 1000 * (1 + 3 * -Math.log(1 - random()))));

  test('the same distribution differs by more than noise at most once in 100 times', () => {
    const random = generator(calls);
    const runs = Array.from({ length: calls < 100 ? 1000 : 100 }, () => [drawn(random, 1), drawn(random, 1)] as const);
    const alarms = runs.filter(([a, b]) => a !== b && Math.abs(average(a) - average(b)) > avgNoise(a, b));
    expect(alarms.length).toBeLessThanOrEqual(runs.length / 100);
  });

  test('an average differs from the true one by more than its noise at most three times in 100, although the tail is long; not much less suffices', () => {
    const random = generator(calls + 1);
    const runs = Array.from({ length: calls < 100 ? 1000 : 100 }, () => drawn(random, 1));
    const noise = (own: readonly number[]) =>
      averageNoise({ ...sampleOf(own), calls, inferred: 0, selfNs: 0 }, histogramOf(own));
    const off = runs.map((own) => Math.abs(average(own) - 4000) / noise(own));
    expect(off.filter((part) => part > 1).length).toBeLessThanOrEqual((3 * runs.length) / 100);
    if (calls === 1000) expect(off.filter((part) => part > 0.25).length).toBeGreaterThan(runs.length / 4);
  });

  test.runIf(calls === 1000)('durations that are 30 % longer are found', () => {
    const random = generator(7);
    for (let run = 0; run < 20; run++) {
      const [a, b] = [drawn(random, 1), drawn(random, 1.3)];
      expect(isWithinNoise(average(a), average(b), avgNoise(a, b))).toBe(false);
    }
  });
});

test('constant durations have no noise: any difference is one', () => {
  expect(avgNoise([7, 7, 7], [8, 8])).toBe(0);
  expect(isWithinNoise(7, 8, 0)).toBe(false);
});

test('few calls widen the noise by Student’s factor, many by three standard errors', () => {
  const of = (calls: number) => noiseOf({ variance: 0.5, calls }, { variance: 0.5, calls });
  expect(of(2)).toBeCloseTo(19.21); // two degrees of freedom
  expect(of(7)).toBeCloseTo(3 + 30 / 48 + 1656 / (96 * 144), 2); // 12
  expect(of(100_000)).toBeCloseTo(3, 3);
});

test('percentiles may be equal if their ranges overlap', () => {
  const range = (own: readonly number[]) => quantileRange({ ...sampleOf(own), histogram: histogramOf(own) }, 0.99);
  const spread = (calls: number, from: number) => range(Array.from({ length: calls }, (_, at) => from + at));
  expect(mayShareQuantile(spread(100, 1000), spread(100, 1500))).toBe(true); // none is certainly beyond the percentile
  expect(mayShareQuantile(spread(10_000, 1000), spread(10_000, 1020))).toBe(true);
  expect(mayShareQuantile(spread(10_000, 1000), spread(10_000, 9000))).toBe(false);
  expect(mayShareQuantile(quantileRange({ ...sampleOf([1, 2]), histogram: null }, 0.99), spread(10, 1))).toBe(false);
});
