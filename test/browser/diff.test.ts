/**
 * Tests the page and the picture of a comparison in a real browser: mouse, keyboard alone, screen readers, narrow windows.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { diffOf } from '../../src/answers.js';
import { renderDiffHtml } from '../../src/page/diff/html.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import { renderDiffSvg } from '../../src/render/diff/picture.js';
import { press, windows } from '../helpers/browser/browser.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const browser = windows('html');
const pictures = windows('svg');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 });

/** Calls of main, one after the other: a name and a duration each. */
function trace(calls: readonly (readonly [name: string, ns: number])[]): string {
  let ns = 100;
  const lines = calls.flatMap(([name, took]) => {
    const from = ns;
    ns += took + 20;
    return [`${from} call main ${name}`, `${from + took} return ${name} main`];
  });
  return traceOf(lines.join('\n'));
}
const repeated = (name: string, durations: readonly number[]) => durations.map((ns) => [name, ns] as const);

const BEFORE = trace([
  ...repeated('slower', [1000, 1010, 990]),
  ...repeated('noisy', [500, 700, 600]),
  ...repeated('faster', [900, 905, 910]),
  ['old', 800],
]);
const AFTER = trace([
  ...repeated('slower', [3000, 3010, 2990]),
  ...repeated('noisy', [520, 700, 620]),
  ...repeated('faster', [600, 605, 610]),
  ['fresh', 900],
]);

async function pageText(): Promise<string> {
  const [before, after] = [
    await analyzeText(BEFORE, { durations: true }),
    await analyzeText(AFTER, { durations: true }),
  ];
  return [...renderDiffHtml(compareProfiles(before, after), diffOf(before, after).functions, { title: 'a → b' })].join(
    '',
  );
}

/** The label and the class of each frame, row by row from the top. */
const frames = (page: Page) =>
  page.evaluate(() => {
    const labels = [...document.querySelectorAll('#labels text')].map((text) => text.textContent ?? '');
    return { labels, classes: [...document.querySelectorAll('#boxes rect')].map((box) => box.getAttribute('class')) };
  });
const widthOf = async (page: Page, name: string) => {
  const classes = (await frames(page)).classes;
  return Number(await page.locator('#boxes rect').nth(classes.indexOf(name)).getAttribute('width'));
};
const tableRows = (page: Page) =>
  page.$$eval('#functions tbody tr', (rows) => rows.map((row) => row.querySelector('th')?.textContent ?? ''));

let page: Page;
beforeAll(async () => {
  page = await browser.open(await pageText());
}, 60_000);

async function reset(): Promise<void> {
  await page.bringToFront();
  await page.evaluate(() => {
    location.hash = '';
    (document.activeElement as HTMLElement | null)?.blur();
  });
  await eventually(async () => (await frames(page)).labels[0]).toMatch(/^▲ all/);
}

test('begins with the width that was asked for, and shows it', async () => {
  const [before, after] = [await analyzeText(BEFORE), await analyzeText(AFTER)];
  for (const widthOf of ['before', 'larger'] as const) {
    const rows = diffOf(before, after).functions;
    const page = await browser.open([...renderDiffHtml(compareProfiles(before, after), rows, { widthOf })].join(''));
    expect(await page.locator('#width').inputValue()).toBe(widthOf);
    await page.close();
  }
});

test('shows each kind of change by colour, sign and words', async () => {
  const { labels, classes } = await frames(page);
  expect(classes).toEqual(['more2', 'more2', 'less2', 'new', 'noise', 'gone', 'more3']);
  expect(labels.some((label) => label.startsWith('▲ slower · +6 µs · +200 %'))).toBe(true);
  for (const start of ['▼ faster · −900 ns', '✚ fresh · +900 ns · new', '✕ old · −800 ns · gone', '≈ noisy · +40 ns'])
    expect(
      labels.filter((label) => start.startsWith(label) || label.startsWith(start)),
      start,
    ).toHaveLength(1);
});

test('colours are patterns that exist, also in the dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const missing = await page.$$eval(
      '#boxes rect',
      (boxes) =>
        boxes.filter((box) => {
          const [, id] = /url\("?#(.*?)"?\)/.exec(getComputedStyle(box).fill) ?? [];
          return id === undefined || document.getElementById(id) === null;
        }).length,
    );
    expect(missing).toBe(0);
  }
  await page.emulateMedia({ colorScheme: null });
});

test('shows all numbers on hover', async () => {
  await reset();
  const box = await page.locator('#boxes rect').last().boundingBox();
  await page.mouse.move((box?.x ?? 0) + 3, (box?.y ?? 0) + 3);
  const text = await page.locator('.tooltip').textContent();
  for (const part of [
    'slower',
    'total3 µs → 9 µs+6 µs · +200 % · noise ±',
    'of all',
    'self3 µs → 9 µs',
    'calls3 → 3=',
    'average1 µs → 3 µs',
  ])
    expect(text).toContain(part);
});

test('the width is the time after, before, or the larger of both', async () => {
  await reset();
  const widths: number[][] = [];
  for (const choice of ['after', 'before', 'larger']) {
    await page.selectOption('#width', choice);
    widths.push(await Promise.all([widthOf(page, 'more3'), widthOf(page, 'less2'), widthOf(page, 'gone')]));
  }
  const ratio = ([slower = 0, faster = 1]: readonly number[]) => slower / faster;
  expect(ratio(widths[0] as number[])).toBeCloseTo(9000 / 1815, 1);
  expect(ratio(widths[1] as number[])).toBeCloseTo(3000 / 2715, 1);
  expect(ratio(widths[2] as number[])).toBeCloseTo(9000 / 2715, 1);
  for (const [, , gone] of widths) expect(gone).toBeGreaterThan(30);
  expect(page.url()).toContain('width=larger');
  await page.goBack();
  await eventually(() => page.locator('#width').inputValue()).toBe('before');
});

test('a link shows the width that it names', async () => {
  await reset();
  await page.selectOption('#width', 'before');
  const before = await widthOf(page, 'more3');
  await page.reload();
  await eventually(() => page.locator('#width').inputValue()).toBe('before');
  expect(await widthOf(page, 'more3')).toBe(before);
});

test('the table is sorted by its titles, and a function marks its frames', async () => {
  await reset();
  expect((await tableRows(page))[0]).toBe('slower');
  await page.locator('[data-key=name] button').click();
  expect((await tableRows(page)).slice(0, 2)).toEqual(['faster', '✚ new fresh']);
  expect(await page.locator('[data-key=name]').getAttribute('aria-sort')).toBe('descending');
  await page.locator('[data-key=name] button').click();
  expect((await tableRows(page))[0]).toBe('slower');
  await page.locator('#functions tbody button', { hasText: 'noisy' }).click();
  expect(await page.locator('#boxes .match').count()).toBe(1);
  expect(await tableRows(page)).toEqual(['noisy']);
  expect(await page.locator('#functions tbody td.noisy').first().textContent()).toMatch(/^≈ \+/);
});

test('works by keys alone', async () => {
  await reset();
  await page.locator('#bar input').focus();
  await page.keyboard.type('slow');
  await eventually(() => page.locator('output').textContent()).toMatch(/^1 frame, /);
  await press(page, 'Enter', 'ArrowUp', 'ArrowUp');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  expect(await focused()).toMatch(/^slower: more time than before, total 3 µs → 9 µs/);
  expect(await page.locator('#mark.keys').getAttribute('visibility')).toBe('visible');
  await press(page, 'Enter');
  await eventually(() => page.url()).toContain('zoom=');
  await press(page, 'Escape');
  await eventually(() => page.url()).not.toContain('search=');
  await press(page, 'r');
  await eventually(() => page.url()).not.toContain('zoom=');
});

test.each([380, 768, 1920])('fits a window of %i pixels', async (width) => {
  await reset();
  await page.setViewportSize({ width, height: 700 });
  await eventually(() => page.locator('#graph svg').first().getAttribute('width')).toBe(
    String(await page.evaluate(() => document.getElementById('graph')?.clientWidth)),
  );
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await page.setViewportSize({ width: 1200, height: 800 });
});

describe('axe finds no violations', () => {
  const violations = (of: Page) =>
    of.evaluate(async (source) => {
      const holder = globalThis as unknown as { axe?: { run: () => Promise<{ violations: unknown[] }> } };
      if (!holder.axe) new Function(source)();
      const found = await (holder.axe as NonNullable<typeof holder.axe>).run();
      type Found = { id: string; nodes: { target: string[]; failureSummary: string }[] };
      return (found.violations as Found[]).map(({ id, nodes }) => [id, nodes[0]?.target, nodes[0]?.failureSummary]);
    }, AXE);

  test.each(['light', 'dark'] as const)(
    'in the %s theme, also while searching and in a narrow window',
    async (colorScheme) => {
      const open = await lenient.open(await pageText());
      await open.emulateMedia({ colorScheme });
      expect(await violations(open)).toEqual([]);
      await open.locator('#bar input').fill('slow');
      expect(await violations(open)).toEqual([]);
      await open.setViewportSize({ width: 420, height: 800 });
      expect(await violations(open)).toEqual([]);
    },
  );
});

test('the picture zooms, searches and describes changes', async () => {
  const [before, after] = [await analyzeText(BEFORE), await analyzeText(AFTER)];
  const picture = await pictures.open([...renderDiffSvg(compareProfiles(before, after))].join(''));
  expect((await frames(picture)).classes).toContain('gone');
  await press(picture, '/');
  await picture.keyboard.type('noisy');
  await eventually(() => picture.locator('#boxes .match').count()).toBe(1);
  await press(picture, 'Enter', 'ArrowUp', 'ArrowUp');
  const label = await picture.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  expect(label).toMatch(/: (more|less) time than before, total/);
  expect(await picture.locator('.panel').textContent()).toContain('→');
});
