/**
 * Tests the single calls in the function panel of the report page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openTraceFile } from '../../../src/index.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { axeViolations } from '../../helpers/browser/axe.js';
import { windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { eventually, goTo, hashOf } from '../../helpers/browser/report-page.js';
import { fixturePath } from '../../helpers/cli/run-cli.js';

/** Bypasses the content security policy, to inject axe into the page. */
const browser = windows('html', { bypassCSP: true });

let page: Page;
beforeAll(async () => {
  const options = { trees: 'apart', durations: true, timelineBytes: 1e6 } as const;
  const trace = await openTraceFile(fixturePath('demo/threads.perf.txt.gz'));
  const { profile, timeline } = await analyzeForPage([trace], options);
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { timeline })) html += part;
  page = await browser.open(html);
  await drawn(page);
  await page.setViewportSize({ width: 1600, height: 1200 });
}, 60_000);

async function choose(name: string): Promise<void> {
  await goTo(page, '#tab=calls');
  await page.locator('.table[aria-label="Functions"] .row', { hasText: name }).first().click();
  await page.locator('h2', { hasText: name }).waitFor();
  await page.locator('.calls').waitFor();
}

const cells = () =>
  page.$$eval('.calls tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const pressed = () => page.$$eval('.calls button', (all) => all.map((one) => one.getAttribute('aria-pressed')));

test('lists the slowest calls with their threads, starts, and what took longer than on average', async () => {
  await choose('take');
  const [head, first, ...rest] = await cells();
  expect(head).toEqual(['Duration', 'Thread', 'From', 'Longer than the average call']);
  expect(first).toEqual(['172 µs', 'threads 5001', '+1.22 ms', 'pthread_cond_wait@@GLIBC_2.3.2 +18.9 µs']);
  expect(rest).toHaveLength(8);
  expect(await page.locator('.calls canvas').getAttribute('aria-label')).toBe(
    'Plot: 9 calls over time: a dot for each call. Arrow keys move between calls; the table has the slowest.',
  );
});

test('a call is chosen by keyboard: the address has it and its stack chart, and the focus stays', async () => {
  await choose('take');
  await page.locator('.calls button').nth(1).focus();
  await page.keyboard.press('Enter');
  await eventually(() => hashOf(page)).toMatch(/chart=5001&at=\d+ns,\d+ns&call=5001@\d+ns,\d+ns/);
  await eventually(pressed).toEqual(['false', 'true', ...Array(7).fill('false')]);
  expect(await page.evaluate(() => document.activeElement?.closest('.calls tr')?.textContent)).toContain('+17.4 µs');
  await page.goBack();
  await eventually(pressed).toEqual(Array(9).fill('false'));
});

test('a click on a dot chooses its call', async () => {
  await choose('take');
  const canvas = page.locator('.calls canvas');
  await canvas.scrollIntoViewIfNeeded();
  const { width = 0 } = (await canvas.boundingBox()) ?? {};
  const xPx = 54 + (1_224_172 / 1_400_000) * (width - 62); // the slowest call, near the top
  let isFound = false;
  for (let yPx = 8; yPx < 40 && !isFound; yPx += 4) {
    await canvas.click({ position: { x: xPx, y: yPx } });
    isFound = (await pressed())[0] === 'true';
  }
  expect(isFound).toBe(true);
  await eventually(() => hashOf(page)).toContain('call=5001@1224172ns,1396506ns');
});

test('arrow keys go from dot to dot, and Enter chooses the call', async () => {
  await choose('take');
  await page.locator('.calls canvas').focus();
  await page.keyboard.press('Home');
  const spoken = () => page.locator('.calls .spoken').textContent();
  await eventually(spoken).toContain('8.12 µs, thread 5001');
  await page.keyboard.press('ArrowRight');
  await eventually(spoken).toContain('172 µs, thread 5001, from 12345.678909789');
  expect(await page.locator('.tooltip', { hasText: '172 µs' }).isVisible()).toBe(true);
  await page.keyboard.press('Enter');
  await eventually(() => hashOf(page)).toMatch(/call=5001@17437ns,\d+ns/);
});

test('the pointer over a dot shows the call', async () => {
  await choose('consumer');
  const canvas = page.locator('.calls canvas');
  await canvas.scrollIntoViewIfNeeded();
  const isShown = () => page.locator('.tooltip', { hasText: 'thread' }).isVisible();
  for (let yPx = 4; yPx < 150 && !(await isShown()); yPx += 8) await canvas.hover({ position: { x: 56, y: yPx } });
  await eventually(isShown).toBe(true);
  await page.mouse.move(0, 0);
});

test('follows the time range', async () => {
  await choose('take');
  await goTo(page, `${await hashOf(page)}&range=0-400000`);
  await eventually(async () => (await cells()).slice(1).map(([duration]) => duration)).toEqual([
    '172 µs',
    '172 µs',
    '≥ 37.7 µs',
    '8.12 µs',
  ]);
});

test.each([380, 760, 1920])('fits into a window of %d pixels', async (width) => {
  await page.setViewportSize({ width, height: 1000 });
  await choose('take');
  const [outer, table, canvas] = await page.evaluate(() =>
    ['.calls', '.calls table', '.calls canvas'].map(
      (one) => document.querySelector(one)?.getBoundingClientRect().right ?? 0,
    ),
  );
  expect(table).toBeLessThanOrEqual((outer ?? 0) + 1);
  await eventually(async () => {
    const ends = await page.evaluate(() =>
      ['.calls canvas', '.calls'].map((one) => document.querySelector(one)?.getBoundingClientRect().right ?? 0),
    );
    return (ends[0] ?? 0) <= (ends[1] ?? 0) + 1;
  }).toBe(true);
  expect(canvas).toBeGreaterThan(0);
  await page.setViewportSize({ width: 1600, height: 1200 });
});

test('axe finds no violations, light or dark', async () => {
  await choose('take');
  await page.locator('.calls button').first().click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page, '.panel')).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
});
