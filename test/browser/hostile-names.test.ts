/**
 * Names that try to act on the text around them: on each kind of page and picture, all that people see or hear of them is harmless.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ProfileSum } from '../../src/fleet/merge-profiles.js';
import { type Profile, renderHtml, renderSvg } from '../../src/index.js';
import { renderComparedHtml } from '../../src/page/html.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import { renderDiffSvg } from '../../src/render/diff/picture.js';
import { windows } from '../helpers/browser/browser.js';
import { drawn } from '../helpers/browser/drawing.js';
import { CALLS, clickByScript, goTo, profileOfTrace } from '../helpers/browser/report-page.js';

const browser = windows('html');
const pictures = windows('svg');

const ACTING = '\u202e\u2066\u200f\u061c\x1b[31m\x9b\u2028\n';
const hostile = (name: string) => `${name}${ACTING}</title><img src=x onerror=alert(1)>`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
const FORBIDDEN = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Every text of a profile is hostile; one name is also very long. */
async function hostileProfile(scale = 1): Promise<Profile> {
  const profile = await profileOfTrace(CALLS.replaceAll(/(1\.\d{8})(\d)/g, `$1${scale}`));
  const { symbols, threads, meta } = profile;
  const name = symbols.name.map((own, row) => (row < 6 ? own : hostile(row === 6 ? own.repeat(20_000) : own)));
  const at = (row: number) => Number(row >= 6) - 1;
  return {
    ...profile,
    symbols: {
      ...{ ...symbols, name, dso: name.map((_, row) => at(row)), dsoName: [hostile('/bin/app')] },
      lines: {
        file: name.map((_, row) => at(row)),
        line: name.map((_, row) => at(row) + 1),
        fileName: [hostile('a.c')],
      },
    },
    threads: threads.map((thread) => ({ ...thread, comm: hostile('comm') })),
    meta: {
      ...{ ...meta, part: hostile('part') },
      recorded: {
        ...{ host: hostile('host'), kernel: hostile('linux'), cpu: hostile('cpu'), perf: hostile('perf') },
        ...{ command: ['perf', 'record', '--', hostile('program')], startedAt: null },
      },
    },
  };
}

/** All texts and attributes that people see or hear; not the script and its data. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const texts: string[] = [document.title];
    for (const element of document.querySelectorAll('*')) {
      if (/^(script|style)$/.test(element.localName)) continue;
      for (const child of element.childNodes) if (child.nodeType === 3) texts.push(child.nodeValue ?? '');
      for (const name of ['title', 'aria-label', 'aria-description', 'placeholder', 'data-text', 'data-note'])
        texts.push(element.getAttribute(name) ?? '');
    }
    return { text: texts.join('\t\n'), images: document.querySelectorAll('img').length };
  });

async function expectHarmless(page: Page, where: string): Promise<void> {
  const { text, images } = await shown(page);
  expect(text, where).toContain('\\u202e');
  expect(FORBIDDEN.exec(text.replaceAll('\t\n', '\n'))?.[0].codePointAt(0)?.toString(16), where).toBeUndefined();
  expect(images, where).toBe(0);
}

/** Visits what a page has: details of frames, tables, the panel of a function. */
async function visitAll(page: Page, where: string): Promise<void> {
  await drawn(page);
  for (const hash of ['', '#function=6', '#function=7', '#width=self', '#hide=7', '#focus=7', '#threads=name:x']) {
    await goTo(page, hash);
    await drawn(page);
    for (const tab of await page.locator('[role=tab]').all()) await clickByScript(tab);
    await expectHarmless(page, `${where} ${hash}`);
  }
  await goTo(page);
  for (let x = 100; x < 1100; x += 150) {
    await page.mouse.move(x, 300);
    await expectHarmless(page, `${where}, pointed at ${x}`);
  }
}

test('in the report', async () => {
  const page = await browser.open([...renderHtml(await hostileProfile())].join(''));
  await visitAll(page, 'report');
}, 120_000);

test('in the report of a sum', async () => {
  const sum = new ProfileSum('comm');
  for (const file of ['a.json', hostile('b.json')]) sum.add(await hostileProfile(), file);
  const page = await browser.open([...renderHtml(sum.build(), { title: hostile('title') })].join(''));
  await visitAll(page, 'sum');
}, 120_000);

test('in a comparison, whose rows find their frames', async () => {
  const [before, after] = [await hostileProfile(), await hostileProfile(9)];
  const text = [...renderComparedHtml(compareProfiles(before, after))].join('');
  expect(text).not.toMatch(FORBIDDEN);
  const page = await browser.open(text);
  await drawn(page);
  await expectHarmless(page, 'comparison');
  await page.locator('.table .row', { hasText: 'leaf' }).first().click();
  await expect.poll(() => page.locator('g.frame.match').count()).toBeGreaterThan(0);
  await visitAll(page, 'comparison');
}, 120_000);

test('in pictures', async () => {
  const [before, after] = [await hostileProfile(), await hostileProfile(9)];
  for (const [where, text] of [
    ['picture', [...renderSvg(before)].join('')],
    ['picture of a comparison', [...renderDiffSvg(compareProfiles(before, after))].join('')],
  ] as const) {
    expect(text, where).not.toMatch(FORBIDDEN);
    const page = await pictures.open(text);
    await page.mouse.move(400, 200);
    await expectHarmless(page, where);
  }
}, 60_000);
