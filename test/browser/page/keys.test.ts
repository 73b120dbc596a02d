/**
 * Tests the report page with the keyboard only and with screen readers.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { axeViolations, expectAccessible } from '../../helpers/browser/axe.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
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
} from '../../helpers/browser/report-page.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

/** Returns the name of the focused element, and whether its focus is visible. */
function focusMark(of: Page): Promise<readonly [name: string, isVisible: boolean]> {
  return of.evaluate(() => {
    const active = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(active.closest('.search:has(input:focus)') ?? active);
    const mark = active.closest('.graph')?.querySelector('.mark');
    const isMarked = mark?.getAttribute('visibility') === 'visible';
    const name = active.getAttribute('aria-label') ?? active.textContent ?? '';
    return [name, isMarked || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1)];
  });
}

describe('Tab', () => {
  test('reaches all controls, with a visible focus', async () => {
    await goTo(page, '#zoom=main;a&function=6&search=a');
    await page.locator('.panel').waitFor();
    const names: string[] = [];
    await page.locator('.trust').focus();
    for (let step = 0; step < 60; step++) {
      const [name, isSeen] = await focusMark(page);
      names.push(name.replace(/:.*/, ''));
      expect.soft(isSeen, name).toBe(true);
      await press(page, 'Tab');
      if (await page.evaluate(() => document.activeElement === document.body)) break;
    }
    for (const control of ['Search frames', 'Previous match', 'Next match', 'Only matches', 'View', 'Save', 'Keys'])
      expect(names).toContain(control);
    for (const control of ['Flame graph', 'All time', 'Inverted', 'Columns', 'All', 'main', 'a', 'Total ↓', 'Average'])
      expect(names).toContain(control);
    for (const control of ['Zoom', 'Show only inside', 'Hide', 'More actions', 'Close', 'Callers & callees'])
      expect(names).toContain(control);
    expect(names.length).toBeLessThan(60);
  });

  test('reaches the views, and arrow keys switch between them', async () => {
    await goTo(page);
    await page.locator('#tab-graph').focus();
    for (const [name, shown, hash] of [
      ['Call tree', '.table[aria-label="Call tree"]', 'view=tree'],
      ['Functions', '.table[aria-label="Functions"]', 'view=functions'],
      ['Threads', '.table[aria-label="Threads"]', 'view=threads'],
      ['Flame graph', '.table[aria-label="Functions"]', ''],
    ] as const) {
      await press(page, 'ArrowRight');
      expect(await focusedText(page)).toBe(name);
      await eventually(() => hashOf(page)).toBe(hash);
      expect(await page.locator(shown).isVisible()).toBe(true);
      expect(await page.locator('.graph.main').isVisible()).toBe(name === 'Flame graph' || name === 'Threads');
      expect(await page.locator('.table[aria-label="Threads"]').isVisible()).toBe(name === 'Threads');
    }
  });

  test('reaches the tabs of the panel, and arrow keys switch between them', async () => {
    await goTo(page, '#function=6');
    await page.locator('#tab-callers').focus();
    for (const [name, tab] of [
      ['Calls', 'calls'],
      ['Waits', 'waits'],
      ['Source', 'source'],
      ['Callers & callees', 'callers'],
    ] as const) {
      await press(page, 'ArrowRight');
      expect(await focusedText(page)).toBe(name);
      for (const other of ['callers', 'calls', 'waits', 'source'])
        expect(await page.locator(`#panel-${other}`).isVisible()).toBe(other === tab);
    }
  });
});

describe('menus', () => {
  test.for(['View', 'Save'])('%s opens by Enter, moves by arrows, and returns the focus by Esc', async (name) => {
    await goTo(page);
    const button = page.locator('header').getByRole('button', { name });
    await button.focus();
    await press(page, 'Enter');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const items = await page.locator('.menu button span').allTextContents();
    await press(page, 'End');
    expect(await focusedText(page)).toContain(items.at(-1));
    await press(page, 'ArrowDown');
    expect(await focusedText(page)).toContain(items[0]);
    await press(page, 'Escape');
    expect(await page.locator('.menu').isVisible()).toBe(false);
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    expect(await focusedText(page)).toBe(name);
  });
});

describe('keys', () => {
  test('are listed by ?, until Esc', async () => {
    await goTo(page);
    await press(page, '?');
    const dialog = page.getByRole('dialog');
    expect(await dialog.isVisible()).toBe(true);
    const keys = (await dialog.locator('table').first().locator('th').allTextContents()).join(' ').split(/\s+/);
    expect(keys).toEqual('↑ ↓ ← → Enter Esc r / n N o p [ ] f h l q x c C m v V b i s 1 … 6 a d ?'.split(' '));
    await press(page, 'i', 'Escape');
    expect(await dialog.isVisible()).toBe(false);
    await eventually(() => hashOf(page)).toBe('');
  });

  test('Escape closes what the trust chip opened, and nothing else', async () => {
    await goTo(page, '#function=a&zoom=main');
    await page.locator('.trust').click();
    expect(await page.locator('#trust').isVisible()).toBe(true);
    await press(page, 'Escape');
    expect(await page.locator('#trust').isVisible()).toBe(false);
    expect(await hashOf(page)).toBe('zoom=main&function=a');
    await press(page, 'Escape');
    await eventually(() => hashOf(page)).toBe('zoom=main');
  });

  test('/ focuses the search, which receives letters, and Tab moves from a match found by Enter to its frame', async () => {
    await goTo(page);
    await press(page, '/');
    await page.keyboard.type('main');
    await eventually(() => hashOf(page)).toBe('search=main');
    await press(page, 'Enter');
    const reached: string[] = [];
    for (let step = 0; step < 20 && !/^main: /.test(reached.at(-1) ?? ''); step++) {
      await press(page, 'Tab');
      reached.push(await focusedText(page));
    }
    expect(reached.filter((name) => / total /.test(name))).toEqual([expect.stringMatching(/^main: /)]);
    expect(reached.slice(0, 3)).toEqual(['Previous match', 'Next match', 'Only matches']);
  });

  test('o opens the function of a frame and keeps the focus on the frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'o');
    await eventually(() => page.locator('.panel h2').textContent()).toBe('a');
    expect(await focusedText(page)).toMatch(/^a: /);
    await press(page, 'o');
    await eventually(() => page.locator('.panel').isVisible()).toBe(false);
  });

  test('arrow keys move between frames', async () => {
    await goTo(page);
    await enterGraph(page);
    const seen: string[] = [];
    for (const key of [
      'ArrowDown',
      'ArrowDown',
      'ArrowDown',
      'ArrowRight',
      'ArrowUp',
      'ArrowRight',
      'ArrowUp',
      'ArrowUp',
    ]) {
      await press(page, key);
      seen.push((await focusedText(page)).replace(/ \(.*/, ''));
    }
    const leaf = 'leaf: total 20 ns';
    const a = 'a: total 60 ns';
    expect(seen).toEqual([
      'main: total 100 ns',
      a,
      'a: total 30 ns',
      leaf,
      a,
      'b: total 30 ns',
      'main: total 100 ns',
      'all: total 100 ns',
    ]);
  });

  test('do nothing with a modifier key', async () => {
    await goTo(page);
    await press(page, 'Control+i', 'Alt+a', 'Control+1');
    await eventually(() => hashOf(page)).toBe('');
  });

  test('o and p open the panel, p closes it, and [ and ] switch its tabs', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'p');
    await eventually(() => hashOf(page)).toBe('function=a');
    for (const [key, hash] of [
      [']', 'function=a&tab=calls'],
      [']', 'function=a&tab=waits'],
      [']', 'function=a&tab=source'],
      [']', 'function=a'],
      ['[', 'function=a&tab=source'],
      ['p', 'tab=source'],
    ] as const) {
      await press(page, key);
      await eventually(() => hashOf(page)).toBe(hash);
    }
    await eventually(() => page.locator('.panel').isVisible()).toBe(false);
    await eventually(() => focusedText(page)).toMatch(/^a: /);
  });

  test('v and V step through the views, b inverts, and q hides pure waits', async () => {
    await goTo(page);
    for (const [key, hash] of [
      ['v', 'view=tree'],
      ['v', 'view=functions'],
      ['V', 'view=tree'],
      ['b', 'inverted=1&view=tree'],
      ['b', 'view=tree'],
      ['V', ''],
      ['V', 'view=threads'],
      ['v', ''],
      ['q', 'hide=pure-waits'],
      ['q', ''],
    ] as const) {
      await press(page, key);
      await eventually(() => hashOf(page)).toBe(hash);
    }
  });

  test('reach callers and callees, too, with a visible focus', async () => {
    await goTo(page, '#function=6');
    await page.locator('#panel-callers').focus();
    const seen: (readonly [name: string, isSeen: boolean])[] = [];
    for (let step = 0; step < 3; step++) {
      await press(page, 'Tab');
      const [name, isSeen] = await focusMark(page);
      seen.push([name.replace(/\d.*/, ''), isSeen]);
    }
    expect(seen).toEqual([
      ['main', true],
      ['a', true],
      ['leaf', true],
    ]);
    await press(page, 'Escape');
    await eventually(() => page.locator('.panel').isVisible()).toBe(false);
  });

  test('in a table row do not act on a frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowRight');
    expect(await focusedText(page)).toMatch(/^b: /);
    await page.locator('[aria-label="Functions"] .row', { hasText: 'leaf' }).focus();
    await press(page, 'h');
    expect(await chips(page)).not.toContain('without b');
  });
});

/** 40 of 100 ns are lost; another thread is idle. */
const DOUBTFUL = traceOf(`
  1/0     PERF_RECORD_COMM: worker:1/1
  2/0     PERF_RECORD_COMM: timer:2/2
  1/0     call             main   work
  2/0     tr end  syscall  wait
  1/400   error
  1/800   tr strt          work
  1/1000  return           work   main
  2/1000  tr strt          wait`);

/**
 * What is seen at addresses, after something was opened there. Of the page, which is known from the start, only the `part` that is
 * new is checked.
 */
const STATES: readonly (readonly [
  name: string,
  hash: string,
  seen: string,
  part?: string,
  opens?: (page: Page) => Promise<unknown>,
])[] = [
  ['the start', '', '.graph.main .frame'],
  ['the menu View', '', '.menu button', '.menu:not([hidden])', (page) => push(page, /^View$/)],
  ['the menu Save', '', '.menu button', '.menu:not([hidden])', (page) => push(page, /^Save$/)],
  ['the menu of columns', '', '.menu button', '.menu:not([hidden])', (page) => push(page, /^Columns$/)],
  ['the list of keys', '', 'dialog[open]', 'dialog[open]', (page) => press(page, '?')],
  ['what was recorded', '', '#trust', '#trust', (page) => page.locator('.trust').click()],
  [
    'the menu of a frame',
    '',
    '.menu button',
    '.menu:not([hidden])',
    async (page) => {
      await enterGraph(page);
      await press(page, 'ArrowDown', 'm');
    },
  ],
  ['the panel with callers and callees', '#function=handle_request', '#panel-callers .path', '.panel'],
  ['the panel with calls', '#function=handle_request&tab=calls', '#panel-calls canvas', '.panel'],
  ['the panel with waits', '#function=handle_request&tab=waits', '#panel-waits :text("waits")', '.panel'],
  ['the call tree', '#view=tree', '[role=treegrid] .row', 'main'],
  [
    'the call tree, inverted',
    '#view=tree&inverted=1&function=handle_request',
    '[role=treegrid] .row',
    '[role=treegrid]',
  ],
  ['the functions', '#view=functions&width=calls', '[aria-label=Functions] .row', 'main'],
  ['the threads', '#view=threads', '[aria-label=Threads] .row', 'main'],
  ['the timeline', '#chart=9170', '.stack-chart canvas', 'main'],
  ['a search with matches', '#search=handle', '.frame.match', 'header'],
  ['a search that is refused', '#search=/(?=a)/', '.search output:not(:empty)', 'header'],
  ['a range', '#range=10000000-30000000', '.axis-head:not(.idle)'],
  ['what is hidden, a zoom and colours of averages', '#zoom=clone3&hide=worker&colour=average', '.chip'],
];

describe('axe finds no violations', () => {
  let open: Page;
  beforeAll(async () => {
    const options = { trees: 'apart', durations: true, timelineBytes: 1e6 } as const;
    const contents = await analyzeForPage([inputOf(fixture('waits/requests.txt.gz'))], options);
    let html = '';
    for await (const part of renderHtmlInParallel(contents.profile, {}, contents)) html += part;
    open = await lenient.open(html);
    await open.locator('.axis').waitFor(); // the timeline is read last
  }, 60_000);

  test.for(STATES)('with %s, in both themes', async ([, hash, seen, part, opens]) => {
    await goTo(open, hash);
    await opens?.(open);
    await drawn(open);
    await open.locator(seen).first().waitFor({ timeout: 10_000 });
    await expectAccessible(open, part);
    if (opens !== undefined) await press(open, 'Escape');
  });

  test('in a narrow window', async () => {
    await open.setViewportSize({ width: 420, height: 800 });
    await goTo(open, '#function=handle_request');
    expect(await axeViolations(open)).toEqual([]);
    expect(await open.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
    await open.setViewportSize({ width: 1200, height: 800 });
  });

  test('with warnings and with the threads table', async () => {
    const doubtful = await openReport(lenient, DOUBTFUL);
    expect(await axeViolations(doubtful)).toEqual([]);
    await doubtful.locator('#tab-threads').focus();
    await press(doubtful, 'Enter');
    await drawn(doubtful);
    expect(await axeViolations(doubtful)).toEqual([]);
    expect((await labels(doubtful)).length).toBeGreaterThan(1);
  });
});
