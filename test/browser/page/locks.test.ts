/**
 * Tests the view Locks: each cell is that of `ptflame locks`, names stay text, and what leads to it.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Locks } from '../../../src/answers.js';
import { locksAnswer } from '../../../src/answers.js';
import { askLocks } from '../../../src/index.js';
import type { WaitsByPath } from '../../../src/model/profile/waits-by-path.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { formatCount, formatDuration, formatLongest, formatShare } from '../../../src/render/format.js';
import { windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { eventually, goTo, hashOf } from '../../helpers/browser/report-page.js';
import { WAITLAB } from '../../helpers/requests/traces.js';

const browser = windows('html');
let answer: Locks;
let waits: WaitsByPath;
let open: (locks: WaitsByPath['locks']) => Promise<Page>;

beforeAll(async () => {
  answer = locksAnswer(await askLocks(WAITLAB(), {}));
  const contents = await analyzeForPage(WAITLAB(), { trees: 'apart', byCalls: true, durations: true });
  waits = contents.waits as WaitsByPath;
  open = async (locks) => {
    let html = '';
    for await (const part of renderHtmlInParallel(contents.profile, {}, { waits: { ...waits, locks } })) html += part;
    const page = await browser.open(html);
    await drawn(page);
    return page;
  };
});

const cellsOf = (page: Page, table: number) =>
  page
    .locator('.locks table')
    .nth(table)
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')));

/** The rows of a lock as `ptflame locks` knows it, without the words about each thread. */
function wanted(lock: Locks['locks'][number], allNs: number): string[][] {
  const { waitedNs, waits, avgNs, maxNs, longestOpenNs, convoy, kind, address, places, holders, wakers } = lock;
  const times = (ns: number, of: number, count: number) => [
    formatDuration(ns),
    formatShare(ns, of),
    formatCount(count),
  ];
  const place = places[0]?.function ? `, waited most in ${places[0].function.name}` : '';
  const blockers =
    holders.length > 0
      ? holders.map(({ heldNs, waits: own }) => times(heldNs, waitedNs, own))
      : wakers.map((waker) => times(waker.waitedNs, waitedNs, waker.waits));
  return [
    [
      ...times(waitedNs, allNs, waits),
      avgNs === null ? '–' : formatDuration(avgNs),
      formatLongest(maxNs, longestOpenNs || null),
      formatCount(convoy),
      `${kind} ${address}${place}`,
    ],
    ...blockers.slice(0, 4).map((cells) => [...cells, '', '', '']),
  ];
}

test('has the numbers of ptflame locks, locks before other objects', async () => {
  const page = await open(waits.locks);
  await page.getByRole('tab', { name: 'Locks', exact: true }).click();
  for (const [table, isLock] of [true, false].entries()) {
    const locks = answer.locks.filter((lock) => lock.isLock === isLock);
    const allNs = locks.reduce((sum, { waitedNs }) => sum + waitedNs, 0);
    const rows = await cellsOf(page, table);
    const known = rows.map((cells) => (cells[3] === '' ? cells.slice(0, -1) : cells));
    expect(locks.length).toBeGreaterThan(0);
    expect(known).toEqual(locks.flatMap((lock) => wanted(lock, allNs)));
  }
});

test('says who held a lock, and what it did', async () => {
  const page = await open(waits.locks);
  await goTo(page, 'view=locks');
  const rows = page.locator('.locks .blocker th');
  expect(await rows.first().textContent()).toBe('held by worker0 9165: ran __vfprintf_internal');
  const texts = await rows.allTextContents();
  expect(texts.filter((text) => /^woken by worker1 9170 in \w+/.test(text)).length).toBeGreaterThan(0);
});

test('a function leads to its panel; a finding leads here', async () => {
  const page = await open(waits.locks);
  await page.getByRole('button', { name: 'Locks', exact: true }).click();
  await page.locator('.locks .lock button').first().click();
  await eventually(() => page.locator('.panel').textContent()).toMatch(/^queue_pop/);
  expect(await hashOf(page)).toMatch(/view=locks/);
});

test('is left out of a page that knows no locks, and a link to it says so', async () => {
  const page = await open([]);
  expect(await page.getByRole('tab', { name: 'Locks', exact: true }).count()).toBe(0);
  await goTo(page, 'view=locks');
  await eventually(() => page.locator('body').textContent()).toMatch(/view Locks/);
});

test('shows hostile names as text', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const hostile = waits.locks.map((lock) => ({
    ...lock,
    place: { name, dso: null },
    by: lock.by.map((own) => ({
      ...own,
      did: name,
      threads: own.threads.map((thread) => ({ ...thread, comm: name })),
    })),
  }));
  const page = await open(hostile);
  await goTo(page, 'view=locks');
  expect(await page.locator('.locks img').count()).toBe(0);
  expect(await page.locator('.locks .lock th').first().textContent()).toContain(name);
});
