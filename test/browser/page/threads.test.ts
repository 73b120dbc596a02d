/**
 * Tests the threads of the report page: selection, times and gaps.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  chips,
  clickByScript,
  eventually,
  goTo,
  hashOf,
  openReport,
  push,
  rows,
  total,
} from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');

/** Three threads named worker, one of them with 300 of 1000 ns lost, and an idle thread. */
const THREADS = traceOf(`
  1/0     PERF_RECORD_COMM: worker:1/1
  2/0     PERF_RECORD_COMM: worker:2/2
  3/0     PERF_RECORD_COMM: timer:3/3
  1/0     call             main   work
  2/0     call             main   work
  3/0     tr end  syscall  wait
  2/100   call             work   leaf
  2/150   return           leaf   work
  1/400   error
  1/700   tr strt          work
  2/800   return           work   main
  1/1000  return           work   main
  2/1000  call             main   end
  3/1000  tr strt          wait`);

describe('the threads', () => {
  let threads: Page;
  const open = () => clickByScript(threads.locator('#tab-threads'));
  const go = async (hash = '') => {
    await goTo(threads, hash);
    await open();
  };
  const choose = async (name: string) => {
    await threads.evaluate((wanted) => {
      const all = [...document.querySelectorAll<HTMLElement>('[aria-label="Threads"] .row')];
      const text = (row: Element, selector: string) => row.querySelector(selector)?.textContent;
      all.find((row) => `${text(row, '.names')} ${text(row, '.names + div')}` === wanted)?.click();
    }, name);
    await drawn(threads);
  };
  const all = () => total(threads);

  beforeAll(async () => {
    threads = await openReport(browser, THREADS);
  }, 60_000);

  test('are listed together, by name and singly, with their times', async () => {
    await go();
    const [head = [], ...others] = (await rows(threads, 'Threads')).map((cells) => cells.slice(0, 9));
    expect(head).toEqual(['All threads', '3 µs', '1.7 µs', '56.7 %', '1.3 µs', '300 ns', '7', '3 threads', '']);
    expect(others.map((cells) => [cells[0], cells[7], cells[1]])).toEqual([
      ['worker', '2 threads', '2 µs'],
      ['worker', '1', '1 µs'],
      ['worker', '2', '1 µs'],
      ['timer idle', '3', '1 µs'],
    ]);
  });

  test('are selected by a click, together or singly, and the chip undoes it', async () => {
    await go();
    expect(await all()).toBe('3 µs');
    await choose('worker 2 threads');
    expect([await all(), await chips(threads)]).toEqual(['2 µs', ['worker (2 threads)']]);
    await choose('worker 2');
    expect([await all(), await hashOf(threads)]).toEqual(['1 µs', 'threads=worker-2&view=threads']);
    await eventually(() => threads.locator('[aria-label="Threads"] .row.chosen').count()).toBe(1);
    await push(threads, /^worker/);
    expect([await all(), await chips(threads)]).toEqual(['3 µs', []]);
  });

  test('are selected together with Ctrl and Shift, by pointer and by keys', async () => {
    await go();
    const row = (which: string) =>
      threads.locator('[aria-label="Threads"] .row', { has: threads.locator(`.names + div:text-is("${which}")`) });
    const marked = async () =>
      (await row('').page().locator('[aria-label="Threads"] .row.chosen > .names + div').allTextContents()).join();
    const focus = (which: string) =>
      eventually(async () => {
        await row(which).focus();
        return row(which).evaluate((element) => element === document.activeElement);
      }).toBe(true);
    await row('1').click();
    await row('3').click({ modifiers: ['Control'] });
    await eventually(marked).toBe('1,3');
    expect([await all(), await chips(threads), await hashOf(threads)]).toEqual([
      '2 µs',
      ['worker 1, timer 3 (2 threads)'],
      'threads=worker-1;timer-3&view=threads',
    ]);
    await row('1').click({ modifiers: ['Control'] });
    await eventually(() => hashOf(threads)).toBe('threads=timer-3&view=threads');
    await eventually(marked).toBe('3'); // the table is drawn after the address changed
    await focus('1');
    await press(threads, 'Control+Enter', 'ArrowDown', 'Control+Space');
    await eventually(() => hashOf(threads)).toBe('view=threads'); // all of them
    await focus('1');
    await press(threads, 'Enter', 'ArrowDown', 'Shift+Enter');
    await eventually(marked).toBe('2 threads,1,2');
    expect([await all(), await hashOf(threads)]).toEqual(['2 µs', 'threads=worker-1;worker-2&view=threads']);
    await threads.reload();
    await eventually(all).toBe('2 µs');
  });

  test('are hidden with one click if idle', async () => {
    await go();
    const hide = threads.getByRole('checkbox');
    await clickByScript(hide);
    expect([await all(), await chips(threads)]).toEqual(['2 µs', ['without idle threads']]);
    await eventually(async () => (await rows(threads, 'Threads')).map(([name]) => name)).not.toContain('timer idle');
    await push(threads, 'without idle threads');
    await eventually(() => hide.isChecked()).toBe(false);
    expect(await all()).toBe('3 µs');
  });

  test('are the same in chip, table and graph for any address', async () => {
    const marked = () => threads.locator('[aria-label="Threads"] .row.chosen > .names').allTextContents();
    for (const [hash, time, chip, row] of [
      ['#threads=tid:3', '1 µs', ['timer (3)'], ['timer idle']],
      ['#threads=tid:3&idle=0', '1 µs', ['timer (3)'], []],
      ['#threads=name:timer', '1 µs', ['timer (1 thread)'], []],
      ['#threads=nobody', '3 µs', [], ['All threads']],
      ['#threads=idle&idle=0', '2 µs', ['without idle threads'], ['All threads']],
    ] as const) {
      await go(hash);
      expect([hash, await all(), await chips(threads)]).toEqual([hash, time, chip]);
      await eventually(marked).toEqual(row);
    }
  });

  test('have a strip with their gaps marked', async () => {
    await go();
    const strips = await threads.$$eval('[aria-label="Threads"] .row', (all) =>
      all.map((row) => {
        const gaps = [...row.querySelectorAll('.gap')].map((gap) =>
          ['x', 'width'].map((name) => Math.round(Number(gap.getAttribute(name)))),
        );
        return [row.querySelector('.names + div')?.textContent, row.querySelector('title')?.textContent, gaps];
      }),
    );
    expect(strips).toContainEqual(['1', '1 gap, 300 ns lost', [[68, 51]]]);
    expect(strips).toContainEqual(['2', 'no gaps', []]);
  });
});
