/**
 * The tables of the report page: functions, and one function with its callers and callees.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { reportOf } from '../../src/answers/report.js';
import type { FunctionRow } from '../../src/answers/schema.js';
import { formatCount, formatDuration } from '../../src/render/format.js';
import { formatShare } from '../../src/render/frames/facts.js';
import { press, windows } from '../helpers/browser.js';
import { fixture } from '../helpers/load.js';
import * as report from '../helpers/report-page.js';
import {
  CALLS,
  chips,
  click,
  drawn,
  eventually,
  goTo,
  hashOf,
  labels,
  openReport,
  profileOfTrace,
  push,
  rows,
} from '../helpers/report-page.js';
import { TraceWriter, times } from '../helpers/trace-writer.js';

const browser = windows('html');
const SMALL = fixture('lab/thread-create-switch-migrate.txt');

let page: Page;
let small: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
  small = await openReport(browser, SMALL);
  await small.setViewportSize({ width: 1600, height: 1200 });
}, 60_000);

/** As the table writes a row of the report. */
function rowText(row: FunctionRow, allNs: number): string[] {
  const duration = (ns: number | null) => (ns === null ? '–' : formatDuration(ns));
  return [
    row.name,
    duration(row.totalNs),
    formatShare(row.totalNs, allNs),
    duration(row.selfNs),
    duration(row.outsideNs),
    row.totalNs > 0 ? formatShare(row.onCpuNs, row.totalNs) : '–',
    formatCount(row.calls),
    formatCount(row.inferred),
    ...[row.avgNs, row.minNs, row.p50Ns, row.p90Ns, row.p99Ns, row.maxNs].map(duration),
  ];
}

describe('the functions', () => {
  test('have the numbers of the report, of all threads and of one', async () => {
    const { trace, functions, threads = [] } = reportOf(await profileOfTrace(SMALL), { threads: true });
    await goTo(small);
    expect(functions.length).toBeGreaterThan(5);
    expect(await rows(small)).toEqual(functions.map((row) => rowText(row, trace.totalNs)));
    for (const { tid, totalNs, functions } of threads) {
      await goTo(small, `#threads=tid:${tid}`);
      await eventually(() => rows(small)).toEqual(functions.map((row) => rowText(row, totalNs)));
    }
  });

  test('are sorted by any column, and the other way round', async () => {
    await goTo(small);
    const heads = await small.locator('.table[aria-label="Functions"] [role=columnheader] button').allTextContents();
    expect(heads).toHaveLength(14);
    for (const head of heads.keys()) {
      const button = small.locator('.table[aria-label="Functions"] [role=columnheader] button').nth(head);
      const sortOf = () =>
        small.locator('[aria-label="Functions"] [role=columnheader]').nth(head).getAttribute('aria-sort');
      const columns: number[][] = [];
      for (let time = 0; time < 2; time++) {
        await button.evaluate((it) => (it as HTMLElement).click());
        const isUpwards = (await sortOf()) === 'ascending';
        const values = (await rows(small)).map((cells) => cells[head] as string);
        if (head === 0) expect(values).toEqual(isUpwards ? values.toSorted() : values.toSorted().reverse());
        else columns.push(values.map(amountOf).map((value) => (isUpwards ? -value : value)));
      }
      for (const column of columns) expect(column).toEqual(column.toSorted((a, b) => b - a));
    }
    await push(small, /^Total/);
  });

  test('are few in the page, however many there are', async () => {
    const own = await openReport(browser, manyFunctions());
    const table = own.locator('.table[aria-label="Functions"]');
    expect(await table.getAttribute('aria-rowcount')).toBe('2002');
    expect((await rows(own)).length).toBeLessThan(60);
    await own.locator('.row').first().focus();
    const focused = () => own.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'));
    const seen: (string | null | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowDown', 'PageUp', 'Home', 'PageDown']) {
      await press(own, key);
      seen.push(await focused());
      const isInSight = await own.evaluate(() => {
        const row = (document.activeElement as Element).getBoundingClientRect();
        const table = (document.querySelector('[aria-label="Functions"]') as Element).getBoundingClientRect();
        return row.top >= table.top + 26 - 1 && row.bottom <= table.bottom + 1;
      });
      expect(isInSight, key).toBe(true);
    }
    const pageRows = Number(seen[7]) - 2;
    expect(pageRows).toBeGreaterThan(3);
    expect(seen.slice(0, 7).map(Number)).toEqual([3, 4, 3, 2002, 2002, 2002 - pageRows, 2]);
    await press(own, 'End', 'Enter');
    await eventually(() => own.locator('[aria-label="Functions"] .row.chosen').count()).toBe(1);
    expect(await focused()).toBe('2002');
    await own.close();
  });
});

test('the wheel moves no row away from under the keyboard', async () => {
  const own = await openReport(browser, manyFunctions());
  await own.locator('[aria-label="Functions"] .row').nth(1).focus();
  for (const top of [20_000, 0]) {
    await own.$eval('[aria-label="Functions"]', (table, to) => table.scrollTo(0, to), top);
    await drawn(own);
  }
  await press(own, 'ArrowDown');
  expect(await own.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'))).toBe('4');
  await own.close();
});

function manyFunctions(): string {
  const trace = new TraceWriter();
  times(2000, (i) => {
    trace.call('main', i);
    trace.return(i, 'main');
  });
  return trace.text;
}

/** "1.5 µs" in ns, "12 %", "1,234"; nothing is less than anything. */
function amountOf(text: string): number {
  const [, number = '-1', unit = ''] = /^([\d.,]+) ?(\S*)$/.exec(text) ?? [];
  const sizes: Readonly<Record<string, number>> = { µs: 1e3, ms: 1e6, s: 1e9 };
  return Number(number.replaceAll(',', '')) * (sizes[unit] ?? 1);
}

describe('one function', () => {
  const choose = (name: string) =>
    page.evaluate((wanted) => {
      const cell = [...document.querySelectorAll('.row > :first-child')].find((one) => one.textContent === wanted);
      (cell as HTMLElement).click();
    }, name);
  const facts = () => page.locator('.function dl').innerText();

  test('is marked in the graph, and its numbers, callers and callees are shown', async () => {
    await goTo(page);
    await choose('leaf');
    await eventually(() => page.locator('.function h2').textContent()).toBe('leaf');
    const marked = (await report.frames(page)).filter(({ classes }) => /\bmatch\b/.test(classes));
    expect(marked.map(({ label }) => label)).toEqual(['leaf · 1 · 20 ns', 'leaf · 1']);
    expect((await facts()).replace(/\s+/g, ' ')).toBe(
      'total 30 ns · 30 % self 30 ns outside 0 ns calls 2 inferred 0 average 15 ns min 10 ns p50 10 ns p90 20 ns p99 20 ns max 20 ns',
    );
    expect(await labels(page, '.half.callers .graph')).toEqual(
      expect.arrayContaining(['leaf · 2 · 15 ns', 'a · 2 · 15 ns']),
    );
    expect(await page.locator('[aria-label="Functions"] .row.chosen > :first-child').textContent()).toBe('leaf');
    await choose('a');
    await eventually(() => labels(page, '.half.callees .graph')).toEqual(
      expect.arrayContaining(['a · 1 · 60 ns', 'leaf · 1 · 20 ns', 'a · 1 · 30 ns']),
    );
    expect(hashOf(page)).toMatch(/^function=\d+$/);
  });

  test('is closed by its button, by Esc, and by choosing it again', async () => {
    const isOpen = () => page.locator('.function').isVisible();
    for (const close of [() => push(page, 'Close'), () => press(page, 'Escape'), () => choose('b')]) {
      await goTo(page);
      await choose('b');
      await eventually(isOpen).toBe(true);
      await close();
      await eventually(isOpen).toBe(false);
      expect(hashOf(page)).toBe('');
    }
  });

  test('is focused on and hidden by its buttons', async () => {
    await goTo(page);
    await choose('a');
    await push(page, 'Focus');
    expect(await chips(page)).toEqual(['only inside a']);
    await goTo(page);
    await choose('a');
    await push(page, 'Hide');
    expect(await chips(page)).toEqual(['without a']);
  });

  test('has callers and callees with a zoom of their own', async () => {
    await goTo(page);
    await choose('leaf');
    const callers = () => labels(page, '.half.callers .graph');
    const all = ['main · 1 · 10 ns', 'main · 1 · 20 ns', 'a · 1 · 10 ns', 'a · 2 · 15 ns', 'leaf · 2 · 15 ns'];
    const zoomed = ['all · 30 ns', 'leaf · 2 · 15 ns', 'a · 2 · 15 ns', 'a · 1 · 10 ns', 'main · 1 · 10 ns'];
    await eventually(callers).toEqual(all);
    await click(page, 'a · 1 · 10 ns', '.half.callers .graph');
    await eventually(callers).toEqual(zoomed);
    await click(page, 'leaf · 2 · 15 ns', '.half.callers .graph');
    await eventually(callers).toEqual(all);
    expect(hashOf(page)).toMatch(/^function=\d+$/);
  });
});
