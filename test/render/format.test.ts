/**
 * Tests the formatting of numbers.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FunctionRow, reportOf } from '../../src/answers.js';
import { bucketStart, EXACT_BUCKETS } from '../../src/model/calls/durations.js';
import {
  EXACT_NS,
  formatCount,
  formatLongest,
  formatPercentile,
  formatTotal,
  isTotalInferred,
} from '../../src/render/format.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

test('groups digits like Intl', () => {
  const any = fc.oneof(fc.integer({ min: -2_000_000, max: 2_000_000 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(any, (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
});

test('durations that have a bucket each are the exact ones', () => {
  expect(EXACT_NS).toBe(EXACT_BUCKETS);
  expect(bucketStart(EXACT_NS + 1)).toBe(EXACT_NS + 2);
});

test.each([
  [40, 1, 5000, '40 ns'],
  [2000, 100, 5000, '≈ 2 µs'],
  [2000, 2000, 2000, '2 µs'],
  [Number.NaN, Number.NaN, Number.NaN, '–'],
  [null, null, null, '–'],
])('a percentile of %s within %s to %s is "%s"', (ns, minNs, maxNs, text) => {
  expect(formatPercentile(ns, { minNs, maxNs }, 0.5)).toBe(text);
});

test.each([
  [0.5, 1, 2],
  [0.9, 9, 10],
  [0.99, 99, 100],
  [0.999, 999, 1000],
])('the percentile %s is shown of at least so many complete calls that one is beyond it', (part, few, enough) => {
  const text = (calls: number, inferred: number) =>
    formatPercentile(40, { minNs: 1, maxNs: 50, calls, inferred }, part);
  expect([text(few, 0), text(enough, 1), text(enough, 0)]).toEqual(['–', '–', '40 ns']);
});

test.each([
  ['complete calls', { calls: 4, inferred: 0, totalNs: 400, avgNs: 100, longestCutNs: null }, '400 ns'],
  ['a call known to have lasted', { calls: 5, inferred: 1, totalNs: 700, avgNs: 100, longestCutNs: 300 }, '700 ns'],
  ['a call that a loss cuts', { calls: 1, inferred: 1, totalNs: 900, avgNs: null, longestCutNs: 60 }, '≈ 900 ns'],
  [
    'a call of unknown length',
    { calls: 1, inferred: 1, totalNs: 900, avgNs: Number.NaN, longestCutNs: Number.NaN },
    '≈ 900 ns',
  ],
  ['shares below 1 %', { calls: 2, inferred: 1, totalNs: 10_050, avgNs: 10_000, longestCutNs: 0 }, '10.1 µs'],
])('the total of %s', (_, sums, text) => {
  expect(formatTotal(sums)).toBe(text);
});

test('after a loss that nothing confirms, no total is shown as known that is more or less than its longest call', async () => {
  const profile = await analyzeText(fixture('lab/overflow-and-lost.txt'), { durations: true });
  const { functions } = reportOf(profile);
  const main = functions.find(({ name }) => name === 'main') as FunctionRow;
  expect([formatTotal(main), formatLongest(main.maxNs, main.longestCutNs)]).toEqual(['≈ 9.89 µs', '≥ 658 ns']);
  for (const row of functions.filter(({ calls }) => calls === 1)) {
    const longestNs = row.maxNs ?? row.longestCutNs ?? 0;
    if (!isTotalInferred(row)) expect(row.totalNs, row.name).toBeLessThanOrEqual(1.01 * longestNs);
  }
});
