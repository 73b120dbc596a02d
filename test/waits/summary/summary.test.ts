/**
 * Sums of waits, their distributions, and stages between points.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stagesOf } from '../../../src/questions/waits/points.js';
import { distributionOf, histogramOf } from '../../../src/waits/summary/distribution.js';
import { addWaitsWithin, groupOfRows, waitGroups, wakeUpNsOf } from '../../../src/waits/summary/wait-sums.js';
import type { ShownWaits } from '../../../src/waits/summary/window.js';
import { waitsOf } from '../../../src/waits/waits.js';
import { inputOfRun, loads, runLoad } from '../simulator/random-loads.js';

/** Blocked until 60 of 10 to 70, woken; preempted; blocked without a waking; unknown; blocked to the end. */
const WAITS = {
  tids: Int32Array.of(7),
  starts: Uint32Array.of(0, 5),
  startNs: Float64Array.of(0),
  endNs: Float64Array.of(500),
  length: 5,
  tid: Int32Array.of(7, 7, 7, 7, 7),
  outNs: Float64Array.of(10, 80, 100, 200, 300),
  inNs: Float64Array.of(70, 90, 130, 201, 500),
  state: Uint8Array.of(0, 1, 0, 2, 0),
  isOpen: Uint8Array.of(0, 0, 0, 0, 1),
  wakeNs: Float64Array.of(60, Number.NaN, Number.NaN, Number.NaN, Number.NaN),
  wakerKind: Uint8Array.of(1, 0, 0, 0, 0),
  isWithin: Uint8Array.of(1, 1, 1, 1, 1),
  isCut: new Uint8Array(5),
} as unknown as ShownWaits;
const ROWS = Uint32Array.of(0, 1, 2, 3, 4);

describe('waits together', () => {
  it('are divided into what they consisted of', () => {
    expect(groupOfRows(WAITS, ROWS)).toMatchObject({
      ...{ waits: 5, offNs: 301, blockedNs: 280, wakeUpNs: 10, preemptedNs: 10, unknownNs: 1, unexplainedNs: 31 },
      ...{ open: 1, longestOpenNs: 200, example: 0 },
      durations: { count: 4, sumNs: 101, avgNs: 25.25, minNs: 1, p50Ns: 10, p99Ns: 60, maxNs: 60 },
    });
  });

  it('count the time from waking to running where a waking was seen', () => {
    expect([...ROWS].map((wait) => wakeUpNsOf(WAITS, wait))).toEqual([10, NaN, NaN, NaN, NaN]);
  });

  it('are grouped by key, most time first', () => {
    const groups = waitGroups(WAITS, ROWS, (wait) => WAITS.state[wait]);
    expect(groups.map(({ example, waits, offNs }) => [example, waits, offNs])).toEqual([
      [0, 3, 290],
      [1, 1, 10],
      [3, 1, 1],
    ]);
  });

  it('are cut at the ends of an interval', () => {
    expect(addWaitsWithin(WAITS, 7, 65, 85).build()).toMatchObject({
      waits: 2,
      blockedNs: 0,
      wakeUpNs: 5,
      preemptedNs: 5,
    });
    expect(addWaitsWithin(WAITS, 7, 20, 62).build()).toMatchObject({ waits: 1, blockedNs: 40, wakeUpNs: 2 });
    expect(addWaitsWithin(WAITS, 7, 70, 80).build()).toMatchObject({ waits: 0, offNs: 0 });
    expect(addWaitsWithin(WAITS, 8, 0, 500).build()).toMatchObject({ waits: 0 });
  });

  it('of two adjacent intervals add up, and so do their parts', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const check = (load: Parameters<typeof runLoad>[0], cut: number) => {
      const waits = waitsOf(inputOfRun(runLoad(load)));
      waits.tids.forEach((tid, thread) => {
        const [fromNs, toNs] = [waits.startNs[thread], waits.endNs[thread]];
        const atNs = Math.round(fromNs + cut * (toNs - fromNs));
        const [before, after, all] = [
          [fromNs, atNs],
          [atNs, toNs],
          [fromNs, toNs],
        ].map(([from, to]) => addWaitsWithin(waits, tid, from, to).build());
        for (const key of ['offNs', 'blockedNs', 'wakeUpNs', 'preemptedNs', 'unknownNs', 'unexplainedNs'] as const)
          expect(before[key] + after[key]).toBeCloseTo(all[key], 3);
        expect(all.blockedNs + all.wakeUpNs + all.preemptedNs + all.unknownNs).toBeCloseTo(all.offNs, 3);
      });
    };
    fc.assert(fc.property(loads, share, check), { numRuns: 25 });
  });
});

describe('distributions', () => {
  it('have the least duration that a part of them does not exceed', () => {
    const durations = Float64Array.from({ length: 200 }, (_, row) => 200 - row);
    expect(distributionOf(durations)).toEqual({
      ...{ count: 200, sumNs: 20_100, avgNs: 100.5, minNs: 1, p50Ns: 100, p90Ns: 180, p99Ns: 198, maxNs: 200 },
    });
  });

  it('of nothing have no average', () => {
    expect(distributionOf(new Float64Array(0))).toMatchObject({ count: 0, sumNs: 0, avgNs: NaN, p50Ns: NaN });
  });

  it('are counted by powers of two, several side by side', () => {
    const rows = histogramOf(Float64Array.of(4, 7, 8), Float64Array.of(2));
    expect(rows.map(({ fromNs, toNs, counts }) => [fromNs, toNs, ...counts])).toEqual([
      [2, 4, 0, 1],
      [4, 8, 2, 0],
      [8, 16, 1, 0],
    ]);
    expect(histogramOf(Float64Array.of(0))).toEqual([{ fromNs: 0, toNs: 1, counts: [1] }]);
  });
});

describe('stages', () => {
  const stages = (points: number, ...passed: [number, number][]) => {
    const timeNs = Float64Array.from(passed, ([ns]) => ns);
    const found = stagesOf({ timeNs, point: passed.map(([, point]) => point) }, points);
    return { ...found, timeNs: [...found.timeNs] };
  };

  it('are found where a thread passes all points in their order', () => {
    expect(stages(3, [1, 0], [2, 1], [5, 2], [7, 0], [8, 1], [9, 2])).toEqual({
      ...{ passes: 2, incomplete: 0, timeNs: [1, 2, 5, 7, 8, 9] },
    });
  });

  it('take the first moment at each point, and ignore points out of order', () => {
    expect(stages(3, [0, 2], [1, 0], [2, 2], [3, 1], [4, 1], [5, 2], [6, 2])).toMatchObject({ timeNs: [1, 3, 5] });
  });

  it('begin anew at the first point', () => {
    expect(stages(2, [1, 0], [3, 0], [4, 1], [5, 0])).toEqual({ passes: 1, incomplete: 2, timeNs: [3, 4] });
  });
});
