/**
 * Tests the report page in windows of other widths, in print, and in the light and the dark theme.
 */
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  CALLS,
  eventually,
  frames,
  goTo,
  hashOf,
  htmlOf,
  openReport,
  pick,
  profileOfTrace,
  rows,
} from '../../helpers/browser/report-page.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html', { hasScrollBars: true });

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

test('redraws for another window width', async () => {
  await goTo(page);
  for (const width of [900, 1200]) {
    await page.setViewportSize({ width, height: 800 });
    const room = () => page.evaluate(() => document.querySelector('.graph.main')?.clientWidth ?? 0);
    await eventually(async () => (await frames(page))[0]?.width).toBe((await room()) - 1);
    expect(await room()).toBeGreaterThan(width - 60);
  }
});

test('prints without controls and in light colours', async () => {
  await goTo(page, '#function=6');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.locator('.panel').waitFor();
  for (const hidden of [
    'header > button.drop',
    'header .search',
    '.bar > button',
    '.bar [role=tablist]',
    '.panel [role=tablist]',
  ])
    expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ media: null, colorScheme: null });
});

test('prints what the screen shows: zoom, panel, search and the filter of the table, without buttons', async () => {
  const calls = Array.from(
    { length: 10_000 },
    (_, at) => `${9 * at} call main f${at}\n${9 * at + 7} return f${at} main`,
  );
  const own = await openReport(browser, traceOf(calls.join('\n')), {}, '#zoom=main&search=f&function=f7');
  await own.setViewportSize({ width: 1200, height: 500 }); // fewer rows on the screen than on paper
  await own.emulateMedia({ media: 'print' });
  expect(await own.getByRole('searchbox').inputValue()).toBe('f');
  for (const shown of ['.search input', '.search output', '.panel h2', '.above:has-text("only matches: 10,000 of")'])
    expect(await own.locator(shown).first().isVisible(), shown).toBe(true);
  expect(
    await own
      .locator(
        'button:visible:not(.head button, .finding .name, .chip, .calls button, .trust, .crumbs button, .legend button)',
      )
      .allTextContents(),
  ).toEqual([]);
  const rowsOnPaper = await own.$eval('.table', (table) => {
    const { top, bottom } = table.getBoundingClientRect();
    const inside = [...table.querySelectorAll('.row')].map((row) => row.getBoundingClientRect());
    return { shown: inside.filter((row) => row.height > 0 && row.bottom <= bottom + 1).length, heightPx: bottom - top };
  });
  expect(rowsOnPaper.shown).toBe(40);
  await own.emulateMedia({ media: null });
  await own.close();
});

test('shrinks to the width of the paper, without extra sheets', async () => {
  await goTo(page);
  await page.emulateMedia({ media: 'print' });
  const sizes = await page.evaluate(() => {
    document.body.style.width = '500px';
    const { width, height } = (document.querySelector('.graph.main svg') as Element).getBoundingClientRect();
    document.body.style.width = '';
    const full = (document.querySelector('.graph.main svg') as Element).getBoundingClientRect();
    return { width, ratio: width / height, fullWidth: full.width, fullRatio: full.width / full.height };
  });
  expect(sizes.fullWidth).toBeGreaterThan(1000);
  expect(sizes.width).toBeLessThanOrEqual(500);
  expect(sizes.ratio).toBeCloseTo(sizes.fullRatio, 1);
  expect(sheetsOf(await page.pdf({ preferCSSPageSize: true }))).toBe(1);
  await page.emulateMedia({ media: null });
});

const sheetsOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length;

/** How many colours the pictures of a PDF have, those of this height. */
function coloursOf(pdf: Buffer, height: number): number[] {
  const pictures = [...pdf.toString('latin1').matchAll(/<<[^>]*\/Subtype \/Image[^>]*>> stream\n/g)];
  return pictures
    .filter(([head]) => head.includes(`/Height ${height}\n`) && head.includes('/ICCBased'))
    .map(({ 0: head, index }) => {
      const bytes = inflateSync(pdf.subarray(index + head.length));
      return new Set(Array.from({ length: bytes.length / 3 }, (_, at) => bytes.readUIntBE(3 * at, 3))).size;
    });
}

describe('the time axis on paper', () => {
  let own: Page;
  beforeAll(async () => {
    const options = { trees: 'apart', durations: true, timelineBytes: 1e6 } as const;
    const trace = inputOf(fixture('waits/requests.txt.gz'));
    const { profile, timeline, waits } = await analyzeForPage([trace], options);
    let html = '';
    for await (const part of renderHtmlInParallel(profile, {}, { timeline, waits })) html += part;
    own = await browser.open(html);
    await drawn(own);
  }, 60_000);

  test.each(['', '#range=10000000-30000000'])('has strips however many strokes they take %s', async (hash) => {
    await goTo(own, hash);
    const heightPx = await own.$eval('.strips', (strips) => strips.clientHeight);
    const colours = coloursOf(await own.pdf({ preferCSSPageSize: true }), 3 * heightPx);
    expect(Math.max(...colours)).toBeGreaterThan(20); // arrows alone are black
  });

  test.each([
    ['the functions', '', 'Functions'],
    ['a stack chart and its calls', '#chart=9170&tab=calls', 'Calls'],
  ])('takes a sheet with the graph, and another one with the table of %s: none is blank', async (_, hash, label) => {
    await goTo(own, hash);
    await eventually(async () => (await rows(own, label)).length).toBeGreaterThan(20);
    expect(sheetsOf(await own.pdf({ preferCSSPageSize: true }))).toBe(2);
  });
});

test('prints a scrolled table without the space above', async () => {
  const calls = Array.from({ length: 90 }, (_, at) => `${9 * at} call main f${at}\n${9 * at + 7} return f${at} main`);
  const own = await openReport(browser, traceOf(calls.join('\n')));
  await own.$eval('.table', (table) => table.scrollTo(0, 1000));
  await eventually(async () => (await rows(own))[0]?.[0]).not.toBe('main');
  await own.emulateMedia({ media: 'print' });
  const [head, first] = await own.evaluate(() =>
    ['.headgroup', '.row'].map((one) => document.querySelector(one)?.getBoundingClientRect()),
  );
  expect(first?.top).toBeCloseTo(head?.bottom ?? 0, 0);
  await own.close();
});

test('prints a tall graph in full above the table, with what is left out', async () => {
  const calls = Array.from({ length: 60 }, (_, depth) => `${depth} call f${depth} f${depth + 1}`);
  const own = await openReport(browser, traceOf(`${calls.join('\n')}\n90 return f60 f59`), {}, '#hide=59');
  await own.emulateMedia({ media: 'print' });
  const [graph, svg, table] = await own.evaluate(() =>
    ['.graph.main', '.graph.main svg', '.table'].map((one) => document.querySelector(one)?.getBoundingClientRect()),
  );
  expect(svg?.height).toBeGreaterThan(900);
  expect(graph?.height).toBeGreaterThanOrEqual(svg?.height ?? 0);
  expect(table?.top).toBeGreaterThanOrEqual(svg?.bottom ?? 0);
  expect(await own.locator('.chip').isVisible()).toBe(true);
  await own.close();
});

test('says so in the page if its data is damaged', async () => {
  const html = htmlOf(await profileOfTrace(CALLS));
  const own = await browser.open(html.replace(/(id="data"[^>]*>[^<]{40})[^<]{8}/, '$1AAAAAAAA'));
  await eventually(() => own.getByRole('alert').textContent()).toMatch(/^This file is damaged: .*Copy it again/);
  await own.close();
});

test('follows the theme of the system until it is switched', async () => {
  await goTo(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await paper()).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await paper()).toBe('rgb(20, 22, 27)');
  await press(page, 'd');
  expect(await paper()).toBe('rgb(255, 255, 255)');
  expect(await hashOf(page)).toBe('theme=light');
  await pick(page, 'View', 'Dark');
  expect(await paper()).toBe('rgb(20, 22, 27)');
  await goTo(page);
  await page.reload();
  expect(await paper()).toBe('rgb(20, 22, 27)'); // as on the last visit
  await goTo(page, 'theme=light');
  expect(await paper()).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: null });
});
