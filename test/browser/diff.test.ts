/**
 * Tests the page and the picture of a comparison in a real browser: mouse, keyboard alone, screen readers, narrow windows.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { STRIPS_ALONE, stripsOfBoth } from '../../src/page/contents/compared-strips.js';
import { renderComparedHtml } from '../../src/page/html.js';
import { analyzeOverTime } from '../../src/pipeline/analyze.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import { type DiffPictureOptions, renderDiffSvg } from '../../src/render/diff/picture.js';
import { formatDuration } from '../../src/render/format.js';
import { axeViolations } from '../helpers/browser/axe.js';
import { press, windows } from '../helpers/browser/browser.js';
import { drawn } from '../helpers/browser/drawing.js';
import {
  chips,
  enterGraph,
  eventually,
  focusedText,
  frames,
  goTo,
  hashOf,
  hover,
  labels,
  pick,
  push,
  rows,
  tooltip,
} from '../helpers/browser/report-page.js';
import { analyzeText, inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const browser = windows('html');
const pictures = windows('svg');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });

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

async function pageText(options: DiffPictureOptions = {}): Promise<string> {
  const sideOf = (text: string) => analyzeOverTime([inputOf(text)], { durations: true, ...STRIPS_ALONE });
  const [before, after] = [await sideOf(BEFORE), await sideOf(AFTER)];
  const comparison = compareProfiles(before.profile, after.profile);
  const strips = stripsOfBoth(before.timeline, after.timeline);
  return [...renderComparedHtml(comparison, { title: 'a → b', ...options }, strips)].join('');
}

const classesOf = async (page: Page) => (await frames(page)).map(({ fill }) => /#fill-(\w+)/.exec(fill)?.[1] ?? fill);
const widthOf = async (page: Page, name: string) =>
  (await frames(page)).find(({ fill }) => fill.includes(`#fill-${name}`))?.width ?? 0;
const names = async (page: Page) => (await rows(page)).map(([name]) => name);

let page: Page;
beforeAll(async () => {
  page = await browser.open(await pageText());
  await drawn(page);
}, 60_000);

test('begins with the width that was asked for', async () => {
  for (const widthOf of ['before', 'after'] as const) {
    const page = await browser.open(await pageText({ widthOf }));
    await drawn(page);
    await push(page, 'View');
    const chosen = page.locator('.menu [aria-checked=true]', { hasText: widthOf === 'before' ? 'Before' : 'After' });
    expect(await chosen.count()).toBe(1);
    await page.close();
  }
});

test('shows each kind of change by colour, sign and words', async () => {
  await goTo(page);
  expect((await classesOf(page)).toSorted()).toEqual(['gone', 'less2', 'more2', 'more2', 'more3', 'new', 'noise']);
  const shown = await labels(page);
  expect(shown.some((label) => label.startsWith('▲ slower · +6 µs · +200 %'))).toBe(true);
  for (const start of ['▼ faster · −900 ns', '✚ fresh · +900 ns · new', '✕ old · −800 ns · gone', '≈ noisy · +40 ns'])
    expect(
      shown.filter((label) => start.startsWith(label) || label.startsWith(start)),
      start,
    ).toHaveLength(1);
  const legend = await page.locator('.legend li').allTextContents();
  expect(legend).toEqual(['▲ more', '▼ less', '✚ new', '✕ gone', '≈ within noise']);
});

test('shows what both recordings did over time, without their calls', async () => {
  await goTo(page);
  const strips = page.locator('.strips canvas').first();
  await strips.waitFor();
  const { x, y, width } = (await strips.boundingBox()) as { x: number; y: number; width: number };
  const titles = [];
  for (const row of [0, 1]) {
    await page.mouse.move(x + width - 3, y + 18 * row + 9);
    titles.push((await tooltip(page))?.split('time')[0]);
    await page.mouse.click(x + 5, y + 18 * row + 9); // the name leads nowhere
  }
  expect(titles).toEqual(['after', 'before']);
  expect(await tooltip(page)).not.toContain('clock');
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Flame graph', 'Call tree', 'Functions']);
  expect(await page.getByRole('slider').count()).toBe(0);
  expect(await hashOf(page)).toBe('');
});

test('says what changed most, and leads to it', async () => {
  await goTo(page);
  await eventually(() => page.locator('.finding p').textContent()).toMatch(
    /^The recording after has .*\. Largest change of own time beyond noise: slower \+6 µs\.$/,
  );
  await page.locator('.finding').getByRole('button', { name: 'Show it' }).click();
  await eventually(() => hashOf(page)).toBe('function=slower');
});

test('has head, trust and notes of both recordings', async () => {
  expect(await page.locator('h1').textContent()).toBe('a → b');
  expect(await page.locator('header .sub').textContent()).toMatch(/^Comparison · \d.* → \d/);
  const facts = await page.locator('#trust').textContent();
  for (const part of ['before: ', 'after: ', 'how the time of a frame changed']) expect(facts).toContain(part);
  expect(await page.locator('[role=tablist] [role=tab]').allTextContents()).not.toContain('Threads');
  expect(await chips(page)).toEqual([]);
});

test('colours are patterns that exist, also in the dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const missing = await page.$$eval(
      'g.frame rect',
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
  await goTo(page);
  await hover(page, (await labels(page)).find((label) => label.startsWith('▲ slower')) as string);
  const text = await tooltip(page);
  for (const part of [
    'slower',
    'total3 µs → 9 µs+6 µs · +200 % · noise ±',
    'of all',
    'self3 µs → 9 µs',
    'calls3 → 3=',
    'average1 µs → 3 µs',
  ])
    expect(text).toContain(part);
  await page.mouse.move(0, 0);
});

test('the width is the larger of both, or the time after or before', async () => {
  await goTo(page);
  const widths: number[][] = [];
  for (const choice of ['After', 'Before', 'Larger of both']) {
    await pick(page, 'View', choice);
    await drawn(page);
    widths.push(await Promise.all([widthOf(page, 'more3'), widthOf(page, 'less2'), widthOf(page, 'gone')]));
  }
  const ratio = ([slower = 0, faster = 1]: readonly number[]) => slower / faster;
  expect(ratio(widths[0] as number[])).toBeCloseTo(9000 / 1815, 1);
  expect(ratio(widths[1] as number[])).toBeCloseTo(3000 / 2715, 1);
  expect(ratio(widths[2] as number[])).toBeCloseTo(9000 / 2715, 1);
  for (const [, , gone] of widths) expect(gone).toBeGreaterThan(30);
  await page.goBack();
  await eventually(() => hashOf(page)).toBe('width-of=before');
});

test('links show the width that they name, older ones, too', async () => {
  for (const hash of ['#width-of=before', '#width=before']) {
    await goTo(page, hash);
    expect((await widthOf(page, 'more3')) / (await widthOf(page, 'less2'))).toBeCloseTo(3000 / 2715, 1);
    expect(await page.locator('.notice').textContent()).toBe('');
  }
});

test('the table is sorted by its titles, and a function marks its frames', async () => {
  await goTo(page);
  await eventually(async () => (await names(page))[0]).toBe('slower');
  expect((await rows(page)).map((cells) => cells.slice(0, 5).join(' | '))).toEqual([
    'slower | 9 µs | 3 µs | ▲ +6 µs | +200 %',
    'main | 13.7 µs | 8.49 µs | ▲ +5.24 µs | +61.7 %',
    'faster | 1.81 µs | 2.71 µs | ▼ −900 ns | −33.1 %',
    'fresh | 900 ns | 0 ns | ✚ +900 ns | new',
    'old | 0 ns | 800 ns | ✕ −800 ns | −100 %',
    'noisy | 1.84 µs | 1.8 µs | ≈ +40 ns | +2.22 %',
  ]);
  await page.locator('.table .row', { hasText: 'noisy' }).click();
  await eventually(() => page.locator('g.frame.match').count()).toBe(1);
});

test('a function that is gone has its numbers in the panel, with callers and callees', async () => {
  await goTo(page, '#function=old');
  await eventually(() => page.locator('.compared tr').nth(1).textContent()).toBe('Total0 ns800 ns✕ −800 ns−100 %');
  await eventually(() => page.locator('.path small').first().textContent()).toBe('✕ −800 ns');
  await goTo(page, '#function=main');
  await eventually(() => page.locator('.path', { hasText: 'noisy' }).locator('small').textContent()).toBe('≈ +40 ns');
});

test('works by keys alone', async () => {
  await goTo(page);
  await press(page, '/');
  await page.keyboard.type('slow');
  await eventually(() => page.locator('.search output').textContent()).toMatch(/^1 frame, /);
  await press(page, 'Enter');
  await page.locator('.graph.main g.frame[tabindex="0"]').focus();
  await enterGraph(page);
  await press(page, 'ArrowDown', 'ArrowDown');
  await eventually(() => focusedText(page)).toMatch(/^slower: more time than before, total 3 µs → 9 µs/);
  await press(page, 'Enter');
  await eventually(() => hashOf(page)).toContain('zoom=');
  await press(page, 'Escape');
  await eventually(() => hashOf(page)).not.toContain('search=');
  await press(page, 'r');
  await eventually(() => hashOf(page)).not.toContain('zoom=');
});

test.each([390, 768, 1024, 1920])('fits a window of %i pixels', async (width) => {
  await goTo(page, '#function=slower');
  await page.setViewportSize({ width, height: 700 });
  await drawn(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await page.setViewportSize({ width: 1200, height: 800 });
});

test('chips have the time of both sides, divided as the numbers are', async () => {
  await goTo(page, '#hide=slower');
  expect(await chips(page)).toEqual(['without slower · 3 µs → 9 µs left out']);
  const [before, after] = [await analyzeText(BEFORE), await analyzeText(AFTER)];
  const comparison = compareProfiles(before, after, 'second');
  const perSecond = await browser.open(
    [...renderComparedHtml(comparison, { title: 'a → b' })].join(''),
    '#hide=slower',
  );
  await drawn(perSecond);
  const { scales } = comparison;
  expect(scales.before).not.toBe(1);
  const [old, now] = [3000 * scales.before, 9000 * scales.after].map(formatDuration);
  expect(await chips(perSecond)).toEqual([`without slower · ${old} → ${now} left out`]);
  await perSecond.close();
});

test('no change is cut, however large', async () => {
  const [before, after] = [await analyzeText(trace([['grown', 50]])), await analyzeText(trace([['grown', 6158]]))];
  const own = await browser.open([...renderComparedHtml(compareProfiles(before, after), { title: 'a → b' })].join(''));
  await drawn(own);
  const cell = own.locator('.row', { hasText: 'grown' }).locator('.percent, [role]', { hasText: '+12,216 %' }).first();
  expect(await cell.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  await own.close();
});

test('the header takes two lines of a narrow window: the chip is shortened', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  const topOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => one.getBoundingClientRect().top);
  const [help, chip] = [await topOf('header [aria-label=Keys]'), await topOf('header .trust')];
  expect(Math.abs(help - chip)).toBeLessThan(12);
  await page.setViewportSize({ width: 1200, height: 800 });
});

test.each(['light', 'dark'] as const)('axe finds no violations in the %s theme', async (colorScheme) => {
  const open = await lenient.open(await pageText());
  await open.emulateMedia({ colorScheme });
  for (const hash of ['', '#search=slow', '#function=slower', '#view=tree']) {
    await goTo(open, hash);
    expect(await axeViolations(open), hash).toEqual([]);
  }
  await open.setViewportSize({ width: 420, height: 800 });
  expect(await axeViolations(open)).toEqual([]);
});

test('the picture zooms, searches and describes changes', async () => {
  const [before, after] = [await analyzeText(BEFORE), await analyzeText(AFTER)];
  const picture = await pictures.open([...renderDiffSvg(compareProfiles(before, after))].join(''));
  const classes = await picture.$$eval('#boxes rect', (boxes) => boxes.map((box) => box.getAttribute('class')));
  expect(classes).toContain('gone');
  await press(picture, '/');
  await picture.keyboard.type('noisy');
  await eventually(() => picture.locator('#boxes .match').count()).toBe(1);
  await press(picture, 'Enter', 'ArrowUp', 'ArrowUp');
  const label = await picture.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  expect(label).toMatch(/: (more|less) time than before, total/);
  expect(await picture.locator('.panel').textContent()).toContain('→');
});
