/**
 * Tests zoom, focus and pointer in the report page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import {
  CALLS,
  chips,
  click,
  drawn,
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
} from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html', { hasScrollBars: true });

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

const IN_MAIN = ['all · 100 ns', 'main · 0 of 1 · ≥ 100 ns', 'a · 1 · 60 ns', 'b · 1 · 30 ns'];
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
    await click(page, 'main · 0 of 1 · ≥ 100 ns');
    for (const change of [
      () => page.goBack(),
      () => page.mouse.wheel(0, 10),
      () => page.setViewportSize({ width: 1100, height: 800 }),
      () => page.keyboard.press('Escape'),
    ]) {
      await openMenu('a · 1 · 60 ns');
      await change();
      await eventually(isMenuOpen).toBe(false);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('keeps the focus when its border is clicked', async () => {
    await goTo(page);
    await openMenu('a · 1 · 60 ns');
    const box = await page.locator('.menu').boundingBox();
    await page.mouse.click((box?.x ?? 0) + 2, (box?.y ?? 0) + 2);
    expect(await bodyHasFocus()).toBe(false);
    await press(page, 'Escape');
    expect(await isMenuOpen()).toBe(false);
  });

  test('has only actions that apply: merged frames have no stack', async () => {
    await goTo(page);
    await openMenu('all · 100 ns');
    expect(await page.locator('.menu button span').allTextContents()).toEqual(['Zoom', 'Order siblings by weight']);
    await press(page, 'Escape');
  });
});

describe('keys', () => {
  test('act on the frame below the pointer, or after an arrow key on the focused frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await hover(page, 'b · 1 · 30 ns');
    await press(page, 'o');
    await eventually(() => page.locator('.function h2').textContent()).toBe('b');
    await press(page, 'o'); // the pointer still rests there after the redraw
    await eventually(() => page.locator('.function').isVisible()).toBe(false);
    await press(page, 'ArrowUp', 'f');
    expect(await chips(page)).toEqual(['only inside main']);
  });

  test('copy nothing without a frame, and show a message', async () => {
    await goTo(page);
    await hover(page, 'all · 100 ns');
    await press(page, 'c');
    await page.getByText('nothing to copy').waitFor();
  });

  test('work after a choice by pointer, and some in a focused select box', async () => {
    await goTo(page);
    const width = page.getByLabel('Width');
    await width.click();
    await width.selectOption('calls');
    expect(await bodyHasFocus()).toBe(true);
    await width.focus();
    await press(page, '/');
    expect(await page.getByRole('searchbox').evaluate((input) => input === document.activeElement)).toBe(true);
  });

  test('hide the tooltip by Esc', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowUp');
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
    await click(page, 'main · 0 of 1 · ≥ 100 ns');
    await page.getByRole('button', { name: 'Reset zoom' }).focus();
    await press(page, 'Enter');
    expect(await focusedText(page)).toMatch(/^all: /);
  });

  test('stays on its frame when the window is resized', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowUp', 'ArrowUp');
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
    await click(page, 'main · 0 of 1 · ≥ 100 ns');
    await hover(page, 'a · 1 · 60 ns');
    await press(page, 'h');
    expect(await labels(page)).toEqual(['all · 40 ns', 'main · 0 of 1 · ≥ 100 ns', 'b · 1 · 30 ns']);
    await eventually(() => hashOf(page)).toMatch(/zoom=main$/);
    await push(page, 'without a');
    expect((await labels(page)).slice(0, 4)).toEqual(IN_MAIN);
    await page.locator('#tab-threads').click();
    await page.locator('[aria-label="Threads"] .row').last().click();
    await eventually(() => hashOf(page)).toMatch(/threads=.*zoom=|zoom=.*threads=/);
    await page.locator('#tab-functions').click();
  });
});

describe('callers and callees', () => {
  test('open functions by key and by menu', async () => {
    await page.setViewportSize({ width: 1900, height: 800 });
    await goTo(page);
    const leaf = (await rows(page)).findIndex(([name]) => name === 'leaf');
    await page.locator('[aria-label="Functions"] .row').nth(leaf).click();
    const title = () => page.locator('.function h2').textContent();
    await eventually(title).toBe('leaf');
    await page.locator('.half.callers g.frame[tabindex]').focus();
    await press(page, 'ArrowUp', 'o');
    await eventually(title).toBe('a');
    const { x, y } = await positionOf(page, 'leaf · 1 · 20 ns', '.half.callees .graph');
    await page.mouse.click(x, y, { button: 'right' });
    await press(page, 'Enter');
    await eventually(title).toBe('leaf');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('leave Esc to the zoom if they are hidden', async () => {
    await goTo(page);
    await click(page, 'b · 1 · 30 ns');
    await page.evaluate(() => {
      location.hash += '&function=1'; // a stop
    });
    await drawn(page);
    expect(await page.locator('.function').isVisible()).toBe(false);
    await press(page, 'Escape');
    expect((await labels(page)).slice(0, 4)).toEqual(IN_MAIN);
  });
});

test('keeps the bottom of a flame graph visible when the function panel opens', async () => {
  const own = await openReport(browser, DEEP);
  const fromBottom = () =>
    own.$eval('.graph.main', (graph) => graph.scrollHeight - graph.clientHeight - Math.round(graph.scrollTop));
  const height = () => own.$eval('.graph.main', ({ clientHeight }) => clientHeight);
  const before = await height();
  expect(await fromBottom()).toBe(0);
  await own.locator('[aria-label="Functions"] .row').first().click();
  await eventually(height).toBeLessThan(before - 50);
  expect(await fromBottom()).toBe(0);
  await own.$eval('.graph.main', (graph) => graph.scrollBy(0, -150));
  await eventually(fromBottom).toBe(150);
  await push(own, 'Close');
  await eventually(height).toBe(before);
  expect(await fromBottom()).toBe(150);
  await own.close();
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
