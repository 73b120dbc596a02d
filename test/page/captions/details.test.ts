/**
 * Tests the details of a frame: no part exceeds the whole, for any width.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { METRICS } from '../../../src/analysis/tree/outside.js';
import { ROOT } from '../../../src/model/calls/call-tree.js';
import { bucketOf } from '../../../src/model/calls/durations.js';
import { symbolLines } from '../../../src/model/symbol-table.js';
import { foldedText } from '../../../src/page/browser/graph/frame-actions.js';
import { pageDetails, widthName } from '../../../src/page/view/captions/details.js';
import { START, type State, type Width } from '../../../src/page/view/state.js';
import { barsOf } from '../../../src/page/view/view.js';
import type { Views } from '../../../src/page/view/views.js';
import { layout } from '../../../src/render/layout.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { profileOfNames } from '../../helpers/checks/files/profile-file.js';
import { sum } from '../../helpers/random/random-trees.js';
import { analyzeText, fixture, fold } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

/** work: 9 ns of self time, 81 ns in a system call, 60 of them blocked; and a gap, below which all is inferred. */
const TRACE = traceOf(`
  0    call             main  work
  5    tr end  syscall  work
  10   PERF_RECORD_SWITCH OUT
  70   PERF_RECORD_SWITCH IN
  86   tr strt          work
  90   return           work  main
  100  call             main  other
  110  error
  120  tr strt          deep
  180  call             deep  leaf
  200  return           leaf  deep`);

const CALLS_ALONE = traceOf(`
  0    call             main  leaf
  100  return           leaf  main`);

/** Returns the rows as lines; empty if the frame is too narrow to be drawn. */
function linesOf(views: Views, state: State, name: string): string {
  const table = views.tableAt(state);
  const boxes = layout(table, { first: 0, last: 0, widthPx: 10_000, minPx: 0 });
  const box = boxes.node.findIndex((node) => table.names[table.tree.symbol[node]] === name);
  if (box === -1) return '';
  const symbol = table.tree.symbol[boxes.node[box]];
  const view = views.viewAt(state);
  const sums = view.functions().get(symbol);
  const totals = sums === undefined ? null : { sums, allNs: view.allNs(), line: views.lineOf(symbol) };
  const { rows } = pageDetails(
    table,
    boxes,
    box,
    { width: state.width, isInverted: state.isInverted, hasSwitches: views.hasSwitches },
    totals,
  );
  return rows.map(({ label, value, note }) => [label, value, note].filter(Boolean).join(' | ')).join('\n');
}

const sharesIn = (text: string) => [...text.matchAll(/([\d.]+(?:e\+\d+)?) %/g)].map(([, percent]) => Number(percent));

describe.each(METRICS)('with a width by %s', (width: Width) => {
  test.for([false, true])('shows no share above 100 % (only matches: %s)', async (isOnlyMatches) => {
    const views = viewsOf(await analyzeText(TRACE, { durations: true }));
    for (const name of ['main', 'work', 'other', 'deep', 'leaf']) {
      const text = linesOf(views, { ...START, width, search: 'leaf', isOnlyMatches }, name);
      expect(Math.max(0, ...sharesIn(text)), `${name}\n${text}`).toBeLessThanOrEqual(100);
    }
  });

  test('shows the same share over all paths for any frame', async () => {
    const views = viewsOf(await analyzeText(TRACE, { durations: true }));
    const allPaths = (state: State) => linesOf(views, state, 'work').match(/all paths.*/)?.[0];
    expect(allPaths(START)).toBe('all paths | 90 ns | 45 % of all · self 9 ns');
    if (width !== 'calls') expect(allPaths({ ...START, width })).toBe(allPaths(START));
  });
});

test('says why time is inferred, of a frame with all below it', async () => {
  const views = viewsOf(await analyzeText(TRACE, { durations: true }));
  const inferred = (name: string) => linesOf(views, START, name).match(/^inferred.*/m)?.[0];
  expect([inferred('main'), inferred('work'), inferred('deep')]).toEqual([
    'inferred | 45 % | of its time: after losses 40 %, lost 5 %',
    undefined,
    'inferred | 100 % | of its time: after losses 100 %',
  ]);
});

test('labels the first row by the width', async () => {
  const views = viewsOf(await analyzeText(TRACE, { durations: true }));
  const first = (change: Partial<State>) =>
    linesOf(views, { ...START, ...change }, 'work')
      .split(' | ')
      .slice(0, 2)
      .join(' ');
  expect([...METRICS.map((width) => ({ width })), { isInverted: true }].map(first)).toEqual([
    'total 90 ns',
    'running 30 ns',
    'waiting 81 ns',
    'off CPU 60 ns',
    'calls, stops 3 calls',
    'self 9 ns',
  ]);
});

test('labels CPU time as traced, a lower bound, without switch records', async () => {
  const views = viewsOf(await analyzeText(CALLS_ALONE, { durations: true }));
  expect(linesOf(views, { ...START, width: 'cpu' }, 'leaf')).toMatch(/^traced \| .* · a lower bound of on-CPU time\n/);
  expect(widthName('cpu', { hasSwitches: false })).toBe('Traced (least running)');
  expect(widthName('cpu', { hasSwitches: true })).toBe('Running');
});

test('counts each call in the bar of its power of two', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(70), fc.nat(2 ** 40)), { minLength: 1, maxLength: 30 }), (durations) => {
      const buckets = [...new Set(durations.map(bucketOf))].sort((a, b) => a - b);
      const calls = buckets.map((bucket) => durations.filter((ns) => bucketOf(ns) === bucket).length);
      const bars = barsOf({ bucket: buckets, calls });
      expect(sum(bars.map((bar) => bar.calls))).toBe(durations.length);
      for (const { fromNs, toNs, calls } of bars)
        expect(calls).toBe(durations.filter((ns) => ns >= fromNs && ns < toNs).length);
      bars.slice(1).forEach(({ fromNs }, at) => {
        expect(fromNs).toBe(bars[at]?.toNs);
      });
    }),
  );
});

test('counts the complete calls of a function in its bars', async () => {
  const views = viewsOf(await analyzeText(fixture('lab/demo-cre.txt'), { durations: true }));
  const view = views.viewAt(START);
  for (const [symbol, { calls, inferred }] of view.functions())
    expect(sum((view.bars(symbol) ?? []).map((bar) => bar.calls))).toBe(calls - inferred);
});

test.for(['lab/demo-cre.txt', 'lab/thread-create-switch-migrate.txt', 'hardware/kernel-hwint-syscall.txt'])(
  'copies folded stacks of %s equal to those of ptflame render',
  async (name) => {
    const profile = await analyzeText(fixture(name), { durations: true });
    const lines = fold(profile).split('\n');
    const views = viewsOf(profile);
    const all = foldedText(views.tableAt(START), views.data.symbols, ROOT);
    expect(all.split('\n')).toEqual(lines.filter((line) => !line.endsWith(' 0')));
  },
);

test('merges functions of one name from several files in folded stacks, as ptflame render does', () => {
  const profile = profileOfNames([
    ['a;b', '/x'],
    ['a;b', '/y'],
    ['c', '/x'],
  ]);
  const views = viewsOf(profile);
  const lines = (top: number) => foldedText(views.tableAt(START), views.data.symbols, top);
  expect(lines(ROOT)).toBe('a:b 2\nc 1\n');
  expect(lines(ROOT)).toBe(fold(profile));
  expect(lines(2)).toBe('a:b 1\n');
});

test('shows the line at which a function begins, where it is known', async () => {
  const profile = await analyzeText(TRACE, { durations: true });
  const { symbols } = profile;
  const lines = symbolLines(
    symbols.name.map((name) => (name === 'work' ? { file: '/src/lib/work.c', line: 12 } : null)),
  );
  const views = viewsOf({ ...profile, symbols: { ...symbols, lines } });
  expect(linesOf(views, START, 'work')).toContain('line | work.c:12 | /src/lib/');
  expect(linesOf(views, START, 'other')).not.toContain('line | ');
});
