/**
 * Tests the functions table of the report page, and the function panel with callers and callees.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { PERCENTILES } from '../../../src/model/percentiles.js';
import { symbolLines } from '../../../src/model/symbol-table.js';
import { averageText, starredCalls } from '../../../src/page/view/captions/counts.js';
import { START, type State } from '../../../src/page/view/state.js';
import { reportOf } from '../../../src/questions/report/answer.js';
import type { FunctionRow } from '../../../src/questions/report/schema.js';
import {
  formatDuration,
  formatLongest,
  formatPercentile,
  formatShare,
  formatTotal,
} from '../../../src/render/format.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { symbolOf, viewsOf } from '../../helpers/browser/page-views.js';
import * as report from '../../helpers/browser/report-page.js';
import {
  ALL_COLUMNS,
  CALLS,
  chips,
  click,
  clickByScript,
  eventually,
  focusedText,
  goTo,
  hashOf,
  htmlOf,
  openReport,
  profileOfTrace,
  push,
  rows,
  SHOWN_NAMES,
  titles,
} from '../../helpers/browser/report-page.js';
import { fixture } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { TraceWriter, times } from '../../helpers/traces/trace-writer.js';

const browser = windows('html');
const SMALL = fixture('lab/thread-create-switch-migrate.txt');

let page: Page;
let small: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
  await page.setViewportSize({ width: 1900, height: 800 });
  small = await openReport(browser, SMALL);
  await small.setViewportSize({ width: 2000, height: 1200 });
}, 60_000);

test('says that running time is a lower bound without switch records, with the remedy', async () => {
  const own = await openReport(browser, fixture('lab/overflow-and-lost.txt'), {}, `#${ALL_COLUMNS}`);
  const heads = await own.$$eval('th button, [role=columnheader] button', (all) =>
    all.map((one) => `${one.textContent} ${one.getAttribute('title')}`),
  );
  expect(heads.join('\n')).toMatch(/Running .*a lower bound of on-CPU time; decode with --show-switch-events/);
  await push(own, /^All time$/);
  const traced = own.getByRole('menuitemcheckbox', { name: 'Traced (least running)' });
  expect(await traced.getAttribute('title')).toMatch(/a lower bound of on-CPU time; decode with --show-switch-events/);
  await own.close();
});

/** Formats a row of the report like the table with all columns. */
function rowText(row: FunctionRow, offCpuNs: number, allNs: number): string[] {
  const duration = (ns: number | null) => (ns === null ? '–' : formatDuration(ns));
  return [
    SHOWN_NAMES[row.name] ?? row.name,
    formatTotal(row),
    formatShare(row.totalNs, allNs),
    duration(row.selfNs),
    starredCalls(row.calls, row.inferred),
    averageText(row),
    ...[row.outsideNs, row.outsideSelfNs, row.onCpuNs].map(duration),
    row.totalNs > 0 ? formatShare(row.outsideNs, row.totalNs) : '–',
    duration(offCpuNs),
    duration(row.minNs),
    ...PERCENTILES.map(({ key, part }) => formatPercentile(row[key], row, part)),
    formatLongest(row.maxNs, row.longestCutNs),
  ];
}

describe('the functions', () => {
  test('have the numbers of the report, for all threads and for one', async () => {
    const profile = await profileOfTrace(SMALL);
    const { trace, functions, threads = [] } = reportOf(profile, { threads: true });
    const views = viewsOf(profile);
    const texts = (rows: readonly FunctionRow[], of: Partial<State>, allNs: number) => {
      const sums = views.viewAt({ ...START, ...of }).functions();
      return rows.map((row) =>
        rowText(row, sums.get(symbolOf(views, SHOWN_NAMES[row.name] ?? row.name))?.offCpuNs ?? -1, allNs),
      );
    };
    await goTo(small, `#${ALL_COLUMNS}`);
    expect(functions.length).toBeGreaterThan(5);
    await eventually(() => rows(small)).toEqual(texts(functions, {}, trace.totalNs));
    for (const { tid, totalNs, functions } of threads) {
      await goTo(small, `#${ALL_COLUMNS}&threads=tid:${tid}`);
      await eventually(() => rows(small)).toEqual(texts(functions, { threads: `tid:${tid}` }, totalNs));
    }
  });

  test('are sorted by any column, in both directions', async () => {
    await goTo(small, `#${ALL_COLUMNS}`);
    await eventually(async () => (await titles(small)).length).toBe(16);
    const heads = await small.locator('.table[aria-label="Functions"] [role=columnheader] button').allTextContents();
    for (const head of heads.keys()) {
      const button = small.locator('.table[aria-label="Functions"] [role=columnheader] button').nth(head);
      const sortOf = () =>
        small.locator('[aria-label="Functions"] [role=columnheader]').nth(head).getAttribute('aria-sort');
      const columns: number[][] = [];
      for (let time = 0; time < 2; time++) {
        await clickByScript(button);
        const isUpwards = (await sortOf()) === 'ascending';
        const isName = heads[head] === 'Function';
        const values = (await rows(small)).map((cells) => cells[isName ? 0 : head + 1]);
        if (isName) expect(values).toEqual(isUpwards ? values.toSorted() : values.toSorted().reverse());
        else columns.push(values.map(amountOf).map((value) => (isUpwards ? -value : value)));
      }
      for (const column of columns) expect(column).toEqual(column.toSorted((a, b) => b - a));
    }
  });

  test('have few rows in the document for any number of functions', async () => {
    const own = await openReport(browser, manyFunctions());
    const table = own.locator('.table[aria-label="Functions"]');
    expect(await table.getAttribute('aria-rowcount')).toBe('2002');
    expect((await rows(own)).length).toBeLessThan(60);
    await own.locator('.row').first().focus();
    const focused = () => own.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'));
    const seen: (string | null | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowDown', 'PageUp', 'Home', 'PageDown']) {
      await press(own, key);
      seen.push(await focused());
      const isInSight = await own.evaluate(() => {
        const row = (document.activeElement as Element).getBoundingClientRect();
        const table = (document.querySelector('[aria-label="Functions"]') as Element).getBoundingClientRect();
        return row.top >= table.top + 26 - 1 && row.bottom <= table.bottom + 1;
      });
      expect(isInSight, key).toBe(true);
    }
    const pageRows = Number(seen[7]) - 2;
    expect(pageRows).toBeGreaterThan(3);
    expect(seen.slice(0, 7).map(Number)).toEqual([3, 4, 3, 2002, 2002, 2002 - pageRows, 2]);
    await press(own, 'End', 'Enter');
    await eventually(() => own.locator('[aria-label="Functions"] .row.chosen').count()).toBe(1);
    expect(await focused()).toBe('2002');
    await own.close();
  });
});

/** Returns the first columns of the rows with their headings. */
const table = async (hash: string) => {
  await goTo(page, hash);
  return [await titles(page), ...(await rows(page))].map((cells) => cells.slice(0, 4).join(' '));
};

describe('the functions follow', () => {
  test.for([
    [
      '',
      [
        'Function Total ↓ Share Self',
        'main 100 ns 100 % 10 ns',
        'a 60 ns 60 % 30 ns',
        'b 30 ns 30 % 30 ns',
        'leaf 30 ns 30 % 30 ns',
      ],
    ],
    ['#zoom=9.6', ['Function Total ↓ Share Self', 'a 60 ns 100 % 30 ns', 'leaf 30 ns 50 % 30 ns']],
    ['#zoom=9.6.6', ['Function Total ↓ Share Self', 'a 30 ns 100 % 20 ns', 'leaf 10 ns 33.3 % 10 ns']],
    [
      '#width=calls',
      ['Function With callees ↓ Share Calls', 'main 6 100 % 1*', 'a 4 66.7 % 2', 'leaf 2 33.3 % 2', 'b 1 16.7 % 1'],
    ],
    [
      '#inverted=1',
      [
        'Function Total Self ↓ Share',
        'a 60 ns 30 ns 30 %',
        'b 30 ns 30 ns 30 %',
        'leaf 30 ns 30 ns 30 %',
        'main 100 ns 10 ns 10 %',
      ],
    ],
    ['#inverted=1&zoom=8', ['Function Total Self ↓ Share', 'leaf 30 ns 30 ns 100 %']],
    ['#search=leaf', ['Function Total ↓ Share Self', 'leaf 30 ns 30 % 30 ns']],
    ['#search=leaf&only=1', ['Function Total ↓ Share Self', 'leaf 30 ns 100 % 30 ns']],
    [
      '#search=a&only=1&list=all',
      [
        'Function Total ↓ Share Self',
        'main 100 ns 100 % 10 ns',
        'a 60 ns 60 % 30 ns',
        'b 30 ns 30 % 30 ns',
        'leaf 30 ns 30 % 30 ns',
      ],
    ],
    ['#search=/^a/&only=1&list=all', ['Function Total ↓ Share Self', 'a 60 ns 100 % 30 ns', 'leaf 30 ns 50 % 30 ns']],
  ] as const)('width, zoom and search: %s', async ([hash, expected]) => {
    await eventually(() => table(hash)).toEqual(expected);
  });

  test('switches: off-CPU time has a column and a width', async () => {
    await goTo(small, '#width=off-cpu');
    expect(await titles(small)).toEqual(['Function', 'Off CPU ↓', 'Share', 'Off CPU self', 'Calls', 'Average']);
    const listed = await rows(small);
    expect(listed.find(([name]) => name === 'off CPU')?.slice(1, 3)).toEqual(['29.2 µs', '100 %']);
    const first = listed.find(([name]) => !Object.values(SHOWN_NAMES).includes(name as string));
    expect(first?.slice(1, 3)).toEqual(['20.2 µs', '69 %']);
  });
});

test('lists matches of the search, or all functions with matches marked', async () => {
  await goTo(page, '#search=leaf');
  const box = page.getByRole('checkbox');
  await eventually(() => page.locator('.above').first().innerText()).toContain('only matches: 1 of 4 functions');
  await box.focus();
  await press(page, 'Space');
  await eventually(async () => (await rows(page)).map(([name]) => name)).toEqual(['main', 'a', 'b', 'leaf']);
  expect(await page.locator('[aria-label="Functions"] .row.found').allTextContents()).toHaveLength(1);
  await eventually(() => hashOf(page)).toBe('search=leaf&list=all');
  await goTo(page, '#search=leaf&inverted=1');
  const rule = 'only matches: 1 of 4 functions, those with time of their own';
  await eventually(() => page.locator('.above').first().innerText()).toContain(rule);
});

test('keeps sort order and the tab of the panel in the address, but not in the history; the view is a step', async () => {
  const sortBy = (column: string) =>
    clickByScript(page.getByRole('columnheader', { name: column, exact: true }).getByRole('button'));
  await goTo(page);
  await click(page, 'a  1 × 60 ns');
  await eventually(() => hashOf(page)).toBe('function=a');
  await sortBy('Calls');
  await sortBy('Calls ↓');
  await page.locator('#tab-waits').click();
  await eventually(() => hashOf(page)).toBe('function=a&tab=waits&sort=-calls');
  await page.locator('#tab-threads').focus();
  await press(page, 'Enter');
  await sortBy('Thread');
  const kept = 'tab=waits&sort=-calls&sort-threads=name';
  await eventually(() => hashOf(page)).toBe(`function=a&view=threads&${kept}`);
  await page.goBack();
  await eventually(() => hashOf(page)).toBe(`function=a&${kept}`);
  await page.goBack();
  await eventually(() => hashOf(page)).toBe(kept);
  await goTo(page, `#view=threads&${kept}`);
  await page.reload();
  await drawn(page);
  expect(await page.locator('#tab-threads').getAttribute('aria-selected')).toBe('true');
  const sorted = () => page.locator('[aria-sort]').evaluateAll((all) => all.map((one) => one.textContent));
  expect(await sorted()).toEqual(['Thread ↑']); // the other table is drawn when it is opened
  await page.locator('#tab-functions').click();
  await eventually(sorted).toEqual(['Calls ↑', 'Thread ↑']);
  await goTo(page, '#function=a&tab=waits');
  expect(await page.locator('#tab-waits').getAttribute('aria-selected')).toBe('true');
  await goTo(page, '#view=threads');
  await goTo(page);
  expect(await sorted()).toEqual(['Total ↓', 'Wall clock ↓']);
});

describe('dividers', () => {
  const divider = (name: string) => page.getByRole('separator', { name });
  const now = async (name: string) => Number(await divider(name).getAttribute('aria-valuenow'));
  const sizes = () =>
    page.evaluate(() =>
      ['.graph.main', '.panel']
        .map((one) => document.querySelector(one)?.getBoundingClientRect())
        .map((box) => [box?.height, box?.width]),
    );

  test('move by keys, reset by Enter, and are in the address', async () => {
    await goTo(page, '#function=6');
    await divider('Resize function panel').waitFor();
    const before = await sizes();
    for (const [name, key, at] of [
      ['Resize graph', 'ArrowDown', 'graph'],
      ['Resize function panel', 'ArrowLeft', 'panel'],
    ] as const) {
      const from = await now(name);
      await divider(name).focus();
      await press(page, key, key);
      expect(await now(name)).toBe(from + 4);
      await eventually(() => hashOf(page)).toContain(`${at}=${from + 4}`);
    }
    const after = await sizes();
    expect(after[0]?.[0]).toBeGreaterThan((before[0]?.[0] ?? 0) + 10);
    expect(after[1]?.[1]).toBeGreaterThan((before[1]?.[1] ?? 0) + 10);
    await page.reload();
    await drawn(page);
    await eventually(sizes).toEqual(after);
    for (const name of ['Resize graph', 'Resize function panel']) {
      await divider(name).focus();
      await press(page, 'Enter');
    }
    expect([await sizes(), await hashOf(page)]).toEqual([before, 'function=a']);
  });

  test('move by dragging', async () => {
    await goTo(page);
    const box = await divider('Resize graph').boundingBox();
    const [x, y] = [600, (box?.y ?? 0) + 4];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 150, { steps: 5 });
    await page.mouse.up();
    const moved = await divider('Resize graph').boundingBox();
    expect(Math.abs((moved?.y ?? 0) + 4 - y - 150)).toBeLessThan(8);
    await eventually(() => hashOf(page)).toMatch(/^graph=\d\d$/);
  });
});

/** Percentiles and times of three digits, and a million calls. */
async function wideNumbers(): Promise<string> {
  const calls = [9.571, 16.13, 13.81, 99.93].map((ms, at) => {
    const [from, to] = [200e6 * at, 200e6 * at + 1e6 * ms];
    return `${from} call main f\n${to} return f main\n${to + 5} call main f\n${to + 5 + 1e6 * ms} return f main`;
  });
  const profile = await profileOfTrace(traceOf(`${calls.join('\n')}\n900000000 call main a_function_with_a_long_name`));
  const many = (values: Float64Array) => values.map((count) => 123_457 * count);
  const threads = profile.threads.map((thread) => ({
    ...thread,
    tree: { ...thread.tree, calls: many(thread.tree.calls) },
  }));
  return htmlOf({ ...profile, threads });
}

test.for([
  [1440, ['Total ↓', 'Share', 'Self', 'Calls', 'Average', 'Function']],
  [1024, ['Total ↓', 'Share', 'Self', 'Calls', 'Average', 'Function']],
  [768, ['Total ↓', 'Share', 'Self', 'Calls', 'Average', 'Function']],
  [600, ['Total ↓', 'Share', 'Self', 'Calls', 'Function']],
  [390, ['Total ↓', 'Share', 'Function']],
] as const)('nothing in the tables is cut, and names have room, in a window of %i pixels', async ([width, usual]) => {
  const own = await browser.open(await wideNumbers());
  await own.setViewportSize({ width, height: 900 });
  await drawn(own);
  await eventually(() => headings(own, 'Functions')).toEqual(usual);
  for (const view of ['functions', 'tree', 'threads'])
    for (const panel of ['', '&function=f'])
      for (const columns of ['', `&${ALL_COLUMNS}`]) {
        await goTo(own, `#view=${view}${panel}${columns}`);
        const label = { functions: 'Functions', tree: 'Call tree', threads: 'Threads' }[view] as string;
        await eventually(() => own.locator(`[aria-label="${label}"] .row`).count()).toBeGreaterThan(0);
        expect(await cutCells(own, label), `${view} ${panel} ${columns}`).toEqual([]);
      }
  await own.close();
});

const headings = (of: Page, label: string) =>
  of.locator(`[aria-label="${label}"] [role=columnheader]`).allTextContents();

/** Returns the cells whose text is cut or that are beyond the table or the window, and names without room. */
function cutCells(of: Page, label: string): Promise<(string | null)[]> {
  return of.$eval(`[aria-label="${label}"]`, (table) => {
    const { right } = table.getBoundingClientRect();
    const isCut = (cell: Element) => {
      const text = document.createRange(); // an ellipsis begins before the padding overflows
      text.selectNodeContents(cell);
      const { paddingLeft, paddingRight } = getComputedStyle(cell);
      const box = cell.getBoundingClientRect();
      const spacePx = box.width - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      const isNarrow = cell.classList.contains('names') && box.width < 120;
      const isBeyond = box.right > right + 0.5 || box.right > innerWidth + 0.5;
      return isNarrow || isBeyond || text.getBoundingClientRect().width > spacePx + 0.1;
    };
    const heads = [...table.querySelectorAll('[role=columnheader] button')];
    const cells = [...table.querySelectorAll('.row > *')];
    return [...heads, ...cells].filter(isCut).map(({ textContent }) => textContent);
  });
}

test.for([
  ['wide', ''],
  ['narrow', '&panel=12'],
])('names the bounds of bars below them, and percentiles above, in a %s panel', async ([, panel]) => {
  let ns = 0;
  const calls: string[] = [];
  for (const bars of [1, 2, 3, 4, 5, 12, 40])
    for (let bar = 0; bar < bars; bar++) {
      const callNs = (bars === 40 ? 5 : 600) * 2 ** bar;
      calls.push(`${ns} call main of${bars}`, `${(ns += callNs)} return of${bars} main`);
    }
  const own = await openReport(browser, traceOf(calls.join('\n')));
  await own.setViewportSize({ width: 1200, height: 900 });
  for (const bars of [1, 2, 3, 4, 5, 12, 40]) {
    await goTo(own, `#function=of${bars}&tab=calls${panel}`);
    await eventually(() => own.locator('.panel h2').textContent()).toBe(`of${bars}`);
    const texts = await boxesOf(own, '.panel .bars-text');
    const drawn = await boxesOf(own, '.panel .bars:not(.time)');
    expect(drawn).toHaveLength(bars);
    const [first, last] = [drawn[0], drawn.at(-1)] as [Box, Box];
    const bounds = texts.filter(({ text }) => /\d [nµm]?s$/.test(text));
    expect(new Set(bounds.map(({ text }) => text)).size).toBe(bounds.length);
    const fromNs = bars === 40 ? 4 : 512;
    expect([bounds[0]?.text, bounds.at(-1)?.text]).toEqual([fromNs, fromNs * 2 ** bars].map(formatDuration));
    expect(bounds[0]?.left).toBeCloseTo(first.left, 0);
    expect(Math.abs((bounds.at(-1) as Box).right - last.right)).toBeLessThan(2.5);
    const names = texts.filter(({ text }) => /^p\d\d/.test(text));
    const known = bars === 1 ? [] : bars < 10 ? ['p50'] : ['p50', 'p90'];
    expect(names.map(({ text }) => text)).toEqual(known);
    for (const row of [bounds, names])
      for (const [at, { left }] of row.entries()) if (at > 0) expect(left).toBeGreaterThan((row[at - 1] as Box).right);
  }
  await own.close();
});

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

/** Returns where elements are, from left to right. */
async function boxesOf(of: Page, selector: string): Promise<Box[]> {
  const all = await of.$$eval(selector, (found) =>
    found.map((one) => {
      const { left, right } = one.getBoundingClientRect();
      return { text: one.textContent ?? '', left, right };
    }),
  );
  return all.sort((a, b) => a.left - b.left);
}

test('shows durations by count and by time, with percentiles, down to one call in a million', async () => {
  const profile = await profileOfTrace(CALLS);
  const leaf = profile.symbols.name.indexOf('leaf');
  const durations = {
    length: 2,
    symbol: Int32Array.of(leaf, leaf),
    bucket: Int32Array.of(10, 500),
    calls: Float64Array.of(999_999, 1),
  };
  const threads = profile.threads.map((thread) => ({ ...thread, durations }));
  const own = await browser.open(htmlOf({ ...profile, threads }), '#function=8&tab=calls');
  await own.locator('.panel .histogram').waitFor();
  const heights = await own.$$eval('.panel .histogram rect', (all) =>
    all.map((bar) => [bar.classList.contains('time'), Number(bar.getAttribute('height'))] as const),
  );
  expect(heights).toEqual([
    [false, 48],
    [false, 3],
    [true, 48],
    [true, expect.closeTo(4.13, 2)],
  ]);
  expect(await own.locator('.panel .bars-text').allTextContents()).toEqual(
    expect.arrayContaining(['p50', 'calls', 'time']), // its sums are those of two calls
  );
  expect(await own.locator('.panel .histogram').getAttribute('aria-label')).toMatch(
    /999,999 calls, 10 ms in total.*p50 10 ns/,
  );
  await own.setViewportSize({ width: 1300, height: 900 });
  for (const isDrawnAgain of [false, true]) {
    if (isDrawnAgain) await own.reload();
    const right = (selector: string) => own.locator(selector).evaluate((one) => one.getBoundingClientRect().right);
    expect(await right('.panel .histogram')).toBeLessThan(await right('.panel'));
  }
  await own.close();
});

test('shows no function as openable without times', async () => {
  const own = await openReport(browser, fixture('lab/fields-timeless-no-time.txt'));
  const row = own.locator('[aria-label="Functions"] .row').first();
  expect(await row.evaluate((one) => getComputedStyle(one).cursor)).toBe('default');
  await row.click();
  await eventually(() => hashOf(own)).toBe('');
  expect(await own.getByRole('button', { name: 'All time' }).isVisible()).toBe(false); // there is only one
  await push(own, /^View$/);
  const colours = await own.getByRole('group', { name: 'Colour' }).getByRole('menuitemcheckbox').allTextContents();
  expect(colours).toEqual(['Librarya', 'Functiona']); // the others are of times; a is the key
  await own.close();
});

test('keeps the focused row while scrolling by wheel', async () => {
  const own = await openReport(browser, manyFunctions());
  await own.locator('[aria-label="Functions"] .row').nth(1).focus();
  for (const top of [20_000, 0]) {
    await own.$eval('[aria-label="Functions"]', (table, to) => table.scrollTo(0, to), top);
    await drawn(own);
  }
  await press(own, 'ArrowDown');
  expect(await own.evaluate(() => document.activeElement?.getAttribute('aria-rowindex'))).toBe('4');
  await own.close();
});

function manyFunctions(): string {
  const trace = new TraceWriter();
  times(2000, (i) => {
    trace.call('main', i);
    trace.return(i, 'main');
  });
  return trace.text;
}

/** Parses "1.5 µs" (in ns), "12 %", "1,234"; a missing value is less than any other. */
function amountOf(text: string): number {
  const [, number = '-1', unit = ''] = /^(?:[≥≈] |[<>])?([\d.,]+)\*? ?(\S*)$/.exec(text) ?? [];
  const sizes: Readonly<Record<string, number>> = { µs: 1e3, ms: 1e6, s: 1e9 };
  return Number(number.replaceAll(',', '')) * (sizes[unit] ?? 1);
}

describe('one function', () => {
  /** Waits for the row; finds and clicks it in one task, as the page may replace its rows in between. */
  const choose = async (name: string) => {
    await page
      .locator('.row > .names', { hasText: new RegExp(`^${name}$`) })
      .first()
      .waitFor({ state: 'attached' });
    await page.evaluate((text) => {
      const cells = [...document.querySelectorAll<HTMLElement>('.row > .names')];
      cells.find(({ textContent }) => textContent === text)?.click();
    }, name);
    await drawn(page);
  };
  const numbers = () => page.locator('.panel dl').innerText();
  const paths = () =>
    page.$$eval('.paths > *', (all) =>
      all.map((row) =>
        (row.tagName === 'DIV' ? [...row.children] : [row])
          .map((cell) => cell.textContent)
          .join(' ')
          .trim()
          .replace(/ +/g, ' '),
      ),
    );

  test('is marked in the graph, and shows numbers, callers and callees', async () => {
    await goTo(page);
    await choose('leaf');
    await eventually(() => page.locator('.panel h2').textContent()).toBe('leaf');
    const marked = (await report.frames(page)).filter(({ classes }) => /\bmatch\b/.test(classes));
    expect(marked.map(({ label }) => label)).toEqual(['leaf  1 × 20 ns', 'leaf  1 × 10 ns']);
    expect((await numbers()).replace(/\s+/g, ' ')).toBe(
      'Total 30 ns Share 30 % Self 30 ns Calls 2 Average 15 ns Average ± 1.18 µs Min 10 ns p50 10 ns p90 – p99 – Max 20 ns Waiting 0 ns Waiting self 0 ns',
    );
    expect(await paths()).toEqual(['Called by1', 'a 2 × 30 ns 100 %', 'leaf 30 ns', 'Calls0', 'itself 30 ns 100 %']);
    expect(await page.locator('[aria-label="Functions"] .row.chosen > .names').textContent()).toBe('leaf');
    await choose('a');
    await eventually(paths).toEqual([
      ...['Called by1', 'main 1 × 60 ns 100 %', 'a 60 ns'],
      ...['Calls2', 'a 1 × 30 ns 50 %', 'leaf 1 × 20 ns 33.3 %', 'itself 10 ns 16.7 %'],
    ]);
    await eventually(() => hashOf(page)).toBe('function=a');
  });

  test('with widths by calls, those that are called most are the first', async () => {
    const own = await openReport(
      browser,
      traceOf(`
      0   call    main  slow
      50  return  slow  main
      60  call    main  quick
      61  return  quick main
      70  call    main  quick
      71  return  quick main`),
    );
    const called = () => own.locator('.paths .path bdi').allTextContents();
    await goTo(own, '#function=main');
    await eventually(called).toEqual(['slow', 'quick', 'itself']);
    await goTo(own, '#function=main&width=calls');
    await eventually(called).toEqual(['quick', 'slow', 'itself']);
    await own.close();
  });

  test('shows where functions begin in source code', async () => {
    const profile = await profileOfTrace(CALLS);
    const { name } = profile.symbols;
    const lines = symbolLines(name.map((own) => (own === 'a' ? { file: '/src/a.c', line: 12 } : null)));
    const withLines = { ...profile, symbols: { ...profile.symbols, lines } };
    const own = await browser.open(htmlOf(withLines), `#function=${symbolOf(viewsOf(withLines), 'a')}`);
    await drawn(own);
    await own.setViewportSize({ width: 1900, height: 800 });
    expect(await own.locator('.panel-head .quiet').textContent()).toBe('a.c:12');
    const title = () =>
      own.locator('[aria-label="Functions"] .names bdi', { hasText: 'a' }).nth(1).getAttribute('title');
    await eventually(title).toBe('a\n/src/a.c:12');
    await goTo(own, '#function=a&columns=total,line');
    await eventually(() => rows(own)).toContainEqual(['a', '60 ns', 'a.c:12']);
    await own.setViewportSize({ width: 380, height: 800 });
    await eventually(() => own.locator('.panel-head .quiet').textContent()).toBe('a.c:12');
    await own.close();
  });

  test('closes by its button, by Esc, and by selecting it again', async () => {
    const isOpen = () => page.locator('.panel').isVisible();
    for (const close of [() => push(page, 'Close'), () => press(page, 'Escape'), () => choose('b')]) {
      await goTo(page);
      await choose('b');
      await eventually(isOpen).toBe(true);
      await close();
      await eventually(isOpen).toBe(false);
      await eventually(() => hashOf(page)).toBe('');
    }
  });

  test('is focused on and hidden by its buttons', async () => {
    await goTo(page);
    await choose('a');
    await push(page, 'Show only inside');
    expect(await chips(page)).toEqual(['only inside a · 40 ns left out']);
    await goTo(page);
    await choose('a');
    await push(page, /^Hide$/);
    expect(await chips(page)).toEqual(['without a · 60 ns left out']);
  });

  test('has callers and callees that open their function, by pointer and by keys, and have its menu', async () => {
    await goTo(page);
    await choose('leaf');
    const shown = () => page.locator('.panel h2').textContent();
    const row = (name: string) => page.locator('.path[role=button]', { has: page.locator(`bdi:text-is("${name}")`) });
    await row('a').click();
    await eventually(shown).toBe('a');
    await eventually(() => hashOf(page)).toBe('function=a');
    await row('main').focus();
    await press(page, 'Enter');
    await eventually(shown).toBe('main');
    await row('b').focus();
    await press(page, 'm');
    expect(await page.locator('.menu').getAttribute('aria-label')).toBe('b');
    await press(page, 'Escape');
    expect(await focusedText(page)).toMatch(/^b/);
    await row('b').click({ button: 'right' });
    await press(page, 'ArrowDown', 'Enter');
    expect(await chips(page)).toEqual([expect.stringMatching(/^only inside b/)]);
    await page.goBack();
    await eventually(shown).toBe('main');
    await page.goBack();
    await eventually(shown).toBe('a');
  });
});
