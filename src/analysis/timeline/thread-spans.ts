/**
 * The calls of a thread by when they were, to draw them: each once, by duration. What of them is seen in a window of a
 * width of pixels is found without looking at the others.
 */
import { countBelow, valuesOf } from '../../model/columns.js';
import { NO_SPANS, type Spans, type ThreadSpans } from '../../model/profile/timeline.js';
import type { Nanoseconds } from '../../model/units.js';

/** Calls by when they were: where `levels[k]` has rows that a window may show. */
export interface LevelRows {
  readonly level: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the rows of each level that may overlap a window, from level `lowest` on; some of them may end before it. */
export function rowsInWindow(
  { levels }: ThreadSpans,
  lowest: number,
  startNs: Nanoseconds,
  endNs: Nanoseconds,
): LevelRows[] {
  const found: LevelRows[] = [];
  for (let level = Math.max(0, lowest); level < levels.length; level++) {
    const { startNs: starts } = levels[level];
    const from = countBelow(starts, startNs - 4 ** (level + 1));
    const to = countBelow(starts, endNs);
    if (from < to) found.push({ level, from, to });
  }
  return found;
}

/** Returns the calls that last at least so long. */
export function withoutShorter({ levels, split }: ThreadSpans, minNs: Nanoseconds): ThreadSpans {
  return { levels: levels.map((spans) => longSpans(spans, minNs)), split: longSpans(split, minNs) };
}

function longSpans(spans: Spans, minNs: Nanoseconds): Spans {
  const rows = longRows(spans.startNs, spans.endNs, minNs);
  return rows.length === spans.node.length ? spans : spansAt(spans, rows);
}

function longRows(startNs: Float64Array, endNs: Float64Array, minNs: Nanoseconds): Int32Array {
  const rows = new Int32Array(startNs.length);
  let count = 0;
  for (let row = 0; row < startNs.length; row++) if (endNs[row] - startNs[row] >= minNs) rows[count++] = row;
  return rows.subarray(0, count);
}

/** Returns a copy of these rows. */
export function spansAt({ startNs, endNs, node, ending }: Spans, rows: Int32Array): Spans {
  if (rows.length === 0) return NO_SPANS;
  return {
    startNs: valuesOf(startNs, rows),
    endNs: valuesOf(endNs, rows),
    node: valuesOf(node, rows),
    ending: valuesOf(ending, rows),
  };
}
