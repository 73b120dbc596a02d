/**
 * Compares the page's data of ranges of time with reports of the same windows.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bounds } from '../../../src/analysis/questions.js';
import { analyze, openTraceFile } from '../../../src/index.js';
import { type CallTree, usedNodes } from '../../../src/model/calls/call-tree.js';
import { NODE_COLUMNS } from '../../../src/model/calls/node-columns.js';
import type { Timeline } from '../../../src/model/timeline/timeline.js';
import { analyzeForPage } from '../../../src/page.js';
import type { PageData } from '../../../src/render/page/data/page-data.js';
import { profileOf } from '../../../src/render/page/data/profile-of.js';
import { readPageData } from '../../../src/render/page/data/read.js';
import { writePageData } from '../../../src/render/page/data/write.js';
import { borderAway, snappedRange } from '../../../src/render/page/view/time/range.js';
import { rangeData } from '../../../src/render/page/view/time/range-data.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';

async function pageOf(file: string, timelineBytes = 1e7): Promise<{ data: PageData; timeline: Timeline } | null> {
  const options = { trees: 'apart', byCalls: true, timelineBytes } as const;
  const asked = await analyzeForPage([await openTraceFile(file)], options).catch(({ code }: { code: string }) => code);
  if (typeof asked === 'string' || asked.timeline === null) return null;
  return { data: readPageData(Buffer.concat(writePageData(asked.profile))), timeline: asked.timeline };
}

/** By thread and path of names: the numbers of nodes that have any. */
function rowsOf({ threads, symbols }: ReturnType<typeof profileOf>): Record<string, number[]> {
  const rows: Record<string, number[]> = {};
  for (const { tid, tree } of threads) {
    const path: string[] = [];
    const isUsed = new Set(usedNodes(tree));
    for (let node = 0; node < tree.length; node++) {
      path[node] = node === 0 ? `${tid}` : `${path[tree.parent[node]]};${nameAt(symbols, tree, node)}`;
      if (isUsed.has(node) && hasNumbers(tree, node)) rows[path[node]] = NODE_COLUMNS.map((name) => tree[name][node]);
    }
  }
  return rows;
}

const hasNumbers = (tree: CallTree, node: number) => tree.calls[node] > 0 || tree.selfNs[node] > 0;

function nameAt({ name, dso }: PageData['symbols'], { symbol }: CallTree, node: number): string {
  return `${name[symbol[node]]}@${dso[symbol[node]]}`;
}

/** Everything is listed, or not. */
const BYTES = [1e7, 20_000];
/** Per fixture. */
const RANGES = 1;

test.each(traceFiles.map((file, at) => [file, BYTES[at % BYTES.length]] as const))(
  '%s: ranges have the numbers of the same windows of a report, of a page with %d bytes',
  async (file, bytes) => {
    const page = await pageOf(file, bytes);
    if (page === null || page.timeline.minPathNs > 0) return;
    const { data, timeline } = page;
    const times = fc.nat(timeline.durationNs);
    for (const [a, b] of fc.sample(fc.tuple(times, times), RANGES)) {
      const range = snappedRange(timeline, { startNs: Math.min(a, b), endNs: Math.max(a, b) });
      if (range === null) continue;
      expect(rowsOf(profileOf(rangeData(data, timeline, range)))).toEqual(await reportRows(file, range));
    }
  },
);

async function reportRows(file: string, { startNs, endNs }: Bounds): Promise<Record<string, number[]>> {
  const window = { from: { afterStartNs: startNs }, to: { afterStartNs: endNs } };
  return analyze([await openTraceFile(file)], { byCalls: true, window }).then(rowsOf, ({ code }: { code: string }) => {
    expect(code).toBe('NOTHING_SELECTED');
    return {};
  });
}

describe('a range', () => {
  const slices = fc.record({ durationNs: fc.integer({ min: 1, max: 1000 }), sumsSliceNs: fc.nat(50) });

  test('begins and ends at borders of slices, is not empty, and is the nearest', () => {
    fc.assert(
      fc.property(slices, fc.nat(1100), fc.nat(1100), (timeline, startNs, lengthNs) => {
        const { durationNs, sumsSliceNs } = timeline;
        const stepNs = Math.max(1, sumsSliceNs);
        const range = snappedRange(timeline, { startNs, endNs: startNs + lengthNs });
        const { startNs: fromNs, endNs: toNs } = range ?? { startNs: 0, endNs: durationNs };
        expect(fromNs % stepNs).toBe(0);
        expect(toNs === durationNs || toNs % stepNs === 0).toBe(true);
        expect(fromNs).toBeLessThan(toNs);
        expect(toNs).toBeLessThanOrEqual(durationNs);
        if (range !== null) expect(fromNs > 0 || toNs < durationNs).toBe(true);
        if (startNs <= durationNs - stepNs) expect(Math.abs(fromNs - startNs)).toBeLessThanOrEqual(stepNs / 2);
      }),
    );
  });

  test('without sums is not known', () => {
    expect(snappedRange({ durationNs: 100, sumsSliceNs: null }, { startNs: 10, endNs: 20 })).toBe(null);
  });

  test('moves its ends by slices, within the timeline', () => {
    const timeline = { durationNs: 95, sumsSliceNs: 10 };
    expect(borderAway(timeline, 20, 1)).toBe(30);
    expect(borderAway(timeline, 20, -1)).toBe(10);
    expect(borderAway(timeline, 90, 1)).toBe(95);
    expect(borderAway(timeline, 95, -1)).toBe(90);
    expect(borderAway(timeline, 0, -1)).toBe(0);
  });
});
