/**
 * Tests the line that says what stands out.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import { CALLS, eventually, goTo, hashOf, openReport } from '../../helpers/browser/report-page.js';
import { fixture } from '../../helpers/traces/load.js';

const browser = windows('html');
let page: Page;
beforeAll(async () => {
  page = await openReport(browser, fixture('demo/threads.perf.txt.gz'));
}, 60_000);

const sentence = () => page.locator('.finding p').innerText();
const button = (name: string) => page.locator('.finding').getByRole('button', { name, exact: true });
const chips = () => page.locator('.chips').innerText();

test('the first finding is shown, and buttons page through all', async () => {
  await goTo(page);
  await eventually(sentence).toMatch(/^96\.4 % of the time is 3 call paths that did nothing but wait/);
  expect(await page.locator('.pager span').innerText()).toBe('1 of 2');
  await button('Next finding').click();
  expect(await sentence()).toBe('Of the 142 µs on the CPU, 44.7 % is burn itself (44 calls).');
  await button('Next finding').click();
  expect(await page.locator('.pager span').innerText()).toBe('1 of 2');
  expect(await page.locator('.finding b').first().innerText()).toBe('96.4 %');
  expect(await page.locator('.finding p').getAttribute('aria-live')).toBe('polite');
});

test('its buttons change the address, and the focus goes on to the next', async () => {
  await goTo(page);
  await eventually(() => button('Hide pure waits').count()).toBe(1);
  await button('Hide pure waits').focus();
  await press(page, 'Enter');
  await eventually(sentence).toMatch(/^3\.96 ms of pure waiting is hidden; shown is the other 147 µs/);
  expect(await hashOf(page)).toBe('hide=pure-waits');
  expect(await chips()).toContain('pure waits hidden, 3.96 ms');
  await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Show waits again');
  await press(page, 'Enter');
  await eventually(sentence).toMatch(/^96\.4 %/);
  expect(await hashOf(page)).toBe('');
  expect(await chips()).toBe('');
});

test('the name of a function leads to it', async () => {
  await goTo(page);
  await eventually(sentence).toMatch(/^96\.4 %/);
  await button('Next finding').click();
  expect(await hashOf(page)).toBe('finding=2');
  await button('burn').click();
  await eventually(() => hashOf(page)).toBe('function=burn&finding=2');
  await goTo(page);
  await eventually(sentence).toMatch(/^96\.4 %/);
  await goTo(page, 'finding=2');
  await eventually(sentence).toMatch(/burn itself/);
  await goTo(page, 'hide=pure-waits&finding=2'); // other findings begin anew
  await eventually(() => hashOf(page)).toBe('hide=pure-waits');
});

test('a chosen function or width needs no other findings; its function is opened', async () => {
  await goTo(page);
  await eventually(() => button('Show it').count()).toBe(1);
  await button('Show it').click();
  await eventually(() => hashOf(page)).toMatch(/^function=/);
});

test('it has its height before it is filled', async () => {
  const own = await openReport(browser, CALLS);
  const heightPx = () => own.locator('.finding').evaluate((line) => line.getBoundingClientRect().height);
  await eventually(() => own.locator('.finding p').innerText()).toMatch(/^Of the 100 ns in traced code, /);
  const filledPx = await heightPx();
  await own.evaluate(() => document.querySelector('.finding p')?.replaceChildren());
  expect([filledPx, await heightPx()]).toEqual([44, 44]);
  await own.close();
});
