/**
 * Tests search, focus and hiding in the report page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import * as report from '../../helpers/browser/report-page.js';
import {
  CALLS,
  chips,
  enterGraph,
  eventually,
  focusedText,
  goTo,
  hashOf,
  labels,
  openReport,
  push,
  total,
  zoomTo,
} from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

const found = (at = page) => at.locator('output:not(.spoken)').textContent();
const input = () => page.getByRole('searchbox');
const searchFor = (text: string) => input().fill(text);
const marked = async () => (await report.frames(page)).filter(({ classes }) => /\bmatch\b/.test(classes)).length;

describe('search', () => {
  test('finds text ignoring case, and shows the share of the view', async () => {
    await goTo(page);
    await searchFor('LEAF');
    expect(await found()).toBe('2 frames, 30 % of view');
    expect(await marked()).toBe(2);
    await eventually(() => hashOf(page)).toBe('search=LEAF');
    await zoomTo(page, 'a  1 × 60 ns');
    await eventually(found).toBe('2 frames, 50 % of view');
  });

  test('accepts a regular expression, and counts nested matches once', async () => {
    await goTo(page);
    await searchFor('/^(a|leaf)$/');
    expect(await found()).toBe('4 frames, 60 % of view');
  });

  test('accepts needless backslashes and the newest syntax', async () => {
    await goTo(page);
    for (const [search, frames] of [
      ['/^le\\a\\-?f$/', 2],
      ['/^\\p{L}$/', 3],
    ] as const) {
      await searchFor(search);
      expect(await found(), search).toContain(`${frames} frames`);
    }
  });

  test('is one step of the back button, for any number of letters', async () => {
    await goTo(page);
    await input().pressSequentially('leaf');
    await eventually(() => hashOf(page)).toBe('search=leaf');
    await page.goBack();
    await eventually(() => hashOf(page)).toBe('');
    await eventually(() => input().inputValue()).toBe('');
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'm', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    await eventually(() => hashOf(page)).toBe('search=a');
    await page.goBack();
    await eventually(() => hashOf(page)).toBe('');
  });

  test('reports an invalid regular expression', async () => {
    await goTo(page);
    await searchFor('/(/');
    expect(await found()).toBe('not a regular expression');
    expect(await input().getAttribute('aria-invalid')).toBe('true');
    expect(await marked()).toBe(0);
    await searchFor('(');
    expect(await found()).toBe('0 frames, 0 % of view');
    expect(await input().getAttribute('aria-invalid')).toBe('false');
  });

  test('steps from the largest to the smallest match, wraps around, and shows the rank', async () => {
    await goTo(page, '#search=leaf');
    await enterGraph(page);
    const steps = () => page.evaluate(() => history.length);
    const before = await steps();
    const [large, small] = ['leaf: total 20 ns', 'leaf: total 10 ns'];
    for (const [key, frame, result] of [
      ['n', large, '1 of 2, 30 % of view'],
      ['n', small, '2 of 2, 30 % of view'],
      ['n', large, '1 of 2, 30 % of view'],
      ['N', small, '2 of 2, 30 % of view'],
    ] as const) {
      await press(page, key);
      expect([(await focusedText(page)).slice(0, 17), await found()]).toEqual([frame, result]);
    }
    await push(page, 'Next match');
    expect(await found()).toBe('1 of 2, 30 % of view');
    expect(await steps()).toBe(before);
  });

  test('steps on by Enter in its field, which keeps the focus', async () => {
    await goTo(page);
    await press(page, '/');
    await page.keyboard.type('/^(a|leaf)$/');
    const marked = () =>
      page.$eval('.graph.main .mark', (mark) => `${mark.getAttribute('class')} ${mark.getAttribute('width')}`);
    const seen: string[] = [];
    for (const key of ['Enter', 'Enter', 'Enter', 'Shift+Enter']) {
      await press(page, key);
      seen.push((await marked()).split('.')[0]);
      expect(await input().evaluate((field) => field === document.activeElement)).toBe(true);
    }
    const [a, inner, leaf] = (await report.frames(page)).filter(({ classes }) => classes.includes('match'));
    const widths = [a, inner, leaf, inner].map((frame) => `mark resting ${Math.floor(frame?.width ?? 0)}`);
    expect(seen).toEqual(widths);
    expect(await found()).toBe('2 of 4, 60 % of view');
    await page.mouse.move(600, 700);
    expect((await marked()).split('.')[0]).toBe(widths[1]); // stays when the pointer moves away
  });

  test('zooms until a match is visible, and the back button returns', async () => {
    const calls = Array.from(
      { length: 9 },
      (_, at) => `${10 * at} call main f${at}\n${10 * at + 9} return f${at} main`,
    );
    const own = await openReport(browser, traceOf(`${calls.join('\n')}\n100 call main z\n90000 return z main`));
    await own.getByRole('searchbox').fill('f');
    const before = await own.evaluate(() => history.length);
    await press(own, 'Enter', 'Enter');
    expect(await own.locator('output:not(.spoken)').textContent()).toBe('2 of 9, 100 % of view');
    expect((await labels(own)).at(-1)).toMatch(/^f1 {2}1 ×/);
    expect(await own.evaluate(() => history.length)).toBe(before);
    await own.close();
  });

  test('zooms until the name of a match can be read, however long it is', async () => {
    const long = `ns::${'parser_of_'.repeat(40)}tail`;
    const own = await openReport(
      browser,
      traceOf(`
        0    call    main     handle
        500  call    handle   parse_number
        506  call    parse_number  inner
        507  return  inner    parse_number
        510  return  parse_number  handle
        700  call    handle   ${long}
        705  return  ${long}  handle
        3000 return  handle   main`),
    );
    const isRead = async (name: RegExp) => (await labels(own)).some((label) => name.test(label));
    for (const [search, label] of [
      ['parse_number', /^parse_number/],
      ['inner', /^inner/],
      ['tail', /^…?.*parser_of_.*/],
    ] as const) {
      await own.getByRole('searchbox').fill(search);
      await eventually(found.bind(null, own)).toContain('1 frame');
      expect(await isRead(label), `${search}, before`).toBe(false);
      await press(own, 'Enter');
      expect(await isRead(label), search).toBe(true);
      await goTo(own);
    }
    await own.close();
  });

  test('does not find frames without width', async () => {
    await goTo(page, '#width=outside&search=leaf');
    expect(await found()).toBe('0 frames, 0 % of view');
    await enterGraph(page);
    await press(page, 'n');
    expect(await focusedText(page)).toMatch(/^all: /);
  });

  test('is fast for a pattern that would backtrack exponentially, also from a link', async () => {
    const name = `${'a'.repeat(200)}!`;
    const trace =
      '1 [000] 1.000000000: call 1000 main+0x0 => 2000 NAME+0x0\n1 [000] 1.000000100: return 2010 NAME+0x10 => 1005 main+0x5\n';
    const search = encodeURIComponent('/^(a+)+$|^(a|aa)+b/');
    const own = await openReport(browser, trace.replaceAll('NAME', name), {}, `#search=${search}`);
    expect(await own.locator('output:not(.spoken)').textContent()).toBe('0 frames, 0 % of view');
    await own.getByRole('searchbox').fill('/^(a+)+!$/');
    expect(await own.locator('output:not(.spoken)').textContent()).toBe('1 frame, 100 % of view');
    await own.getByRole('searchbox').fill('/(?=a)(a+)+$/');
    expect(await own.locator('output:not(.spoken)').textContent()).toBe('no lookaround or backreferences');
    await own.close();
  });

  test('steps to a match outside the view', async () => {
    await goTo(page, '#search=b');
    await zoomTo(page, 'a  1 × 60 ns');
    expect(await found()).toBe('1 frame, 0 in view, 0 % of view');
    await press(page, 'n');
    expect(await focusedText(page)).toMatch(/^b: total 30 ns/);
  });

  test('shows only matches', async () => {
    await goTo(page, '#search=leaf');
    await push(page, 'Only matches');
    expect(await found()).toBe('2 frames, 30 % of view');
    expect(await labels(page)).toEqual([
      'all',
      'main  1* × ≥ 100 ns',
      'a  1 × 60 ns',
      'a  1 × 30 ns',
      'leaf  1 × 20 ns',
      'leaf  1 × 10 ns',
    ]);
    await push(page, 'Only matches');
    expect(await total(page)).toBe('100 ns');
  });

  test('is left and cleared by Esc, including only matches', async () => {
    await goTo(page, '#search=leaf&only=1');
    await input().focus();
    await press(page, 'Escape');
    expect(await focusedText(page)).toMatch(/^all: /);
    await eventually(() => hashOf(page)).toBe('');
  });

  test('is left by Esc in views without a graph, too', async () => {
    await goTo(page, '#view=tree&search=leaf');
    await input().focus();
    await press(page, 'Escape', 'v');
    await eventually(() => hashOf(page)).toBe('view=functions');
  });
});

describe('focus', () => {
  test('by its key shows only a function and its callees, and its chip undoes it', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'f');
    expect(await labels(page)).toEqual(['all', 'a  1 × 60 ns', 'a  1 × 30 ns', 'leaf  1 × 20 ns', 'leaf  1 × 10 ns']);
    expect(await chips(page)).toEqual(['only inside a · 40 ns left out']);
    await push(page, /^only inside/);
    expect(await total(page)).toBe('100 ns');
  });
});

describe('hiding', () => {
  test('by its key leaves out a function and its callees, and its chip undoes it', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'h');
    expect(await labels(page)).toEqual(['all', 'main  1* ×', 'b  1 × 30 ns']);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'h');
    expect(await chips(page)).toEqual(['without a · 60 ns left out', 'without b · 30 ns left out']);
    await push(page, 'without a');
    expect(await total(page)).toBe('70 ns');
    expect(await chips(page)).toEqual(['without b · 30 ns left out']);
  });
});

describe('the menu', () => {
  test('has all actions on a frame', async () => {
    await goTo(page);
    const { x, y } = await report.positionOf(page, 'a  1 × 60 ns');
    await page.mouse.click(x, y, { button: 'right' });
    expect(await page.locator('.menu button span').allTextContents()).toEqual([
      'Zoom',
      'Select function',
      'Show only inside',
      'Hide',
      'Search for function',
      'Order siblings by name',
      'Copy stack',
      'Copy folded stacks',
    ]);
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    expect(await chips(page)).toEqual(['only inside a · 40 ns left out']);
    expect(await page.locator('.menu').isVisible()).toBe(false);
  });

  test('opens by m, wraps around, and returns the focus by Esc', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'm', 'ArrowUp');
    expect(await focusedText(page)).toContain('Copy folded stacks');
    await press(page, 'Escape');
    expect(await focusedText(page)).toMatch(/^a: total 60 ns/);
    await press(page, 'm', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    expect(await chips(page)).toEqual(['without a · 60 ns left out']);
    await eventually(() => hashOf(page)).toBe('hide=a');
  });
});
