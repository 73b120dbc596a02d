/**
 * Tests the report page as a file, its downloads, and its safety with hostile traces.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import type { Download, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Profile } from '../../../src/index.js';
import { press, windows } from '../../helpers/browser/browser.js';
import {
  CALLS,
  clickByScript,
  enterGraph,
  eventually,
  goTo,
  hashOf,
  hover,
  htmlOf,
  labels,
  openReport,
  pick,
  positionOf,
  profileOfTrace,
  rows,
  tooltip,
} from '../../helpers/browser/report-page.js';
import { jsonOf } from '../../helpers/checks/files/profile-file.js';
import { fixture, fold } from '../../helpers/traces/load.js';
import { strangeTrace } from '../../helpers/traces/strange-names.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html', { permissions: ['clipboard-read', 'clipboard-write'] });
const pictures = windows('svg');
const DEMO = fixture('lab/thread-create-switch-migrate.txt');

/** The deflated script. */
const SCRIPT = /<script type="application\/octet-stream" id="script">([^<]*)<\/script>/;

type Saved = keyof typeof ENDINGS;
const ENDINGS = { 'Picture (SVG)': 'svg', 'Profile (JSON)': 'json', 'Table (CSV)': 'csv', 'Folded stacks': 'folded' };

/** Returns what an item of the menu Save saves. */
async function textOf(page: Page, item: Saved): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), pick(page, 'Save', item)]);
  const ending = ENDINGS[item];
  expect(download.suggestedFilename()).toMatch(new RegExp(`^[\\p{L}\\p{N}][\\p{L}\\p{N}._-]*\\.${ending}$`, 'u'));
  expect(download.suggestedFilename()).not.toMatch(/^profile/);
  return readFile(await (download as Download).path(), 'utf8');
}

describe('the file', () => {
  test('has the same bytes for the same profile', async () => {
    expect(htmlOf(await profileOfTrace(DEMO))).toBe(htmlOf(await profileOfTrace(DEMO)));
  });

  test('allows only its own script and style', async () => {
    const html = htmlOf(await profileOfTrace(CALLS));
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1] ?? '';
    const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const [style, loader, deflated] = [/<style>(.*?)<\/style>/s, /<script>(.*?)<\/script>/s, SCRIPT].map(
      (pattern) => pattern.exec(html)?.[1],
    );
    const script = String(inflateRawSync(Buffer.from(deflated ?? '', 'base64')));
    expect(script).toContain('d3-flame-graph');
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(loader)} ${hashOf(script)}`,
      `style-src ${hashOf(style)}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'));
  });

  test('contains no address, and no text ends a script early', async () => {
    const html = htmlOf(await profileOfTrace(strangeTrace()), { title: '</script><script>alert(2)</script>' });
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html.match(/<\/script/g)).toHaveLength(3);
    const data = /<script type="application\/octet-stream" id="data">([^<]*)<\/script>/;
    for (const block of [data, SCRIPT]) expect(block.exec(html)?.[1]).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(html).not.toMatch(/<link|<img|<iframe|@import|url\((?!["']?#)|\bsrc=/);
  });

  test('says which browsers it needs if its script cannot be inflated', async () => {
    const html = htmlOf(await profileOfTrace(CALLS)).replace(SCRIPT, (block) => block.replace('>', '>AAAA'));
    const page = await browser.open(html);
    await eventually(() => page.locator('main').innerText()).toContain('needs Chrome 123, Firefox 125 or Safari 17.5');
    expect(await page.locator('header').innerText()).toContain('Wall-clock flame graph');
    await page.close();
  });
});

describe('downloads and clipboard', () => {
  let page: Page;
  let profile: Profile;
  beforeAll(async () => {
    page = await openReport(browser, DEMO);
    profile = await profileOfTrace(DEMO);
  }, 60_000);

  test.for(['lab/thread-create-switch-migrate.txt', 'lab/overflow-and-lost.txt', 'lab/demo-cre.txt'])(
    'Profile (JSON) is the profile of %s, byte for byte',
    async (name) => {
      const own = await openReport(browser, fixture(name));
      expect(await textOf(own, 'Profile (JSON)')).toBe(jsonOf(await profileOfTrace(fixture(name))));
      await own.close();
    },
  );

  test('Picture (SVG) is the view as an SVG that a browser opens', async () => {
    for (const hash of ['', '#icicle=0&zoom=7', '#colour=average']) {
      await goTo(page, hash);
      const picture = await pictures.open(await textOf(page, 'Picture (SVG)'));
      const names = await picture.$$eval('*', (all) => all.map(({ localName }) => localName));
      expect(names[0]).toBe('svg');
      expect(names).not.toContain('parsererror');
      const inPicture = await picture.$$eval('#labels text', (all) => all.map((one) => one.textContent ?? ''));
      expect(inPicture.sort()).toEqual((await labels(page)).sort());
      await picture.close();
    }
  });

  test('Picture (SVG) has the selected colours', async () => {
    await goTo(page, '#colour=average');
    const svg = await textOf(page, 'Picture (SVG)');
    const classes = [...svg.matchAll(/<rect class="([a-z-]+)\d*"/g)].map(([, name]) => name);
    expect(classes).toContain('s');
    expect(classes).not.toContain('u');
    expect(svg).toContain('>below 100 ns</text>');
  });

  test('Picture (SVG) says what was recorded, how far to trust it, and what widths count', async () => {
    const own = await openReport(browser, fixture('lab/overflow-and-lost.txt'));
    await goTo(own, '#width=outside');
    const texts = await own.$$eval('#trust p, #trust li', (all) => all.map((one) => one.textContent ?? ''));
    const svg = await textOf(own, 'Picture (SVG)');
    const picture = await pictures.open(svg);
    const inPicture = await picture.$$eval('#head > text', (all) => all.map((one) => one.textContent ?? ''));
    const notes = await picture.$$eval('[data-note]', (all) => all.map((one) => one.getAttribute('data-note') ?? ''));
    const warnings = await picture.$$eval('.warning', (all) => all.map((one) => (one.textContent ?? '').slice(2)));
    expect(texts.length).toBeGreaterThan(4);
    expect([...inPicture, ...warnings, ...notes]).toEqual(expect.arrayContaining([...texts, 'Waiting']));
    expect(svg).toContain('>library not recorded (perf script -F +dso)</text>');
    await picture.close();
    await own.close();
  });

  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  test('c copies the stack of a frame', async () => {
    await goTo(page);
    await enterGraph(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'c');
    await eventually(() => page.locator('.toast').first().textContent()).toBe('stack copied');
    const [first = '', second = ''] = (await copied()).split('\n');
    expect(fold(profile)).toContain(`\n${first};${second}`);
  });

  test('Folded stacks are those of ptflame render, and Table (CSV) has the functions in view', async () => {
    const own = await openReport(browser, CALLS, {}, '#focus=a');
    expect(await textOf(own, 'Folded stacks')).toBe(
      fold(await profileOfTrace(CALLS))
        .split('\n')
        .filter((line) => line.startsWith('main;a'))
        .map((line) => `${line.replace('main;', '')}\n`)
        .join(''),
    );
    const csv = (await textOf(own, 'Table (CSV)')).trim().split('\n');
    expect(csv.slice(1).map((line) => line.split(',')[0])).toEqual(['a', 'leaf']);
    await own.close();
  });

  test('Copy link copies the address of the view', async () => {
    await goTo(page, '#colour=average');
    await pick(page, 'Save', 'Copy link');
    await eventually(copied).toBe(page.url());
    expect(new URL(page.url()).protocol).toBe('file:');
    expect(await page.locator('.toast').last().textContent()).toBe('link copied; send this file, too');
  });

  test('C copies folded stacks, equal to those of ptflame render', async () => {
    const own = await openReport(browser, CALLS);
    await hover(own, 'a  1 × 60 ns');
    await press(own, 'C');
    const wanted = fold(await profileOfTrace(CALLS))
      .split('\n')
      .filter((line) => line.startsWith('main;a'));
    await eventually(() => own.evaluate(() => navigator.clipboard.readText())).toBe(`${wanted.join('\n')}\n`);
    await own.close();
  });
});

const NAMES = [
  '</script><script>alert(1)</script>',
  '<img/src=x/onerror=alert(1)>',
  '\u202egnp.exe',
  '&amp;"\'',
  '__proto__',
  'a;b',
  '\x1b]0;owned\x07',
];

describe('a hostile trace', () => {
  let page: Page;
  let address: string;
  beforeAll(async () => {
    const lines = NAMES.map(
      (name, at) =>
        `1 [000] 1.00000${at}000:   call   1000 main+0x0 => ${at + 2}000 ${name}+0x0\n1 [000] 1.00000${at}500:   return   ${at + 2}010 ${name}+0x10 => 1005 main+0x5\n`,
    );
    const comm = '1 [000] 1.000000000: PERF_RECORD_COMM: <img src=x onerror=alert(3)>:1/1\n';
    page = await openReport(browser, comm + lines.join(''), { title: '</title><script>alert(2)</script>\u202e' });
    address = page.url();
    await page.setViewportSize({ width: 4000, height: 1200 });
  }, 60_000);

  const elements = () =>
    page.$$eval('*', (all) =>
      all.map(({ localName }) => localName).filter((name) => /^(script|img|iframe)$/.test(name)),
    );
  const shown = [
    '</script><script>alert(1)</script>',
    '<img/src=x/onerror=alert(1)>',
    '\\u202egnp.exe',
    '&amp;"\'',
    '\\x1b]0;owned\\x07',
  ];

  test('stays text in frames, tables, titles, the menu and the panel', async () => {
    await eventually(async () => (await labels(page)).join('\n')).toContain(shown[0]);
    for (const text of shown) {
      expect((await labels(page)).join('\n')).toContain(text);
      expect((await rows(page)).map(([name]) => name)).toContain(text);
    }
    const label = (await labels(page)).find((one) => one.includes('<img')) as string;
    const { x, y } = await positionOf(page, label);
    await page.mouse.move(x, y);
    expect(await tooltip(page)).toContain('<img/src=x/onerror=alert(1)>');
    await page.mouse.click(x, y, { button: 'right' });
    await press(page, 'ArrowDown', 'Enter');
    await eventually(() => page.locator('.panel h2').textContent()).toBe('<img/src=x/onerror=alert(1)>');
    expect(await page.title()).toBe('</title><script>alert(2)</script>\\u202e');
    expect(await elements()).toEqual(['script', 'script', 'script']);
  });

  test('stays text among threads and in the search', async () => {
    await clickByScript(page.locator('#tab-threads'));
    await eventually(async () => (await rows(page, 'Threads')).map(([name]) => name)).toContain(
      '<img src=x onerror=alert(3)>',
    );
    await goTo(page, `#search=${encodeURIComponent('<img/src')}`);
    expect(await page.locator('output:not(.spoken)').textContent()).toMatch(/^1 frame, /);
    await goTo(page, `#search=${encodeURIComponent('__proto__')}`);
    expect(await page.locator('output:not(.spoken)').textContent()).toMatch(/^1 frame, /);
    expect(await elements()).toEqual(['script', 'script', 'script']);
  });

  test('stays text in a saved SVG', async () => {
    await goTo(page);
    const picture = await pictures.open(await textOf(page, 'Picture (SVG)'));
    const names = await picture.$$eval('*', (all) => all.map(({ localName }) => localName));
    expect(names.filter((name) => /script|img|parsererror/.test(name))).toEqual([]);
    await picture.close();
  });

  test('is safe with the hostile addresses that it is opened at and led to', async () => {
    await page.goto('about:blank');
    await page.goto(`${address}#search=%3Cimg%20src%3Dx%20onerror%3Dalert(4)%3E`);
    await page.locator('.graph.main g.frame').first().waitFor();
    for (const hash of [
      '', // no other one
      '#threads=name:%3Cscript%3Ealert(4)%3C/script%3E',
      '#zoom=999999999&to=1&focus=-1&hide=1.2.x&function=constructor',
      '#search=%2F(%2F&only=1',
      '#width=__proto__&colour=toString&zoom=0.0.0',
      '#focus=6&hide=6&function=6',
      '#%ff%00&&==',
    ]) {
      if (hash !== '') await goTo(page, hash);
      expect((await labels(page))[0], hash).toMatch(/^all/);
      expect(await elements(), hash).toEqual(['script', 'script', 'script']);
      expect(browser.complaints, hash).toEqual([]);
    }
  });
});

describe('warnings', () => {
  /** Opens the page of a trace that lost `lostNs` of 1000 ns. */
  const lossy = (lostNs: number) =>
    traceOf(`
    0     call     main  work
    100   error
    ${100 + lostNs}   tr strt        work
    1000  return   work  main`);

  test('are at the top for more than 5 % of the time, with figures behind the chip', async () => {
    const page = await openReport(browser, lossy(300));
    await eventually(() => page.locator('.finding p').innerText()).toMatch(/^30 % of the time is lost/);
    const chip = page.locator('.trust');
    expect([await chip.textContent(), await chip.getAttribute('class')]).toEqual([
      '30 % lost · 2 inferred',
      'trust doubt',
    ]);
    const warnings = page.locator('.warnings');
    expect(await warnings.isVisible()).toBe(false);
    await chip.click();
    expect(await warnings.isVisible()).toBe(true);
    expect(await warnings.locator('li').allTextContents()).toContain('30 % of the time is lost');
    expect(await page.locator('.bar .legend').textContent()).toContain('lost');
    await page.close();
  });

  test.each([390, 768, 1440])('what the chip opens leaves the chip free in a window of %i pixels', async (width) => {
    const page = await openReport(browser, lossy(300));
    await page.setViewportSize({ width, height: 844 });
    const chip = page.locator('.trust');
    await chip.click();
    const [opened, own] = [await page.locator('#trust').boundingBox(), await chip.boundingBox()];
    if (opened === null || own === null) throw new Error('it is not open');
    expect(opened.y).toBeGreaterThanOrEqual(own.y + own.height);
    expect(opened.y).toBeLessThan(own.y + own.height + 12);
    await page.close();
  });

  test('are absent for less', async () => {
    const page = await openReport(browser, lossy(40));
    expect(await page.locator('.warnings').count()).toBe(0);
    const chip = page.locator('.trust');
    expect([await chip.textContent(), await chip.getAttribute('class')]).toEqual([
      '4 % lost · 2 inferred',
      'trust doubt',
    ]);
    await eventually(() => page.locator('.finding p').innerText()).not.toBe('');
    expect(await page.locator('.finding p').innerText()).not.toContain('lost');
    expect(await page.locator('#trust').textContent()).toContain('40 ns lost (4 %)');
    await eventually(() => hashOf(page)).toBe('');
    await page.close();
  });

  test('the chip has no doubt below 1 %', async () => {
    const page = await openReport(browser, lossy(5));
    const chip = page.locator('.trust');
    expect([await chip.textContent(), await chip.getAttribute('class')]).toEqual(['0.5 % lost · 2 inferred', 'trust']);
    await page.close();
  });
});
