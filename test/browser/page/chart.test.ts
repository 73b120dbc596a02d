/**
 * Tests the stack chart of the report page.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { eventually, goTo, hashOf, push, rows, tooltip } from '../../helpers/browser/report-page.js';
import { inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });

/** main calls work at 1, 3 and 5 µs for 0.5, 1 and 1.5 µs, which calls leaf 100 times for 1 ns in the first 300 ns. */
const WORK = traceOf(
  [
    '1/0 call start main',
    ...[500, 1000, 1500].flatMap((ns, call) => {
      const fromNs = 1000 + 2000 * call;
      const leaves = Array.from({ length: 100 }, (_, leaf) => {
        const atNs = fromNs + 3 * leaf + 3;
        return `1/${atNs} call work leaf\n1/${atNs + 1} return leaf work`;
      });
      return [`1/${fromNs} call main work`, ...leaves, `1/${fromNs + ns} return work main`];
    }),
    '1/8000 return main start',
    '2/0 call start main',
    '2/8000 return main start',
  ].join('\n'),
);

async function htmlOf(timelineBytes: number): Promise<string> {
  const options = { trees: 'apart', byCalls: true, durations: true, timelineBytes } as const;
  const { profile, timeline } = await analyzeForPage([inputOf(WORK)], options);
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { timeline })) html += part;
  return html;
}

let page: Page;
beforeAll(async () => {
  page = await browser.open(await htmlOf(1e6));
  await drawn(page);
}, 60_000);

const chart = () => page.locator('.stack-chart');
const title = async () => ((await chart().isVisible()) ? chart().locator('h2').textContent() : null);
const calls = async (of = page) => (await rows(of, 'Calls')).map((cells) => cells.slice(0, 4).join(' | '));
const caption = () => chart().locator('p').textContent();

async function open(hash = ''): Promise<void> {
  await goTo(page, `#chart=1${hash}`);
  await eventually(title).toBe('Stack chart: thread 1');
  await page.mouse.move(0, 0);
}

/** A point of the chart, by row and by part of its width. */
async function point(row: number, part: number): Promise<{ x: number; y: number }> {
  const { x, y, width } = (await page.locator('.stack').boundingBox()) as { x: number; y: number; width: number };
  return { x: x + part * width, y: y + 19 * row + 9 };
}

/** `fromMiddlePx`: where in the row; one more than usual is on the outline of a call. */
async function colourAt(row: number, part: number, fromMiddlePx = -7): Promise<string> {
  const { x, y } = await point(row, part);
  return page.evaluate(
    ([x, y]) => {
      const canvas = document.querySelector('.stack canvas') as HTMLCanvasElement;
      const { left, top } = canvas.getBoundingClientRect();
      const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      pen?.drawImage(canvas, left - (x as number), top - (y as number), canvas.clientWidth, canvas.clientHeight);
      return [...(pen?.getImageData(0, 0, 1, 1).data ?? [])].join();
    },
    [x, y + fromMiddlePx],
  );
}

const NOTHING = '0,0,0,0';

describe('opening and closing', () => {
  test('the table of threads opens it, in the place of the graph, and the back button closes it', async () => {
    await goTo(page, '#view=threads');
    await page.locator('[aria-label="Threads"] .row button').first().click();
    await eventually(title).toBe('Stack chart: thread 1');
    await eventually(() => hashOf(page)).toBe('chart=1&view=threads');
    expect(await page.locator('.graph.main').isVisible()).toBe(false);
    expect(await page.locator('[aria-label="Calls"]').isVisible()).toBe(true);
    expect(await page.locator('#tab-timeline').getAttribute('aria-selected')).toBe('true');
    await page.goBack();
    await eventually(title).toBe(null);
    await eventually(() => page.locator('[aria-label="Threads"]').isVisible()).toBe(true);
    expect(await page.locator('[aria-label="Calls"]').isVisible()).toBe(false);
  });

  test('the menu of a thread opens it by keyboard', async () => {
    await goTo(page, '#view=threads');
    await page.locator('[aria-label="Threads"] .row', { hasText: 'thread 2' }).focus();
    await press(page, 'm', 'ArrowDown', 'Enter');
    await eventually(title).toBe('Stack chart: thread 2');
    await page.locator('.chart-scroll').focus();
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).toBe('view=threads');
  });

  test('the name of a strip opens it where the range is', async () => {
    await goTo(page, '#range=1000-2000');
    const strips = page.locator('.strips canvas').first();
    await strips.waitFor();
    const { x, y } = (await strips.boundingBox()) as { x: number; y: number };
    await page.mouse.click(x + 4, y + 9 + 18);
    await eventually(title).toMatch(/^Stack chart: thread [12]$/);
    await eventually(() => hashOf(page)).toMatch(/^range=1000ns,2000ns&chart=[12]&at=1000ns,2000ns$/);
  });

  test('a thread that is not there opens none', async () => {
    await goTo(page, '#chart=77');
    expect(await title()).toBe(null);
    expect(await page.locator('#tab-graph').getAttribute('aria-selected')).toBe('true');
  });
});

describe('the chart', () => {
  test('has calls where they were, and the same calls in its table, longest first', async () => {
    await open();
    await eventually(calls).toEqual([
      'start | ≥ 8 µs | 0.000 µs | 1',
      'main | 8 µs | 0.000 µs | 2',
      'work | 1.5 µs | 5.000 µs | 3',
      'work | 1 µs | 3.000 µs | 3',
      'work | 500 ns | 1.000 µs | 3',
    ]);
    expect(await caption()).toMatch(/^5 calls · 300 shorter than \S+ ns in grey blocks$/);
    for (const [row, part, isThere] of [
      [2, 0.5 / 8, false],
      [2, 1.25 / 8, true],
      [2, 2.5 / 8, false],
      [2, 5.75 / 8, true],
      [3, 5.15 / 8, true],
      [3, 5.75 / 8, false],
    ] as const)
      expect([row, part, (await colourAt(row, part)) !== NOTHING]).toEqual([row, part, isThere]);
  });

  test('a tooltip has start, duration, time of its own and how a call ended', async () => {
    await open();
    const { x, y } = await point(2, 3.5 / 8);
    await page.mouse.move(x, y);
    await eventually(() => tooltip(page)).toMatch(
      /^workstart3\.000 µsafter the startduration1 µsself900 nsendingreturned$/,
    );
    const block = await point(3, 3.15 / 8);
    await page.mouse.move(block.x, block.y);
    await eventually(() => tooltip(page)).toMatch(/^100 calls.*shorter than a pixel, .*: zoom in$/);
  });

  test('a click zooms to a call, also into a block of short calls, and the back button returns', async () => {
    await open();
    const { x, y } = await point(2, 3.5 / 8);
    await page.mouse.click(x, y);
    await eventually(() => hashOf(page)).toBe('chart=1&at=2900ns,4100ns&call=1@3000ns,4000ns');
    await eventually(caption).toMatch(/^3 calls · 100 shorter than/);
    await page.goBack();
    await eventually(() => hashOf(page)).toBe('chart=1');
    const block = await point(3, 3.15 / 8);
    await page.mouse.click(block.x, block.y);
    await eventually(caption).toMatch(/^103 calls$/);
  });

  test('moves by dragging and zooms by the wheel, as one step of the history', async () => {
    await open('&at=2000-6000');
    const { x, y } = await point(2, 0.5);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 50, y, { steps: 5 });
    await page.mouse.up();
    const startNs = async () => Number(/at=(\d+)/.exec(await hashOf(page))?.[1]);
    await eventually(startNs).toBeLessThan(2000);
    const movedNs = await startNs();
    await page.mouse.wheel(0, -200);
    await eventually(startNs).toBeGreaterThan(movedNs);
    await page.goBack();
    await eventually(startNs).toBe(2000);
  });

  test('a range that is dragged with Shift, or on the ruler, fills the view', async () => {
    await open();
    const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 3 });
      await page.mouse.up();
    };
    await page.keyboard.down('Shift');
    await drag(await point(2, 0.25), await point(2, 0.5));
    await page.keyboard.up('Shift');
    const at = async () =>
      (/at=(\d+)ns,(\d+)ns/.exec(await hashOf(page)) ?? []).slice(1).map((ns) => Math.round(Number(ns) / 100));
    await eventually(at).toEqual([20, 40]);
    await open();
    await drag(await point(-1, 0.5), await point(-1, 0.25));
    await eventually(at).toEqual([20, 40]);
  });

  test('marks the chosen function, and with a search pales the others', async () => {
    await open();
    const edge = () => colourAt(2, 5.9 / 8, -8);
    const before = await edge();
    const other = await colourAt(1, 7.9 / 8);
    await goTo(page, '#chart=1&function=work');
    await eventually(edge).not.toBe(before);
    const chosen = await edge();
    await goTo(page, '#chart=1');
    await eventually(edge).toBe(before);
    await goTo(page, '#chart=1&search=work');
    await eventually(edge).not.toBe(before);
    expect(await edge()).not.toBe(chosen);
    expect(await colourAt(1, 7.9 / 8)).not.toBe(other);
  });

  test('follows the theme', async () => {
    await open();
    const before = await colourAt(1, 7.9 / 8);
    await page.emulateMedia({ colorScheme: 'dark' });
    await eventually(() => colourAt(1, 7.9 / 8)).not.toBe(before);
    await page.emulateMedia({ media: 'print' });
    await eventually(() => colourAt(1, 7.9 / 8)).toBe(before);
    await page.emulateMedia({ media: null, colorScheme: null });
  });

  test('fits windows of any width, with all buttons in reach', async () => {
    await open();
    for (const width of [380, 760, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      const canvasWidth = () => page.evaluate(() => document.querySelector('.stack canvas')?.clientWidth ?? 0);
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await eventually(async () => (await canvasWidth()) > width - 60 && (await canvasWidth()) < width).toBe(true);
      const close = await page.getByRole('button', { name: 'Close stack chart' }).boundingBox();
      expect((close?.x ?? width) + (close?.width ?? 0)).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 1200, height: 800 });
  });
});

describe('by keyboard', () => {
  test('arrows go from call to call, and Enter, t and Escape act', async () => {
    await open();
    await page.locator('.chart-scroll').focus();
    const spoken = () => page.locator('.stack-chart > .spoken').textContent();
    await press(page, 'ArrowRight');
    await eventually(spoken).toMatch(/^start: start 0/);
    await press(page, 'ArrowDown', 'ArrowDown');
    await eventually(spoken).toMatch(/^work: start 1\.000 µs \(after the start\), duration 500 ns, self 400 ns/);
    await press(page, 'ArrowRight');
    await eventually(spoken).toMatch(/^work: start 3\.000 µs/);
    await press(page, 'Enter');
    await eventually(() => hashOf(page)).toBe('chart=1&at=2900ns,4100ns&call=1@3000ns,4000ns');
    await press(page, 't');
    await eventually(() => hashOf(page)).toContain('range=3000ns,4000ns');
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).not.toContain('call=');
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).not.toContain('at=');
    await press(page, 'Escape');
    await eventually(title).toBe(null);
  });

  test('zooms, moves and shows everything', async () => {
    await open();
    await page.locator('.chart-scroll').focus();
    await press(page, '+');
    await eventually(() => hashOf(page)).toContain('at=2000ns,6000ns');
    await press(page, 'Shift+ArrowRight');
    await eventually(() => hashOf(page)).toMatch(/at=(2999|3000)ns,(7000|7001)ns/);
    await press(page, 'Home');
    await eventually(() => hashOf(page)).toContain('at=0ns,4000ns');
    await press(page, 'r');
    await eventually(() => hashOf(page)).toBe('chart=1');
  });

  test('the table marks a call, zooms to it and opens its menu', async () => {
    await open();
    const row = page.locator('[aria-label="Calls"] .row', { hasText: '1 µs' }).first();
    await row.focus();
    await press(page, 'Enter');
    await eventually(() => hashOf(page)).toBe('chart=1&call=1@3000ns,4000ns');
    await press(page, 'm');
    expect(await page.locator('.menu button').first().textContent()).toContain('Zoom');
    await press(page, 'Escape', 'Enter');
    await eventually(() => hashOf(page)).toContain('at=2900ns,4100ns');
  });
});

test('says which calls are not in the file, and where they were', async () => {
  const own = await browser.open(await htmlOf(600), '#chart=1');
  await drawn(own);
  const text = await own.locator('.chart-head p').textContent();
  expect(text).toMatch(/(300|up to \d+) calls shorter than \S+ ns, not in this file: render it with --time-detail 16M/);
  await own.close();
});

test.each(['light', 'dark'] as const)('axe finds no fault, %s', async (colorScheme) => {
  const own = await lenient.open(await htmlOf(1e6), '#chart=1&at=2900-4100&call=1@3000-4000');
  await drawn(own);
  await own.emulateMedia({ colorScheme });
  await own.addScriptTag({ content: AXE });
  const violations = await own.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: object[] }[] }> } };
    return (await axe.run()).violations.map(({ id, nodes }) => [id, JSON.stringify(nodes[0]).slice(0, 300)]);
  });
  expect(violations).toEqual([]);
  await own.close();
});

test('leaves out the rows of functions that fill the view', async () => {
  await open('&at=3100-3900');
  await push(page, 'Hide 2 callers');
  await eventually(async () => (await colourAt(0, 0.9)) !== NOTHING && (await colourAt(2, 0.9)) === NOTHING).toBe(true);
  await push(page, 'Hide 2 callers');
});
