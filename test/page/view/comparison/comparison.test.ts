/**
 * Compares threads on the page with `ptflame diff --before tid=… --after tid=…`.
 */
import { describe, expect, test } from 'vitest';
import { openTraceFile, type Profile } from '../../../../src/index.js';
import { readPageData } from '../../../../src/page/browser/platform/decode.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import { writePageData } from '../../../../src/page/data/write.js';
import type { ComparedTable } from '../../../../src/page/view/colouring.js';
import { differenceOf } from '../../../../src/page/view/colouring.js';
import { NO_ZOOM, START, type State } from '../../../../src/page/view/state.js';
import { Views } from '../../../../src/page/view/views.js';
import { compareProfiles } from '../../../../src/render/diff/comparison.js';
import { diffPaths } from '../../../../src/render/diff/paths.js';
import { symbolOf } from '../../../helpers/browser/page-views.js';
import { fixturePath } from '../../../helpers/cli/run-cli.js';

const options = { trees: 'apart', timelineBytes: 1e6 } as const;
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
  const { compared } = views.painterAt(state);
  if (compared === null) throw new Error('nothing is compared');
  return compared;
}

/** By path of names: [here, there]. */
function weightsOf(state: State): Record<string, [number, number]> {
  const table = views.tableAt(state);
  const { there } = comparedAt(state);
  const paths = [''];
  for (let node = 1; node < table.parent.length; node++)
    paths[node] = `${paths[table.parent[node]]};${views.data.symbols.name[table.tree.symbol[node]]}`;
  return Object.fromEntries(paths.map((path, node) => [path, [table.total[node], there[node]]]));
}

const alone = (tid: number): Profile => ({ ...profile, threads: profile.threads.filter((one) => one.tid === tid) });

test.each(PAIRS)('of threads %d and %d, all paths have the numbers of a diff', (here, there) => {
  const compared = compareProfiles(alone(there), alone(here));
  const { totals, self } = diffPaths({
    ...compared,
    ...{ parent: compared.after.parent, symbol: compared.after.symbol, omitted: new Float64Array(0) },
    names: compared.names.map(({ name }) => name),
  });
  const paths = [''];
  const wanted: Record<string, [number, number]> = {};
  let onlyThere = 0;
  for (let node = 0; node < compared.after.length; node++) {
    if (node > 0)
      paths[node] = `${paths[compared.after.parent[node]]};${compared.names[compared.after.symbol[node]]?.name}`;
    wanted[paths[node]] = [totals.after[node], totals.before[node]];
    const { calls } = compared.after;
    if (totals.after[node] === 0 && calls[node] === 0) onlyThere += self.before[node];
  }
  const shown = weightsOf(stateOf(here, there));
  for (const [path, weights] of Object.entries(shown)) expect(weights, path).toEqual(wanted[path]);
  for (const [path, [after]] of Object.entries(wanted)) if (after > 0) expect(shown).toHaveProperty([path]);
  expect(comparedAt(stateOf(here, there)).onlyThere).toBe(onlyThere);
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
    const shown = both.map(({ sums, weight, otherWeight }) => [sums.symbol, [weight, otherWeight]] as const);
    expect(new Map(shown)).toEqual(wanted);
    expect(shown).toHaveLength(wanted.size);
  });

  test('follow the time range, focus and zoom; without the zoomed path, the others have none', () => {
    const nap = symbolOf(views, 'nap');
    const state = { ...stateOf(5004, 5002), focus: nap, range: { startNs: 0, endNs: 400_000 } };
    const totalOf = (of: State, symbol: number) =>
      views.functionsAt(of).rows.find(({ sums }) => sums.symbol === symbol);
    expect(totalOf(state, nap)?.otherWeight).toBe(totalOf({ ...state, threads: 'tid:5002', against: '' }, nap)?.weight);
    const zoomed = { ...state, focus: null, zoom: [symbolOf(views, 'clone3')], zoomLast: null };
    expect(totalOf(zoomed, nap)?.otherWeight).toBeGreaterThan(0);
    const lowest = views.tableAt(stateOf(5000, 5002)).tree.symbol[1] as number;
    const missing = { ...stateOf(5000, 5002), zoom: [lowest], zoomLast: null };
    expect(views.functionsAt(missing).rows.every(({ otherWeight }) => otherWeight === 0)).toBe(true);
  });
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
  expect(ofMatches['']).toEqual([nap?.weight, nap?.otherWeight]);
});

test('a difference has a direction', () => {
  expect([differenceOf(2, 1), differenceOf(1, 2), differenceOf(1, 0), differenceOf(1, 1)]).toEqual([
    'more',
    'less',
    'new',
    'same',
  ]);
});
