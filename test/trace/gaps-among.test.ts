/**
 * Errors that name no thread concern the thread that was last seen on their CPU.
 */
import { expect, test } from 'vitest';
import { GapsAmong, UnownedGaps } from '../../src/trace/records/gap-records.js';

test('of a CPU, the first error between two events on it', () => {
  const gap = { what: 'gap', tid: -1, code: 7, message: 'Overflow packet', ip: Number.NaN, pid: -1 } as const;
  const unowned = new UnownedGaps();
  for (const timeNs of [5, 15, 16, 25, 35, 36]) unowned.add({ ...gap, cpu: 0, timeNs });
  unowned.add({ ...gap, cpu: -1, timeNs: 22 });
  const among = new GapsAmong(unowned.on([0, 1]));
  const addOn = (cpu: number, timeNs: number) =>
    among.add({
      cpu,
      place: null,
      site: Uint32Array.of(0),
      siteAt: 0,
      timeNs: Float64Array.of(timeNs),
      timeAt: 0,
      length: 1,
    });
  addOn(0, 10);
  addOn(1, 20);
  addOn(0, 30);
  among.take(Number.POSITIVE_INFINITY);
  expect(among.found.map(({ cpu, timeNs }) => [cpu, timeNs])).toEqual([
    [0, 15],
    [-1, 22],
    [0, 35],
  ]);
});
