/**
 * Tests the report page with the keyboard only and with screen readers.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import {
  CALLS,
  chips,
  drawn,
  enterGraph,
  eventually,
  focusedText,
  goTo,
  hashOf,
  labels,
  openReport,
} from '../../helpers/browser/report-page.js';
import { fixture } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
}, 60_000);

/** Returns the name of the focused element, and whether its focus is visible. */
function focusMark(of: Page): Promise<readonly [name: string, isVisible: boolean]> {
  return of.evaluate(() => {
    const active = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(active);
    const mark = active.closest('.graph')?.querySelector('.mark');
    const isMarked = mark?.getAttribute('visibility') === 'visible';
    const name = active.getAttribute('aria-label') ?? active.textContent ?? '';
    return [name, isMarked || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1)];
  });
}

describe('Tab', () => {
  test('reaches all controls, with a visible focus', async () => {
    await goTo(page, '#function=6&search=a');
    await page.locator('.function').waitFor();
    const names: string[] = [];
    await page.locator('.actions button').first().focus();
    for (let step = 0; step < 60; step++) {
      const [name, isSeen] = await focusMark(page);
      names.push(name.replace(/:.*/, ''));
      expect.soft(isSeen, name).toBe(true);
      await press(page, 'Tab');
      if (await page.evaluate(() => document.activeElement === document.body)) break;
    }
    for (const control of ['Icicle', 'Fold recursion', 'Search frames', 'Previous match', 'Next match', 'Only matches'])
      expect(names).toContain(control);
    for (const control of ['Save SVG', 'Save JSON', 'Dark or light', 'Keys', 'all', 'Functions', 'Total ↓', 'Average'])
      expect(names).toContain(control);
    for (const control of ['Focus', 'Hide', 'Close']) expect(names).toContain(control);
    expect(names.length).toBeLessThan(60);
  });

  test('reaches the tables, and arrow keys switch between them', async () => {
    await goTo(page);
    await page.locator('#tab-functions').focus();
    await press(page, 'ArrowRight');
    expect(await focusedText(page)).toBe('Threads (1)');
    expect(await page.locator('#panel-threads').isVisible()).toBe(true);
    expect(await page.locator('#panel-functions').isVisible()).toBe(false);
    await press(page, 'ArrowRight');
    expect(await focusedText(page)).toBe('Functions');
    expect(await page.locator('#panel-functions').isVisible()).toBe(true);
  });
});

describe('keys', () => {
  test('are listed by ?, until Esc', async () => {
    await goTo(page);
    await press(page, '?');
    const dialog = page.getByRole('dialog');
    expect(await dialog.isVisible()).toBe(true);
    const keys = (await dialog.locator('table').first().locator('th').allTextContents()).join(' ').split(/\s+/);
    expect(keys).toEqual('↑ ↓ ← → Enter Esc r / n N o f h c C m i s 1 … 6 a d ?'.split(' '));
    await press(page, 'i', 'Escape');
    expect(await dialog.isVisible()).toBe(false);
    await eventually(() => hashOf(page)).toBe('');
  });

  test('/ focuses the search, which receives letters, and Tab moves from a match found by Enter to its frame', async () => {
    await goTo(page);
    await press(page, '/');
    await page.keyboard.type('main');
    await eventually(() => hashOf(page)).toBe('search=main');
    await press(page, 'Enter', 'Tab', 'Tab', 'Tab', 'Tab');
    expect(await focusedText(page)).toMatch(/^main: /);
  });

  test('o opens the function of a frame and keeps the focus on the frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowUp', 'ArrowUp', 'o');
    await eventually(() => page.locator('.function h2').textContent()).toBe('a');
    expect(await focusedText(page)).toMatch(/^a: /);
    await press(page, 'o');
    await eventually(() => page.locator('.function').isVisible()).toBe(false);
  });

  test('arrow keys move between frames', async () => {
    await goTo(page);
    await enterGraph(page);
    const seen: string[] = [];
    for (const key of [
      'ArrowUp',
      'ArrowUp',
      'ArrowUp',
      'ArrowRight',
      'ArrowDown',
      'ArrowRight',
      'ArrowDown',
      'ArrowDown',
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

  test('move in callers and callees, too, with a visible focus', async () => {
    await goTo(page, '#function=6');
    const callees = page.locator('.callees.callees .graph');
    await callees.locator('g.frame[tabindex]').focus();
    await press(page, 'ArrowDown');
    const [name, isSeen] = await focusMark(page);
    expect(name).toMatch(/^(a|leaf): total .* % of this function\)/);
    expect(isSeen).toBe(true);
    await press(page, 'Escape');
    await eventually(() => page.locator('.function').isVisible()).toBe(false);
  });

  test('in a table row do not act on a frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowUp', 'ArrowUp', 'ArrowRight');
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

interface Violation {
  readonly id: string;
  readonly nodes: readonly string[];
}

async function violations(of: Page): Promise<Violation[]> {
  await drawn(of);
  return of.evaluate(async (source) => {
    const holder = globalThis as unknown as { axe?: { run: () => Promise<{ violations: unknown[] }> } };
    if (!holder.axe) new Function(source)();
    const found = await (holder.axe as NonNullable<typeof holder.axe>).run();
    type Found = { id: string; nodes: { target: string[]; failureSummary: string }[] };
    return (found.violations as Found[]).map(({ id, nodes }) => ({
      id,
      nodes: nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
  }, AXE);
}

describe('axe finds no violations', () => {
  let open: Page;
  beforeAll(async () => {
    open = await openReport(lenient, fixture('lab/demo-cre.txt'));
  }, 60_000);

  test('initially, in the light and the dark theme', async () => {
    expect(await violations(open)).toEqual([]);
    await open.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(open)).toEqual([]);
    await open.emulateMedia({ colorScheme: null });
  });

  test.for(['#function=10', '#search=main', '#colour=average&width=calls&function=10', '#zoom=6'])(
    'with %s',
    async (hash) => {
      await goTo(open, hash);
      expect(await violations(open)).toEqual([]);
    },
  );

  test('in a narrow window', async () => {
    await open.setViewportSize({ width: 420, height: 800 });
    await goTo(open, '#function=10');
    expect(await violations(open)).toEqual([]);
    expect(await open.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
    await open.setViewportSize({ width: 1200, height: 800 });
  });

  test('with warnings and with the threads table', async () => {
    const doubtful = await openReport(lenient, DOUBTFUL);
    expect(await violations(doubtful)).toEqual([]);
    await doubtful.locator('#tab-threads').focus();
    await press(doubtful, 'Enter');
    expect(await violations(doubtful)).toEqual([]);
    expect((await labels(doubtful)).length).toBeGreaterThan(1);
  });

  test('with the menu and with the list of keys', async () => {
    await goTo(open);
    await enterGraph(open);
    await press(open, 'ArrowUp', 'm');
    expect(await violations(open)).toEqual([]);
    await press(open, 'Escape', '?');
    expect(await violations(open)).toEqual([]);
    await press(open, 'Escape');
  });
});
