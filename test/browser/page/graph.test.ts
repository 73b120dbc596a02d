/**
 * Tests the graph of the report page: frames, keyboard and zoom.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { METRICS } from '../../../src/analysis/tree/outside.js';
import { START } from '../../../src/page/view/state.js';
import { paintByFunction, rectangles } from '../../../src/render/frames/drawing.js';
import { layout } from '../../../src/render/layout.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import * as report from '../../helpers/browser/report-page.js';
import {
  CALLS,
  click,
  enterGraph,
  eventually,
  focusedText,
  goTo,
  hashOf,
  labels,
  openReport,
  push,
  zoomTo,
} from '../../helpers/browser/report-page.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { TraceWriter, times } from '../../helpers/traces/trace-writer.js';

const browser = windows('html', { hasScrollBars: true });
const ALL = ['all', 'main  1* × ≥ 100 ns', 'a  1 × 60 ns', 'b  1 × 30 ns', 'a  1 × 30 ns', 'leaf  1 × 20 ns', 'leaf'];
const IN_A = ['all', 'main  1* × ≥ 100 ns', 'a  1 × 60 ns', 'a  1 × 30 ns', 'leaf  1 × 20 ns', 'leaf  1 × 10 ns'];

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

describe('frames', () => {
  test('are below their callers, the heaviest first, with calls and averages, total and share', async () => {
    await goTo(page);
    expect(await labels(page)).toEqual(ALL);
    const drawn = await report.frames(page);
    expect(drawn.map(({ y }) => y)).toEqual([0, 19, 38, 38, 57, 57, 76]);
    expect(drawn.map(({ end }) => end).slice(0, 4)).toEqual([
      '100 ns  100 %',
      '100 ns  100 %',
      '60 ns  60 %',
      '30 ns  30 %',
    ]);
  });

  test.for(METRICS)('are at the positions of the layout, with a width by %s', async (width) => {
    const text = fixture('lab/thread-create-switch-migrate.txt');
    const own = await openReport(browser, text, {}, `#width=${width}`);
    const views = viewsOf(await analyzeText(text, { durations: true }));
    const table = views.tableAt({ ...START, width });
    const widthPx = await own.$eval('.graph.main', (graph) => graph.clientWidth);
    const boxes = layout(table, { first: 0, last: 0, widthPx, minPx: 1 });
    const classOf = paintByFunction(table);
    const drawing = { table, boxes, isIcicle: true, rowCount: boxes.rowCount, characterPx: 7.2, classOf };
    const expected = [...rectangles(drawing)].sort((a, b) => a.yPx - b.yPx || a.xPx - b.xPx);
    const found = await report.frames(own);
    expect(found.map(({ y }) => y)).toEqual(expected.map(({ yPx }) => yPx));
    found.forEach(({ x, width }, at) => {
      expect(x).toBeCloseTo(expected[at]?.xPx, 1);
      expect(width).toBeCloseTo(expected[at]?.widthPx, 1);
    });
    await own.close();
  });

  test('are hatched if all calls are inferred', async () => {
    await goTo(page);
    const main = (await report.frames(page)).find(({ label }) => label === 'main  1* × ≥ 100 ns');
    const hatched = await page.locator('.graph.main .textures [fill="url(#hatch)"]').first().getAttribute('d');
    expect(hatched).toBe(`M0 ${main?.y}h${main?.width}v18h-${main?.width}z`);
    expect(await page.locator('.legend').textContent()).toContain('hatched: start or end not seen');
  });

  test('show all numbers on hover', async () => {
    await goTo(page);
    await report.hover(page, 'a  1 × 60 ns');
    const text = await report.tooltip(page);
    for (const fact of [
      'total60 ns60 % of all',
      'self10 ns10 % of all',
      'calls1',
      'all paths60 ns60 % of all · self 30 ns',
    ])
      expect(text).toContain(fact);
    await page.mouse.move(600, 700);
    await eventually(() => page.locator('.tooltip').isVisible()).toBe(false);
  });

  test('are merged into a block if too small, which opens by a click, as it has no function', async () => {
    const calls = Array.from(
      { length: 3 },
      (_, at) => `${10 * at} call main f${at}\n${10 * at + 9} return f${at} main`,
    );
    const own = await openReport(browser, traceOf(`${calls.join('\n')}\n50 call main z\n20000 return z main`));
    const block = (await report.frames(own)).find(({ fill }) => fill === 'var(--block)');
    expect(block?.label).toBe('');
    const graph = await own.locator('.graph.main').boundingBox();
    await own.mouse.click((graph?.x ?? 0) + (block?.x ?? 0) + 0.5, (graph?.y ?? 0) + (block?.y ?? 0) + 9);
    await eventually(() => labels(own)).toEqual(
      expect.arrayContaining(['f0  1 × 9 ns', 'f1  1 × 9 ns', 'f2  1 × 9 ns']),
    );
    await eventually(() => hashOf(own)).toMatch(/zoom=main;f\d&to=f\d/);
    const before = await labels(own);
    await own.reload();
    await eventually(() => labels(own)).toEqual(before);
    await own.close();
  });

  test('look the same regardless of what was drawn before', async () => {
    const text = fixture('lab/thread-create-switch-migrate.txt');
    const own = await openReport(browser, text);
    const drawn = async (page: Page) => [
      await report.frames(page),
      await page.$$eval('.panel:not([hidden]) .path', (all) => all.map(({ outerHTML }) => outerHTML)),
    ];
    for (const hash of ['#inverted=1', '#zoom=7', '#function=7', '#colour=average&icicle=0', '#function=8', '']) {
      const fresh = await openReport(browser, text, {}, hash);
      const isOpen = hash.startsWith('#function');
      for (const page of [own, fresh]) {
        await goTo(page, hash);
        await eventually(() => page.locator('.panel').isVisible()).toBe(isOpen);
      }
      await eventually(() => drawn(own)).toEqual(await drawn(fresh));
      await fresh.close();
    }
    await own.close();
  });

  test('fit next to the scroll bar with many rows', async () => {
    const trace = new TraceWriter();
    times(60, (i) => trace.call(i === 0 ? 'main' : i - 1, i));
    times(60, (i) => trace.return(59 - i, i === 59 ? 'main' : 58 - i));
    const own = await openReport(browser, trace.text);
    const [clientWidth, scrollWidth] = await own.$eval('.graph.main', (graph) => [
      graph.clientWidth,
      graph.scrollWidth,
    ]);
    expect(scrollWidth).toBe(clientWidth);
    await own.close();
  });

  test('are as wide as their calls in a trace without times', async () => {
    const own = await openReport(browser, fixture('lab/fields-timeless-no-time.txt'));
    const [, calls] = /([\d,]+ calls), no times/.exec((await own.locator('#trust').textContent()) ?? '') ?? [];
    expect(calls).toBeDefined();
    expect(await report.total(own)).toBe(calls);
    expect(await own.locator('.finding').isVisible()).toBe(false);
    for (const name of ['What widths and tables count', 'functions with their callers, by what is their own (b)'])
      expect(await own.getByTitle(name).isVisible()).toBe(false);
    await push(own, /^View$/);
    expect(await own.locator('.menu button span').allTextContents()).toContain('Library');
    await press(own, 'Escape');
    await enterGraph(own);
    await press(own, 'ArrowDown', 'm');
    const items = await own.locator('.menu button span').allTextContents();
    expect(items).toContain('Show only inside');
    expect(items).not.toContain('Select function');
    await own.close();
  });
});

describe('the keyboard', () => {
  test('reaches one frame of the graph by Tab, with its details as label', async () => {
    await goTo(page);
    const reached = () =>
      page.$$eval('.graph.main g.frame[aria-label], .graph.main g.frame[tabindex]', (all) =>
        all.map((one) => [one.getAttribute('aria-label')?.split(':')[0], one.textContent?.split(' ')[0]]),
      );
    expect(await reached()).toEqual([['all', 'all']]);
    await zoomTo(page, 'a  1 × 60 ns');
    await eventually(reached).toEqual([['a', 'a']]);
    await zoomTo(page, 'leaf  1 × 20 ns');
    await press(page, 'r', 'i', '4');
    await eventually(reached).toEqual([['all', 'all']]);
  });

  test('stays on its frame when only the colour changes', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'a');
    expect(await focusedText(page)).toMatch(/^a: total 60 ns/);
    expect(await page.locator('.graph.main .mark').getAttribute('visibility')).toBe('visible');
  });
});

describe('zoom', () => {
  test('a click selects the function, a double click zooms in, and out on a caller', async () => {
    await goTo(page);
    await click(page, 'a  1 × 60 ns');
    await eventually(() => hashOf(page)).toBe('function=a');
    await eventually(() => page.locator('.panel h2').textContent()).toBe('a');
    expect(await labels(page)).toEqual(ALL);
    await zoomTo(page, 'a  1 × 60 ns');
    await eventually(() => labels(page)).toEqual(IN_A);
    await zoomTo(page, 'main  1* × ≥ 100 ns');
    await eventually(() => labels(page)).toEqual(ALL);
    expect(await hashOf(page)).toBe('zoom=main&function=main');
  });

  test('zooms in by a click if the reader prefers it', async () => {
    await goTo(page);
    await report.pick(page, 'View', 'A click zooms');
    await click(page, 'a  1 × 60 ns');
    await eventually(() => hashOf(page)).toBe('zoom=main;a');
    expect(await labels(page)).toEqual(IN_A);
    await report.pick(page, 'View', 'A click zooms');
    await click(page, 'leaf  1 × 20 ns');
    await eventually(() => hashOf(page)).toBe('zoom=main;a&function=leaf');
  });

  test('zooms in by keyboard, and out by Esc, step by step', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    expect(await labels(page)).toEqual(IN_A);
    expect(await focusedText(page)).toMatch(/^a: total 60 ns/);
    await press(page, 'Escape');
    expect(await focusedText(page)).toMatch(/^main: /);
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).toBe('');
    expect(await labels(page)).toEqual(ALL);
  });

  test('is undone by r and by its crumbs, each of which leads to one of its callers', async () => {
    await goTo(page);
    const crumbs = page.locator('.crumbs');
    expect(await crumbs.isVisible()).toBe(false);
    await zoomTo(page, 'leaf  1 × 20 ns');
    await eventually(() => crumbs.locator('bdi').allTextContents()).toEqual(['All', 'main', 'a', 'leaf']);
    await crumbs.getByRole('button', { name: 'a', exact: true }).click();
    await eventually(() => hashOf(page)).toBe('zoom=main;a&function=leaf');
    expect(await labels(page)).toEqual(IN_A);
    await crumbs.getByRole('button', { name: 'All' }).click();
    await eventually(() => hashOf(page)).toBe('function=leaf');
    expect(await labels(page)).toEqual(ALL);
    expect(await crumbs.isVisible()).toBe(false);
    await zoomTo(page, 'leaf  1 × 20 ns');
    await press(page, 'r');
    await eventually(() => hashOf(page)).toBe('function=leaf');
    expect(await labels(page)).toEqual(ALL);
  });

  test('follows the back and forward buttons, and survives a reload', async () => {
    await goTo(page);
    await zoomTo(page, 'a  1 × 60 ns');
    await press(page, 'Escape'); // closes the panel
    await zoomTo(page, 'leaf  1 × 20 ns');
    await eventually(() => hashOf(page)).toBe('zoom=main;a;leaf&function=leaf');
    await page.goBack();
    await page.goBack();
    await eventually(() => hashOf(page)).toBe('zoom=main;a');
    await eventually(() => labels(page)).toEqual(IN_A);
    await page.goBack();
    await page.goBack();
    await eventually(() => hashOf(page)).toBe('function=a');
    await eventually(() => labels(page)).toEqual(ALL);
    await page.goForward();
    await eventually(() => labels(page)).toEqual(IN_A);
    await page.reload();
    await eventually(() => labels(page)).toEqual(IN_A);
  });
});

test('keeps the part of a zoom path that exists in another tree', async () => {
  await goTo(page);
  await zoomTo(page, 'a  1 × 30 ns');
  await eventually(() => hashOf(page)).toContain('zoom=main;a;a');
  await report.pick(page, 'View', 'Fold recursion');
  await eventually(() => hashOf(page)).toMatch(/zoom=main;a&/);
  await push(page, 'Inverted');
  await eventually(() => hashOf(page)).toContain('inverted=1');
  expect(await hashOf(page)).not.toContain('zoom');
  expect(await report.total(page)).toBe('100 ns');
});

describe('the tree', () => {
  test('orders siblings by weight, equal ones by name, or all by name; from leaves always by weight', async () => {
    const own = await openReport(
      browser,
      traceOf(`
      0   call    main  a
      10  return  a     main
      10  call    main  c
      40  return  c     main
      40  call    main  b
      70  return  b     main
      70  call    main  z
      150 return  z     main`),
    );
    const callees = async () =>
      (await labels(own))
        .slice(2)
        .map((label) => label[0])
        .join('');
    expect(await callees()).toBe('zbca');
    await report.pick(own, 'View', 'Heaviest first');
    expect([await callees(), await hashOf(own)]).toEqual(['abcz', 'order=name']);
    await own.reload();
    await eventually(callees).toBe('abcz');
    await press(own, 's');
    expect([await callees(), await hashOf(own)]).toEqual(['zbca', '']);
    await enterGraph(own);
    await press(own, 'm', 'ArrowDown', 'Enter');
    await eventually(() => hashOf(own)).toBe('order=name');
    await press(own, 's', '4');
    await eventually(() => hashOf(own)).toBe('width=calls');
    expect(await callees()).toBe('abcz'); // one call of each
    await press(own, '1', 'b', 's');
    await eventually(() => hashOf(own)).toBe('inverted=1&order=name');
    expect(
      (await report.frames(own))
        .filter(({ y }) => y === 19)
        .map(({ label }) => label[0])
        .join(''),
    ).toBe('zbca');
    await own.close();
  });

  test('drops a zoom to small siblings that may no longer be neighbours', async () => {
    await goTo(page, '#order=name&zoom=9.6&to=7');
    expect((await labels(page)).slice(0, 4)).toEqual(ALL.slice(0, 4));
    await press(page, 's');
    await eventually(() => hashOf(page)).toBe('zoom=main');
  });

  test('has callers on top, or below', async () => {
    await goTo(page);
    const hanging = await report.frames(page);
    await report.pick(page, 'View', 'Callers on top');
    const upright = await report.frames(page);
    expect(hanging.map(({ label, x, width }) => [label, x, width])).toEqual(
      upright.map(({ label, x, width }) => [label, x, width]),
    );
    expect(upright.map(({ y }) => y)).toEqual(hanging.map(({ y }) => 4 * 19 - y));
    await page.locator('.graph.main g.frame[tabindex]').focus();
    await press(page, 'ArrowUp');
    expect(await focusedText(page)).toMatch(/^main: /);
    expect(await hashOf(page)).toBe('icicle=0');
    await press(page, 'i');
    await eventually(() => hashOf(page)).toBe('');
  });

  test('starts with callers below if the file was rendered so', async () => {
    const own = await openReport(browser, CALLS, { icicle: false });
    expect((await report.frames(own)).map(({ y }) => y)).toEqual([76, 57, 38, 38, 19, 19, 0]);
    await press(own, 'i');
    await eventually(() => hashOf(own)).toBe('icicle=1');
    await own.close();
  });

  test('merges recursive calls into one frame', async () => {
    await goTo(page);
    await report.pick(page, 'View', 'Fold recursion');
    expect(await labels(page)).toEqual([
      'all',
      'main  1* × ≥ 100 ns',
      'a  1 × 60 ns',
      'b  1 × 30 ns',
      'leaf  2 × 15 ns',
    ]);
    await eventually(() => hashOf(page)).toBe('fold=1');
  });
});

test('the legend has the same shares of libraries upside down: those of what each did itself', async () => {
  const own = await openReport(browser, fixture('lab/demo-cre.txt'));
  const legend = () => own.locator('.bar .legend').innerText();
  const shares = await legend();
  expect(shares).toMatch(/[\d.]+ %/);
  await goTo(own, '#inverted=1');
  expect(await legend()).toBe(shares);
  await own.close();
});
