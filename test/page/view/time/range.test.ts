/**
 * Compares the page's data of time ranges with reports of the same windows.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keptNodes } from '../../../../src/analysis/timeline/resolution.js';
import { analyze, openTraceFile, type Profile } from '../../../../src/index.js';
import { type CallTree, NODE_COLUMNS, usedNodes } from '../../../../src/model/calls/call-tree.js';
import { totalTimes } from '../../../../src/model/calls/tree-view.js';
import type { Quality } from '../../../../src/model/profile/profile.js';
import type { Timeline } from '../../../../src/model/profile/timeline.js';
import type { Bounds } from '../../../../src/model/units.js';
import { partOfRange, profileOf } from '../../../../src/page/browser/downloads.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import type { PageData } from '../../../../src/page/data/page-data.js';
import { writePageData } from '../../../../src/page/data/write.js';
import { borderAway, snappedRange } from '../../../../src/page/view/range.js';
import { RangeData } from '../../../../src/page/view/selected-trees.js';
import { START } from '../../../../src/page/view/state.js';
import { Views } from '../../../../src/page/view/views.js';
import { readPageData } from '../../../helpers/browser/page-views.js';
import { everyNth } from '../../../helpers/random/times.js';
import { traceFiles } from '../../../helpers/traces/all-fixtures.js';

/** null: the trace has no branches, or no times. */
async function pageOf(file: string, timelineBytes = 1e7): Promise<{ data: PageData; timeline: Timeline } | null> {
  const options = { trees: 'apart', byCalls: true, timelineBytes } as const;
  const asked = await analyzeForPage([await openTraceFile(file)], options).catch((error: { code?: string }) => {
    if (error.code === 'NO_BRANCHES') return null;
    throw error;
  });
  if (asked === null || asked.timeline === null) return null;
  return { data: readPageData(Buffer.concat(writePageData(asked.profile))), timeline: asked.timeline };
}

/** By thread and path of names: the numbers of nodes that have any. */
function rowsOf({ threads, symbols }: Pick<Profile, 'threads' | 'symbols'>): Record<string, number[]> {
  const rows: Record<string, number[]> = {};
  for (const { tid, tree } of threads) {
    const paths = pathsOf(tid, tree, symbols);
    for (const node of usedNodes(tree))
      if (hasNumbers(tree, node)) rows[paths[node]] = NODE_COLUMNS.map((name) => tree[name][node]);
  }
  return rows;
}

function pathsOf(tid: number, tree: CallTree, symbols: PageData['symbols']): string[] {
  const paths = [`${tid}`];
  for (let node = 1; node < tree.length; node++)
    paths[node] = `${paths[tree.parent[node]]}\n${nameAt(symbols, tree, node)}`;
  return paths;
}

const hasNumbers = (tree: CallTree, node: number) => tree.calls[node] > 0 || tree.selfNs[node] > 0;

function nameAt({ name, dso }: PageData['symbols'], { symbol }: CallTree, node: number): string {
  return `${name[symbol[node]]}@${dso[symbol[node]]}`;
}

/** Everything is listed, or not. */
const BYTES = [1e7, 20_000];
/** Per fixture. */
const RANGES = 1;
/** So few that short paths are left out. */
const FEW_BYTES = 3000;

test.each(everyNth(traceFiles, 3).map((file, at) => [file, BYTES[at % BYTES.length]] as const))(
  '%s: ranges have the numbers of the same windows of a report, of a page with %d bytes',
  async (file, bytes) => {
    const page = await pageOf(file, bytes);
    if (page === null) return;
    for (const range of rangesOf(page.timeline, RANGES)) await expectSame(file, page, range);
  },
);

test('call paths with little time count as their callers', async () => {
  const file = 'fixtures/truth/gentrace-plain.perf.txt.gz';
  const page = await pageOf(file, FEW_BYTES);
  expect(page?.timeline.minPathNs).toBeGreaterThan(0);
  if (page !== null) for (const range of rangesOf(page.timeline, 3)) await expectSame(file, page, range);
});

type Page = NonNullable<Awaited<ReturnType<typeof pageOf>>>;

function rangesOf(timeline: Timeline, count: number): Bounds[] {
  const times = fc.nat(timeline.durationNs);
  return fc
    .sample(fc.tuple(times, times), count)
    .flatMap(([a, b]) => snappedRange(timeline, { startNs: Math.min(a, b), endNs: Math.max(a, b) }) ?? []);
}

async function expectSame(file: string, { data, timeline }: Page, range: Bounds): Promise<void> {
  const ranges = new RangeData(data, timeline);
  ranges.prepare(); // one thread; the first range prepares the others
  const part = partOfRange(ranges.within(range), range);
  const report = await reportOf(file, range);
  expect(rowsOf(profileOf(part))).toEqual(report === null ? {} : withoutShortPaths(report, data, timeline.minPathNs));
  if (report !== null && timeline.minPathNs === 0) expect(sumsOf(part.quality)).toEqual(sumsOf(report.quality));
}

/** Of the times of a range, those around hidden jumps are not known. */
function sumsOf({ lostNs, inferredNs, hiddenNs, unknownNs, totalNs, gaps, losses, threadsCut, ...counts }: Quality) {
  const inferredCalls = Object.values(counts.inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const inferredAndHiddenNs = inferredNs + hiddenNs;
  return { lostNs, inferredAndHiddenNs, unknownNs, totalNs, losses, threadsCut, inferredCalls, gaps: gaps.length };
}

/** The rows of a profile, with the time of each short path as that of the next path above that is kept. */
function withoutShortPaths(profile: Profile, data: PageData, minPathNs: number): Record<string, number[]> {
  const kept = keptPaths(profileOf(data), minPathNs);
  const rows: Record<string, number[]> = {};
  for (const [path, numbers] of Object.entries(rowsOf(profile))) {
    let above = path;
    while (!kept.has(above)) above = above.slice(0, above.lastIndexOf('\n'));
    const own = NODE_COLUMNS.map((name, at) => (above === path || isTime(name) ? numbers[at] : NOTHING[at]));
    const before = rows[above];
    if (before === undefined && (above === path || own.some((value, at) => value !== NOTHING[at]))) rows[above] = own;
    else if (before !== undefined)
      rows[above] = NODE_COLUMNS.map((name, at) => (isTime(name) ? before[at] + own[at] : before[at]));
  }
  return rows;
}

const isTime = (name: string) => name === 'selfNs' || name === 'inferredNs';
const NOTHING = NODE_COLUMNS.map((name) =>
  name === 'minNs' ? Number.POSITIVE_INFINITY : name === 'maxNs' ? Number.NEGATIVE_INFINITY : 0,
);

function keptPaths({ threads, symbols }: Profile, minPathNs: number): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { tid, tree } of threads) {
    const kept = keptNodes({ ...tree, totalNs: totalTimes(tree) }, minPathNs);
    for (const [node, path] of pathsOf(tid, tree, symbols).entries()) if (kept[node] === node) paths.add(path);
  }
  return paths;
}

async function reportOf(file: string, { startNs, endNs }: Bounds): Promise<Profile | null> {
  const window = { from: { afterStartNs: startNs }, to: { afterStartNs: endNs } };
  return analyze([await openTraceFile(file)], { byCalls: true, window }).catch(({ code }: { code: string }) => {
    expect(code).toBe('NOTHING_SELECTED');
    return null;
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

test('threads have the time inside a function in a range, which together is that of the graph', async () => {
  const page = (await pageOf('fixtures/truth/ptemu-threads2.perf.txt.gz', 20_000)) as Page;
  const { durationNs } = page.timeline;
  const views = new Views(page.data);
  views.timeline = page.timeline;
  const range = { startNs: Math.floor(durationNs / 4), endNs: Math.ceil(durationNs / 2) };
  const times = [...page.data.symbols.name.keys()].map((focus) => {
    const state = { ...START, range, focus };
    const threadNs = views.threadsAt(state).map(({ totalNs }) => totalNs);
    expect(threadNs.reduce((sum, ns) => sum + ns, 0)).toBe(views.viewAt(state).allNs());
    return threadNs.filter((ns) => ns > 0).length;
  });
  expect(Math.max(...times)).toBeGreaterThan(1);
});
