/**
 * Tests the waits in the function panel of the report page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { eventually, goTo, labels } from '../../helpers/browser/report-page.js';
import { inputOf } from '../../helpers/traces/load.js';
import { lockTrace } from '../../helpers/traces/lock-trace.js';

const browser = windows('html');

let page: Page;
beforeAll(async () => {
  const { profile, waits } = await analyzeForPage([inputOf(lockTrace())], { trees: 'apart', durations: true });
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { waits })) html += part;
  page = await browser.open(html);
  await drawn(page);
  await page.setViewportSize({ width: 1600, height: 1200 });
}, 60_000);

const textOf = (selector: string) => page.$$eval(selector, (all) => all.map(({ textContent }) => textContent));

async function choose(name: string): Promise<void> {
  await goTo(page, '#tab=waits');
  await page.locator('.table[aria-label="Functions"] .row', { hasText: name }).first().click();
  await page.locator('h2', { hasText: name }).waitFor();
}

test('time off the CPU says for whom, why, and what that thread did meanwhile', async () => {
  await choose('off CPU');
  await eventually(() => textOf('.waits tr:not(:first-child) > *')).toEqual([
    ...['teller 2: teller', 'mutex, held', '1', '38 ns', '8 ns'],
    ...['[still waiting]', '', '1', '14 ns', '0 ns'],
  ]);
  expect(await textOf('.waits h3')).toEqual([
    '2 waits · 52 ns · 8 ns of it waking up',
    'Longest: 38 ns of customer 1, 22 ns after the start',
  ]);
  expect(await labels(page, '[aria-label="What they did meanwhile"]')).toEqual(
    expect.arrayContaining(['main', 'teller', 'count']),
  );
});

test('the longest wait is a bar of pieces as wide as they are long', async () => {
  await choose('customer');
  const bar = page.locator('.chain');
  await bar.waitFor();
  expect(await bar.getAttribute('aria-label')).toBe('teller 2: count · 30 ns, customer 1: waking up · 8 ns');
  const widths = await page.$$eval('.chain .piece', (all) => all.map((piece) => piece.getBoundingClientRect().width));
  expect(widths[0] / widths[1]).toBeCloseTo(30 / 8, 1);
  expect(await textOf('.waits li')).toEqual(['teller 2: count · 30 ns', 'customer 1: waking up · 8 ns']);
});

test('a function that did not wait shows nothing of waits', async () => {
  await choose('count');
  await eventually(() => page.locator('#panel-waits').innerText()).toMatch(/^No wait of this function is listed/);
  expect(await page.locator('.waits').count()).toBe(0);
  expect(await page.getByRole('group', { name: 'What they did meanwhile' }).isVisible()).toBe(false);
});
