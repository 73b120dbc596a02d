/**
 * Tests blocked time as the second tree of the report page: its numbers are those of `render --blocked-by`.
 */
import { expect, test } from 'vitest';
import { type AnalyzeOptions, type Profile, profileBlockedTime } from '../../src/index.js';
import { openBlockedData } from '../../src/page/browser/platform/decode.js';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import type { PageData } from '../../src/page/data/page-data.js';
import { blockedDataPieces, pageDataOf, pageDataPieces } from '../../src/page/data/write.js';
import { metricOf, START, type State } from '../../src/page/view/state.js';
import { Views } from '../../src/page/view/views.js';
import { readPageData } from '../helpers/browser/page-views.js';
import { jsonOf } from '../helpers/checks/files/profile-file.js';
import { WAITLAB } from '../helpers/requests/traces.js';
import { fixture, inputOf } from '../helpers/traces/load.js';

async function contentsOf(options: AnalyzeOptions = {}) {
  return analyzeForPage(WAITLAB(), { trees: 'apart', durations: true, timelineBytes: 1e6, ...options });
}

async function viewsOf(options: AnalyzeOptions = {}): Promise<Views> {
  const { profile, waits, timeline, blocked = null } = await contentsOf(options);
  if (blocked === null || blocked === 'too large') throw new Error('it has blocked time');
  const data = readPageData(Buffer.concat([...pageDataPieces(profile, waits, null, null, blocked)]));
  const views = new Views(data, null, true);
  views.timeline = timeline;
  views.blocked = openBlockedData(Buffer.concat([...blockedDataPieces(profile, waits, blocked)]), data);
  return views;
}

const BLOCKED: State = { ...START, width: 'blocked' };
const milliseconds = (from: number, to: number) => ({
  from: { afterStartNs: from * 1e6 },
  to: { afterStartNs: to * 1e6 },
});

test.for<[string, AnalyzeOptions]>([
  ['all', {}],
  ['a window', { window: milliseconds(10, 30) }],
  ['a thread', { select: { tids: [9171] } }],
  ['what is inside calls', { inside: [{ functions: 'handle_request' }] }],
  ['what is inside calls of a duration', { inside: [{ functions: 'handle_request', minNs: 1e6 }] }],
  ['what is below a root', { root: 'run_job' }],
])('the page of %s has the profile of render --blocked-by', async ([, options]) => {
  const { blocked } = await contentsOf(options);
  const alone = await profileBlockedTime(WAITLAB(), options);
  expect(alone.threads.length).toBeGreaterThan(0);
  expect(jsonOf(blocked as Profile)).toBe(jsonOf(alone));
});

test('total, own times and roots add up to blocked time, for all threads and for each', async () => {
  const views = await viewsOf();
  const { threads } = await profileBlockedTime(WAITLAB());
  const ns = new Map(threads.map(({ tid, tree }) => [`tid:${tid}`, tree.selfNs.reduce((sum, own) => sum + own, 0)]));
  expect(ns.size).toBeLessThanOrEqual(views.threads.length);
  const all = [...ns.values()].reduce((sum, own) => sum + own, 0);
  for (const key of ['all', ...views.threads.map((row) => row.key)]) {
    const state = { ...BLOCKED, threads: key };
    const table = views.tableAt(state);
    const expected = key === 'all' ? all : (ns.get(key) ?? 0);
    expect(table.total[0], key).toBe(expected);
    const { rows, totalWeight } = views.functionsAt(state);
    expect(totalWeight, key).toBe(expected);
    expect(
      rows.reduce((sum, { sums }) => sum + sums.selfNs, 0),
      key,
    ).toBeCloseTo(expected, 3);
  }
  const counted = views.threadsAt(BLOCKED).map((row) => [row.key, row.totalNs] as const);
  expect(new Map(counted.filter(([, own]) => own > 0))).toEqual(ns);
});

test('functions have the same numbers, colours and words in links under each lens', async () => {
  const views = await viewsOf();
  const { blocked, data } = views;
  expect(blocked?.symbols).toBe(data.symbols);
  expect(blocked?.threads.map(({ tid }) => tid)).toEqual(data.threads.map(({ tid }) => tid));
  const names = (state: State) => new Set([...views.viewAt(state).functions().keys()]);
  const both = [...names(BLOCKED)].filter((symbol) => names(START).has(symbol));
  expect(both.length).toBeGreaterThan(10);
});

test('each lens has its own trees, whichever was seen before', async () => {
  const [views, fresh] = [await viewsOf(), await viewsOf()];
  const hidden = [views.names.indexOf('rest')];
  for (const change of [{}, { hidden }, { foldsRecursion: true }]) {
    const seen = (of: Views, state: State) => {
      const { rows, totalWeight } = of.functionsAt({ ...state, ...change });
      return [totalWeight, rows.length, of.leftOutAt({ ...state, ...change })];
    };
    const blocked = seen(fresh, BLOCKED);
    expect(seen(views, START)).not.toEqual(blocked);
    expect(seen(views, BLOCKED)).toEqual(blocked);
    expect(seen(views, START)).not.toEqual(blocked);
  }
});

test('without the lens, the page has what it had', async () => {
  const views = await viewsOf();
  const { profile } = await contentsOf();
  expect(views.tableAt(START).total[0]).toBe(profile.quality.totalNs);
  for (const width of views.widths) if (width !== 'blocked') expect(metricOf(width)).toBe(width);
  expect(views.threadsAt(START)).toBe(views.threads);
});

test('ranges, inverted trees, single calls and pure waits are of all time', async () => {
  const views = await viewsOf();
  const range = { startNs: 1e7, endNs: 2e7 };
  expect(views.rangeAt({ ...START, range })).not.toBeNull();
  expect(views.rangeAt({ ...BLOCKED, range })).toBeNull();
  expect(views.corrected({ ...BLOCKED, range, isInverted: true })).toEqual({ range: null, isInverted: false });
  expect(views.pureWaitsAt(BLOCKED).waits).toEqual([]);
  const symbol = views.names.indexOf('await_reply');
  expect(views.functionAt(START, symbol)).toMatchObject({ calls: {}, waits: {} });
  expect(views.functionAt(BLOCKED, symbol)).toMatchObject({ calls: null, waits: null });
  expect(views.colouringsAt(BLOCKED)).toEqual(['library', 'function']);
  expect(views.widths).toEqual(['wall', 'cpu', 'outside', 'off-cpu', 'calls', 'blocked']);
});

test('a recording without wakings, or in which nobody waited, has none', async () => {
  const options = { trees: 'apart' } as const;
  const without = await analyzeForPage([inputOf(fixture('demo/threads.perf.txt.gz'))], options);
  expect(without.blocked ?? null).toBeNull();
  const nobody = await contentsOf({ root: 'crunch' });
  expect((await profileBlockedTime(WAITLAB(), { root: 'crunch' })).threads).toEqual([]);
  expect(nobody.blocked).toBeNull();
});

test('a page that gets no bytes has the same data', async () => {
  const { profile, waits, blocked = null } = await contentsOf();
  const views = await viewsOf();
  const { symbols: _, ...own } = views.blocked as PageData;
  expect(pageDataOf(profile, waits, null, blocked)).toMatchObject({ data: views.data, blocked: own });
});

test('what has too many paths for a page is left out, and says so', async () => {
  const { profile, waits } = await contentsOf();
  const data = readPageData(Buffer.concat([...pageDataPieces(profile, waits, null, null, 'too large')]));
  const bytes = Buffer.concat([...blockedDataPieces(profile, waits, 'too large')]);
  expect(() => openBlockedData(bytes, data)).toThrow('too many call paths for a page; ptflame render --blocked-by');
});
