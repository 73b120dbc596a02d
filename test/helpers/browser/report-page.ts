/**
 * Opens, reads and clicks the report page for tests.
 */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type HtmlOptions, type Profile, renderHtml } from '../../../src/index.js';
import { analyzeText } from '../traces/load.js';
import { traceOf } from '../traces/trace-of.js';
import type { Windows } from './browser.js';
import { drawn } from './drawing.js';

export const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 });

/** main (100 ns) calls a (60), which calls leaf (20) and itself (30, including leaf 10), and b (30). */
export const CALLS = traceOf(`
  0    call    main  a
  5    call    a     leaf
  25   return  leaf  a
  25   call    a     a
  30   call    a     leaf
  40   return  leaf  a
  55   return  a     a
  60   return  a     main
  70   call    main  b
  100  return  b     main`);

export async function profileOfTrace(trace: string | Uint8Array): Promise<Profile> {
  return analyzeText(trace, { durations: true, byCalls: true });
}

export function htmlOf(profile: Profile, options: HtmlOptions = {}): string {
  return [...renderHtml(profile, options)].join('');
}

export async function openReport(
  browser: Windows,
  trace: string | Uint8Array,
  options: HtmlOptions = {},
  hash = '',
): Promise<Page> {
  return browser.open(htmlOf(await profileOfTrace(trace), options), hash);
}

/** Goes to the initial or another address without reloading the page. */
export async function goTo(page: Page, hash = ''): Promise<void> {
  await page.bringToFront();
  await page.evaluate(async (to) => {
    (document.activeElement as HTMLElement | null)?.blur();
    const before = location.href;
    const changed = new Promise((done) => addEventListener('hashchange', done, { once: true }));
    location.hash = to;
    // else what follows could come before the page has followed the address
    if (location.href !== before) await Promise.race([changed, new Promise((done) => setTimeout(done, 1000))]);
  }, hash);
  await drawn(page);
}

/** As the page has it: Playwright is told later. */
export const hashOf = async (page: Page) => decodeURIComponent(await page.evaluate(() => location.hash.slice(1)));

/** Returns the labels of frames, row by row from the root. */
export async function labels(page: Page, graph = '.graph.main'): Promise<string[]> {
  return (await frames(page, graph)).map(({ label }) => label).filter((label) => label !== '');
}

/** Returns the total of the graph, which its root has at the right end. */
export async function total(page: Page): Promise<string | undefined> {
  return (await frames(page))[0]?.end.split('  ')[0];
}

export interface DrawnFrame {
  readonly label: string;
  /** At the right end of the label: total and share; empty: none. */
  readonly end: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly fill: string;
  readonly classes: string;
}

/** Returns the frames row by row from the root, each row from left to right. */
export async function frames(page: Page, graph = '.graph.main'): Promise<DrawnFrame[]> {
  const found = await page.$$eval(`${graph} g.frame`, (all) =>
    all.map((frame) => {
      const rect = frame.querySelector('rect') as SVGRectElement;
      return {
        label: frame.querySelector('.d3-flame-graph-label')?.textContent ?? '',
        end: frame.querySelector('.d3-flame-graph-label')?.getAttribute('data-end') ?? '',
        x: Number(rect.getAttribute('x')),
        y: Number(rect.getAttribute('y')),
        width: Number(rect.getAttribute('width')),
        fill: rect.getAttribute('fill') ?? '',
        classes: frame.getAttribute('class') ?? '',
      };
    }),
  );
  const rootY = found.find(({ label }) => label.startsWith('all'))?.y ?? 0;
  return found.sort((a, b) => Math.abs(a.y - rootY) - Math.abs(b.y - rootY) || a.x - b.x);
}

/** Returns the middle of the left edge of a frame, in the window. */
export async function positionOf(page: Page, label: string, graph = '.graph.main'): Promise<{ x: number; y: number }> {
  const found = await page.$$eval(
    `${graph} g.frame`,
    (all, wanted) => {
      const frame = all.find((one) => one.querySelector('.d3-flame-graph-label')?.textContent === wanted);
      frame?.scrollIntoView({ block: 'nearest' });
      const box = frame?.querySelector('rect')?.getBoundingClientRect();
      return box && { x: box.left + Math.min(6, box.width / 2), y: box.top + box.height / 2 };
    },
    label,
  );
  if (!found) throw new Error(`${label} is not drawn`);
  return found;
}

export async function click(page: Page, label: string, graph = '.graph.main'): Promise<void> {
  const { x, y } = await positionOf(page, label, graph);
  await page.mouse.click(x, y);
}

/** Zooms to a frame by a double click, which selects its function, too. */
export async function zoomTo(page: Page, label: string): Promise<void> {
  const { x, y } = await positionOf(page, label);
  await page.mouse.dblclick(x, y);
  await eventually(() => hashOf(page)).toContain('zoom=');
}

export async function hover(page: Page, label: string, graph = '.graph.main'): Promise<void> {
  const { x, y } = await positionOf(page, label, graph);
  await page.mouse.move(x, y);
}

/** Clicks by script: Playwright takes several frames to scroll, and to look whether something is in front. */
export async function clickByScript(target: Locator): Promise<void> {
  await target.evaluate((element) => (element as HTMLElement).click());
  await drawn(target.page());
}

export async function push(page: Page, name: string | RegExp): Promise<void> {
  await clickByScript(page.getByRole('button', { name }).first());
}

/** Opens the menu of a button by script, and chooses an item. */
export async function pick(page: Page, menu: string, item: string): Promise<void> {
  await push(page, new RegExp(`^${menu}$`));
  await clickByScript(page.locator('.menu button', { has: page.locator('span', { hasText: item }) }).first());
}

/** Moves the focus to the root of the graph, which is on top. */
export async function enterGraph(page: Page): Promise<void> {
  await page.locator('.graph.main g.frame[tabindex]').first().focus();
  while (!(await focusedText(page)).startsWith('all:')) await page.keyboard.press('ArrowUp');
}

export const focusedText = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
  });

/** Shows all columns of functions and of the call tree; goes into an address. */
export const ALL_COLUMNS =
  'columns=total,share,self,calls,avg,outside,outside-self,cpu,waiting-share,off-cpu,min,p50,p90,p99,max,unwound,line';

/** How the page shows what is no function, by its name in files. */
export const SHOWN_NAMES: Readonly<Record<string, string>> = {
  '[syscall]': 'system call',
  '[untraced]': 'untraced',
  '[off-cpu]': 'off CPU',
  '[preempted]': 'preempted',
  '[lost]': 'lost',
  '-- waits for [interrupt]': 'waits for a timer or device',
};

/** Returns the rows of a table that are in the document, cell by cell: the name first, without its library. */
export function rows(page: Page, label = 'Functions'): Promise<string[][]> {
  return page.$$eval(`.table[aria-label="${label}"] .row`, (all) =>
    all.map((row) => {
      const cells = [...row.children].map((cell) => cell.cloneNode(true) as Element);
      for (const beside of cells.flatMap((cell) => [...cell.querySelectorAll('.library, .twisty')])) beside.remove();
      const names = cells.findIndex(({ classList }) => classList.contains('names'));
      return [...cells.splice(names, 1), ...cells].map(({ textContent }) => (textContent ?? '').trim());
    }),
  );
}

/** Returns the titles of a table likewise: that of the names first. */
export function titles(page: Page, label = 'Functions'): Promise<string[]> {
  return page.$$eval(`.table[aria-label="${label}"] [role=columnheader]`, (all) => {
    const names = all.findIndex(({ classList }) => classList.contains('names'));
    return [...all.splice(names, 1), ...all].map(({ textContent }) => textContent ?? '');
  });
}

export const chips = (page: Page) =>
  page.$$eval('.chip', (all) => all.map((chip) => (chip.textContent ?? '').replace(/\s*✕$/, '')));

export const tooltip = (page: Page) => page.locator('.tooltip').textContent();
