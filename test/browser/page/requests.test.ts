/**
 * Tests the view Requests: its list, what a click on a request and on a frame does, and that names stay text.
 */
import { beforeAll, expect, test } from 'vitest';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import type { PageRequests } from '../../../src/page/data/requests.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';
import { windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { chips, eventually, goTo, hashOf } from '../../helpers/browser/report-page.js';
import { requestsOfPage, WAITLAB } from '../../helpers/requests/traces.js';

const browser = windows('html');
let requests: PageRequests;
let open: (requests: PageRequests | null) => Promise<import('playwright-core').Page>;

beforeAll(async () => {
  requests = await requestsOfPage(WAITLAB(), 'handle_request');
  const options = { trees: 'apart', byCalls: true, durations: true, timelineBytes: 1e6 } as const;
  const { profile, timeline, waits } = await analyzeForPage(WAITLAB(), options);
  open = async (shown) => {
    let html = '';
    for await (const part of renderHtmlInParallel(profile, {}, { timeline, waits, requests: shown })) html += part;
    const page = await browser.open(html);
    await drawn(page);
    return page;
  };
});

test('lists requests; a click shows the time of one', async () => {
  const page = await open(requests);
  await page.getByRole('tab', { name: 'Requests', exact: true }).click();
  const listed = page.locator('button.request');
  await eventually(() => listed.count()).toBe(8);
  expect(await page.locator('button.request strong').first().textContent()).toBe('16.6 ms');
  await listed.nth(2).click();
  await eventually(() => page.locator('button.request[aria-pressed=true] strong').textContent()).toBe('11.6 ms');
  expect(await hashOf(page)).toMatch(/view=requests.*range=|range=.*view=requests/);
  await eventually(() => page.locator('.requests h3').textContent()).toMatch(/^#3, thread by thread11\.6 ms/);
});

test('opens the function of a frame', async () => {
  const page = await open(requests);
  await goTo(page, 'view=requests');
  await page.locator('.request-chart div', { hasText: 'await_reply' }).first().click();
  await eventually(() => page.locator('.panel').textContent()).toMatch(/await_reply/);
});

test('says who ended the longest waits of a request; a click shows the wait in the timeline', async () => {
  const page = await open(requests);
  await goTo(page, 'view=requests');
  const waits = page.locator('.requests .group button');
  expect(await waits.first().textContent()).toBe('waited 13.8 ms until worker1 9170 woke it');
  await waits.first().click();
  await eventually(() => hashOf(page)).toMatch(/chart=9172/);
  await goTo(page, 'view=requests');
  const units = { ns: 1, µs: 1e3, ms: 1e6 };
  const durations = async () =>
    (await waits.allTextContents()).map((text) => {
      const [, number, unit] = /^waited ([\d.]+) (ns|µs|ms) until/.exec(text) ?? [];
      return Number(number) * units[unit as keyof typeof units];
    });
  let several = 0;
  for (const [at, { rank }] of requests.listed.entries()) {
    await page.locator('button.request').nth(at).click();
    await eventually(() => page.locator('.requests h3').textContent()).toMatch(new RegExp(`^#${rank},`));
    const shown = await durations();
    expect(shown).toEqual([...shown].sort((a, b) => b - a));
    if (new Set(shown).size > 1) several++;
  }
  expect(several).toBeGreaterThan(0);
});

test('is left out of a page without requests, and a link to it says so', async () => {
  const page = await open(null);
  expect(await page.getByRole('tab', { name: 'Requests', exact: true }).count()).toBe(0);
  await goTo(page, 'view=requests');
  await eventually(() => page.locator('body').textContent()).toMatch(/view Requests/);
  expect(await chips(page)).toEqual([]);
});

test('shows hostile names as text', async () => {
  const functions = requests.functions.map(([, dso]) => ['<img src=x onerror=alert(1)>', dso] as const);
  const page = await open({ ...requests, name: '</script><b>x</b>', functions });
  await goTo(page, 'view=requests');
  await eventually(() => page.locator('.requests p.above strong').textContent()).toBe('</script><b>x</b>');
  expect(await page.locator('.request-chart div').first().textContent()).toBe('<img src=x onerror=alert(1)>');
  expect(await page.locator('.requests img').count()).toBe(0);
});
