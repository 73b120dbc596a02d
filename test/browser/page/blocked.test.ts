/**
 * Tests the lens "Who blocks whom" of the report page.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AnalyzeOptions, type Profile, profileBlockedTime } from '../../../src/index.js';
import { analyzeForPage, type PageContents } from '../../../src/page/contents/analyze-for-page.js';
import { type HtmlExtras, renderHtmlInParallel } from '../../../src/page/html.js';
import { reportOf } from '../../../src/questions/report/answer.js';
import { formatDuration } from '../../../src/render/format.js';
import { expectAccessible } from '../../helpers/browser/axe.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drawn } from '../../helpers/browser/drawing.js';
import {
  chips,
  eventually,
  frames,
  goTo,
  hashOf,
  labels,
  pick,
  rows,
  SHOWN_NAMES,
  titles,
  total,
} from '../../helpers/browser/report-page.js';
import { jsonOf } from '../../helpers/checks/files/profile-file.js';
import { WAITLAB } from '../../helpers/requests/traces.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { lockTrace } from '../../helpers/traces/lock-trace.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');
/** Bypasses the content security policy, to inject axe into the page. */
const lenient = windows('html', { bypassCSP: true });
const LENS = 'What widths and tables count';
const NAME = 'Who blocks whom';

const contentsOf = (options: AnalyzeOptions = {}, inputs = WAITLAB()) =>
  analyzeForPage(inputs, { trees: 'apart', durations: true, timelineBytes: 1e6, ...options });

async function htmlOf({ profile, ...extras }: PageContents, other: HtmlExtras = {}): Promise<string> {
  let html = '';
  for await (const part of renderHtmlInParallel(profile, {}, { ...extras, ...other })) html += part;
  return html;
}

let html: string;
let page: Page;
let alone: Profile;
beforeAll(async () => {
  html = await htmlOf(await contentsOf());
  alone = await profileBlockedTime(WAITLAB());
  page = await browser.open(html);
  await drawn(page);
}, 60_000);

const lens = (of = page) => of.getByTitle(LENS);
const notice = (of = page) => of.locator('.notice span').first().innerText();

/** Returns [name, blocked time] of the functions that are listed. */
async function listed(of = page): Promise<string[][]> {
  return (await rows(of)).map(([name, blocked]) => [name as string, blocked as string]);
}

/** Returns the same of a profile. */
function expected(profile: Profile, count: number): string[][] {
  const { functions } = reportOf(profile);
  return functions
    .slice(0, count)
    .map(({ name, totalNs }) => [SHOWN_NAMES[name] ?? name.replace(/^-- /, ''), formatDuration(totalNs)]);
}

async function expectBlocked(of: Page, profile: Profile): Promise<void> {
  const { trace } = reportOf(profile);
  await eventually(() => total(of)).toBe(formatDuration(trace.totalNs));
  const sorted = (list: string[][]) => list.map((row) => row.join(' ')).sort();
  await eventually(async () => (await listed(of)).length).toBeGreaterThan(3);
  const shown = await listed(of);
  const all = sorted(expected(profile, Number.POSITIVE_INFINITY));
  for (const row of sorted(shown)) expect(all).toContain(row);
  expect(shown[0]?.[1]).toBe(expected(profile, 1)[0]?.[1]);
}

test('is chosen in the bar of views, and has the numbers of render --blocked-by', async () => {
  await goTo(page);
  await lens().click();
  expect(await page.locator('.menu button span').allTextContents()).toEqual(
    expect.arrayContaining(['All time', 'Running', 'Waiting', 'Off CPU', 'Calls', NAME]),
  );
  await page.getByRole('menuitemcheckbox', { name: NAME }).click();
  await eventually(() => hashOf(page)).toBe('width=blocked');
  expect(await lens().textContent()).toBe(NAME);
  await expectBlocked(page, alone);
  await eventually(() => page.locator('.finding p').innerText()).toMatch(
    new RegExp(`^${formatDuration(reportOf(alone).trace.totalNs)} of blocked time: `),
  );
  const [download] = await Promise.all([page.waitForEvent('download'), pick(page, 'Save', 'Profile (JSON)')]);
  expect(await readFile(await download.path(), 'utf8')).toBe(jsonOf(alone));
  expect(download.suggestedFilename()).toMatch(/-blocked\.json$/);
});

test('has the threads of the page, of which a saved profile has those that waited', async () => {
  const busy = traceOf(`
    7/10  call    main  work
    7/30  return  work  main`);
  const locks = () => [inputOf(lockTrace()), inputOf(busy)];
  const other = await browser.open(await htmlOf(await contentsOf({}, locks())), '#width=blocked&view=threads');
  await drawn(other);
  const waiters = await profileBlockedTime(locks());
  const threads = await rows(other, 'Threads');
  expect(waiters.threads).toHaveLength(2);
  expect(threads.map(([, blocked]) => blocked)).toContain('0 ns');
  const [download] = await Promise.all([other.waitForEvent('download'), pick(other, 'Save', 'Profile (JSON)')]);
  expect(await readFile(await download.path(), 'utf8')).toBe(jsonOf(waiters));
  await other.close();
});

test('is chosen by the key 6, and left by the others', async () => {
  await goTo(page);
  const allTime = await total(page);
  const drawnLabels = await labels(page);
  await press(page, '6');
  await eventually(() => hashOf(page)).toBe('width=blocked');
  await eventually(() => total(page)).not.toBe(allTime);
  await press(page, '2');
  await eventually(() => hashOf(page)).toBe('width=cpu');
  await press(page, '6', '1');
  await eventually(() => hashOf(page)).toBe('');
  expect(await total(page)).toBe(allTime);
  expect(await labels(page)).toEqual(drawnLabels);
});

test('says nothing of running, calls and inversion', async () => {
  await goTo(page, '#width=blocked');
  expect(await titles(page)).toEqual(['Function', 'Blocked ↓', 'Share', 'Parts', 'Average', 'Min', 'Max']);
  expect(await page.getByRole('button', { name: 'Inverted' }).isVisible()).toBe(false);
  await press(page, 'b');
  await eventually(() => hashOf(page)).toBe('width=blocked');
  await page.getByRole('button', { name: 'View', exact: true }).click();
  const colours = await page.getByRole('group', { name: 'Colour' }).getByRole('menuitemcheckbox').allTextContents();
  expect(colours.map((text) => text.replace(/a$/, ''))).toEqual(['Library', 'Function']);
  await press(page, 'Escape');
  await goTo(page, '#width=blocked&view=threads');
  expect(await titles(page, 'Threads')).toEqual([
    'Thread',
    'Blocked ↓',
    'Parts',
    'TID',
    'Over time',
    'Compare',
    'Recorded, gaps marked',
  ]);
  await goTo(page, '#width=blocked&function=await_reply&tab=calls');
  expect(await page.locator('.panel dt').allTextContents()).not.toContain('Running');
  expect(await page.locator('.panel .states').count()).toBe(0);
  await eventually(() => page.locator('.panel-body').innerText()).toBe(
    'Of blocked time, single calls, waits and source code are not known: All time (1) has them.',
  );
  await goTo(page, '#function=await_reply&tab=callers');
  expect(await page.getByRole('button', { name: 'Inverted' }).isVisible()).toBe(true);
});

test('keeps what is searched, hidden, zoomed and chosen, also in links', async () => {
  const hash = 'threads=session0-9171&width=blocked&hide=rest&zoom=clone3;start_thread;session&function=await_reply';
  await goTo(page, `#${hash}&search=wait`);
  await eventually(() => hashOf(page)).toBe(`${hash.replace('&function', '&search=wait&function')}`);
  const fresh = await browser.open(html, `#${hash}&search=wait`);
  await drawn(fresh);
  expect(await hashOf(fresh)).toBe(await hashOf(page));
  expect(await labels(fresh)).toEqual(await labels(page));
  expect(await chips(fresh)).toEqual(await chips(page));
  expect(await fresh.locator('.panel h2').textContent()).toBe('await_reply');
  await press(page, '1');
  await eventually(() => hashOf(page)).toBe(
    `${hash.replace('&function', '&search=wait&function').replace('width=blocked&', '')}`,
  );
  await press(page, '6');
  await eventually(() => hashOf(page)).toBe(`${hash.replace('&function', '&search=wait&function')}`);
  expect(await labels(page)).toEqual(await labels(fresh));
  await fresh.close();
});

test('colours a function alike', async () => {
  const fillOf = async (name: string) => (await frames(page)).find(({ label }) => label.split('  ')[0] === name)?.fill;
  await goTo(page);
  const before = await fillOf('session');
  expect(before).toMatch(/^var/);
  await goTo(page, '#width=blocked');
  expect(await fillOf('session')).toBe(before);
});

describe('a range is one of all time:', () => {
  const SENTENCE = 'Who blocks whom is known of the whole time, not of a range.';

  test('the lens leaves it out, and says so; the back button brings it back', async () => {
    await goTo(page, '#range=10ms,20ms');
    await eventually(() => hashOf(page)).toMatch(/^range=/);
    await press(page, '6');
    await eventually(() => hashOf(page)).toBe('width=blocked');
    await expectBlocked(page, alone);
    expect(await notice()).toBe(SENTENCE);
    await page.goBack();
    await eventually(() => hashOf(page)).toMatch(/^range=/);
    expect((await chips(page)).join()).toContain('only ');
  });

  test('one that is dragged ends the lens', async () => {
    await goTo(page, '#width=blocked');
    const area = await page.locator('.range').boundingBox();
    if (area === null) throw new Error('no axis');
    await page.mouse.move(area.x + 100, area.y + 30);
    await page.mouse.down();
    await page.mouse.move(area.x + 300, area.y + 30, { steps: 4 });
    await page.mouse.up();
    await eventually(() => hashOf(page)).toMatch(/^range=/);
    expect(await lens().textContent()).toBe('All time');
    expect(await notice()).toBe(SENTENCE);
  });

  test('a link with both says that the range is left out', async () => {
    const fresh = await browser.open(html, '#width=blocked&range=10ms,20ms');
    await drawn(fresh);
    await eventually(() => hashOf(fresh)).toBe('width=blocked');
    expect(await notice(fresh)).toContain('Left out: time range 10.0 ms to 20.0 ms (10 ms) of who blocks whom');
    await expectBlocked(fresh, alone);
    await fresh.close();
  });
});

test('a finding leads to it', async () => {
  await goTo(page);
  await page.locator('.finding').getByRole('button', { name: NAME }).click();
  await eventually(() => hashOf(page)).toBe('width=blocked');
  await page.locator('.finding button.name').first().click();
  await eventually(() => hashOf(page)).toMatch(/^width=blocked&focus=--%?/);
});

test('timeline, requests and locks are those of the recording', async () => {
  await goTo(page, '#width=blocked&view=locks');
  expect(await lens().isDisabled()).toBe(true);
  await page.locator('#tab-timeline').click();
  await eventually(() => page.locator('.stack-chart').isVisible()).toBe(true);
  await page.locator('#tab-graph').click();
  await eventually(() => hashOf(page)).toBe('width=blocked');
  await expectBlocked(page, alone);
});

test.for<[string, AnalyzeOptions]>([
  ['--window', { window: { from: { afterStartNs: 1e7 }, to: { afterStartNs: 3e7 } } }],
  ['--tid', { select: { tids: [9171] } }],
  ['--inside', { inside: [{ functions: 'handle_request' }] }],
])('is that of a page with %s, too', async ([, options]) => {
  const part = await browser.open(await htmlOf(await contentsOf(options)), '#width=blocked');
  await drawn(part);
  await expectBlocked(part, await profileBlockedTime(WAITLAB(), options));
  await part.close();
});

test('is missing in a recording without wakings', async () => {
  const contents = await contentsOf({}, [inputOf(fixture('demo/threads.perf.txt.gz'))]);
  const other = await browser.open(await htmlOf(contents), '#width=blocked');
  await drawn(other);
  expect(await notice(other)).toContain(`Left out: width ${NAME}`);
  expect(await hashOf(other)).toBe('');
  await press(other, '6');
  expect(await hashOf(other)).toBe('');
  await lens(other).click();
  expect(await other.locator('.menu button span').allTextContents()).not.toContain(NAME);
  await other.close();
});

test('says why it cannot be shown, and shows all time', async () => {
  const tooLarge = await browser.open(await htmlOf(await contentsOf(), { blocked: 'too large' }));
  await drawn(tooLarge);
  const allTime = await total(tooLarge);
  await press(tooLarge, '2', '6');
  await eventually(() => notice(tooLarge)).toMatch(/^Who blocks whom cannot be shown: it has too many call paths/);
  expect(await hashOf(tooLarge)).toBe('');
  expect(await total(tooLarge)).toBe(allTime);
  await tooLarge.close();
  const damaged = await browser.open(html.replace(/(id="blocked">)[^<]{40}/, '$1'), '#width=blocked');
  await drawn(damaged);
  expect(await notice(damaged)).toMatch(/^Who blocks whom cannot be shown: /);
  expect(await total(damaged)).toBe(allTime);
  await damaged.close();
});

test('has no violations that axe finds, in both themes', async () => {
  const open = await lenient.open(html, '#width=blocked&function=await_reply');
  await drawn(open);
  await expectAccessible(open);
  await open.close();
});

test('in all time, frames have their calls and averages, and no number that contradicts their total', async () => {
  const fresh = await browser.open(html);
  await drawn(fresh);
  const ofFunctions = (all: readonly string[]) =>
    all.filter((label) => /^(worker|session|handle_request) /.test(label));
  expect(ofFunctions(await labels(fresh))).toEqual([
    'worker  2 × 52.3 ms',
    'session  2 × 48 ms',
    'handle_request  8 × 10.9 ms',
  ]);
  await goTo(fresh, '#hide=pure-waits'); // of which the average still has the time
  await eventually(async () => ofFunctions(await labels(fresh))).toEqual([
    'worker  2 ×',
    'session  2 ×',
    'handle_request  8 ×',
  ]);
  await fresh.close();
});
