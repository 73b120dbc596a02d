/**
 * Tests zoom, focus and pointer in the report page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  CALLS,
  chips,
  enterGraph,
  eventually,
  focusedText,
  goTo,
  hashOf,
  hover,
  labels,
  openReport,
  positionOf,
  push,
  rows,
  tooltip,
  total,
  zoomTo,
} from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html', { hasScrollBars: true });

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

const IN_MAIN = ['all', 'main  1* × ≥ 100 ns', 'a  1 × 60 ns', 'b  1 × 30 ns'];
/** f0 calls f1, which calls f2, and so on to f60. */
const DEEP = traceOf(`
  ${Array.from({ length: 60 }, (_, depth) => `${depth} call f${depth} f${depth + 1}`).join('\n')}
  90 return f60 f59`);

const isMenuOpen = () => page.locator('.menu').isVisible();
const bodyHasFocus = () => page.evaluate(() => document.activeElement === document.body);

async function openMenu(label: string): Promise<void> {
  const { x, y } = await positionOf(page, label);
  await page.mouse.click(x, y, { button: 'right' });
  expect(await isMenuOpen()).toBe(true);
}

describe('the menu', () => {
  test('closes when its frame changes', async () => {
    await goTo(page);
    await zoomTo(page, 'main  1* × ≥ 100 ns');
    for (const change of [
      () => page.goBack(),
      () => page.mouse.wheel(0, 10),
      () => page.setViewportSize({ width: 1100, height: 800 }),
      () => page.keyboard.press('Escape'),
    ]) {
      await openMenu('a  1 × 60 ns');
      await change();
      await eventually(isMenuOpen).toBe(false);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('keeps the focus when its border is clicked', async () => {
    await goTo(page);
    await openMenu('a  1 × 60 ns');
    const box = await page.locator('.menu').boundingBox();
    await page.mouse.click((box?.x ?? 0) + 2, (box?.y ?? 0) + 2);
    expect(await bodyHasFocus()).toBe(false);
    await press(page, 'Escape');
    expect(await isMenuOpen()).toBe(false);
  });

  test('has only actions that apply: merged frames have no stack', async () => {
    await goTo(page);
    await openMenu('all');
    expect(await page.locator('.menu button span').allTextContents()).toEqual(['Zoom', 'Order siblings by name']);
    await press(page, 'Escape');
  });
});

describe('keys', () => {
  test('act on the frame below the pointer, or after an arrow key on the focused frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await hover(page, 'b  1 × 30 ns');
    await press(page, 'o');
    await eventually(() => page.locator('.panel h2').textContent()).toBe('b');
    await press(page, 'o'); // the pointer still rests there after the redraw
    await eventually(() => page.locator('.panel').isVisible()).toBe(false);
    await press(page, 'ArrowDown', 'f');
    expect(await chips(page)).toEqual(['only inside main']);
  });

  /** What each key does of the frame b below the pointer. */
  const ACTS: readonly (readonly [key: string, done: () => Promise<unknown>, expected: unknown])[] = [
    ['o', () => hashOf(page), expect.stringContaining('function=b')],
    ['f', () => chips(page), [expect.stringMatching(/^only inside b/)]],
    ['h', () => chips(page), [expect.stringMatching(/^without b/)]],
    ['m', () => page.getByRole('menu').getAttribute('aria-label'), expect.stringMatching(/b/)],
    ['Enter', () => hashOf(page), expect.stringContaining('zoom=main;b')],
  ];

  test.for([
    ['the wheel', () => page.mouse.wheel(0, 40)],
    ['another theme', () => press(page, 'd')],
    ['another order, colour and width', () => press(page, 's', 'a', '5')],
  ] as const)('act on the frame below the pointer after %s', async ([, disturb]) => {
    for (const [key, done, expected] of ACTS) {
      await goTo(page, '#order=name');
      await hover(page, 'b  1 × 30 ns');
      await disturb();
      await drawn(page);
      await press(page, key);
      await eventually(done).toEqual(expected);
      await press(page, 'Escape');
    }
  });

  test('copy nothing without a frame, and show a message', async () => {
    await goTo(page);
    await hover(page, 'all');
    await press(page, 'c');
    await page.getByText('nothing to copy').waitFor();
  });

  test('work after a choice from a menu by pointer, which returns the focus to its button', async () => {
    await goTo(page);
    const lens = page.getByTitle('What widths and tables count');
    await lens.click();
    await page.getByRole('menuitemcheckbox', { name: 'Calls' }).click();
    await eventually(() => hashOf(page)).toBe('width=calls');
    expect(await lens.evaluate((button) => button === document.activeElement)).toBe(true);
    await press(page, '1');
    await eventually(() => hashOf(page)).toBe('');
    await press(page, 'h'); // needs a frame
    expect(await chips(page)).toEqual([]);
    await press(page, '/');
    expect(await page.getByRole('searchbox').evaluate((input) => input === document.activeElement)).toBe(true);
  });

  test('hide the tooltip by Esc', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown');
    expect(await page.locator('.tooltip').isVisible()).toBe(true);
    expect(await tooltip(page)).toContain('main');
    await press(page, 'Escape');
    expect(await page.locator('.tooltip').isVisible()).toBe(false);
  });
});

describe('the focus', () => {
  test('moves to the graph when the focused element disappears', async () => {
    for (const [hash, name] of [
      ['#focus=6', /^only inside/],
      ['#function=6', 'Close'],
    ] as const) {
      await goTo(page, hash);
      const button = page.getByRole('button', { name }).first();
      await button.waitFor();
      await button.focus();
      await press(page, 'Enter');
      await drawn(page);
      await eventually(() => focusedText(page)).toMatch(/^all: /);
    }
    await zoomTo(page, 'main  1* × ≥ 100 ns');
    await page.locator('.crumbs').getByRole('button', { name: 'All' }).focus();
    await press(page, 'Enter');
    await eventually(() => focusedText(page)).toMatch(/^all: /);
  });

  test('stays on its frame when the window is resized', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown');
    await page.setViewportSize({ width: 1000, height: 800 });
    const available = () => page.evaluate(() => document.querySelector('.graph.main')?.clientWidth);
    const width = () => page.evaluate(() => Number(document.querySelector('.graph.main svg')?.getAttribute('width')));
    await eventually(async () => (await width()) === (await available())).toBe(true);
    expect(await focusedText(page)).toMatch(/^a: /);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('the zoom', () => {
  test('survives hiding a function and selecting a thread', async () => {
    await goTo(page);
    await zoomTo(page, 'main  1* × ≥ 100 ns');
    await hover(page, 'a  1 × 60 ns');
    await press(page, 'h');
    expect(await labels(page)).toEqual(['all', 'main  1* ×', 'b  1 × 30 ns']);
    await eventually(() => hashOf(page)).toMatch(/zoom=main$/);
    expect(await total(page)).toBe('40 ns');
    await push(page, 'without a');
    expect((await labels(page)).slice(0, 4)).toEqual(IN_MAIN);
    await page.locator('#tab-threads').click();
    await page.locator('[aria-label="Threads"] .row').last().click();
    await eventually(() => hashOf(page)).toMatch(/threads=.*zoom=|zoom=.*threads=/);
    await page.locator('#tab-graph').click();
    await eventually(() => labels(page)).toContain('b  1 × 30 ns');
    expect((await labels(page)).slice(0, 4)).toEqual(IN_MAIN);
  });
});

describe('callers and callees', () => {
  test('open functions by Enter, by click and by menu', async () => {
    await goTo(page);
    const leaf = (await rows(page)).findIndex(([name]) => name === 'leaf');
    await page.locator('[aria-label="Functions"] .row').nth(leaf).click();
    const title = () => page.locator('.panel h2').textContent();
    await eventually(title).toBe('leaf');
    const path = (name: string) => page.locator(`.path[title="${name}"]`);
    await path('a').focus();
    await press(page, 'Enter');
    await eventually(title).toBe('a');
    await path('main').click();
    await eventually(title).toBe('main');
    await path('a').click({ button: 'right' });
    expect(await isMenuOpen()).toBe(true);
    expect(await focusedText(page)).toContain('Select function');
    await press(page, 'Enter');
    await eventually(title).toBe('a');
  });

  test('leave Esc to the zoom if they are hidden', async () => {
    await goTo(page, '#zoom=main;b&function=1'); // a stop
    expect(await labels(page)).not.toEqual(IN_MAIN);
    expect(await page.locator('.panel').isVisible()).toBe(false);
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).toMatch(/zoom=main(&|$)/);
    expect((await labels(page)).slice(0, 4)).toEqual(IN_MAIN);
  });
});

test('keeps the scroll position of the graph, and its bottom with callers below, when the panel opens and closes', async () => {
  for (const [hash, end] of [
    ['', 'top'],
    ['#icicle=0', 'bottom'],
  ] as const) {
    const own = await openReport(browser, DEEP, {}, hash);
    const fromEnd = () =>
      own.$eval(
        '.graph.main',
        ({ scrollHeight, clientHeight, scrollTop }, end) =>
          Math.round(end === 'top' ? scrollTop : scrollHeight - clientHeight - scrollTop),
        end,
      );
    const width = () => own.$eval('.graph.main svg', (svg) => Number(svg.getAttribute('width')));
    const before = await width();
    expect(await fromEnd()).toBe(0);
    await own.locator('[aria-label="Functions"] .row').first().click();
    await eventually(width).toBeLessThan(before - 50);
    expect(await fromEnd()).toBe(0);
    await own.$eval('.graph.main', (graph, by) => graph.scrollBy(0, by), end === 'top' ? 150 : -150);
    await eventually(fromEnd).toBe(150);
    await push(own, 'Close');
    await eventually(width).toBe(before);
    expect(await fromEnd()).toBe(150);
    await own.close();
  }
});

test('scrolls to the row of a function that is opened from the graph', async () => {
  const own = await openReport(browser, DEEP);
  await goTo(own, '#function=60');
  const chosen = own.locator('[aria-label="Functions"] .row.chosen');
  await chosen.waitFor();
  expect(Number(await chosen.getAttribute('data-row'))).toBeGreaterThan(40);
  const isVisible = () =>
    own.evaluate(() => {
      const row = document.querySelector('[aria-label="Functions"] .row.chosen')?.getBoundingClientRect();
      const table = document.querySelector('[aria-label="Functions"]')?.getBoundingClientRect();
      return row !== undefined && table !== undefined && row.bottom <= table.bottom + 1;
    });
  await eventually(isVisible).toBe(true);
  await own.close();
});
