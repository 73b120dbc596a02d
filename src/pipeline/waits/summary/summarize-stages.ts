/**
 * Sums up the stages between calls of functions that threads made in a given order.
 */
import { float64Column } from '../../../model/columns.js';
import type { SymbolId, Tid } from '../../../model/units.js';
import { type Distribution, distributionOf } from '../../../waits/summary/distribution.js';
import { addWaitsWithin } from '../../../waits/summary/interval-sums.js';
import { stagesOf } from '../../../waits/summary/stages.js';
import { WaitSummer, type WaitSums } from '../../../waits/summary/wait-sums.js';
import type { Waits } from '../../../waits/waits.js';
import type { ThreadCalls } from '../spans-of-calls.js';

export interface StagesSummary {
  /** Times that a thread passed all points. */
  readonly passes: number;
  /** Begun, but not followed to the last point. */
  readonly incomplete: number;
  /** From each point to the next; the last is from the first point to the last. */
  readonly stages: readonly Stage[];
}

export interface Stage {
  readonly fromPoint: number;
  readonly toPoint: number;
  readonly durations: Distribution;
  readonly sums: WaitSums;
}

/** `pointOf`: the point at which calls of a function begin. */
export function summarizeStages(
  waits: Waits,
  calls: ThreadCalls,
  pointOf: (symbol: SymbolId) => number,
  points: number,
): StagesSummary {
  const ends = Array.from({ length: points }, (_, point) => point).slice(1);
  const pairs = [
    ...ends.map((point) => [point - 1, point] as const),
    ...(points > 2 ? [[0, points - 1] as const] : []),
  ];
  const stages = pairs.map(() => ({ durations: float64Column(), sums: new WaitSummer() }));
  let passes = 0;
  let incomplete = 0;
  for (const { tid, from, to } of threadsOf(calls)) {
    const point = Int32Array.from(calls.symbol.subarray(from, to), pointOf);
    const found = stagesOf({ timeNs: calls.startNs.subarray(from, to), point }, points);
    passes += found.passes;
    incomplete += found.incomplete;
    for (let pass = 0; pass < found.passes; pass++)
      pairs.forEach(([fromPoint, toPoint], stage) => {
        const fromNs = found.timeNs[pass * points + fromPoint];
        const toNs = found.timeNs[pass * points + toPoint];
        stages[stage].durations.push(toNs - fromNs);
        addWaitsWithin(waits, tid, fromNs, toNs, stages[stage].sums);
      });
  }
  return {
    ...{ passes, incomplete },
    stages: pairs.map(([fromPoint, toPoint], stage) => {
      const { durations, sums } = stages[stage];
      return { fromPoint, toPoint, durations: distributionOf(durations.view()), sums: sums.build() };
    }),
  };
}

interface ThreadRows {
  readonly tid: Tid;
  readonly from: number;
  readonly to: number;
}

function threadsOf({ tid, length }: ThreadCalls): ThreadRows[] {
  const found: ThreadRows[] = [];
  for (let from = 0, to = 0; from < length; from = to) {
    while (to < length && tid[to] === tid[from]) to++;
    found.push({ tid: tid[from], from, to });
  }
  return found;
}
