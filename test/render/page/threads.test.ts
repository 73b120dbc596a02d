/**
 * Which threads a choice stands for, and which ones only waited.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { START } from '../../../src/render/page/view/state.js';
import { chosenRow, type ThreadRow, threadChoices } from '../../../src/render/page/view/threads.js';
import { analyzeText } from '../../helpers/load.js';
import { viewsOf } from '../../helpers/page-views.js';
import { traceOf } from '../../helpers/trace-of.js';

const lists: fc.Arbitrary<ThreadRow[]> = fc
  .array(fc.record({ name: fc.constantFrom('main', 'worker', 'idle', 'gc'), isIdle: fc.boolean() }), {
    minLength: 1,
    maxLength: 7,
  })
  .map((threads) => threads.map(({ name, isIdle }, place) => row(place, name, isIdle)));

function row(place: number, name: string, isIdle: boolean): ThreadRow {
  const numbers = { totalNs: 10 ** place, onCpuNs: 0, outsideNs: 0, offCpuNs: 0, lostNs: 0, calls: 1 };
  return { threads: [place], key: `tid:${place}`, name, which: String(place), ...numbers, isIdle };
}

describe('a choice', () => {
  test('shows the threads whose numbers stand beside it', () => {
    fc.assert(
      fc.property(lists, fc.boolean(), (rows, hidesIdle) => {
        for (const { key, threads } of threadChoices(rows, hidesIdle))
          expect(chosenRow(rows, key, hidesIdle)).toMatchObject({ key, threads });
      }),
      { numRuns: 500 },
    );
  });

  test('has a key of its own', () => {
    fc.assert(
      fc.property(lists, fc.boolean(), (rows, hidesIdle) => {
        const keys = threadChoices(rows, hidesIdle).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test.for(['', 'nobody', 'tid:99', 'name:', 'name:nobody'])('that fits none (%j) is as if there were none', (key) => {
    fc.assert(
      fc.property(lists, (rows) => {
        expect(chosenRow(rows, key, false).threads).toEqual(rows.flatMap(({ threads }) => threads));
      }),
    );
  });
});

/** Two workers, one of which only waits, and two others that only wait. */
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

test('a thread that was only seen to wait is idle', async () => {
  const views = viewsOf(await analyzeText(TRACE));
  expect(views.threads.map(({ name, isIdle }) => [name, isIdle])).toEqual([
    ['worker', false],
    ['worker', true],
    ['timer', true],
  ]);
});

test('idle threads are hidden together, but not if there is nothing else', async () => {
  const views = viewsOf(await analyzeText(TRACE));
  const namesAt = (threads: string) => {
    const { tree } = views.viewAt({ ...START, threads, hidesIdle: true });
    return [...new Set(tree.symbol.subarray(1))].map((symbol) => views.names[symbol]).sort();
  };
  expect(namesAt('all')).toEqual(['main', 'work']);
  expect(namesAt('name:timer')).toEqual(['[syscall]', 'wait']);
});
