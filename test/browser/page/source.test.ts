/**
 * The tab Source: lines of a function, with what they took; a click on a callee goes on to it.
 */
import { beforeAll, expect, test } from 'vitest';
import type { PageSource } from '../../../src/page/data/source.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { axeViolations } from '../../helpers/browser/axe.js';
import { type Windows, windows } from '../../helpers/browser/browser.js';
import { CALLS, eventually, goTo, hashOf, profileOfTrace } from '../../helpers/browser/report-page.js';

const browser = windows('html');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });
let open: (source: PageSource | null, window?: Windows) => Promise<import('playwright-core').Page>;

const SOURCE: PageSource = {
  functions: [
    {
      fn: ['main', null],
      file: '/src/main.c',
      lines: [
        { line: 7, text: 'int main() { // </script><b>' },
        { line: 8, text: '  a();', ownNs: 3, calls: [{ fn: ['a', null], calls: 2, inferred: 1, ns: 60 }] },
        { line: 2, file: '/src/main.h', calls: [{ fn: ['gone', null], calls: 1, inferred: 0, ns: 30 }] },
        { line: null, ownNs: 7 },
      ],
    },
  ],
  leftOut: 0,
};

beforeAll(async () => {
  const profile = await profileOfTrace(CALLS);
  open = async (source, window = browser) => {
    let html = '';
    for await (const part of renderHtmlInParallel(profile, {}, { source })) html += part;
    return window.open(html);
  };
});

test('shows what each line took, as text, and leads to what it calls', async () => {
  const page = await open(SOURCE);
  await goTo(page, 'function=main&tab=source');
  const rows = page.locator('.source tr');
  await eventually(() => rows.allInnerTexts()).toEqual([
    '\t7\tint main() { // </script><b>',
    '63 ns\t8\t  a();',
    '3 ns\t\titself, up to here',
    '60 ns\t\ta 2* ×',
    '30 ns\t2\tmain.h:2',
    '30 ns\t\tgone 1 ×',
    '7 ns\t\tup to its end, or on a line that is not known',
    '7 ns\t\titself',
  ]);
  expect(await page.locator('.source button').count()).toBe(1);
  await page.locator('.source button').click();
  await eventually(() => hashOf(page)).toBe('function=a&tab=source');
  await eventually(() => page.locator('#panel-source').innerText()).toBe('No line of it is known.');
});

test('a page without source code says how to get it', async () => {
  const page = await open(null);
  await goTo(page, 'function=main&tab=source');
  await eventually(() => page.locator('#panel-source').innerText()).toContain('--source DIR');
});

test('axe finds no violations, in both themes and a narrow window', async () => {
  const page = await open(SOURCE, lenient);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await goTo(page, 'function=main&tab=source');
    await page.locator('.source').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
