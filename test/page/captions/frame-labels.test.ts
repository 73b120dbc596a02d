import { expect, test } from 'vitest';
import { callsText } from '../../../src/page/view/captions/frame-labels.js';
import type { FrameTable } from '../../../src/render/frames/frame-table.js';

/** Returns the label of a function with these calls. `totalNs`: of what is shown. */
function textOf(calls: number, inferred: number, completeNs: number, longestCutNs: number, totalNs: number): string {
  const selfNs = Float64Array.of(0, totalNs);
  const tree = {
    symbol: Int32Array.of(-1, 0),
    calls: Float64Array.of(0, calls),
    inferredCalls: Float64Array.of(0, inferred),
    completeNs: Float64Array.of(0, completeNs),
    longestCutNs: Float64Array.of(0, longestCutNs),
    selfNs,
  };
  const table = { tree, families: ['user'], weight: 'ns', isOfWaits: false, self: selfNs, total: selfNs };
  return callsText(table as unknown as FrameTable, 1);
}

test.each([
  ['all calls are complete', textOf(8, 0, 8000, 0, 8000), '8 × 1 µs'],
  ['the total is known to be of the call', textOf(1, 1, 0, 995, 1000), '1* × ≥ 1 µs'],
  ['most of the total is not known to be of the call', textOf(1, 1, 0, 10, 1000), '1* × ≥ 10 ns'],
  ['a part of complete calls is hidden', textOf(2, 0, 2000, 0, 1500), '2 ×'],
  ['a part of what is known is hidden', textOf(2, 1, 1000, 500, 900), '2* ×'],
])('where %s, a frame says what the table does, or no average', (_, text, wanted) => {
  expect(text).toBe(wanted);
});
