/**
 * Tests the arrows from waker to waiter: in the stack chart of a thread, and between strips.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { eventually, goTo, hashOf, rows, tooltip } from '../../helpers/browser/report-page.js';
import { inputOf } from '../../helpers/traces/load.js';
import { convoyTrace } from '../../helpers/traces/lock-trace.js';

/** Bypasses the content security policy, to inject axe into the page. */
const browser = windows('html', { bypassCSP: true });
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The teller (2) wakes the clerk (3) at 52 ns, who runs at 60; the clerk wakes the customer (1) at 92, who runs at 100. */
let page: Page;
beforeAll(async () => {
  const options = { trees: 'apart', durations: true, timelineBytes: 1e6 } as const;
  const { profile, waits, timeline } = await analyzeForPage([inputOf(convoyTrace())], options);
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { waits, timeline })) html += part;
  page = await browser.open(html);
  await drawn(page);
}, 60_000);

const chart = async () =>
  (await page.locator('.stack-chart').isVisible()) ? page.locator('.stack-chart h2').textContent() : null;
const lane = (name: string) => page.getByRole('group', { name });
const labels = (name: string) => lane(name).locator('button:visible').allTextContents();
const shown = () => page.locator('.axis-head output').textContent();

async function open(hash: string): Promise<void> {
  await goTo(page, hash);
  await page.mouse.move(0, 0);
  await page.locator('.chart-scroll').focus();
}

describe('in a stack chart', () => {
  test('a wait leads to its waker at that moment by key, and the back button leads back', async () => {
    await open('#chart=1&call=1@22-100');
    await eventually(chart).toBe('Stack chart: customer 1');
    await press(page, 'w');
    await eventually(chart).toBe('Stack chart: clerk 3');
    const { call } = Object.fromEntries(new URLSearchParams(await hashOf(page)));
    const [, fromNs, toNs] = /^3@(\d+)ns,(\d+)ns$/.exec(call ?? '') ?? [];
    expect(Number(fromNs)).toBeLessThanOrEqual(92);
    expect(Number(toNs)).toBeGreaterThan(92);
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('chart-scroll');
    await page.goBack();
    await eventually(chart).toBe('Stack chart: customer 1');
  });

  /** Rests the pointer on the wait of the customer, at this moment, and zooms there with the wheel. */
  async function zoomAt(ns: number, row: number): Promise<void> {
    const { x, y, width } = (await page.locator('.stack canvas').boundingBox()) as never;
    await page.mouse.move(x + (width * ns) / 102, y + 20 * row + 10);
    for (const px of [-120, -120]) await page.mouse.wheel(0, px);
  }

  test.for([
    ['at once', 0],
    ['when the address has followed', 400],
  ] as const)('after the wheel, keys act on the wait below the pointer: %s', async ([, ms]) => {
    await open('#chart=1&call=1@20-22'); // nobody woke it in that call
    await eventually(chart).toBe('Stack chart: customer 1');
    await zoomAt(70, 4);
    await page.waitForTimeout(ms);
    await press(page, 'w');
    await eventually(chart).toBe('Stack chart: clerk 3');
    await eventually(() => hashOf(page)).toContain('call=3@90ns,95ns');
    const { at = '' } = Object.fromEntries(new URLSearchParams(await hashOf(page)));
    const [fromNs = 0, toNs = 0] = at.split(',').map(Number.parseFloat);
    expect(toNs - fromNs).toBeLessThan(80); // as much time as the wheel left
    await press(page, 'Shift+W'); // not of the box that happens to be below the pointer in this chart
    await eventually(chart).toBe('Stack chart: customer 1');
    await page.goBack();
    await eventually(chart).toBe('Stack chart: clerk 3');
    await page.goBack(); // to where the wheel had zoomed
    await eventually(chart).toBe('Stack chart: customer 1');
    await eventually(() => hashOf(page)).toMatch(/at=/);
  });

  test('the woken thread is reached from what its waker did', async () => {
    await open('#chart=2');
    await press(page, 'ArrowDown', 'W');
    await eventually(chart).toBe('Stack chart: clerk 3');
  });

  test('labels say who woke the thread and whom it woke, and lead there by pointer and by keyboard', async () => {
    await open('#chart=3');
    await eventually(() => labels('Who woke the thread')).toEqual(['woken by teller 2']);
    expect(await labels('Whom the thread woke')).toEqual(['wakes customer 1']);
    await lane('Whom the thread woke').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await eventually(chart).toBe('Stack chart: customer 1');
    await eventually(() => labels('Who woke the thread')).toEqual(['woken by clerk 3']);
    expect(await lane('Whom the thread woke').count()).toBe(0);
    await lane('Who woke the thread').getByRole('button').click();
    await eventually(chart).toBe('Stack chart: clerk 3');
  });

  test('the arrow is drawn where the waking was', async () => {
    await open('#chart=3');
    const button = lane('Who woke the thread').getByRole('button');
    await button.waitFor();
    const widthPx = await page.$eval('.stack canvas', (canvas) => canvas.getBoundingClientRect().width);
    const left = await page.$eval('.stack canvas', (canvas) => canvas.getBoundingClientRect().left);
    const line = await page.locator('.wakings .line:visible').first().boundingBox();
    expect(((line?.x ?? 0) + 0.75 - left) / widthPx).toBeCloseTo(52 / 102, 2);
  });

  test('the menu, the tooltip and the table of a wait name the waker', async () => {
    await open('#chart=1&call=1@22-100');
    await press(page, 'm');
    await eventually(() => page.getByRole('menuitem', { name: 'Go to waker: clerk 3' }).isVisible()).toBe(true);
    await press(page, 'Escape');
    const waits = (await rows(page, 'Calls')).filter(([name]) => name === 'off CPU');
    expect(waits.map((cells) => cells.at(-1))).toEqual(['clerk 3']);
    const { x, y, height } = (await page.locator('.stack canvas').boundingBox()) as never;
    await page.mouse.move(x + 500, y + height - 28);
    await eventually(() => tooltip(page)).toContain('clerk 3');
  });
});

describe('between strips', () => {
  test('all wakings of the range are arrows, which say what they are and lead to the wait', async () => {
    await goTo(page);
    await eventually(shown).toContain('2 wakings as arrows');
    await goTo(page, '#range=90-102');
    await eventually(shown).toContain('1 waking as arrows');
    const strips = (await page.locator('.strips canvas').first().boundingBox()) as {
      x: number;
      y: number;
      width: number;
    };
    const names = await page
      .locator('.axis')
      .evaluate((axis) => Number.parseFloat(axis.style.getPropertyValue('--names')));
    const x = strips.x + names + ((strips.width - names) * 96) / 102;
    for (let y = strips.y + 19; y < strips.y + 80; y += 1) {
      await page.mouse.move(x, y);
      if ((await tooltip(page))?.includes('clerk 3 woke customer 1')) break;
    }
    expect(await tooltip(page)).toContain('clerk 3 woke customer 1');
    await page.mouse.down();
    await page.mouse.up();
    await eventually(chart).toBe('Stack chart: customer 1');
  });

  test('wakings of threads without a strip are none', async () => {
    await goTo(page, '#threads=tids:1,2');
    await eventually(shown).toContain('0 wakings');
  });
});

test.each([380, 1280])('fits %d pixels, and axe finds no fault', async (width) => {
  await page.setViewportSize({ width, height: 900 });
  await open('#chart=3');
  await lane('Who woke the thread').getByRole('button').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await page.evaluate((source) => void new Function(source)(), AXE);
  const faults = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: object[] }[] }> } };
    return (await axe.run()).violations.map(({ id, nodes }) => [id, JSON.stringify(nodes[0]).slice(0, 300)]);
  });
  expect(faults).toEqual([]);
});
