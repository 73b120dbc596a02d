/**
 * Opens each kind of page in Firefox: its numbers, keys, clicks, drags and links work there, too. Skipped where there is none; with
 * `PTFLAME_TEST_BROWSER=firefox`, the other tests of this folder run in it as far as its driver can.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { reportOf } from '../../src/answers.js';
import { ProfileSum } from '../../src/fleet/merge-profiles.js';
import { type Profile, profileBlockedTime } from '../../src/index.js';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { renderComparedHtml, renderHtmlInParallel } from '../../src/page/html.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import { formatCount, formatDuration, formatTotal } from '../../src/render/format.js';
import { press, windows } from '../helpers/browser/browser.js';
import { drawn } from '../helpers/browser/drawing.js';
import { pageText, shown } from '../helpers/browser/offline-page.js';
import { chips, enterGraph, eventually, goTo, hashOf, htmlOf, rows } from '../helpers/browser/report-page.js';
import { fixturePath } from '../helpers/cli/run-cli.js';
import { requestsOfPage, WAITLAB } from '../helpers/requests/traces.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const browser = windows('html', { engine: 'Firefox' });

async function opened(html: string, hash = ''): Promise<Page> {
  const page = await browser.open(html, hash);
  await drawn(page);
  return page;
}

/** The rows of functions in the document are those of the report. */
async function expectNumbersOf(page: Page, profile: Profile): Promise<void> {
  const { functions } = reportOf(profile);
  await goTo(page, '#columns=total,self,calls');
  const inDocument = await rows(page);
  expect(inDocument.length).toBeGreaterThan(3);
  for (const [at, cells] of inDocument.entries()) {
    const row = functions[at];
    if (row?.isStop !== false) continue;
    const calls = row.calls === 0 ? '–' : `${formatCount(row.calls)}${row.inferred > 0 ? '*' : ''}`;
    const name = cells[0]?.includes('<…>') ? cells[0] : row.name; // one that does not fit is shortened
    expect(cells).toEqual([name, formatTotal(row), formatDuration(row.selfNs), calls]);
  }
  await goTo(page);
}

/** Search, focus, zoom, back and help by keys alone. */
async function expectKeys(page: Page): Promise<void> {
  await enterGraph(page);
  await press(page, 'ArrowDown', 's');
  await eventually(() => hashOf(page)).toBe('order=name');
  await eventually(() => page.locator('.graph.main .mark').getAttribute('visibility')).toBe('visible');
  await press(page, 's', 'Enter');
  await eventually(() => hashOf(page)).toContain('zoom=');
  await page.goBack();
  await eventually(() => hashOf(page)).not.toContain('zoom=');
  await press(page, 'v');
  await eventually(() => hashOf(page)).toContain('view=tree');
  await press(page, '/');
  await page.keyboard.type('main');
  await eventually(() => page.locator('.search output').textContent()).not.toBe('');
  await press(page, 'Escape', '?');
  await page.getByRole('dialog').waitFor();
  await press(page, 'Escape');
  await goTo(page);
}

test('a report, with its timeline, waits and requests', async () => {
  const requests = await requestsOfPage(WAITLAB(), 'handle_request');
  const options = { trees: 'apart', byCalls: true, durations: true, timelineBytes: 1e6 } as const;
  const { profile, timeline, waits } = await analyzeForPage(WAITLAB(), options);
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { timeline, waits, requests })) html += part;
  const page = await opened(html);
  await expectNumbersOf(page, profile);
  await expectKeys(page);

  const strips = await page.locator('.strips').boundingBox();
  const { x = 0, y = 0, width = 0 } = strips ?? {};
  await page.mouse.move(x + 0.5 * width, y + 30);
  await page.mouse.down();
  await page.mouse.move(x + 0.7 * width, y + 30, { steps: 3 });
  await page.mouse.up();
  await eventually(() => hashOf(page)).toContain('range=');
  await eventually(() => chips(page)).toHaveLength(1);

  const link = '#hide=pure-waits&function=handle_request&tab=calls';
  await goTo(page, link);
  await page.locator('.panel h2', { hasText: 'handle_request' }).waitFor();
  await page.locator('.panel [role=tabpanel] canvas').first().waitFor();
  const again = await opened(html, `#${await hashOf(page)}`);
  expect(await again.locator('.panel h2').textContent()).toBe('handle_request');
  expect(`#${await hashOf(again)}`).toBe(link);
  await again.close();

  for (const [view, drawnPart] of Object.entries({
    tree: '[role=treegrid] .row',
    threads: '.table[aria-label=Threads] .row',
    requests: 'button.request',
  })) {
    await goTo(page, `#view=${view}`);
    await page.locator(drawnPart).first().waitFor();
  }
  await page.getByRole('tab', { name: 'Timeline', exact: true }).click();
  await page.locator('.stack canvas').waitFor();
});

test('a comparison', async () => {
  const [before, after] = [
    await analyzeText(fixture('lab/overflow-and-lost.txt'), { durations: true }),
    await analyzeText(fixture('lab/cpp-exception-operators-lambda.txt'), { durations: true }),
  ];
  const page = await opened([...renderComparedHtml(compareProfiles(before, after), { title: 'a → b' })].join(''));
  expect(await page.locator('.legend li').first().textContent()).toMatch(/^[▲▼✚✕≈]/);
  await expectKeys(page);
});

test('blocked time', async () => {
  const page = await opened(htmlOf(await profileBlockedTime(WAITLAB())));
  await expectKeys(page);
});

test('merged recordings', async () => {
  const sum = new ProfileSum('comm');
  for (const file of ['lab/thread-create-switch-migrate.txt', 'lab/cpp-exception-operators-lambda.txt'])
    sum.add(await analyzeText(fixture(file), { trees: 'apart', durations: true }), 'perf.data');
  const profile = sum.build();
  const page = await opened(htmlOf(profile));
  await expectNumbersOf(page, profile);
  await expectKeys(page);
});

test('a file that is opened in the offline page', async () => {
  const page = await browser.open(pageText());
  await page.locator('.screen.start').waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: /open/i }).first().click(),
  ]);
  await chooser.setFiles(fixturePath('lab/demo-cre.txt'));
  expect(await shown(page)).toBe('report');
  await drawn(page);
  await expectKeys(page);
});
