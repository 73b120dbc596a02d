/**
 * Tests links to a view: they fit other recordings of the program, and say what they could not keep.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  CALLS,
  chips,
  eventually,
  goTo,
  hashOf,
  labels,
  openReport,
  zoomTo,
} from '../../helpers/browser/report-page.js';
import { inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');

/** The same program again, with a function before the others, and without b. */
const OTHER = traceOf(`
  0    call    main  _new
  2    return  _new  main
  3    call    main  a
  5    call    a     leaf
  25   return  leaf  a
  60   return  a     main`);

async function timed(trace: string, hash = ''): Promise<Page> {
  const { profile, waits, timeline } = await analyzeForPage([inputOf(trace)], {
    ...{ trees: 'apart', durations: true, timelineBytes: 1e6 },
  });
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { waits, timeline })) html += part;
  const page = await browser.open(html, hash);
  await drawn(page);
  return page;
}

let page: Page;
let other: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
  other = await timed(OTHER);
}, 60_000);

const notice = (of = other) => of.locator('.notice').innerText();

test('a link fits another recording of the program', async () => {
  await goTo(page);
  await zoomTo(page, 'leaf  1 × 20 ns');
  await eventually(() => hashOf(page)).toBe('zoom=main;a;leaf&function=leaf');
  await goTo(other, '#zoom=main;a;leaf&function=a');
  expect((await labels(other)).at(-1)).toBe('leaf  1 × 20 ns');
  expect(await other.locator('.panel h2').textContent()).toBe('a');
  expect(await notice()).toBe('');
});

test.for([
  ['#function=b&hide=b;leaf', 'without b, function b', 'hide=leaf'],
  ['#zoom=main;b', 'zoom to b', 'zoom=main'],
  ['#zoom=main;leaf', 'zoom to leaf', 'zoom=main'],
  ['#function=4711', 'function 4711', ''],
  ['#threads=tid:77', 'thread 77', ''],
  ['#threads=tids:1,77&against=tid:78', 'thread 77, compared with thread 78', ''],
  ['#threads=name:x', 'threads x', ''],
  ['#range=70-90', 'time range 70 ns to 90 ns (20 ns)', ''],
  ['#range=20-90', 'time range after 60 ns', 'range=20ns,60ns'],
  ['#chart=77&at=3-5', 'stack chart of thread 77', ''],
  ['#chart=1&at=100-200&call=77@3-5', 'stack chart at 100 ns to 200 ns (100 ns), call of thread 77', 'chart=1'],
  ['#width=off-cpu', 'width Off CPU', ''],
  ['#width=height', 'width=height', ''],
])('says what of a link does not fit: %s', async ([hash = '', left = '', kept]) => {
  await goTo(other);
  await goTo(other, hash);
  await eventually(notice).toContain(`The link does not fit this page. Left out: ${left}`);
  await eventually(() => hashOf(other)).toBe(kept);
  const box = await other.locator('.notice').boundingBox();
  expect(box?.height).toBeLessThan(36); // one line
  const fresh = await timed(OTHER, hash); // also as the first address of a page
  expect(await notice(fresh)).toContain(left);
  await fresh.close();
});

test('the line is hidden when the view changes, and by its button', async () => {
  await goTo(other, '#hide=b');
  await eventually(notice).toContain('without b');
  await press(other, 'i');
  await eventually(notice).toBe('');
  await goTo(other, '#hide=b');
  await other.getByRole('button', { name: 'Close' }).first().click();
  await eventually(notice).toBe('');
  await other.goBack();
  expect(await notice()).toBe('');
});

test('numbers of older links are read, and become names', async () => {
  await goTo(page, '#zoom=9.6&hide=8');
  expect(await chips(page)).toEqual(['without leaf · 30 ns left out']);
  await eventually(() => hashOf(page)).toBe('hide=leaf&zoom=main;a');
});

test.for([
  ['#width=self', 'inverted=1'],
  ['#tab=threads', 'view=threads'],
  ['#tab=functions&sort=-weight', 'sort=-total'],
])('names of older links are read, and become those of today: %s', async ([hash = '', today]) => {
  await goTo(page, hash);
  await eventually(() => hashOf(page)).toBe(today);
});
