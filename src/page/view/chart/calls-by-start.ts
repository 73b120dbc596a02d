/**
 * Goes through the calls of several levels in order: by start; of two that start together, the outer one first.
 */
import type { LevelRows } from '../../../analysis/timeline/spans/thread-spans.js';
import type { Spans } from '../../../model/timeline/timeline.js';

/** Calls `visit` with the rows. */
export function visitByStart(
  levels: readonly Spans[],
  found: readonly LevelRows[],
  visit: (calls: Spans, row: number, level: number) => void,
): void {
  const starts = found.map(({ level }) => levels[level].startNs);
  const next = Float64Array.from(found, ({ from }, at) => starts[at][from]);
  const rows = Int32Array.from(found, ({ from }) => from);
  let left = found.length;
  while (left > 0) {
    // of equal starts the last: it is of the highest level, so it is the longest
    let first = 0;
    for (let at = 1; at < next.length; at++) if (next[at] <= next[first]) first = at;
    const { level, to } = found[first];
    const row = rows[first]++;
    visit(levels[level], row, level);
    if (row + 1 < to) next[first] = starts[first][row + 1];
    else {
      next[first] = Number.POSITIVE_INFINITY;
      left--;
    }
  }
}
