/**
 * Tests averages with inferred calls: they show the number of complete calls and a lower bound of the longest call.
 */
import { expect, test } from 'vitest';
import { reportOf } from '../../src/answers.js';
import { renderSvg } from '../../src/index.js';
import { painterOf } from '../../src/page/view/colouring.js';
import { START } from '../../src/page/view/state.js';
import { formatAtLeast, formatLongest } from '../../src/render/format.js';
import { frameDetails, labelOf } from '../../src/render/frames/frame-details.js';
import type { FrameTable } from '../../src/render/frames/frame-table.js';
import { layout } from '../../src/render/layout.js';
import { viewsOf } from '../helpers/browser/page-views.js';
import { analyzeText, fold } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

/** Four short calls of `coder`, and a fifth during which the trace ends. */
const LAST_IS_LONGEST = traceOf(`
  1000  call    main  coder
  5000  return  coder main
  6000  call    main  coder
  10000 return  coder main
  11000 call    main  coder
  15000 return  coder main
  16000 call    main  coder
  20000 return  coder main
  21000 call    main  coder
  22000 call    coder leaf
  203000 return leaf  coder`);

/** The recorded part of the fifth call is short. */
const LAST_IS_SHORT = traceOf(`
  1000  call    main  coder
  5000  return  coder main
  6000  call    main  coder
  7000  call    coder leaf
  8000  return  leaf  coder`);

async function labelIn(trace: string, name: string) {
  const views = viewsOf(await analyzeText(trace, { durations: true }));
  const table: FrameTable = views.tableAt(START);
  const boxes = layout(table, { first: 0, last: 0, widthPx: 1000, minPx: 0 });
  const box = [...boxes.node.keys()].find((at) => labelOf(table, boxes, at).name === name) as number;
  return {
    label: labelOf(table, boxes, box).numbers,
    details: frameDetails(table, boxes, box).rows,
    table,
    node: boxes.node[box],
  };
}

test('shows in a label how many calls its average covers, or the bound if the longest call is inferred', async () => {
  expect((await labelIn(LAST_IS_LONGEST, 'coder')).label).toEqual(['4 of 5', '≥ 182 µs']);
  expect((await labelIn(LAST_IS_SHORT, 'coder')).label).toEqual(['1 of 2', '4 µs']);
  const svg = [...renderSvg(await analyzeText(LAST_IS_LONGEST))].join('');
  expect(svg).toContain('coder · 4 of 5 · ≥ 182 µs');
});

test('shows the average of complete calls and the bound in details', async () => {
  const { details } = await labelIn(LAST_IS_LONGEST, 'coder');
  expect(details).toContainEqual({
    label: 'calls',
    value: '4 of 5',
    note: 'complete, 1 inferred: start or end not seen',
  });
  expect(details).toContainEqual({
    label: 'average',
    value: '4 µs',
    note: 'min 4 µs · max 4 µs · of 4 complete calls',
  });
  expect(details).toContainEqual({ label: 'longest', value: '≥ 182 µs', note: 'an inferred call' });
});

test('includes the known time of inferred calls in the colour by average', async () => {
  const { table, node } = await labelIn(LAST_IS_LONGEST, 'coder');
  const painter = painterOf(table, 'average');
  expect(painter.classOf(node)).toBe('s3'); // (4 × 4 µs + 182 µs) / 5 is above 10 µs, and 4 µs is not
  expect(painter.note).toBe('with inferred calls: lower bound');
});

test('omits the average with --annotate if the longest call is inferred', async () => {
  expect(fold(await analyzeText(LAST_IS_LONGEST), { annotate: true })).toContain('main:1(1);coder:5(1) ');
  expect(fold(await analyzeText(LAST_IS_SHORT), { annotate: true })).toContain('main:1(1);coder:2(1),avg:4000 ');
});

test('shows the bound in the report and sorts by it', async () => {
  const { functions } = reportOf(await analyzeText(LAST_IS_LONGEST, { trees: 'together' }), { sort: 'max' });
  const rows = functions.map(({ name, calls, inferred, maxNs, longestCutNs }) => [
    name,
    calls,
    inferred,
    maxNs,
    longestCutNs,
  ]);
  expect(rows).toEqual([
    ['main', 1, 1, null, 202_000],
    ['coder', 5, 1, 4000, 182_000],
    ['leaf', 1, 0, 181_000, null],
  ]);
});

test('rounds a bound down', () => {
  expect([182_999, 999, 1, 99_999_999].map(formatAtLeast)).toEqual(['≥ 182 µs', '≥ 999 ns', '≥ 1 ns', '≥ 99.9 ms']);
  expect([
    formatLongest(5, null),
    formatLongest(5, 4),
    formatLongest(5, 6),
    formatLongest(Number.NaN, Number.NaN),
  ]).toEqual(['5 ns', '5 ns', '≥ 6 ns', '–']);
});
