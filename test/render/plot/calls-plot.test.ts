/**
 * Axes, ticks and shades of calls over time.
 */
import { expect, test } from 'vitest';
import { DurationAxis, shadeOf, shadesOf, shadeText, timeTicks } from '../../../src/render/plot/calls-plot.js';

const cell = (fromNs: number, toNs: number, calls = 1) => ({ column: 0, fromNs, toNs, calls, inferred: 0 });

test('equal factors of duration are equal distances', () => {
  const axis = new DurationAxis({ cells: [cell(1000, 1414), cell(8_000_000, 16_000_000)] });
  expect([axis.at(1000), axis.at(16_000_000), axis.at(0), axis.at(1e12)]).toEqual([0, 1, 0, 1]);
  expect(axis.at(4000) - axis.at(2000)).toBeCloseTo(axis.at(8_000_000) - axis.at(4_000_000), 12);
  expect([999, 1000, 16e6, 17e6].map((ns) => axis.includes(ns))).toEqual([false, true, true, false]);
  expect(axis.ticks(9).map(({ ns }) => ns)).toEqual([1e3, 1e4, 1e5, 1e6, 1e7]);
  expect(new DurationAxis({ cells: [cell(90, 600)] }).ticks(9).map(({ ns }) => ns)).toEqual([100, 200, 500]);
  expect(new DurationAxis({ cells: [] }).at(5)).toBeGreaterThanOrEqual(0);
});

test('ticks of time are round and not too many', () => {
  expect(timeTicks(1_427_000, 8).map(({ ns }) => ns / 1000)).toEqual([0, 200, 400, 600, 800, 1000, 1200, 1400]);
  expect(timeTicks(0, 8)).toEqual([{ at: 0, ns: 0 }]);
  for (const durationNs of [1, 7, 999, 31_000_000, 6e10])
    for (const most of [1, 3, 10]) expect(timeTicks(durationNs, most).length).toBeLessThanOrEqual(most + 1);
});

test('each count has one shade, which names it', () => {
  const shades = shadesOf([cell(1, 2, 1), cell(2, 4, 50)], 6);
  expect(shades).toEqual([1, 2, 4, 8, 14, 27]);
  expect([1, 3, 4, 13, 50].map((calls) => shadeOf(shades, calls))).toEqual([0, 1, 2, 3, 5]);
  expect(shades.map((_, shade) => shadeText(shades, shade, 50))).toEqual(['1', '2–3', '4–7', '8–13', '14–26', '27–50']);
  expect(shadesOf([cell(1, 2, 1)], 6)).toEqual([1]);
  expect(shadesOf([], 6)).toEqual([]);
});
