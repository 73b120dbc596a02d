/**
 * Tests which threads a choice selects and which threads are idle.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isStop, METRICS } from '../../../src/analysis/tree/outside.js';
import { NONE } from '../../../src/model/units.js';
import { pathTo } from '../../../src/page/view/frame-tables.js';
import { ORDERS, START, type State } from '../../../src/page/view/state.js';
import { chosenRow, type ThreadRow, threadChoices } from '../../../src/page/view/threads.js';
import type { Views } from '../../../src/page/view/views.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { execute } from '../../helpers/random/execution.js';
import { decisions } from '../../helpers/random/random-questions.js';
import { sum } from '../../helpers/random/random-trees.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const lists: fc.Arbitrary<ThreadRow[]> = fc
  .array(fc.record({ name: fc.constantFrom('main', 'worker', 'idle', 'gc'), isIdle: fc.boolean() }), {
    minLength: 1,
    maxLength: 7,
  })
  .map((threads) => threads.map(({ name, isIdle }, index) => row(index, name, isIdle)));

function row(index: number, name: string, isIdle: boolean): ThreadRow {
  const numbers = { totalNs: 10 ** index, onCpuNs: 0, outsideNs: 0, offCpuNs: 0, lostNs: 0, calls: 1 };
  return { threads: [index], key: `tid:${index}`, name, which: String(index), noun: 'thread', ...numbers, isIdle };
}

describe('a choice', () => {
  test('selects the threads that its TIDs or count name', () => {
    fc.assert(
      fc.property(lists, fc.boolean(), (rows, hidesIdle) => {
        for (const { key, threads } of threadChoices(rows, hidesIdle))
          expect(chosenRow(rows, key, hidesIdle)).toMatchObject({ key, threads });
      }),
      { numRuns: 500 },
    );
  });

  test('has a unique key', () => {
    fc.assert(
      fc.property(lists, fc.boolean(), (rows, hidesIdle) => {
        const keys = threadChoices(rows, hidesIdle).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test.for(['', 'nobody', 'tid:99', 'name:', 'name:nobody'])('selects all threads if it is unknown (%j)', (key) => {
    fc.assert(
      fc.property(lists, (rows) => {
        expect(chosenRow(rows, key, false).threads).toEqual(rows.flatMap(({ threads }) => threads));
      }),
    );
  });
});

/** Two threads named worker, one of them idle, and two other idle threads. */
const TRACE = traceOf(`
  1/0   PERF_RECORD_COMM: worker:1/1
  2/0   PERF_RECORD_COMM: worker:2/2
  3/0   PERF_RECORD_COMM: timer:3/3
  1/10  call             main   work
  2/10  tr end  syscall  wait
  3/10  tr end  syscall  wait
  1/90  return           work   main
  2/90  tr strt          wait
  3/90  tr strt          wait`);

test('classifies a thread that only waits as idle', async () => {
  const views = viewsOf(await analyzeText(TRACE));
  expect(views.threads.map(({ name, isIdle }) => [name, isIdle])).toEqual([
    ['worker', false],
    ['worker', true],
    ['timer', true],
  ]);
});

test('hides idle threads together, unless all are idle', async () => {
  const views = viewsOf(await analyzeText(TRACE));
  const namesAt = (threads: string) => {
    const { tree } = views.viewAt({ ...START, threads, hidesIdle: true });
    return [...new Set(tree.symbol.subarray(1))].map((symbol) => views.names[symbol]).sort();
  };
  expect(namesAt('all')).toEqual(['main', 'work']);
  expect(namesAt('name:timer')).toEqual(['system call', 'wait']);
});

/** No time is too short for its callers to be split from leaves. */
const CALLS = fc.array(fc.array(decisions({ ns: fc.constantFrom(1, 7, 50) }), { minLength: 5, maxLength: 40 }), {
  minLength: 2,
  maxLength: 3,
});
const LOOKED_AT = fc.record({
  width: fc.constantFrom(...METRICS),
  isInverted: fc.boolean(),
  order: fc.constantFrom(...ORDERS),
  foldsRecursion: fc.boolean(),
  focus: fc.option(fc.nat(), { freq: 1 }),
  hidden: fc.array(fc.nat(), { maxLength: 1 }),
  node: fc.nat(),
  siblings: fc.nat(2),
  search: fc.constantFrom('', 'f1', '/f[23]|sys/'),
});

test('adds up the threads to the total of any view', async () => {
  await fc.assert(
    fc.asyncProperty(CALLS, LOOKED_AT, async (calls, { node, siblings, ...asked }) => {
      const views = viewsOf(
        await analyzeText(
          execute(calls)
            .lines.map(({ text }) => `${text}\n`)
            .join(''),
        ),
      );
      const symbol = (number: number) => number % views.names.length;
      const whole: State = {
        ...START,
        ...asked,
        focus: asked.focus === null ? null : symbol(asked.focus),
        hidden: asked.hidden.map(symbol),
        isOnlyMatches: asked.search !== '',
      };
      const state = zoomedIn(views, whole, node, siblings);
      const rows = views.threadsAt(state);
      const { rows: functions, totalWeight: weight } = views.functionsAt(state);
      // ordered by weight, siblings have other neighbours for another width
      const hasSameSiblings = state.zoomLast === null || state.order === 'name';
      const byWallClock = hasSameSiblings && !state.isInverted ? { ...state, width: 'wall' as const } : state;
      if (byWallClock.width === 'wall')
        expect(sum(rows.map(({ totalNs }) => totalNs))).toBe(views.functionsAt(byWallClock).totalWeight);
      if (state.width === 'wall' && !state.isInverted && asked.search === '')
        expect(sum(rows.map((row) => row.calls))).toBe(
          sum(functions.map(({ sums }) => (isStop(sums.symbol) ? 0 : sums.calls))),
        );
      if (state.width === 'cpu' && !state.isInverted && asked.search === '')
        expect(sum(rows.map((row) => row.onCpuNs))).toBe(weight);
      for (const row of rows.filter(({ totalNs }) => totalNs > 0)) {
        const alone = { ...state, threads: row.key, zoomLast: null };
        if (siblings === 0 && state.width === 'wall' && !state.isInverted)
          expect(row.totalNs).toBe(views.functionsAt(alone).totalWeight);
      }
    }),
    { numRuns: 60 },
  );
});

/** Selects a frame or some siblings. */
function zoomedIn(views: Views, state: State, node: number, siblings: number): State {
  const table = views.tableAt(state);
  const first = node % table.tree.length;
  let last = first;
  for (let step = 0; step < siblings && (table.nextSibling[last] ?? NONE) !== NONE; step++)
    last = table.nextSibling[last];
  return {
    ...state,
    zoom: pathTo(table, first),
    zoomLast: last === first ? null : table.tree.symbol[last],
  };
}

test('shows the full times of threads while nothing is left out', async () => {
  const views = viewsOf(await analyzeText(TRACE));
  expect(views.threadsAt({ ...START, search: 'work', width: 'calls' })).toBe(views.threads);
});
