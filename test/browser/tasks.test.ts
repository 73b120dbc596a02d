/**
 * Walks through what people open the pages for, counting clicks: each answer takes at most three. Also by keys alone, at all
 * widths, in both themes.
 */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { renderComparedHtml, renderHtmlInParallel } from '../../src/page/html.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import { axeViolations } from '../helpers/browser/axe.js';
import { press, windows } from '../helpers/browser/browser.js';
import { drawn } from '../helpers/browser/drawing.js';
import { chips, eventually, goTo, hashOf, hover, labels, rows } from '../helpers/browser/report-page.js';
import { analyzeText, inputOf } from '../helpers/traces/load.js';
import { lockTrace } from '../helpers/traces/lock-trace.js';
import { traceOf } from '../helpers/traces/trace-of.js';

/** axe needs a page without its content security policy. */
const browser = windows('html', { bypassCSP: true });

const CALLS = 1000;
const REFILL_EVERY = 40;

/** Two threads serve requests, of 4 µs each; every 40th one of the first thread takes longer, because it refills. */
function serving(refillNs = 50_000): string {
  const served = (thread: number, refills: (call: number) => boolean) => {
    let ns = 0;
    return Array.from({ length: CALLS }, (_, call) => {
      const startNs = ns;
      const refilledNs = startNs + 3900 + (refills(call) ? refillNs : 0);
      ns = refilledNs + 200;
      return `
        ${thread}/${startNs}         call    main   serve
        ${thread}/${startNs + 10}    call    serve  parse
        ${thread}/${startNs + 3800}  return  parse  serve
        ${refills(call) ? `${thread}/${startNs + 3900} call serve refill\n${thread}/${refilledNs} return refill serve` : ''}
        ${thread}/${refilledNs + 100}  return  serve  main`;
    });
  };
  const calls = [...served(1, (call) => call % REFILL_EVERY === 0), ...served(2, () => false)];
  return traceOf(calls.join('\n'));
}

async function reportOf(trace: string): Promise<Page> {
  const options = { trees: 'apart', byCalls: true, durations: true, timelineBytes: 1e6 } as const;
  const { profile, timeline, waits } = await analyzeForPage([inputOf(trace)], options);
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { timeline, waits })) html += part;
  const page = await browser.open(html);
  await drawn(page);
  return page;
}

async function comparisonOf(before: string, after: string): Promise<Page> {
  const [a, b] = [await analyzeText(before, { durations: true }), await analyzeText(after, { durations: true })];
  const text = renderComparedHtml(compareProfiles(a, b), { title: 'old build → new build' });
  const page = await browser.open([...text].join(''));
  await drawn(page);
  return page;
}

let served: Page;
let waited: Page;
let compared: Page;
beforeAll(async () => {
  served = await reportOf(serving());
  waited = await reportOf(lockTrace());
  compared = await comparisonOf(serving(), serving(90_000));
}, 60_000);

type Target = Pick<Locator, 'click'>;

/** Clicks, and keys pressed instead of one. */
class Steps {
  taken = 0;

  async click(target: Target): Promise<void> {
    this.taken++;
    await target.click();
  }

  async key(page: Page, key: string): Promise<void> {
    this.taken++;
    await press(page, key);
  }
}

const MOST = 3;
const row = (page: Page, table: string, text: string | RegExp) =>
  page.locator(`.table[aria-label="${table}"] .row`, { has: page.locator('.names', { hasText: text }) }).first();
const tab = (page: Page, name: string) => page.getByRole('tab', { name });
const texts = (page: Page, selector: string) =>
  page.$$eval(selector, (all) => all.map(({ textContent }) => textContent ?? ''));

describe('why is the p99 of a function high?', () => {
  test('the function says it: percentiles, when the slow calls were, and what took longer in them', async () => {
    const steps = new Steps();
    await goTo(served);
    await steps.click(row(served, 'Functions', /^serve/));
    await eventually(() => texts(served, '.numbers > div')).toContainEqual(
      expect.stringMatching(/^p99(≈ )?5\d\.\d µs$/),
    );
    await steps.click(served.getByRole('tab', { name: 'Calls' }));
    const [, slowest] = await texts(served, '.calls tr');
    expect(slowest).toContain('refill +');
    await steps.click(served.locator('.calls button').first());
    await eventually(() => hashOf(served)).toMatch(/chart=1&at=\d+ns,\d+ns&call=1@/);
    await eventually(async () => (await rows(served, 'Calls')).map(([name]) => name)).toEqual(
      expect.arrayContaining(['refill', 'parse', 'serve']),
    );
    expect(steps.taken).toBeLessThanOrEqual(MOST);
  });

  test('by keys, from cell to cell of the heat map', async () => {
    await goTo(served);
    await row(served, 'Functions', /^serve/).focus();
    await press(served, 'Enter', ']');
    const plot = served.getByRole('application', { name: /^Plot/ });
    await plot.focus();
    await press(served, 'ArrowRight', 'ArrowRight', 'ArrowUp', 'Home');
    await eventually(() => texts(served, '.calls .spoken')).toEqual([expect.stringMatching(/1 call of 46/)]);
    await press(served, 'Enter');
    await eventually(() => hashOf(served)).toMatch(/call=1@0ns,54000ns&/);
  });
});

describe('what ran while a thread waited?', () => {
  test('its time off the CPU says for whom it waited, why, and what that one did', async () => {
    const steps = new Steps();
    await goTo(waited);
    await steps.click(tab(waited, 'Threads'));
    await steps.click(row(waited, 'Threads', 'customer'));
    await eventually(async () => (await labels(waited)).join()).not.toContain('teller');
    await hover(waited, (await labels(waited)).find((label) => label.startsWith('off CPU')) as string);
    await steps.key(waited, 'o');
    await tab(waited, 'Waits').click();
    await eventually(() => texts(waited, '.waits tr:not(:first-child) > *')).toEqual(
      expect.arrayContaining(['teller 2: teller', 'mutex, held']),
    );
    expect(await labels(waited, '[aria-label="What they did meanwhile"]')).toEqual(expect.arrayContaining(['count']));
    expect(steps.taken).toBeLessThanOrEqual(MOST);
  });

  test('the time of its blocked call is a range for all threads', async () => {
    const steps = new Steps();
    await goTo(waited);
    await steps.click(await nameInAxis(waited, 'customer 1'));
    const calls = waited.getByRole('application', { name: /^Stack chart: customer 1/ });
    const { x = 0, y = 0, width = 0 } = (await calls.boundingBox()) ?? {};
    const isLock = () => waited.locator('.tooltip', { hasText: 'pthread_mutex_lock' }).isVisible();
    for (let row = 0; row < 6 && !(await isLock()); row++) await waited.mouse.move(x + width / 2, y + 10 + 19 * row);
    await steps.key(waited, 't');
    await eventually(() => chips(waited)).toEqual(['only 10 ns to 70 ns (60 ns)']);
    await steps.click(tab(waited, 'Flame graph'));
    await eventually(async () => (await rows(waited)).map(([name]) => name)).toContain('count');
    expect(steps.taken).toBeLessThanOrEqual(MOST);
  });

  /** Returns where to click on the name of a thread: names are drawn, and the tooltip says which one it is. */
  async function nameInAxis(page: Page, name: string): Promise<Target> {
    const strips = page.locator('.strips');
    const isThere = () => page.locator('.tooltip', { hasText: `${name}click: its stack chart` }).isVisible();
    let y = 0;
    while (!(await isThere())) await strips.hover({ position: { x: 10, y: (y += 6) } });
    return { click: () => strips.click({ position: { x: 10, y } }) };
  }
});

describe('how do two threads differ?', () => {
  const answer = async () => {
    await eventually(() => chips(served)).toEqual(['thread 1', 'compared with thread 2']);
    await eventually(() => labels(served)).toContain('✚ refill · +1.25 ms · new');
    expect((await labels(served)).some((label) => label.startsWith('▲ serve · +1.25 ms'))).toBe(true);
  };

  test('a thread is chosen, then compared with another', async () => {
    const steps = new Steps();
    await goTo(served);
    await steps.click(tab(served, 'Threads'));
    await steps.click(row(served, 'Threads', 'thread 1'));
    await steps.click(row(served, 'Threads', 'thread 2').getByRole('button', { name: 'Compare' }));
    await answer();
    expect(steps.taken).toBeLessThanOrEqual(MOST);
    await tab(served, 'Flame graph').click();
    const numbers = async () => (await rows(served)).map((cells) => cells.slice(0, 4).join(' | '));
    await eventually(numbers).toContain('refill | 1.25 ms | 0 ns | ✚ +1.25 ms');
    await tab(served, 'Threads').click();
    await row(served, 'Threads', 'thread 2').getByRole('button', { name: 'Swap' }).click();
    await eventually(() => chips(served)).toEqual(['thread 2', 'compared with thread 1']);
    await eventually(() => labels(served)).toContain('✕ refill · −1.25 ms · gone');
  });

  test('by keys', async () => {
    await goTo(served);
    await tab(served, 'Threads').focus();
    await press(served, 'Enter');
    await row(served, 'Threads', 'thread 1').focus();
    await press(served, 'Enter');
    await row(served, 'Threads', 'thread 2').focus();
    await press(served, 'm');
    await eventually(() => served.getByRole('menu').isVisible()).toBe(true);
    const item = served.getByRole('menuitem', { name: /^Compare/ });
    while (!(await item.evaluate((own) => own === document.activeElement))) await press(served, 'ArrowDown');
    await press(served, 'Enter');
    await answer();
  });
});

describe('how does a thread differ from the rest?', () => {
  test('by a button, and by a key that ends it, too', async () => {
    await goTo(served, '#threads=tid:1');
    await served.getByRole('button', { name: 'Compare with the rest' }).click();
    await eventually(() => hashOf(served)).toContain('against=rest');
    await eventually(async () => (await chips(served))[1]).toMatch(/^compared with the rest, scaled to the same total/);
    await press(served, 'x');
    await eventually(() => chips(served)).toEqual(['thread 1']);
    await press(served, 'x');
    await eventually(() => hashOf(served)).toContain('against=rest');
    await goTo(served);
  });
});

describe('what changed between two builds?', () => {
  test('the first row, and its frames', async () => {
    const steps = new Steps();
    const numbers = async () => (await rows(compared)).map((cells) => cells.slice(0, 5).join(' | '));
    await eventually(numbers).toContain('refill | 2.25 ms | 1.25 ms | ▲ +1 ms | +80 %');
    await steps.click(row(compared, 'Functions', /^refill/));
    expect(await compared.locator('g.frame.match').count()).toBe(1);
    expect(await compared.locator('.compared tr').nth(1).textContent()).toBe('Total2.25 ms1.25 ms▲ +1 ms+80 %');
    expect(steps.taken).toBeLessThanOrEqual(MOST);
    await press(compared, 'Escape');
  });
});

describe('each answer', () => {
  async function functionOf(page: Page, hash: string, name: RegExp): Promise<Page> {
    await goTo(page, hash);
    await row(page, 'Functions', name).click();
    return page;
  }

  async function twoThreads(): Promise<Page> {
    await goTo(served, '#threads=tid:1&against=tid:2&view=threads');
    return served;
  }

  const answers: readonly (readonly [name: string, open: () => Promise<Page>])[] = [
    ['to the p99', () => functionOf(served, '', /^serve/)],
    ['to a wait', () => functionOf(waited, '#threads=tid:1', /^off CPU/)],
    ['to two threads', twoThreads],
    ['to two builds', async () => compared],
  ];

  test.each(answers)('%s fits into any window, and axe finds nothing', async (_, open) => {
    for (const [width, colorScheme] of [
      [380, 'light'],
      [768, 'dark'],
      [1280, 'light'],
      [1920, 'dark'],
    ] as const) {
      const page = await open();
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await axeViolations(page)).toEqual([]);
    }
  });
});
