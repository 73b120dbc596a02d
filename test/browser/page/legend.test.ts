/**
 * Tests the legend: what fits into the bar, and all of it below a button.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import { chips, eventually, goTo, hashOf, openReport } from '../../helpers/browser/report-page.js';

const browser = windows('html');
const LIBRARIES = ['app', 'libc.so.6', 'liba.so.1', 'libb.so.1', 'libd.so.1'];

/** `main` calls a function of each library. */
const TRACE = LIBRARIES.map(
  (library, at) => `1 [000] 1.0000000${at}0: call 1010 main+0x10 (/bin/app) => ${at + 2}000 f${at}+0x0 (/lib/${library})
1 [000] 1.0000000${at}5: return ${at + 2}010 f${at}+0x10 (/lib/${library}) => 1015 main+0x15 (/bin/app)
`,
).join('');

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, TRACE);
}, 60_000);

const button = () => page.getByRole('button', { name: 'Legend' });
const entries = (list: string) => page.locator(`${list} li`).allTextContents();

/** Returns the texts of entries that are seen, each of them whole. */
const seen = () =>
  page.$$eval('.bar .legend', ([list]) => {
    const { left, right, bottom } = (list as Element).getBoundingClientRect();
    const items = [...(list as Element).children].map((item) => ({ item, box: item.getBoundingClientRect() }));
    const shown = items.filter(({ box }) => box.top < bottom - 1);
    if (shown.some(({ box }) => box.left < left - 1 || box.right > right + 1)) throw new Error('an entry is cut');
    if (items.some(({ item, box }) => (item as HTMLElement).inert === box.top < bottom - 1))
      throw new Error('Tab reaches what is not seen, or not what is seen');
    return shown.map(({ item }) => item.textContent ?? '');
  });

test.for([1920, 1200, 1024, 760, 390])('all of it is in the bar, or below a button, at %i pixels', async (width) => {
  await page.setViewportSize({ width, height: 800 });
  for (const hash of ['', '#function=main']) {
    await goTo(page, hash);
    const all = await entries('.bar .legend');
    expect(all.length).toBeGreaterThan(4);
    await eventually(async () => (await seen()).length === all.length).toBe(!(await button().isVisible()));
    const shown = await seen();
    expect(shown).toEqual(all.slice(0, shown.length));
    if (width === 1920 && hash === '') expect(shown).toEqual(all);
    if (width === 390) expect(shown).toEqual([]);
    if (shown.length === all.length) continue;
    await button().click();
    expect(await entries('.legend-list:popover-open')).toEqual(all);
    const box = await page.locator('.legend-list').boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    await press(page, 'Escape');
    expect(await page.locator(':popover-open').count()).toBe(0);
    expect(await hashOf(page)).toBe(hash.slice(1)); // Escape did nothing else
  }
});

test.for([
  [1440, ''],
  [1440, '#function=main'],
  [1024, ''],
] as const)('no control of the bar is beyond it at %i pixels%s', async ([width, hash]) => {
  await page.setViewportSize({ width, height: 800 });
  await goTo(page, hash);
  await eventually(() => page.$eval('.bar', (bar) => bar.scrollWidth - bar.clientWidth)).toBe(0);
});

test('a library of the list opens its menu', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await goTo(page);
  await eventually(() => button().isVisible()).toBe(true);
  await button().click();
  await page.locator('.legend-list').getByRole('button', { name: /^libc/ }).click();
  await page.getByRole('menuitem', { name: 'Collapse to one frame' }).click();
  await eventually(() => chips(page)).toEqual(['libc as one frame']);
});
