/**
 * Tests the call tree: its roots and the self times of all paths add up to what the functions and the graph show, for any part of
 * a page, and rows follow what is open.
 */
import { describe, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { type CallPaths, OpenPaths, type PathRow } from '../../../src/page/view/call-paths.js';
import { START, type State } from '../../../src/page/view/state.js';
import type { Views } from '../../../src/page/view/views.js';
import { symbolOf, viewsOf } from '../../helpers/browser/page-views.js';
import { CALLS } from '../../helpers/browser/report-page.js';
import { analyzeText, fixture, inputOf } from '../../helpers/traces/load.js';

const unsorted = (rows: PathRow[]) => rows;

/** All rows, as if all were open. */
function allRows(paths: CallPaths): PathRow[] {
  const open = new OpenPaths();
  for (const { node } of paths.rows(open, unsorted)) expect(paths.openAll(open, node)).toBe(true);
  return paths.rows(open, unsorted);
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

describe.each([
  'demo/threads.perf.txt.gz',
  'lab/thread-create-switch-migrate.txt',
  'lab/overflow-and-lost.txt',
  'lab/cpp-exception-operators-lambda.txt',
])('%s', (file) => {
  const made = (async () => {
    const asked = { trees: 'apart', durations: true } as const;
    const { profile, timeline } = await analyzeForPage([inputOf(fixture(file))], asked);
    const views = viewsOf(profile);
    views.timeline = timeline;
    return views;
  })();

  test('all, functions, and the roots of the call tree have the same sum, upside down, too', async () => {
    const views = await made;
    for (const [what, part] of partsOf(views))
      for (const [width, isInverted] of views.widths.flatMap((own) => [[own, false] as const, [own, true] as const])) {
        const state: State = { ...START, ...part, width, isInverted };
        const where = `${what}, ${width}${isInverted ? ', inverted' : ''}`;
        const all = views.tableAt(state).total[0] as number;
        expect(all, where).toBe(views.tableAt({ ...state, isInverted: false }).total[0]);
        const paths = views.callPathsAt(state);
        const roots = paths.rows(new OpenPaths(), unsorted);
        expect(sum(roots.map(({ weight }) => weight)), where).toBe(all);
        expect(paths.totalWeight, where).toBe(all);
        const { rows, totalWeight } = views.functionsAt(state);
        expect(totalWeight, where).toBe(all);
        const isOfStops = width === 'outside' || width === 'off-cpu';
        if (isOfStops) continue; // stops count for the function that entered them, too
        expect(sum(rows.map(({ selfWeight }) => selfWeight)), where).toBe(all);
        expect(sum(allRows(paths).map(({ selfWeight }) => selfWeight)), where).toBe(all);
      }
  });

  test('a path has the numbers of its frame, and all paths of a function add up to its own', async () => {
    const views = await made;
    const { functions } = views.viewAt(START);
    const rows = allRows(views.callPathsAt(START));
    for (const [symbol, sums] of functions()) {
      const own = rows.filter((row) => row.symbol === symbol).map((row) => row.sums);
      for (const key of ['calls', 'inferred', 'unwound', 'selfNs'] as const)
        expect(sum(own.map((row) => row[key])), `${key} of ${views.names[symbol]}`).toBe(sums[key]);
      expect(own.reduce((max, { maxNs }) => (maxNs > max ? maxNs : max), 0)).toBe(sums.maxNs || 0);
    }
    for (const { sums } of rows) expect(sums.outsideNs).toBeLessThanOrEqual(sums.totalNs);
  });
});

/** Parts of a page. */
function partsOf(views: Views): readonly (readonly [string, Partial<State>])[] {
  const { durationNs = 0, sumsSliceNs } = views.timeline ?? {};
  const named = [...views.viewAt(START).functions().values()].sort((a, b) => b.totalNs - a.totalNs);
  const symbol = named.find(({ selfNs, totalNs }) => selfNs < totalNs)?.symbol ?? null;
  const range = { startNs: Math.floor(durationNs / 4), endNs: Math.floor(durationNs / 2) };
  const thread = { threads: views.threads[0]?.key ?? 'all' };
  return [
    ['all', {}],
    ['thread', thread],
    ['focus', { focus: symbol }],
    ['hidden', { hidden: symbol === null ? [] : [symbol] }],
    ['folded', { foldsRecursion: true }],
    ['pure waits hidden', { hidesPureWaits: true }],
    ['collapsed', { collapsed: views.libraries.files }],
    ...(sumsSliceNs == null
      ? []
      : ([
          ['range', { range }],
          ['range of a thread', { range, ...thread }],
        ] as const)),
  ];
}

describe('rows', () => {
  const made = analyzeText(CALLS, { durations: true }).then(viewsOf);
  const shown = (views: Views, rows: readonly PathRow[]) =>
    rows.map(
      ({ level, symbol, isOpen }) =>
        `${level} ${views.names[symbol]}${{ true: ' ▾', false: ' ▸', null: '' }[`${isOpen}`]}`,
    );
  const byWeight = (rows: PathRow[]) => rows.toSorted((a, b) => b.weight - a.weight);

  test('are the heaviest path first, and what is opened', async () => {
    const views = await made;
    const paths = views.callPathsAt(START);
    const open = new OpenPaths();
    expect(shown(views, paths.rows(open, byWeight))).toEqual(['1 main ▸']);
    paths.openHeaviest(open);
    expect(shown(views, paths.rows(open, byWeight))).toEqual(['1 main ▾', '2 a ▾', '3 a ▾', '4 leaf', '3 leaf', '2 b']);
    open.reach([symbolOf(views, 'main'), symbolOf(views, 'a')]).isOpen = false;
    expect(shown(views, paths.rows(open, byWeight))).toEqual(['1 main ▾', '2 a ▸', '2 b']);
  });

  test('stay open by path, in another tree and in a zoom', async () => {
    const views = await made;
    const open = new OpenPaths();
    views.callPathsAt(START).openHeaviest(open);
    const [main, a, leaf] = ['main', 'a', 'leaf'].map((name) => symbolOf(views, name)) as [number, number, number];
    const zoomed = views.callPathsAt({ ...START, zoom: [main, a] });
    expect(shown(views, zoomed.rows(open, byWeight))).toEqual(['1 a ▾', '2 a ▾', '3 leaf', '2 leaf']);
    expect(zoomed.totalWeight).toBe(60);
    const hidden = views.callPathsAt({ ...START, hidden: [leaf] });
    expect(shown(views, hidden.rows(open, byWeight))).toEqual(['1 main ▾', '2 a ▾', '3 a', '2 b']);
  });

  test('are functions with their callers, upside down', async () => {
    const views = await made;
    const rows = allRows(views.callPathsAt({ ...START, isInverted: true }));
    expect(rows.filter(({ level }) => level === 1).map(({ symbol, weight }) => [views.names[symbol], weight])).toEqual([
      ['a', 30],
      ['b', 30],
      ['leaf', 30],
      ['main', 10],
    ]);
  });
});
