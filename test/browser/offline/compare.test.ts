/**
 * The offline page compares: what is dropped later with what is shown, and two of one drop by the time they were made.
 */
import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { expectAccessible } from '../../helpers/browser/axe.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drop, openOfflinePage, problem, reportShown, save, shown } from '../../helpers/browser/offline-page.js';
import { eventually, hashOf, pick } from '../../helpers/browser/report-page.js';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { dumpHeader, jitRecording, loadRecord, PID, programFunctions } from '../../helpers/perf/jit.js';

const browser = windows('html', { acceptDownloads: true });
const lenient = windows('html', { bypassCSP: true });

const ROOT = fixturePath('recordings/root');
const BINARY = fixturePath('recordings/root/opt/ptflame/threads');
const OTHER_BINARY = fixturePath('recordings/root/opt/ptflame/loop');
const TEXT = fixturePath('lab/demo-cre.txt');
const OTHER_TEXT = fixturePath('lab/thread-create-switch-migrate.txt');
const ONE = fixturePath('recordings/cpus-2.data');
const OTHER = fixturePath('recordings/cpus-4.data');

const choices = (page: Page) => page.locator('dialog.ask button').allTextContents();
const ALL = ['Open it', 'Compare with it', 'Keep the report'];
const NO_COMPARISON = ['Open it', 'Keep the report'];

async function keep(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Keep the report' }).click();
}

const heading = (page: Page) => eventually(() => page.locator('header h1').textContent());

/** Drops files on the report, and compares. */
async function compareWith(page: Page, ...files: readonly string[]): Promise<void> {
  await drop(page, ...files);
  await page.getByRole('button', { name: 'Compare with it' }).click();
  await page.locator('dialog.ask').waitFor({ state: 'detached' });
}

async function copied(dir: Directory, from: string, to: string): Promise<string> {
  await mkdir(dirname(dir.file(to)), { recursive: true });
  await copyFile(from, dir.file(to));
  return dir.file(to);
}

const MENU = { folded: 'Folded stacks', svg: 'Picture', html: 'Report page' } as const;
const FORMATS = Object.keys(MENU) as (keyof typeof MENU)[];

/** Expects what the page saves to be what the command line writes. */
async function expectDiff(page: Page, dir: Directory, args: readonly string[]): Promise<void> {
  const outputs = FORMATS.flatMap((format) => ['-o', `wanted.${format}`]);
  expect(await ptflame(['diff', ...args, ...outputs, '-q'], { cwd: dir.path })).toMatchObject({ exitCode: 0 });
  for (const format of FORMATS) {
    const { bytes } = await save(page, MENU[format]);
    expect.soft(bytes.equals(await readFile(dir.file(`wanted.${format}`))), format).toBe(true);
  }
}

describe('what is dropped later is compared, and the files are those of ptflame diff', () => {
  test('a text with another one, and the other way round', async ({ dir }) => {
    const page = await openOfflinePage(browser, 2);
    await drop(page, TEXT);
    expect(await shown(page)).toBe('report');
    await press(page, 'i');
    await eventually(() => hashOf(page)).not.toBe('');
    await drop(page, OTHER_TEXT);
    await eventually(() => choices(page)).toEqual(ALL);
    expect(await page.locator('dialog.ask').textContent()).toContain(
      `In a comparison, ${basename(TEXT)} is before, ${basename(OTHER_TEXT)} after.`,
    );
    await page.getByRole('button', { name: 'Compare with it' }).click();
    await reportShown(page);
    await heading(page).toBe(`${basename(TEXT)} → ${basename(OTHER_TEXT)}`);
    expect(await hashOf(page)).toBe('');
    await expectDiff(page, dir, [TEXT, OTHER_TEXT]);

    await press(page, 'i');
    await eventually(() => hashOf(page)).not.toBe('');
    const hash = await hashOf(page);
    await page.getByRole('button', { name: 'Swap' }).focus();
    await press(page, 'Enter');
    await heading(page).toBe(`${basename(OTHER_TEXT)} → ${basename(TEXT)}`);
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Swap');
    expect(await hashOf(page)).toBe(hash);
    for (const left of ['header', '#trust', 'main', '.tooltip', 'dialog.help'])
      expect(await page.locator(left).count(), left).toBe(1);
    await expectDiff(page, dir, [OTHER_TEXT, TEXT]);
    await page.close();
  });

  test('two of the same name, and binaries of the first serve both', async ({ dir }) => {
    const [one, other] = [await copied(dir, ONE, 'a/perf.data'), await copied(dir, OTHER, 'b/perf.data')];
    const page = await openOfflinePage(browser, 2);
    await drop(page, one);
    expect(await shown(page)).toBe('needs');
    await drop(page, BINARY);
    await reportShown(page);
    await compareWith(page, other);
    await heading(page).toBe('perf.data → perf.data');
    await expectDiff(page, dir, [one, other, '--symfs', ROOT]);
    await page.close();
  });

  test('a profile with an imported trace of the same name', async ({ dir }) => {
    const [profile, trace] = [dir.file('a/run.data'), dir.file('b/run.data')];
    for (const path of [profile, trace]) await mkdir(dirname(path));
    expect(await ptflame(['render', TEXT, '-o', dir.file('a.json'), '-q'])).toMatchObject({ exitCode: 0 });
    await copyFile(dir.file('a.json'), profile);
    expect(await ptflame(['import', OTHER_TEXT, '-o', dir.file('b.ptf'), '-q'])).toMatchObject({ exitCode: 0 });
    await copyFile(dir.file('b.ptf'), trace);
    const page = await openOfflinePage(browser, 2);
    await drop(page, profile);
    expect(await shown(page)).toBe('report');
    await compareWith(page, trace);
    await heading(page).toBe('run.data → run.data');
    await expectDiff(page, dir, [profile, trace]);
    await page.close();
  });
});

test('each recording without build ids takes its own binary; one that comes later is of both', async ({ dir }) => {
  const wrong = await copied(dir, OTHER_BINARY, 'threads');
  const page = await openOfflinePage(browser, 2);
  await drop(page, wrong, ONE);
  expect(await shown(page)).toBe('report');
  await drop(page, BINARY, OTHER);
  await page.getByText('In a comparison, cpus-2.data is before, cpus-4.data after.').waitFor();
  await page.getByRole('button', { name: 'Compare with it' }).click();
  await heading(page).toBe('cpus-2.data → cpus-4.data');
  const trust = () => eventually(() => page.locator('header .trust').textContent());
  await trust().toMatch(/^before: [\d.]+ % lost/);
  await page.getByRole('button', { name: 'Swap' }).click();
  await trust().toMatch(/^after: [\d.]+ % lost/);
  await drop(page, BINARY);
  await trust().toMatch(/^Nothing lost/);
  expect(await page.locator('header h1').textContent()).toBe('cpus-4.data → cpus-2.data');
  await page.close();
});

test('each recording takes its own code that was made at run time, in files of the same name', async ({ dir }) => {
  const START = 36_986_036_707_150n; // before its first branch
  const prepared = async (side: string): Promise<string[]> => {
    await mkdir(dir.file(side));
    const functions = programFunctions().map((made) => ({ ...made, name: `${side}_${made.name}` }));
    const loads = functions.map((made, index) => loadRecord(made, index, START));
    const recording = jitRecording({ marker: `/jit-${PID}.dump`, code: '//anon' });
    return [
      await dir.write(`${side}/perf.data`, recording),
      await dir.write(`${side}/jit-${PID}.dump`, Buffer.concat([dumpHeader(START), ...loads])),
    ];
  };
  const page = await openOfflinePage(browser, 2);
  await drop(page, ...(await prepared('old')));
  if ((await shown(page)) === 'needs') await page.getByRole('button', { name: 'Show without' }).click();
  await reportShown(page);
  await compareWith(page, ...(await prepared('new')));
  await page.locator('.screen:not(.working), .brand button').first().waitFor();
  if ((await page.locator('.screen').count()) > 0) await page.getByRole('button', { name: 'Show without' }).click();
  await page.getByRole('button', { name: 'Swap' }).waitFor();
  const lines = (await save(page, 'Folded stacks')).bytes.toString().trim().split('\n');
  const sums = (at: 1 | 2, side: string) =>
    lines
      .filter((line) => line.includes(`${side}_`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(at - 3)), 0);
  expect([sums(1, 'old') > 0, sums(2, 'old'), sums(1, 'new'), sums(2, 'new') > 0]).toEqual([true, 0, 0, true]);
  await page.close();
});

test('what is missing is asked for, and can be left out; Escape leaves', async () => {
  const page = await openOfflinePage(browser, 2);
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  await compareWith(page, ONE);
  await page.locator('.screen.needs h2', { hasText: 'cpus-2.data needs the binaries that ran' }).waitFor();
  await page.getByRole('button', { name: 'Show without it' }).click();
  await reportShown(page);
  await heading(page).toBe('demo-cre.txt → cpus-2.data');
  expect(await page.locator('header .trust').textContent()).toMatch(/^after: [\d.]+ % lost/);
  expect(await page.locator('#trust .warnings').first().textContent()).toContain('/opt/ptflame/threads');
  await page.getByRole('button', { name: 'Recording' }).click();
  await page.getByRole('menuitem', { name: 'Close this one' }).click();
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  await compareWith(page, ONE);
  await page.locator('.screen.needs').waitFor();
  await press(page, 'Escape');
  await eventually(() => page.locator('.screen h2').textContent()).toBe('Drop a recording anywhere');
  await page.close();
});

test('a file that is chosen is asked about like one that is dropped', async () => {
  const page = await openOfflinePage(browser);
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  const chooser = page.waitForEvent('filechooser');
  await pick(page, 'Recording', 'Another recording…');
  await (await chooser).setFiles(OTHER_TEXT);
  await eventually(() => choices(page)).toEqual(ALL);
  await press(page, 'Tab', 'Enter');
  await heading(page).toBe(`${basename(TEXT)} → ${basename(OTHER_TEXT)}`);
  await page.close();
});

describe('no comparison is offered', () => {
  test('of more than two, of what is no recording, and with what is a comparison', async ({ dir }) => {
    const page = await openOfflinePage(browser);
    await drop(page, TEXT);
    expect(await shown(page)).toBe('report');
    const picture = await dir.write('picture.png', Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(100, 'x'), 'latin1'));
    expect(await ptflame(['render', TEXT, '-o', dir.file('one.json'), '-q'])).toMatchObject({ exitCode: 0 });
    const profiles = [dir.file('one.json'), await copied(dir, dir.file('one.json'), 'other.json')];
    for (const files of [[ONE, OTHER], profiles, [BINARY], [picture]]) {
      await drop(page, ...files);
      await eventually(() => choices(page)).toEqual(NO_COMPARISON);
      await keep(page);
    }
    await drop(page, TEXT, OTHER_TEXT); // one trace
    await eventually(() => choices(page)).toEqual(ALL);
    expect(await page.locator('dialog.ask h2').textContent()).toBe('Open 2 files?');
    await page.getByRole('button', { name: 'Compare with it' }).click();
    await heading(page).toBe(`${basename(TEXT)} → ${basename(TEXT)}`);
    await drop(page, TEXT);
    await eventually(() => choices(page)).toEqual(NO_COMPARISON);
    await page.close();
  });

  test('with calls alone', async () => {
    const timeless = fixturePath('lab/fields-timeless-no-time.txt');
    const page = await openOfflinePage(browser);
    await drop(page, timeless);
    expect(await shown(page)).toBe('start');
    await page.getByRole('button', { name: 'Show calls' }).click();
    expect(await shown(page)).toBe('report');
    await drop(page, TEXT);
    await eventually(() => choices(page)).toEqual(NO_COMPARISON);
    await page.close();
  });

  test('but refused of what turns out to have no times; the way back is shown', async () => {
    const timeless = fixturePath('lab/fields-timeless-no-time.txt');
    const page = await openOfflinePage(browser);
    await drop(page, TEXT);
    expect(await shown(page)).toBe('report');
    await compareWith(page, timeless);
    await page.locator('.problem').waitFor();
    expect(await page.locator('.screen h2').textContent()).toBe(`Cannot show demo-cre.txt → ${basename(timeless)}`);
    expect((await problem(page))[0]).toContain(`${basename(timeless)} has no times`);
    expect(await page.getByRole('button', { name: 'Show calls' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show demo-cre.txt again' }).click();
    expect(await shown(page)).toBe('report');
    await page.close();
  });
});

describe('of one drop, what was recorded earlier is before', () => {
  const START = Date.UTC(2026, 10, 1) / 1000;

  test.for([
    ['by when the files were changed', ['z.data', 'a.data'], [], 'z.data → a.data', 'in any order'],
    ['by what the recordings say, first of all', ['z.data', 'a.data'], ['10:00:01', '09:59:59'], 'a.data → z.data'],
    ['by what all of them say', ['z.data', 'a.data'], ['10:00:01'], 'z.data → a.data'],
  ] as const)('%s', async ([, names, startedAt, title, order], { dir }) => {
    const files: string[] = [];
    for (const [at, name] of names.entries()) {
      files.push(await copied(dir, at === 0 ? ONE : OTHER, name));
      await utimes(dir.file(name), START + at, START + at);
      const time = startedAt[at];
      if (time === undefined) continue;
      const notes = { format: 'ptflame-recording', version: 1, startedAt: `2026-11-01T${time}.000Z` };
      files.push(dir.file(`${name}.ptflame.json`));
      await writeFile(dir.file(`${name}.ptflame.json`), JSON.stringify(notes));
    }
    for (const dropped of order ? [files, files.toReversed()] : [files]) {
      const page = await openOfflinePage(browser);
      await drop(page, ...dropped, BINARY);
      expect(await shown(page)).toBe('report');
      expect(await page.locator('header h1').textContent()).toBe(title);
      await page.close();
    }
  });

  test('of the same time, by name', async ({ dir }) => {
    const page = await openOfflinePage(browser);
    const files = [await copied(dir, ONE, 'b.data'), await copied(dir, OTHER, 'a.data')];
    for (const file of files) await utimes(file, START, START);
    await drop(page, ...files, BINARY);
    expect(await shown(page)).toBe('report');
    expect(await page.locator('header h1').textContent()).toBe('a.data → b.data');
    await page.close();
  });
});

test('the question and a comparison are accessible, in both themes', async () => {
  const page = await openOfflinePage(lenient);
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  await drop(page, OTHER_TEXT);
  await page.locator('dialog.ask').waitFor();
  await expectAccessible(page, 'dialog.ask');
  await page.getByRole('button', { name: 'Compare with it' }).click();
  await page.getByRole('button', { name: 'Swap' }).waitFor();
  await expectAccessible(page, 'header');
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await eventually(overflow).toBeLessThanOrEqual(0);
  await page.close();
});
