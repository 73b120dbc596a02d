/**
 * Tests the report page with a server that has the calls which the page lacks.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../../cli/serve/server.js';
import { traceSite } from '../../../cli/serve/trace-site.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import { eventually, goTo, hashOf, rows } from '../../helpers/browser/report-page.js';
import { type ServedTrace, servedTrace } from '../../helpers/browser/served-trace.js';
import { inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');

/** In each of two threads, main calls work at 1, 3 and 5 µs for 1 µs, which calls leaf 100 times for 1 ns in the first 300 ns. */
const WORK = traceOf(
  [1, 2]
    .flatMap((thread) => [
      `${thread}/0 call start main`,
      ...[1000, 3000, 5000].flatMap((fromNs) => [
        `${thread}/${fromNs} call main work`,
        ...Array.from({ length: 100 }, (_, leaf) => fromNs + 3 * leaf + 3).flatMap((atNs) => [
          `${thread}/${atNs} call work leaf`,
          `${thread}/${atNs + 1} return leaf work`,
        ]),
        `${thread}/${fromNs + 1000} return work main`,
      ]),
      `${thread}/8000 return main start`,
    ])
    .join('\n'),
);

let trace: ServedTrace;
beforeAll(async () => {
  trace = await servedTrace(inputOf(WORK), 800);
});
afterAll(() => trace.close());

async function serving(port = 0): Promise<RunningServer> {
  const server = await startServer(port);
  server.serve(traceSite(trace.levels));
  return server;
}

async function opened({ port, token }: RunningServer, hash: string): Promise<Page> {
  const page = await browser.openServed(`http://127.0.0.1:${port}/${token}/`, hash);
  await drawn(page);
  return page;
}

const caption = (page: Page) => page.locator('.chart-head p').textContent();
const problem = (page: Page) => page.getByRole('alert').filter({ hasText: 'ptflame serve' }).allTextContents();
const calls = async (page: Page) => (await rows(page, 'Calls')).map((cells) => cells.slice(0, 4).join(' | '));

const plotted = (page: Page) => page.locator('.calls canvas').getAttribute('aria-label');
const slowest = (page: Page) => page.locator('.calls button').allTextContents();

async function choose(page: Page, name: string): Promise<void> {
  await page.locator('.table[aria-label="Functions"] .row', { hasText: name }).first().click();
  await page.locator('h2', { hasText: name }).waitFor();
}

const LEAVES = [3, 6, 9, 12, 15, 18].map((ns) => `leaf | 1 ns | 3.0${String(ns).padStart(2, '0')} µs | 4`);

describe('a page that is served', () => {
  test('shows single calls that it does not have itself, as one zooms in', async () => {
    const server = await serving();
    const page = await opened(server, '#chart=1');
    expect(await caption(page)).toMatch(/calls shorter than \S+ ns: zoom in$/);
    expect(browser.requests.filter((url) => url.includes('/calls/'))).toEqual([]);
    const { x, y, width } = (await page.locator('.stack').boundingBox()) as { x: number; y: number; width: number };
    await page.mouse.move(x + (width * 3.01) / 8, y + 9);
    for (let step = 0; step < 20; step++) await page.mouse.wheel(0, -200);
    await eventually(async () => (await calls(page)).filter((call) => call.startsWith('leaf')).length).toBeGreaterThan(
      3,
    );
    await goTo(page, '#chart=1&at=3000-3020');
    await eventually(async () => (await calls(page)).slice(3)).toEqual(LEAVES);
    expect(await caption(page)).toBe('9 calls');
    expect(await problem(page)).toEqual([]);
    server.close();
    await page.close();
  });

  test('goes on with what it has when the server ends, and says so once', async () => {
    const server = await serving();
    const page = await opened(server, '#chart=1&at=3000-3020');
    await eventually(async () => (await calls(page)).slice(3)).toEqual(LEAVES);
    server.close();
    await goTo(page, '#chart=1&at=5000-5020');
    await eventually(async () => (await calls(page)).length).toBe(9); // it was in what had been sent
    await goTo(page, '#chart=2&at=3000-3020');
    await eventually(() => problem(page)).toEqual([expect.stringMatching(/does not answer.*start it again/)]);
    await eventually(() => calls(page)).toEqual([
      'start | ≥ 8 µs | 0.000 µs | 1',
      'main | 8 µs | 0.000 µs | 2',
      'work | 1 µs | 3.000 µs | 3',
    ]);
    expect(await caption(page)).toMatch(/shorter than \S+ ns, only ptflame serve has them$/);
    await goTo(page, '#chart=1&at=3000-3020');
    await eventually(async () => (await calls(page)).slice(3)).toEqual(LEAVES);
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining('ERR_CONNECTION_REFUSED')]);
    await page.close();
  });

  test('says that its address is of an earlier server', async () => {
    const first = await serving();
    const page = await opened(first, '#chart=1');
    first.close();
    const second = await serving(first.port);
    await page.locator('.chart-scroll').focus();
    await press(page, '+', '+', '+', '+', '+', '+', '+', '+');
    await eventually(() => problem(page)).toEqual([expect.stringMatching(/refused a request \(404\).*printed last/)]);
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
    second.close();
    await page.close();
  });

  test('has all calls in the panel of a function, and their percentiles in a range', async () => {
    const server = await serving();
    const page = await opened(server, '#tab=calls');
    await choose(page, 'leaf');
    await eventually(() => plotted(page)).toMatch(/^Plot: 600 calls over time: a dot for each call/);
    expect(await slowest(page)).toEqual(Array(10).fill('1 ns'));
    expect(await page.locator('.calls').textContent()).not.toMatch(/not listed|requested/);
    await choose(page, 'work');
    await eventually(() => plotted(page)).toMatch(/^Plot: 6 calls over time/);
    await eventually(() => page.locator('.calls td:last-child').allTextContents()).toEqual(Array(6).fill(''));
    await goTo(page, `${await hashOf(page)}&range=2500-4500`);
    await eventually(() => plotted(page)).toMatch(/^Plot: 2 calls over time/);
    expect(await page.locator('.panel dl').textContent()).toContain('p501 µs');
    server.close();
    await page.close();
  });

  test('says in the panel that the server ended, and shows the calls that it has', async () => {
    const server = await serving();
    const page = await opened(server, '#tab=calls');
    server.close();
    await choose(page, 'work');
    await eventually(() => page.locator('.calls').textContent()).toMatch(/ptflame serve does not answer/);
    expect(await slowest(page)).toEqual(Array(6).fill('1 µs'));
    const complaints = new Set(browser.complaints.splice(0)); // of each request that was under way when it ended
    // others than refused: it had a connection open when the server ended
    const ended = /ERR_(?:CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/;
    expect([...complaints].filter((each) => !ended.test(each))).toEqual([]);
    expect([...complaints]).toContainEqual(expect.stringContaining('ERR_CONNECTION_REFUSED'));
    await page.close();
  });
});
