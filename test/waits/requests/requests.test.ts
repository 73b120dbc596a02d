/**
 * Which requests are compared, and several flows as one.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NONE } from '../../../src/model/units.js';
import { comparedRequests, slowestCount, statsOf } from '../../../src/waits/compared.js';
import { type Flow, joinFlows } from '../../../src/waits/flow.js';
import { HandOffBy } from '../../../src/waits/hand-offs.js';
import { joinRequests } from '../../../src/waits/join-requests.js';

function moments(rows: readonly (readonly [timeNs: number, tid: number])[]) {
  return {
    length: rows.length,
    timeNs: Float64Array.from(rows, ([timeNs]) => timeNs),
    tid: Int32Array.from(rows, ([, tid]) => tid),
    pid: new Int32Array(rows.length),
    key: new Float64Array(rows.length).fill(Number.NaN),
  };
}

describe('compared requests', () => {
  test('are the half in the middle, and the slowest', () => {
    const { typical, slowest } = comparedRequests(Float64Array.of(80, 10, Number.NaN, 30, 20, 70, 60, 40, 50), 2);
    expect([...typical]).toEqual([3, 7, 8, 6]);
    expect([...slowest]).toEqual([0, 5]);
  });

  test('are all of few', () => {
    expect(comparedRequests(Float64Array.of(5), 1)).toEqual({ typical: Int32Array.of(0), slowest: Int32Array.of(0) });
    expect([...comparedRequests(new Float64Array(0), 1).typical]).toEqual([]);
    expect([0, 99, 199, 200].map(slowestCount)).toEqual([1, 1, 1, 2]);
  });

  test('have the percentiles of histograms, as calls do', () => {
    const ns = Float64Array.from({ length: 100 }, (_, row) => 100 - row);
    expect(statsOf(ns)).toEqual({ avgNs: 50.5, minNs: 1, p50Ns: 50, p90Ns: 90, p99Ns: 98, maxNs: 100 });
    expect(statsOf(Float64Array.of(Number.NaN))).toBeNull();
  });
});

/** A flow in which each push is taken by the pop of the same row. */
function flowOf(pushes: readonly (readonly [number, number])[], pops: readonly (readonly [number, number])[]): Flow {
  return {
    ...{ pushes: moments(pushes), pops: moments(pops) },
    push: Int32Array.from(pops.keys()),
    by: new Uint8Array(pops.length).fill(HandOffBy.Key),
    pushNs: Float64Array.from(pushes, ([ns]) => ns),
    startNs: Float64Array.from(pops, ([ns]) => ns),
    endNs: Float64Array.from(pops, ([ns]) => ns + 5),
    batch: Int32Array.from(pops.keys()),
  };
}

describe('several flows', () => {
  test('are one by time, in which each pop keeps its push', () => {
    const joined = joinFlows([
      flowOf(
        [
          [10, 1],
          [30, 1],
        ],
        [
          [15, 2],
          [35, 2],
        ],
      ),
      flowOf([[20, 2]], [[25, 3]]),
    ]);
    expect([...joined.pushes.timeNs]).toEqual([10, 20, 30]);
    expect([...joined.pops.timeNs]).toEqual([15, 25, 35]);
    expect([...joined.push]).toEqual([0, 1, 2]);
    expect([...joined.endNs]).toEqual([20, 30, 40]);
  });

  test('keep what was found in each', () => {
    const rows = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1, maxLength: 3 }), (sources) => {
        const flows = sources.map((times, source) => {
          const sorted = times.toSorted((a, b) => a - b);
          return flowOf(
            sorted.map((ns) => [ns, source]),
            sorted.map((ns) => [ns + 1, 9 + source]),
          );
        });
        const { pushes, pops, push } = joinFlows(flows);
        expect(pops.length).toBe(sources.flat().length);
        for (let pop = 0; pop < pops.length; pop++) {
          expect(pushes.timeNs[push[pop]] + 1).toBe(pops.timeNs[pop]);
          expect(pushes.tid[push[pop]] + 9).toBe(pops.tid[pop]);
          expect(pop === 0 || pops.timeNs[pop - 1] <= pops.timeNs[pop]).toBe(true);
        }
      }),
    );
  });

  test('lead from part to part', () => {
    const flow = joinFlows([flowOf([[10, 1]], [[15, 2]]), flowOf([[17, 2]], [[19, 3]])]);
    const roots = { length: 1, tid: Int32Array.of(1), fromNs: Float64Array.of(5), toNs: Float64Array.of(50) };
    const parts = joinRequests(roots, flow.pushes, flow.pops, flow, flow);
    expect([...parts.parent]).toEqual([NONE, 0, 1]);
    expect([...parts.pop]).toEqual([NONE, 0, 1]);
    expect([...parts.isInside]).toEqual([0, 0, 0]);
  });

  test('may lead back into the thread, whose time is counted once', () => {
    const flow = flowOf([[10, 1]], [[15, 1]]);
    const roots = { length: 1, tid: Int32Array.of(1), fromNs: Float64Array.of(5), toNs: Float64Array.of(50) };
    expect([...joinRequests(roots, flow.pushes, flow.pops, flow, flow).isInside]).toEqual([0, 1]);
  });
});
