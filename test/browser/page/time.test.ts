/**
 * Tests the time axis of the report page.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { readProfile } from '../../../src/index.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { axeViolations } from '../../helpers/browser/axe.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  CALLS,
  chips,
  eventually,
  goTo,
  hashOf,
  pick,
  push,
  rows,
  tooltip,
  total,
} from '../../helpers/browser/report-page.js';
import { inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });

async function htmlOf(trace: string | Uint8Array, timelineBytes = 1e6): Promise<string> {
  const options = { trees: 'apart', byCalls: true, durations: true, timelineBytes } as const;
  const { profile, timeline } = await analyzeForPage([inputOf(trace)], options);
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { timeline })) html += part;
  return html;
}

async function opened(browser: ReturnType<typeof windows>, html: string, hash = ''): Promise<Page> {
  const page = await browser.open(html, hash);
  await drawn(page);
  await page.locator('.strips canvas').first().waitFor();
  return page;
}

/** 12 threads that call `work` 200 times. */
const MANY_THREADS = traceOf(
  Array.from({ length: 12 * 200 }, (_, row) => {
    const [thread, call] = [1 + (row % 12), Math.floor(row / 12)];
    const fromNs = 5000 * call + 10 * thread;
    return `${thread}/${fromNs} call main work\n${thread}/${fromNs + 100 * thread} return work main`;
  }).join('\n'),
);

let page: Page;
let threads: string;
beforeAll(async () => {
  page = await opened(browser, await htmlOf(CALLS));
  threads = await htmlOf(MANY_THREADS, 30_000);
}, 60_000);

/** Returns a point of the axis. `part`: of its time. */
async function pointAt(part: number, of = page): Promise<{ x: number; y: number }> {
  const box = await of.locator('.range').boundingBox();
  if (box === null) throw new Error('there is no axis');
  return { x: box.x + part * box.width, y: box.y + box.height - 12 };
}

async function drag(from: number, to: number, of = page): Promise<void> {
  const [a, b] = [await pointAt(from, of), await pointAt(to, of)];
  await of.mouse.move(a.x, a.y);
  await of.mouse.down();
  await of.mouse.move((a.x + b.x) / 2, b.y);
  await of.mouse.move(b.x, b.y);
}

async function dragRange(from: number, to: number, of = page): Promise<void> {
  await drag(from, to, of);
  await of.mouse.up();
  await drawn(of);
}

const rangeOf = async (of = page) =>
  /range=(\d+)ns,(\d+)ns/
    .exec(await hashOf(of))
    ?.slice(1)
    .map(Number) ?? null;
const slider = (name: string, of = page) => of.getByRole('slider', { name });

describe('a dragged range', () => {
  test('is what graph and tables show, until it is undone', async () => {
    await goTo(page);
    await dragRange(0.6, 0.8);
    const [from, to] = (await rangeOf()) ?? [];
    expect(from).toBeCloseTo(60, -0.5);
    expect(to).toBeCloseTo(80, -0.5);
    await eventually(() => total(page)).toBe(`${to - from} ns`);
    expect(await chips(page)).toEqual([`only ${from}.0 ns to ${to}.0 ns (${to - from} ns)`.replaceAll('.0', '')]);
    await eventually(async () => (await rows(page)).map(([name]) => name)).toEqual(['main', 'b']);
    await page.goBack();
    await eventually(() => total(page)).toBe('100 ns');
    expect(await rangeOf()).toBe(null);
  });

  test('may begin at its end', async () => {
    await goTo(page);
    await dragRange(0.5, 0.2);
    const [from, to] = (await rangeOf()) ?? [];
    expect([Math.round(from / 10), Math.round(to / 10)]).toEqual([2, 5]);
  });

  test('is not one while Escape is pressed in it', async () => {
    await goTo(page);
    await drag(0.2, 0.5);
    await press(page, 'Escape');
    await page.mouse.up();
    expect(await rangeOf()).toBe(null);
    expect(await slider('Start of the range').getAttribute('aria-valuenow')).toBe('0');
  });

  test('ends with a double click, with the button and with Escape', async () => {
    const { x, y } = await pointAt(0.3);
    for (const end of [() => page.mouse.dblclick(x, y), () => push(page, 'Clear range'), () => press(page, 'Escape')]) {
      await goTo(page, '#range=20-70');
      expect(await rangeOf()).toEqual([20, 70]);
      await end();
      await eventually(() => rangeOf()).toBe(null);
    }
  });

  test('has edges that can be dragged', async () => {
    await goTo(page, '#range=20-70');
    await dragRange(0.7, 0.9);
    const [from, to] = (await rangeOf()) ?? [];
    expect(from).toBe(20);
    expect(Math.round(to / 10)).toBe(9);
  });
});

describe('keys', () => {
  test('move the edges; all presses are one step back', async () => {
    await goTo(page, '#range=20-70');
    await slider('End of the range').focus();
    await press(page, 'ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft');
    await eventually(() => rangeOf()).toEqual([20, 58]);
    await slider('Start of the range').focus();
    await press(page, 'Home', 'ArrowRight');
    await eventually(() => rangeOf()).toEqual([1, 58]);
    expect(await slider('Start of the range').getAttribute('aria-valuetext')).toBe('1 ns');
    await press(page, 'End');
    await eventually(() => rangeOf()).toEqual([57, 58]);
  });

  test('make a range where there is none', async () => {
    await goTo(page);
    await slider('End of the range').focus();
    await press(page, 'PageDown', 'ArrowLeft');
    await eventually(() => rangeOf()).toEqual([0, 89]);
    await page.goBack();
    await eventually(() => rangeOf()).toBe(null);
  });
});

describe('the address', () => {
  test('has the range before the first picture', async () => {
    const other = await opened(browser, await htmlOf(CALLS), '#range=60-80');
    expect(await total(other)).toBe('20 ns');
    await goTo(other, '#range=100-120');
    expect(await rangeOf(other)).toBe(null);
    expect(await total(other)).toBe('100 ns');
  });

  test('is corrected to borders of slices, which the page names', async () => {
    const other = await opened(browser, threads, '#range=1000-1001');
    const [from, to] = (await rangeOf(other)) ?? [];
    expect(to - from).toBeGreaterThan(1);
    expect(await other.locator('.axis output').textContent()).toContain('in steps of');
  });
});

test('is saved: the profile and the head of the picture are those of the range, and files are named after it', async () => {
  const saved = async (item: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), pick(page, 'Save', item)]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };
  await goTo(page, '#range=60-80');
  const json = await saved('Profile (JSON)');
  expect(json.name).toBe('flame-60ns-to-80ns.json');
  const { meta, quality, threads } = await readProfile(inputOf(json.text));
  expect([meta.part, meta.endNs - meta.startNs, quality.totalNs]).toEqual(['from +60 ns to +80 ns', 20, 20]);
  expect(threads.map(({ tree }) => [...tree.selfNs])).toEqual([[0, 10, 10]]); // main, b
  const svg = await saved('Picture (SVG)');
  expect(svg.name).toBe('flame-60ns-to-80ns.svg');
  expect(svg.text).toContain('only from +60 ns to +80 ns');
});

test('says what a thread did at a moment', async () => {
  await goTo(page);
  const { x, y } = await pointAt(0.5);
  await page.mouse.move(x, y);
  await eventually(() => tooltip(page)).toMatch(/^thread \d+time5\d ns.*clock\d+\.\d{9}.*running100 %/);
});

test('without ranges, the axis says the same, and names open stack charts', async () => {
  const page = await opened(browser, await htmlOf(MANY_THREADS, 1));
  const strips = page.locator('.strips canvas').first();
  const { x, y, width } = (await strips.boundingBox()) as { x: number; y: number; width: number };
  const names = 150;
  await page.mouse.move(x + names + (width - names) / 2, y + 27);
  expect(await tooltip(page)).toMatch(/^thread \d+time[45]\d\d/);
  await page.mouse.click(x + 20, y + 27);
  await eventually(() => hashOf(page)).toContain('chart=');
  await page.close();
});

test('a chosen function lights up where its calls were', async () => {
  const lit = () =>
    page.$$eval('.strips canvas:not([hidden])', (canvases) => {
      const [{ width }] = canvases as [HTMLCanvasElement];
      const copy = new OffscreenCanvas(width, 40);
      const pen = copy.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
      for (const canvas of canvases) pen.drawImage(canvas as HTMLCanvasElement, 0, 0);
      const namePx = Number.parseInt(getComputedStyle(canvases[0] as Element).getPropertyValue('--names'), 10);
      const at = (part: number) => pen.getImageData(namePx + part * (width - namePx), 15, 1, 1).data[3] as number;
      return [0.1, 0.5, 0.65, 0.75, 0.95].map((part) => at(part) > 0);
    });
  await goTo(page);
  expect(await lit()).toEqual([false, false, false, false, false]);
  const b = (await rows(page)).findIndex(([name]) => name === 'b');
  await page.locator('.table[aria-label="Functions"] .row').nth(b).click();
  await eventually(() => lit()).toEqual([false, false, false, true, true]);
});

test('the axis zooms to the range and out again', async () => {
  await goTo(page);
  const head = page.locator('.axis-head');
  expect(await head.getByRole('button', { name: 'Zoom time' }).isVisible()).toBe(false); // no range, no buttons
  await goTo(page, '#range=20-70');
  const zoomIn = page.getByRole('button', { name: 'Zoom time' });
  await zoomIn.click();
  await dragRange(0.2, 0.6);
  const [from, to] = (await rangeOf()) ?? [];
  expect([Math.round(from), Math.round(to)]).toEqual([30, 50]);
  await push(page, 'All time');
  await eventually(() => page.locator('.axis').getByRole('button', { name: 'All time' }).isDisabled()).toBe(true);
});

test('many threads have a bounded height, and the keyboard scrolls them', async () => {
  const other = await opened(browser, threads);
  const { height } = (await other.locator('.strips').boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThan(130);
  const list = other.locator('.strips');
  expect(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)).toBe(true);
  await list.focus();
  await press(other, 'End');
  await eventually(() => list.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

describe('axe finds no violations', () => {
  test.for([
    [1200, 'light'],
    [1200, 'dark'],
    [380, 'light'],
    [1920, 'dark'],
  ] as const)('%d px wide, %s', async ([width, colorScheme]) => {
    const other = await opened(lenient, threads, '#range=100000-900000&function=2');
    await other.setViewportSize({ width, height: 900 });
    await other.emulateMedia({ colorScheme });
    await drawn(other);
    expect(await axeViolations(other)).toEqual([]);
    expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});
