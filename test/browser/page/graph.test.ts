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
} from '../../helpers/browser/report-page.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { TraceWriter, times } from '../../helpers/traces/trace-writer.js';

const browser = windows('html', { hasScrollBars: true });
const ALL = [
  'all · 100 ns',
  'main · 0 of 1 · ≥ 100 ns',
  'a · 1 · 60 ns',
  'b · 1 · 30 ns',
  'a · 1 · 30 ns',
  'leaf · 1 · 20 ns',
  'leaf · 1',
];
const IN_A = [
  'all · 100 ns',
  'main · 0 of 1 · ≥ 100 ns',
  'a · 1 · 60 ns',
  'a · 1 · 30 ns',
  'leaf · 1 · 20 ns',
  'leaf · 1 · 10 ns',
];

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

describe('frames', () => {
  test('are above their callers, with calls and averages', async () => {
    await goTo(page);
    expect(await labels(page)).toEqual(ALL);
  });

  test.for(METRICS)('are at the positions of the layout, with a width by %s', async (width) => {
    const text = fixture('lab/thread-create-switch-migrate.txt');
    const own = await openReport(browser, text, {}, `#width=${width}`);
    const views = viewsOf(await analyzeText(text, { durations: true }));
    const table = views.tableAt({ ...START, width });
    const widthPx = await own.$eval('.graph.main', (graph) => graph.clientWidth);
    const boxes = layout(table, { first: 0, last: 0, widthPx, minPx: 1 });
    const classOf = paintByFunction(table);
    const drawing = { table, boxes, isIcicle: false, rowCount: boxes.rowCount, characterPx: 7.2, classOf };
    const expected = [...rectangles(drawing)].sort((a, b) => b.yPx - a.yPx || a.xPx - b.xPx);
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
    const main = (await report.frames(page)).find(({ label }) => label === 'main · 0 of 1 · ≥ 100 ns');
    const hatched = await page.locator('.graph.main .textures [fill="url(#hatch)"]').getAttribute('d');
    expect(hatched).toBe(`M0 ${main?.y}h${main?.width}v18h-${main?.width}z`);
    expect(await page.locator('.legend').textContent()).toContain('hatched: start or end not seen');
  });

  test('show all numbers on hover', async () => {
    await goTo(page);
    await report.hover(page, 'a · 1 · 60 ns');
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

  test('are merged into a block if too small, which opens by a click', async () => {
    const calls = Array.from(
      { length: 3 },
      (_, at) => `${10 * at} call main f${at}\n${10 * at + 9} return f${at} main`,
    );
    const own = await openReport(browser, traceOf(`${calls.join('\n')}\n50 call main z\n20000 return z main`));
    const block = (await report.frames(own)).find(({ fill }) => fill === 'var(--block)');
    expect(block?.label).toBe('');
    const { y } = (await own.locator('.graph.main').boundingBox()) as { y: number };
    await own.mouse.click(14.5, y + 5);
    await eventually(() => labels(own)).toEqual(
      expect.arrayContaining(['f0 · 1 · 9 ns', 'f1 · 1 · 9 ns', 'f2 · 1 · 9 ns']),
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
    const graphs = ['.graph.main', '.function:not([hidden]) .callers', '.function:not([hidden]) .callees'];
    const drawn = (page: Page) => Promise.all(graphs.map((graph) => report.frames(page, graph)));
    for (const hash of ['#width=self', '#zoom=7', '#function=7', '#colour=average&icicle=1', '#function=8', '']) {
      const fresh = await openReport(browser, text, {}, hash);
      const isOpen = hash.startsWith('#function');
      for (const page of [own, fresh]) {
        await goTo(page, hash);
        await eventually(() => page.locator('.function').isVisible()).toBe(isOpen);
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
    const [, calls] = /([\d,]+ calls), no times/.exec((await own.locator('header').textContent()) ?? '') ?? [];
    expect((await labels(own))[0]).toBe(`all · ${calls}`);
    for (const [choice, known] of [
      ['Width', ['Calls']],
      ['Colour', ['Function']],
    ] as const)
      expect(await own.getByLabel(choice).locator('option').allTextContents()).toEqual(known);
    await enterGraph(own);
    await press(own, 'ArrowUp', 'm');
    expect(await own.locator('.menu').textContent()).not.toContain('callers and callees');
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
    await click(page, 'a · 1 · 60 ns');
    expect(await reached()).toEqual([['a', 'a']]);
    await click(page, 'leaf · 1 · 20 ns');
    await press(page, 'r', 'i', '4');
    expect(await reached()).toEqual([['all', 'all']]);
  });

  test('stays on its frame when only the colour changes', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowUp', 'ArrowUp', 'a');
    expect(await focusedText(page)).toMatch(/^a: total 60 ns/);
    expect(await page.locator('.graph.main .mark').getAttribute('visibility')).toBe('visible');
  });
});

describe('zoom', () => {
  test('zooms in by a click, and out by a click on a caller', async () => {
    await goTo(page);
    await click(page, 'a · 1 · 60 ns');
    await eventually(() => labels(page)).toEqual(IN_A);
    await click(page, 'main · 0 of 1 · ≥ 100 ns');
    await eventually(() => labels(page)).toEqual(ALL);
  });

  test('zooms in by keyboard, and out by Esc, step by step', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowUp', 'ArrowUp', 'Enter');
    expect(await labels(page)).toEqual(IN_A);
    expect(await focusedText(page)).toMatch(/^a: total 60 ns/);
    await press(page, 'Escape');
    expect(await focusedText(page)).toMatch(/^main: /);
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).toBe('');
    expect(await labels(page)).toEqual(ALL);
  });

  test('is undone by r and by its button', async () => {
    await goTo(page);
    const reset = page.getByRole('button', { name: 'Reset zoom' });
    expect(await reset.isDisabled()).toBe(true);
    await click(page, 'leaf · 1 · 20 ns');
    await push(page, 'Reset zoom');
    expect(await labels(page)).toEqual(ALL);
    await click(page, 'leaf · 1 · 20 ns');
    await press(page, 'r');
    expect(await labels(page)).toEqual(ALL);
  });

  test('follows the back and forward buttons, and survives a reload', async () => {
    await goTo(page);
    await click(page, 'a · 1 · 60 ns');
    await click(page, 'leaf · 1 · 20 ns');
    await page.goBack();
    await eventually(() => labels(page)).toEqual(IN_A);
    await page.goBack();
    await eventually(() => labels(page)).toEqual(ALL);
    await page.goForward();
    await eventually(() => labels(page)).toEqual(IN_A);
    await page.reload();
    await eventually(() => labels(page)).toEqual(IN_A);
  });
});

test('keeps the part of a zoom path that exists in another tree', async () => {
  await goTo(page);
  await click(page, 'a · 1 · 30 ns');
  await eventually(() => hashOf(page)).toContain('zoom=');
  await eventually(() => hashOf(page)).toContain('zoom=main;a;a');
  await push(page, 'Fold recursion');
  await eventually(() => hashOf(page)).toMatch(/zoom=main;a$/);
  await page.getByLabel('Width').selectOption('self');
  expect(hashOf(page)).not.toContain('zoom');
  expect((await labels(page))[0]).toBe('all · 100 ns');
});

describe('the tree', () => {
  test('orders siblings by weight, equal ones by name, if selected', async () => {
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
    expect(await callees()).toBe('abcz');
    await push(own, 'Heaviest first');
    expect([await callees(), hashOf(own)]).toEqual(['zbca', 'order=weight']);
    await own.reload();
    await eventually(callees).toBe('zbca');
    await press(own, 's');
    expect([await callees(), hashOf(own)]).toEqual(['abcz', '']);
    await enterGraph(own);
    await press(own, 'm', 'ArrowDown', 'Enter', '4');
    await eventually(() => hashOf(own)).toBe('width=calls&order=weight');
    expect(await callees()).toBe('abcz'); // one call of each
    await press(own, '5');
    expect(await own.getByRole('button', { name: 'Heaviest first' }).isDisabled()).toBe(true);
    await own.close();
  });

  test('drops a zoom to small siblings that may no longer be neighbours', async () => {
    await goTo(page, '#zoom=9.6&to=7');
    expect((await labels(page)).slice(0, 4)).toEqual(ALL.slice(0, 4));
    await press(page, 's');
    await eventually(() => hashOf(page)).toBe('order=weight&zoom=main');
  });

  test('switches to an icicle graph and back', async () => {
    await goTo(page);
    const upright = await report.frames(page);
    await push(page, 'Icicle');
    const hanging = await report.frames(page);
    expect(hanging.map(({ label, x, width }) => [label, x, width])).toEqual(
      upright.map(({ label, x, width }) => [label, x, width]),
    );
    expect(hanging.map(({ y }) => y)).toEqual(upright.map(({ y }) => 4 * 19 - y));
    await enterGraph(page);
    await press(page, 'ArrowDown');
    expect(await focusedText(page)).toMatch(/^main: /);
    await press(page, 'i');
    await eventually(() => hashOf(page)).toBe('');
  });

  test('starts as an icicle graph if the file was rendered so', async () => {
    const own = await openReport(browser, CALLS, { icicle: true });
    expect((await report.frames(own)).map(({ y }) => y)).toEqual([0, 19, 38, 38, 57, 57, 76]);
    await press(own, 'i');
    await eventually(() => hashOf(own)).toBe('icicle=0');
    await own.close();
  });

  test('merges recursive calls into one frame', async () => {
    await goTo(page);
    await push(page, 'Fold recursion');
    expect(await labels(page)).toEqual([
      'all · 100 ns',
      'main · 0 of 1 · ≥ 100 ns',
      'a · 1 · 60 ns',
      'b · 1 · 30 ns',
      'leaf · 2 · 15 ns',
    ]);
    await eventually(() => hashOf(page)).toBe('fold=1');
  });
});
