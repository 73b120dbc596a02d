/**
 * Finds the stages between points that a thread passes in their order: from one point to the next.
 */
import { float64Column } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';

/** Moments at which a thread passed a point, by time. */
export interface Passed {
  readonly timeNs: Float64Array;
  readonly point: ArrayLike<number>; // 0 to the number of points - 1
}

export interface PassedStages {
  /** By pass through all points: when each of them was passed, in the order of the points. */
  readonly timeNs: Float64Array;
  readonly passes: number;
  /** Begun at the first point, but not followed to the last. */
  readonly incomplete: number;
}

/**
 * A pass begins at each first point and takes, for each other point, the first moment after the point before it. Passing
 * the first point again before the last one begins anew.
 */
export function stagesOf({ timeNs, point }: Passed, points: number): PassedStages {
  const found = float64Column();
  let incomplete = 0;
  let current: Nanoseconds[] = [];
  for (let row = 0; row < timeNs.length; row++) {
    if (point[row] === 0) {
      if (current.length > 0) incomplete++;
      current = [timeNs[row]];
    } else if (current.length > 0 && point[row] === current.length) current.push(timeNs[row]);
    if (current.length !== points) continue;
    found.append(current);
    current = [];
  }
  if (current.length > 0) incomplete++;
  return { timeNs: found.view(), passes: found.length / points, incomplete };
}
