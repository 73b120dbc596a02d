/**
 * Lists the calls that a stack chart draws: the same as a table.
 */
import type { Bounds } from '../../../model/units.js';
import { type ChartBoxes, ChartBoxKind } from './chart-boxes.js';
import { type UnlistedCalls, type UnlistedPart, unlistedWithin } from './unlisted-calls.js';

export interface DrawnCalls {
  /** Boxes of calls, the longest first. */
  readonly boxes: readonly number[];
  /** All drawn calls, also those that are not in the list. */
  readonly count: number;
  /** Calls in blocks, because they are narrower than a pixel. */
  readonly short: number;
  /** Calls that are not in the file. */
  readonly unlisted: { readonly atLeast: number; readonly atMost: number };
}

const MAX_LISTED = 1000;

export function drawnCalls(boxes: ChartBoxes, unlisted: UnlistedCalls, window: Bounds): DrawnCalls {
  const calls: number[] = [];
  let short = 0;
  for (let box = 0; box < boxes.length; box++)
    if (boxes.kind[box] === ChartBoxKind.Call) calls.push(box);
    else if (boxes.kind[box] === ChartBoxKind.Short) short += boxes.atLeast[box];
  const durationNs = (box: number) => boxes.endNs[box] - boxes.startNs[box];
  const longest = calls.sort((a, b) => durationNs(b) - durationNs(a) || a - b).slice(0, MAX_LISTED);
  const parts = [...unlistedWithin(unlisted, window.startNs, window.endNs)];
  const sum = (of: (part: UnlistedPart) => number) => parts.reduce((total, part) => total + of(part), 0);
  const missing = { atLeast: sum(({ atLeast }) => atLeast), atMost: sum(({ atMost }) => atMost) };
  return { boxes: longest, count: calls.length, short, unlisted: missing };
}
