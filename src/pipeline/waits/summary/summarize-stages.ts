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
  const stages = stageSums(points);
  let passes = 0;
  let incomplete = 0;
  for (const { tid, from, to } of threadsOf(calls)) {
    const point = Int32Array.from(calls.symbol.subarray(from, to), pointOf);
    const found = stagesOf({ timeNs: calls.startNs.subarray(from, to), point }, points);
    passes += found.passes;
    incomplete += found.incomplete;
    for (let at = 0; at < found.passes * points; at += points)
      for (const { fromPoint, toPoint, durations, sums } of stages) {
        const [fromNs, toNs] = [found.timeNs[at + fromPoint], found.timeNs[at + toPoint]];
        durations.push(toNs - fromNs);
        addWaitsWithin(waits, tid, fromNs, toNs, sums);
      }
  }
  return { passes, incomplete, stages: stages.map(built) };
}

interface StageSums extends Pick<Stage, 'fromPoint' | 'toPoint'> {
  readonly durations: ReturnType<typeof float64Column>;
  readonly sums: WaitSummer;
}

/** From each point to the next, then from the first to the last. */
function stageSums(points: number): StageSums[] {
  const stage = (fromPoint: number, toPoint: number) => {
    return { fromPoint, toPoint, durations: float64Column(), sums: new WaitSummer() };
  };
  const steps = Array.from({ length: points - 1 }, (_, point) => stage(point, point + 1));
  return points > 2 ? [...steps, stage(0, points - 1)] : steps;
}

function built({ fromPoint, toPoint, durations, sums }: StageSums): Stage {
  return { fromPoint, toPoint, durations: distributionOf(durations.view()), sums: sums.build() };
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
