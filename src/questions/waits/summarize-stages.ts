/**
 * Sums up the stages between points that threads passed in a given order.
 */
import { float64Column } from '../../model/columns.js';
import type { Tid } from '../../model/units.js';
import { type Distribution, distributionOf } from '../../waits/summary/distribution.js';
import { addWaitsWithin } from '../../waits/summary/interval-sums.js';
import { stagesOf } from '../../waits/summary/stages.js';
import { WaitSummer, type WaitSums } from '../../waits/summary/wait-sums.js';
import type { Waits } from '../../waits/waits.js';
import type { PassedPoints, Point } from './points.js';

export interface StagesSummary {
  /** Times that a thread passed all points. */
  readonly passes: number;
  /** Begun, but not followed to the last point. */
  readonly incomplete: number;
  /** From each point to the next; the last is from the first point to the last. */
  readonly stages: readonly Stage[];
  readonly points: readonly Point[];
}

export interface Stage {
  readonly fromPoint: number;
  readonly toPoint: number;
  readonly durations: Distribution;
  readonly sums: WaitSums;
}

export function summarizeStages(waits: Waits, passed: PassedPoints, points: readonly Point[]): StagesSummary {
  const { length } = points;
  const stages = stageSums(length);
  let passes = 0;
  let incomplete = 0;
  for (const { tid, from, to } of threadsOf(passed)) {
    const own = { timeNs: passed.timeNs.subarray(from, to), point: passed.point.subarray(from, to) };
    const found = stagesOf(own, length);
    passes += found.passes;
    incomplete += found.incomplete;
    for (let at = 0; at < found.passes * length; at += length)
      for (const { fromPoint, toPoint, durations, sums } of stages) {
        const [fromNs, toNs] = [found.timeNs[at + fromPoint], found.timeNs[at + toPoint]];
        durations.push(toNs - fromNs);
        addWaitsWithin(waits, tid, fromNs, toNs, sums);
      }
  }
  return { passes, incomplete, points, stages: stages.map(built) };
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

function threadsOf({ tid, length }: PassedPoints): ThreadRows[] {
  const found: ThreadRows[] = [];
  for (let from = 0, to = 0; from < length; from = to) {
    while (to < length && tid[to] === tid[from]) to++;
    found.push({ tid: tid[from], from, to });
  }
  return found;
}
