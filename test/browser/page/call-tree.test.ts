/**
 * Tests the call tree of the report page, and the menu of columns, by keys and pointer.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { axeViolations } from '../../helpers/browser/axe.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  CALLS,
  eventually,
  focusedText,
  goTo,
  hashOf,
  openReport,
  rows,
  titles,
} from '../../helpers/browser/report-page.js';

const browser = windows('html', { bypassCSP: true, viewport: { width: 1200, height: 900 } });

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

/** Returns the rows: "2 a ▾ 60 ns". */
const tree = () =>
  page.$$eval('[aria-label="Call tree"] .row', (all) =>
    all.map((row) => {
      const sign = { true: ' ▾', false: ' ▸' }[row.getAttribute('aria-expanded') ?? ''] ?? '';
      return `${row.getAttribute('aria-level')} ${row.querySelector('bdi')?.textContent}${sign} ${row.firstElementChild?.textContent}`;
    }),
  );

const HEAVIEST = ['1 main ▾ 100 ns', '2 a ▾ 60 ns', '3 a ▾ 30 ns', '4 leaf 10 ns', '3 leaf 20 ns', '2 b 30 ns'];
const row = (at: number) => page.locator('[aria-label="Call tree"] .row').nth(at);
const focusedRow = () => page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'));

/** Opens the tree anew, as what is open stays. */
async function openTree(hash = ''): Promise<void> {
  await goTo(page, `#view=tree${hash}`);
  await page.reload();
  await drawn(page);
  await eventually(() => page.locator('[aria-label="Call tree"] .row').count()).toBeGreaterThan(0);
}

describe('the call tree', () => {
  test('shows the heaviest path, with the numbers of paths', async () => {
    await openTree();
    expect(await tree()).toEqual(HEAVIEST);
    expect(await titles(page, 'Call tree')).toEqual(['Call path', 'Total ↓', 'Share', 'Self', 'Calls', 'Average']);
    expect((await rows(page, 'Call tree'))[2]).toEqual(['a', '30 ns', '30 %', '20 ns', '1', '30 ns']);
    expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('7');
  });

  test('opens and closes by arrows and a star, and walks to callers and callees', async () => {
    await openTree();
    await row(1).focus();
    await press(page, 'ArrowLeft');
    expect(await tree()).toEqual(['1 main ▾ 100 ns', '2 a ▸ 60 ns', '2 b 30 ns']);
    expect(await focusedRow()).toBe('3');
    await press(page, 'ArrowRight', 'ArrowRight');
    expect([await tree(), await focusedRow()]).toEqual([HEAVIEST, '4']);
    await press(page, 'End', 'ArrowLeft');
    expect(await focusedRow()).toBe('2'); // the caller of b
    await press(page, 'ArrowLeft');
    expect(await tree()).toEqual(['1 main ▸ 100 ns']);
    await press(page, '*');
    expect([await tree(), await focusedRow()]).toEqual([HEAVIEST, '2']);
  });

  test('selects by a click, zooms by Enter and by a double click, and opens by its sign', async () => {
    await openTree();
    await row(5).locator('bdi').click();
    await eventually(() => hashOf(page)).toBe('function=b&view=tree');
    await eventually(() => page.locator('.panel h2').textContent()).toBe('b');
    expect(await page.locator('[aria-label="Call tree"] .row.chosen bdi').allTextContents()).toEqual(['b']);
    await row(1).locator('.twisty').click();
    expect(await tree()).toEqual(['1 main ▾ 100 ns', '2 a ▸ 60 ns', '2 b 30 ns']);
    await row(1).focus();
    await press(page, 'Enter');
    await eventually(() => hashOf(page)).toBe('zoom=main;a&function=b&view=tree');
    await eventually(tree).toEqual(['1 a ▸ 60 ns']);
    await openTree();
    await row(2).locator('bdi').click(); // draws all rows anew: amid the second click, the browser would drop it
    await row(2).locator('bdi').hover();
    for (const press of ['down', 'up'] as const) await page.mouse[press]({ clickCount: 2 });
    await eventually(() => hashOf(page)).toContain('zoom=main;a;a');
    expect(await hashOf(page)).toContain('function=a'); // the second click does not close it
  });

  test('follows search, threads, width and sort order', async () => {
    await openTree('&search=leaf');
    expect(await page.locator('[aria-label="Call tree"] .row.found bdi').allTextContents()).toEqual(['leaf', 'leaf']);
    await openTree('&sort=name');
    expect(await tree()).toEqual([
      '1 main ▾ 100 ns',
      '2 a ▾ 60 ns',
      '3 a ▾ 30 ns',
      '4 leaf 10 ns',
      '3 leaf 20 ns',
      '2 b 30 ns',
    ]);
    await openTree('&sort=-total');
    expect((await tree()).map((text) => text.split(' ')[1])).toEqual(['main', 'b', 'a', 'leaf', 'a', 'leaf']);
    await openTree('&inverted=1');
    expect(await titles(page, 'Call tree')).toEqual([
      'Function, then its callers',
      'Self ↓',
      'Share',
      'Calls',
      'Average',
    ]);
    expect(await tree()).toEqual([
      '1 a ▾ 30 ns',
      '2 a ▾ 20 ns',
      '3 main 20 ns',
      '2 main 10 ns',
      '1 b ▸ 30 ns',
      '1 leaf ▸ 30 ns',
      '1 main 10 ns',
    ]);
  });

  test('has nothing that axe finds, in both themes and with the menu of columns', async () => {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await openTree();
      await row(2).focus();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Columns' }).click();
      expect(await axeViolations(page)).toEqual([]);
      await goTo(page, '#view=functions&search=leaf');
      expect(await axeViolations(page)).toEqual([]);
      await goTo(page, '#view=threads');
      expect(await axeViolations(page)).toEqual([]);
    }
  });
});

describe('columns', () => {
  const opener = () => page.getByRole('button', { name: 'Columns' });
  const checked = () => page.locator('[role=menuitemcheckbox][aria-checked=true]').allTextContents();

  test('are chosen by keys, are in the link, and are reset', async () => {
    await goTo(page, '#');
    await opener().focus();
    await press(page, 'Enter');
    await eventually(checked).toEqual(['Total', 'Share', 'Self', 'Calls', 'Average']);
    expect(await focusedText(page)).toBe('Total');
    await press(page, 'ArrowDown', 'Enter', 'End', 'ArrowUp', 'Space');
    await eventually(() => hashOf(page)).toBe('columns=total,self,calls,avg,max');
    await eventually(() => titles(page)).toEqual(['Function', 'Total ↓', 'Self', 'Calls', 'Average', 'Max']);
    await page.reload();
    await drawn(page);
    await eventually(() => titles(page)).toEqual(['Function', 'Total ↓', 'Self', 'Calls', 'Average', 'Max']);
    await page.locator('#tab-tree').click();
    await eventually(() => titles(page, 'Call tree')).toEqual([
      'Call path',
      'Total ↓',
      'Self',
      'Calls',
      'Average',
      'Max',
    ]);
    await opener().click();
    await press(page, 'End', 'Enter');
    await eventually(() => hashOf(page)).toBe('view=tree');
    await press(page, 'Escape');
    expect(await focusedText(page)).toBe('Columns');
    expect(await opener().getAttribute('aria-expanded')).toBe('false');
    await page.locator('#tab-threads').click();
    expect(await opener().isVisible()).toBe(false);
  });

  test('are one at least', async () => {
    await goTo(page, '#columns=self');
    await opener().click();
    await page
      .getByRole('menuitemcheckbox')
      .filter({ hasText: /^Self$/ })
      .click();
    expect([await hashOf(page), await checked()]).toEqual(['columns=self', ['Self']]);
    await goTo(page, '#columns=nothing,else');
    await eventually(() => titles(page)).toEqual(['Function', 'Total ↓', 'Share', 'Self', 'Calls', 'Average']);
  });
});
