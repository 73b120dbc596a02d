/**
 * Tests the SVG in a real browser, opened as a file: mouse, keys, and safety with hostile traces.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { analyze, openTraceFile, renderSvg, type SvgOptions } from '../../src/index.js';
import { press, windows } from '../helpers/browser/browser.js';
import { CALLS } from '../helpers/browser/report-page.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const browser = windows('svg');

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 60_000 });

/** Opens the SVG of a trace from a file. */
async function open(trace: string | Uint8Array, options: SvgOptions = {}, hash = ''): Promise<Page> {
  return browser.open([...renderSvg(await analyzeText(trace), options)].join(''), hash);
}

const frame = (page: Page, label: string) => page.locator('#labels text', { hasText: label }).first();

/** Returns the labels of frames, from top to bottom. */
function labels(page: Page): Promise<string[]> {
  return page.$$eval('#labels text', (texts) => texts.map((text) => text.textContent ?? ''));
}

const tooltip = (page: Page) => page.locator('.panel').textContent();

async function middleOf(page: Page, label: string): Promise<{ x: number; y: number }> {
  const box = await frame(page, label).boundingBox();
  if (box === null) throw new Error(`${label} is not drawn`);
  return { x: box.x + 3, y: box.y + box.height / 2 };
}

async function click(page: Page, label: string): Promise<void> {
  const { x, y } = await middleOf(page, label);
  await page.mouse.click(x, y);
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

describe('mouse', () => {
  test('draws the same with the script as in the file', async () => {
    const page = await open(fixture('lab/demo-cre.txt'));
    const svg = [...renderSvg(await analyzeText(fixture('lab/demo-cre.txt')))].join('');
    const inFile = [...svg.matchAll(/<rect class="(\S+)" x="(\S+)" y="(\S+)" width="(\S+)"/g)].map(
      ([, ...area]) => area,
    );
    const drawn = await page.$$eval('#boxes rect', (boxes) =>
      boxes.map((box) => ['class', 'x', 'y', 'width'].map((name) => box.getAttribute(name))),
    );
    expect(drawn.length).toBeGreaterThan(20);
    expect(drawn).toEqual(inFile);
  });

  test('shows all numbers on hover', async () => {
    const page = await open(CALLS);
    const { x, y } = await middleOf(page, 'a · 1');
    await page.mouse.move(x, y);
    const text = await tooltip(page);
    for (const number of [
      'total60 ns60 % of all',
      'self10 ns10 % of all',
      'calls1',
      'average60 nsmin 60 ns · max 60 ns',
    ])
      expect(text).toContain(number);
  });

  test('zooms in by a click, and out by a click on a caller', async () => {
    const page = await open(CALLS);
    const before = await labels(page);
    await click(page, 'a · 1');
    await expect
      .poll(() => labels(page))
      .toEqual([
        'all · 100 ns',
        'main · 0 of 1 · ≥ 100 ns',
        'a · 1 · 60 ns',
        'a · 1 · 30 ns',
        'leaf · 1 · 20 ns',
        'leaf · 1 · 10 ns',
      ]);
    const { x, y } = await middleOf(page, 'leaf · 1 · 20 ns');
    await page.mouse.move(x, y);
    expect(await tooltip(page)).toContain('33.3 % of view · 20 % of all');
    await click(page, 'main');
    await eventually(() => labels(page)).toEqual(before);
  });

  test('shows all frames by Reset zoom', async () => {
    const page = await open(CALLS);
    await click(page, 'leaf');
    await eventually(() => page.url()).toContain('zoom=');
    await page.locator('button', { hasText: 'Reset' }).click();
    await eventually(() => labels(page)).toContain('b · 1 · 30 ns');
  });

  test('opens a block of narrow frames by a click', async () => {
    const page = await open(CALLS, { minPx: 400 });
    await click(page, '3 small frames');
    await eventually(() => labels(page)).toContain('leaf · 1 · 20 ns');
  });
});

describe('search', () => {
  const result = (page: Page) => page.locator('output').textContent();

  test('finds text, and does not count nested matches twice', async () => {
    const page = await open(CALLS);
    await press(page, '/');
    await page.keyboard.type('/^a$/');
    await eventually(() => result(page)).toBe('2 frames, 60 % of view');
    expect(await page.locator('#boxes .match').count()).toBe(2);
    await page.locator('input').fill('LEAF');
    await eventually(() => result(page)).toBe('2 frames, 30 % of view');
    await press(page, 'Escape');
    await eventually(() => page.locator('#boxes .match').count()).toBe(0);
  });

  test('reports an invalid regular expression', async () => {
    const page = await open(CALLS);
    await page.locator('input').fill('/(/');
    await eventually(() => result(page)).toBe('not a regular expression');
    await page.locator('input').fill('(');
    await eventually(() => result(page)).toBe('0 frames, 0 % of view');
  });
});

describe('keys', () => {
  test('move between frames and zoom', async () => {
    const page = await open(CALLS);
    await press(page, 'Tab');
    expect(await focused(page)).toMatch(/^all: /);
    await press(page, 'ArrowUp', 'ArrowUp');
    expect(await focused(page)).toMatch(/^a: total 60 ns/);
    expect(await tooltip(page)).toContain('total60 ns');
    expect(await page.locator('#mark.keys').getAttribute('visibility')).toBe('visible');
    await press(page, 'ArrowRight');
    expect(await focused(page)).toMatch(/^b: /);
    await press(page, 'ArrowLeft', 'ArrowUp', 'ArrowUp');
    expect(await focused(page)).toMatch(/^leaf: total 10 ns/);
    await press(page, 'ArrowDown', 'Enter');
    await eventually(() => page.url()).toContain('#zoom=');
    await eventually(() => focused(page)).toMatch(/^a: total 30 ns/);
    await press(page, 'Escape');
    await eventually(() => labels(page)).toContain('b · 1 · 30 ns');
    await press(page, 'ArrowUp', 'ArrowUp', 'Enter', 'r');
    await eventually(() => labels(page)).toContain('b · 1 · 30 ns');
  });

  test('move in the opposite direction in an icicle graph', async () => {
    const page = await open(CALLS, { icicle: true });
    await press(page, 'Tab', 'ArrowDown');
    expect(await focused(page)).toMatch(/^main: /);
    await press(page, 'ArrowUp');
    expect(await focused(page)).toMatch(/^all: /);
  });

  test('are listed by ?', async () => {
    const page = await open(CALLS);
    await press(page, '?');
    expect(await tooltip(page)).toContain('search: text or /regex/');
    await press(page, 'Escape');
    expect(await page.locator('.panel').getAttribute('visibility')).toBe('hidden');
  });
});

describe('the address', () => {
  test('keeps zoom and search on reload, and supports the back button', async () => {
    const page = await open(CALLS);
    await click(page, 'a · 1');
    await page.locator('input').fill('leaf');
    await eventually(() => page.url()).toMatch(/#zoom=\d+&search=leaf$/);
    const before = await labels(page);
    await page.reload();
    expect(await labels(page)).toEqual(before);
    expect(await page.$eval('input', (input) => input.value)).toBe('leaf');
    expect(await page.locator('#boxes .match').count()).toBe(2);
  });

  test.for(['#zoom=999', '#zoom=2-1', '#zoom=x', '#zoom=0-1', '#&&=%ff', '#zoom=-1'])(
    'shows all if it is invalid (%s)',
    async (hash) => {
      expect(await labels(await open(CALLS, {}, hash))).toContain('b · 1 · 30 ns');
    },
  );
});

describe('the window', () => {
  test('determines the width of the SVG, and dark colours in the dark theme', async () => {
    const page = await open(CALLS);
    await page.setViewportSize({ width: 700, height: 500 });
    await eventually(() => page.$eval('svg', (svg) => svg.getAttribute('width'))).toBe('700');
    const ink = () => page.$eval('#title', (title) => getComputedStyle(title).fill);
    const light = await ink();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ink()).not.toBe(light);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await ink()).toBe(light);
    expect(await page.locator('#bar').isVisible()).toBe(false);
  });
});

test('shows everything in a window as narrow as a phone', async () => {
  const page = await open(fixture('lab/overflow-and-lost.txt'));
  const words = () =>
    page.$$eval('#head > text, .warning text', (all) => all.map((one) => one.textContent?.replaceAll(' ', '')));
  const before = await words();
  await page.setViewportSize({ width: 380, height: 700 });
  await eventually(() => page.$eval('svg', (svg) => svg.getAttribute('width'))).toBe('380');
  const { x, y } = await middleOf(page, 'all');
  await page.mouse.move(x, y);
  await page.locator('input').fill('/./');
  await page.mouse.move(x + 1, y);
  const ends = await page.$$eval('text, tspan, button, input, output, .panel rect, #boxes rect', (all) =>
    all
      .map((one) => ({ right: one.getBoundingClientRect().right, text: one.textContent }))
      .filter(({ right }) => right > 380),
  );
  expect(ends).toEqual([]);
  const [frames, head] = await page.$$eval('#boxes, #head', (all) => all.map((one) => one.getBoundingClientRect()));
  const bar = await page.$eval('#bar', (one) => one.getBoundingClientRect().bottom);
  expect(bar).toBeLessThanOrEqual((frames?.top ?? 0) + 1);
  expect(head?.width).toBeLessThanOrEqual(381);
  expect(await words()).toEqual(before); // also after several redraws
});

describe('a hostile trace', () => {
  const names = [
    '</script><img/src=x/onerror=alert(1)>',
    ']]></metadata><script>alert(1)</script>',
    '\u202egnp.exe',
    '&amp;"\'',
    '\ufffe',
    '\x1b]0;owned\x07',
  ];
  const trace = names
    .map(
      (name, index) =>
        `1 [000] 1.00000${index}000:   call   1000 main+0x0 => ${index + 2}000 ${name}+0x0\n1 [000] 1.00000${index}500:   return   ${index + 2}010 ${name}+0x10 => 1005 main+0x5\n`,
    )
    .join('');

  test('stays text: no element, no dialog', async () => {
    const page = await open(trace, { title: '</title><script>alert(2)</script>' });
    const elements = await page.evaluate(() => [...document.querySelectorAll('*')].map(({ localName }) => localName));
    expect(elements.filter((name) => name === 'script')).toHaveLength(1);
    expect(elements).not.toContain('img');
    expect(elements).not.toContain('parsererror');
    await page.setViewportSize({ width: 4000, height: 800 });
    await eventually(() => page.$eval('svg', (svg) => svg.getAttribute('width'))).toBe('4000');
    const shown = (await labels(page)).join('\n');
    for (const text of [
      '</script><img/src=x',
      ']]></metadata>',
      '\\u202egnp.exe',
      '&amp;"\'',
      '\\ufffe',
      '\\x1b]0;owned\\x07',
    ])
      expect(shown).toContain(text);
  });

  test('is found by a search for each name', async () => {
    const page = await open(trace);
    await page.locator('input').fill('<img/src');
    await eventually(() => page.locator('output').textContent()).toMatch(/^1 frame, /);
  });
});

test('shows the bundled trace with readable labels', async () => {
  const profile = await analyze([await openTraceFile('fixtures/demo/threads.perf.txt.gz')]);
  const page = await browser.open([...renderSvg(profile, { by: 'thread' })].join(''));
  expect((await labels(page)).length).toBeGreaterThan(10);
});
