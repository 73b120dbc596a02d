/**
 * Compares threads on the page with `ptflame diff --before tid=… --after tid=…`.
 */
import { describe, expect, test } from 'vitest';
import { type Diff, diffOf } from '../../../../src/answers.js';
import { openTraceFile, type Profile } from '../../../../src/index.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import { writePageData } from '../../../../src/page/data/write.js';
import { OpenPaths } from '../../../../src/page/view/call-paths.js';
import { chipsOf, restToggle } from '../../../../src/page/view/captions/misfits.js';
import type { ComparedTable, RowComparison } from '../../../../src/page/view/comparison.js';
import { NO_ZOOM, START, type State } from '../../../../src/page/view/state.js';
import type { FunctionRow } from '../../../../src/page/view/view.js';
import { Views } from '../../../../src/page/view/views.js';
import { compareProfiles } from '../../../../src/render/diff/comparison.js';
import { diffPaths, widthsOf } from '../../../../src/render/diff/paths.js';
import { readPageData, symbolOf } from '../../../helpers/browser/page-views.js';
import { fixturePath } from '../../../helpers/cli/run-cli.js';

const options = { trees: 'apart', durations: true, timelineBytes: 1e6 } as const;
const { profile, timeline } = await analyzeForPage(
  [await openTraceFile(fixturePath('demo/threads.perf.txt.gz'))],
  options,
);
const views = new Views(readPageData(Buffer.concat(writePageData(profile))));
views.timeline = timeline;

const TIDS = [5000, 5001, 5002, 5003, 5004];
const PAIRS = TIDS.flatMap((here) => TIDS.map((there) => [here, there] as const));

const stateOf = (here: number, there: number): State => ({
  ...START,
  threads: `tid:${here}`,
  against: `tid:${there}`,
});

function comparedAt(state: State): ComparedTable {
  const compared = views.comparedAt(state);
  if (compared === null) throw new Error('nothing is compared');
  return compared;
}

/** By path of names: [after, before]. */
function weightsOf(state: State): Record<string, [number, number]> {
  const { table, paths: both } = comparedAt(state);
  const paths = [''];
  for (let node = 1; node < table.parent.length; node++)
    paths[node] = `${paths[table.parent[node]]};${views.data.symbols.name[table.tree.symbol[node]]}`;
  return Object.fromEntries(paths.map((path, node) => [path, [both.totals.after[node], both.totals.before[node]]]));
}

const alone = (tid: number): Profile => ({ ...profile, threads: profile.threads.filter((one) => one.tid === tid) });

test.each(PAIRS)('of threads %d and %d, all paths have the numbers of a diff', (here, there) => {
  const compared = compareProfiles(alone(there), alone(here));
  const { totals } = diffPaths({
    ...compared,
    ...{ parent: compared.after.parent, symbol: compared.after.symbol, omitted: new Float64Array(0) },
    names: compared.names.map(({ name }) => name),
  });
  const paths = [''];
  const wanted: Record<string, [number, number]> = {};
  for (let node = 0; node < compared.after.length; node++) {
    if (node > 0)
      paths[node] = `${paths[compared.after.parent[node]]};${compared.names[compared.after.symbol[node]]?.name}`;
    wanted[paths[node]] = [totals.after[node], totals.before[node]];
  }
  expect(weightsOf(stateOf(here, there))).toEqual(wanted);
});

describe('functions', () => {
  test.each(PAIRS)('of threads %d and %d are those of both', (here, there) => {
    const state = stateOf(here, there);
    const both = views.functionsAt(state).rows;
    const wanted = new Map<number, [number, number]>();
    for (const [at, tid] of [here, there].entries())
      for (const { sums } of views.functionsAt({ ...START, threads: `tid:${tid}` }).rows) {
        const pair = wanted.get(sums.symbol) ?? [0, 0];
        pair[at] = sums.totalNs;
        wanted.set(sums.symbol, pair);
      }
    const shown = both.map(({ sums, weight, compared }) => [sums.symbol, [weight, compared?.of.total.before]] as const);
    expect(new Map(shown)).toEqual(wanted);
    expect(shown).toHaveLength(wanted.size);
  });

  test.each(PAIRS)('of threads %d and %d have the numbers and the noise of a diff', (here, there) => {
    expectDiff(views.functionsAt(stateOf(here, there)).rows, diffOf(alone(there), alone(here)));
  });

  test('follow the time range, focus and zoom; without the zoomed path, a side has none', () => {
    const nap = symbolOf(views, 'nap');
    const state = { ...stateOf(5004, 5002), focus: nap, range: { startNs: 0, endNs: 400_000 } };
    const rowOf = (of: State, symbol: number) => views.functionsAt(of).rows.find(({ sums }) => sums.symbol === symbol);
    const beforeOf = (of: State) => rowOf(of, nap)?.compared?.of.total.before;
    expect(beforeOf(state)).toBe(rowOf({ ...state, threads: 'tid:5002', against: '' }, nap)?.weight);
    const zoomed = { ...state, focus: null, zoom: [symbolOf(views, 'clone3')], zoomLast: null };
    expect(beforeOf(zoomed)).toBeGreaterThan(0);
    const lowest = views.tableAt({ ...START, threads: 'tid:5000' }).tree.symbol[1] as number;
    const missing = { ...stateOf(5000, 5002), zoom: [lowest], zoomLast: null };
    const { rows } = views.functionsAt(missing);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ compared }) => compared?.of.total.before === 0 && compared.isNew)).toBe(true);
  });
});

/** Compares each number of the functions with those of `ptflame diff`. */
function expectDiff(rows: readonly FunctionRow[], { functions }: Diff, scale = 1): void {
  const wanted = functions.map(({ name, isNew, isGone, totalNs, selfNs, calls, avgNs, withinNoise, noise }) => {
    const scaled = ({ before, after }: { readonly before: number; readonly after: number }) => [before * scale, after];
    const ofCalls = [avgNs.before, avgNs.after].map((ns) => (ns === null ? null : Math.round(ns)));
    const numbers = [...scaled(totalNs), ...scaled(selfNs), ...scaled(calls)].map((number) =>
      Number(number.toFixed(3)),
    );
    const { totalNs: total, selfNs: self, avgNs: avg } = withinNoise;
    return [name, isNew, isGone, numbers, ofCalls, scale === 1 && [total, self, avg, noise.totalNs]];
  });
  const shown = rows.map(({ sums, compared }) => {
    const { isNew, isGone, of } = compared as RowComparison;
    const numbers = [of.total, of.self, of.calls].flatMap(({ before, after }) => [before, after]);
    const ofCalls = [of.avg.before, of.avg.after].map((ns) => (Number.isNaN(ns) ? null : Math.round(ns)));
    const noiseNs = Number.isNaN(of.total.noise) ? null : Math.round(1000 * of.total.noise) / 1000;
    return [
      views.data.symbols.name[sums.symbol],
      isNew,
      isGone,
      numbers.map((number) => Number(number.toFixed(3))),
      ofCalls,
      scale === 1 && [of.total.isNoise, of.self.isNoise, of.avg.isNoise, noiseNs],
    ];
  });
  const byName = (a: readonly unknown[], b: readonly unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);
  expect(shown.sort(byName)).toEqual(wanted.sort(byName));
}

describe('with the rest', () => {
  const durationNs = timeline?.durationNs ?? 0;
  const windowed = async (startNs: number, endNs: number) => {
    const window = { from: { afterStartNs: startNs }, to: { afterStartNs: endNs } };
    return (
      await analyzeForPage([await openTraceFile(fixturePath('demo/threads.perf.txt.gz'))], { ...options, window })
    ).profile;
  };
  const timeOf = ({ threads }: Profile) =>
    threads.flatMap(({ tree }) => [...tree.selfNs]).reduce((sum, ns) => sum + ns, 0);

  test('a range has the numbers of a diff of two windows, the rest scaled to the same total', async () => {
    const range = { startNs: 0, endNs: 400_000 };
    const state = { ...START, range, against: 'rest' };
    const [before, after] = [await windowed(400_000, durationNs), await windowed(0, 400_000)];
    const scale = timeOf(after) / timeOf(before);
    expect(comparedAt(state).sides.scales).toEqual({ before: scale, after: 1 });
    expectDiff(views.functionsAt(state).rows, diffOf(before, after), scale);
    const { totals } = comparedAt(state).paths;
    expect(totals.before[0]).toBeCloseTo(totals.after[0] as number, 3);
  });

  test('a range within the time is compared with the time before and after it', () => {
    const range = { startNs: 300_000, endNs: 400_000 };
    const { before, after } = comparedAt({ ...START, range, against: 'rest' });
    expect((before.total[0] as number) + (after.total[0] as number)).toBe(views.tableAt(START).total[0]);
  });

  test('threads are compared with all others; all of them, with none', () => {
    const state = { ...START, threads: 'tid:5004', against: 'rest' };
    const { before, sides } = comparedAt(state);
    expect(sides.before.threads).toBe('tids:5000,5001,5002,5003');
    const others = views.tableAt({ ...START, threads: sides.before.threads });
    expect(before.total[0]).toBe(others.total[0]);
    expect(views.comparedAt({ ...START, against: 'rest' })).toBeNull();
    expect(restToggle(views, START)).toBeNull();
    expect(restToggle(views, { ...START, threads: 'tid:5004' })).toEqual({ against: 'rest' });
    expect(restToggle(views, state)).toEqual({ against: '' });
  });

  test('a chip says that the rest is scaled', () => {
    const texts = chipsOf(views, { ...START, threads: 'tid:5004', against: 'rest' }).map(({ text }) => text);
    expect(texts[1]).toMatch(/^compared with the rest, scaled to the same total \(× \d/);
  });
});

test('widths are the larger of both, or those of one side; a path that it lacks is as wide as on the other', () => {
  const table = (widthOf: State['widthOf']) => comparedAt({ ...stateOf(5004, 5002), order: 'name', widthOf });
  const { paths } = table('larger');
  const { before, after } = paths.self;
  expect([...table('larger').table.self]).toEqual([...after].map((ns, node) => Math.max(ns, before[node] as number)));
  for (const side of ['before', 'after'] as const)
    expect([...table(side).table.self]).toEqual([...widthsOf(paths, side)]);
});

test('call paths have the numbers of both sides', () => {
  const state = stateOf(5004, 5002);
  const { paths, before, after } = comparedAt(state);
  const open = new OpenPaths();
  const listed = views.callPathsAt(state);
  listed.openAll(open, 0);
  const rows = listed.rows(open, (rows) => rows);
  expect(rows.length).toBe(paths.parent.length - 1);
  for (const { node, compared } of rows) {
    const { total, self, calls } = (compared as RowComparison).of;
    expect([total.before, total.after]).toEqual([paths.totals.before[node], paths.totals.after[node]]);
    expect([self.before, self.after]).toEqual([paths.self.before[node], paths.self.after[node]]);
    expect([calls.before, calls.after]).toEqual([before.tree.calls[node], after.tree.calls[node]]);
  }
});

test('a function of one side alone has a panel, with the change of each caller and callee', () => {
  const state = stateOf(5004, 5002);
  const gone = views.functionsAt(state).rows.find(({ compared }) => compared?.isGone)?.sums.symbol as number;
  const shown = views.functionAt(state, gone)?.compared;
  expect(shown?.row.compared?.of.total.after).toBe(0);
  expect(shown?.callees.paths.totals.before[0]).toBe(shown?.row.compared?.of.total.before);
});

test('widths, orders and searches keep the same paths', () => {
  const state = stateOf(5004, 5002);
  const pathsOf = (change: Partial<State>) => Object.keys(weightsOf({ ...state, ...NO_ZOOM, ...change })).sort();
  expect(pathsOf({ order: 'weight' })).toEqual(pathsOf({}));
  expect(weightsOf({ ...state, order: 'weight' })).toEqual(weightsOf(state));
  for (const change of [{ width: 'calls' }, { width: 'cpu' }, { isInverted: true }] as const)
    for (const weights of Object.values(weightsOf({ ...state, ...change })))
      for (const weight of weights) expect(weight).toBeGreaterThanOrEqual(0);
  const nap = views.functionsAt(state).rows.find(({ sums }) => sums.symbol === symbolOf(views, 'nap'));
  const ofMatches = weightsOf({ ...state, search: 'nap', isOnlyMatches: true });
  expect(ofMatches['']).toEqual([nap?.weight, nap?.compared?.of.total.before]);
});
