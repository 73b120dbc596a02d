/**
 * Tests the report page in windows of other widths, in print, and in the light and the dark theme.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import { CALLS, eventually, frames, goTo, openReport, push } from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html', { hasScrollBars: true });

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

test('redraws for another window width', async () => {
  await goTo(page);
  for (const width of [900, 1200]) {
    await page.setViewportSize({ width, height: 800 });
    const room = () => page.evaluate(() => document.querySelector('.graph.main')?.clientWidth ?? 0);
    await eventually(async () => (await frames(page))[0]?.width).toBe((await room()) - 1);
    expect(await room()).toBeGreaterThan(width - 60);
  }
});

test('prints without controls and in light colours', async () => {
  await goTo(page);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const hidden of ['.actions', '.toolbar .group', '.toolbar .search', '.tablist'])
    expect(await page.locator(hidden).first().isVisible()).toBe(false);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ media: null, colorScheme: null });
});

test('prints what the screen shows: zoom, panel, search and the filter of the table, without buttons', async () => {
  const calls = Array.from({ length: 40 }, (_, at) => `${9 * at} call main f${at}\n${9 * at + 7} return f${at} main`);
  const own = await openReport(browser, traceOf(calls.join('\n')), {}, '#zoom=main&search=f&function=f7');
  await own.setViewportSize({ width: 1200, height: 500 }); // fewer rows on the screen than on paper
  await own.emulateMedia({ media: 'print' });
  expect(await own.getByRole('searchbox').inputValue()).toBe('f');
  for (const shown of ['.search input', '.search output', '.function h2', '.above:has-text("only matches: 40 of")'])
    expect(await own.locator(shown).first().isVisible(), shown).toBe(true);
  expect(await own.locator('button:visible:not(.head button, .chip, .calls button)').allTextContents()).toEqual([]);
  const rowsOnPaper = await own.$eval('.table', (table) => {
    const { top, bottom } = table.getBoundingClientRect();
    const inside = [...table.querySelectorAll('.row')].map((row) => row.getBoundingClientRect());
    return { shown: inside.filter((row) => row.bottom <= bottom + 1).length, heightPx: bottom - top };
  });
  expect(rowsOnPaper.shown).toBe(20);
  await own.emulateMedia({ media: null });
  await own.close();
});

test('shrinks to the width of the paper, without extra sheets', async () => {
  await goTo(page);
  await page.emulateMedia({ media: 'print' });
  const sizes = await page.evaluate(() => {
    document.body.style.width = '500px';
    const { width, height } = (document.querySelector('.graph.main svg') as Element).getBoundingClientRect();
    document.body.style.width = '';
    const full = (document.querySelector('.graph.main svg') as Element).getBoundingClientRect();
    return { width, ratio: width / height, fullWidth: full.width, fullRatio: full.width / full.height };
  });
  expect(sizes.fullWidth).toBeGreaterThan(1000);
  expect(sizes.width).toBeLessThanOrEqual(500);
  expect(sizes.ratio).toBeCloseTo(sizes.fullRatio, 1);
  const sheets = (await page.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type \/Page\b/g);
  expect(sheets).toHaveLength(1);
  await page.emulateMedia({ media: null });
});

test('prints a tall graph in full above the table, with what is left out', async () => {
  const calls = Array.from({ length: 60 }, (_, depth) => `${depth} call f${depth} f${depth + 1}`);
  const own = await openReport(browser, traceOf(`${calls.join('\n')}\n90 return f60 f59`), {}, '#hide=59');
  await own.emulateMedia({ media: 'print' });
  const [graph, svg, table] = await own.evaluate(() =>
    ['.graph.main', '.graph.main svg', '.table'].map((one) => document.querySelector(one)?.getBoundingClientRect()),
  );
  expect(svg?.height).toBeGreaterThan(900);
  expect(graph?.height).toBeGreaterThanOrEqual(svg?.height ?? 0);
  expect(table?.top).toBeGreaterThanOrEqual(svg?.bottom ?? 0);
  expect(await own.locator('.chip').isVisible()).toBe(true);
  await own.close();
});

test('follows the theme of the system until it is switched', async () => {
  await goTo(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await paper()).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await paper()).toBe('rgb(16, 18, 22)');
  await press(page, 'd');
  expect(await paper()).toBe('rgb(255, 255, 255)');
  await push(page, 'Dark or light');
  expect(await paper()).toBe('rgb(16, 18, 22)');
  await page.reload();
  expect(await paper()).toBe('rgb(16, 18, 22)');
  await page.emulateMedia({ colorScheme: null });
});
