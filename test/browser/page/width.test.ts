/**
 * Tests the width and colour of frames in the report page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { press, windows } from '../../helpers/browser/browser.js';
import * as report from '../../helpers/browser/report-page.js';
import { CALLS, eventually, goTo, hashOf, openReport } from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');
const LENS = 'What widths and tables count';

/** 200 ns: read takes 100 (20 self, 60 of the rest blocked), work takes 100, including leaf with 40. */
const SWITCHES = traceOf(`
  0    call             main  read
  10   tr end  syscall  read
  20   PERF_RECORD_SWITCH OUT
  80   PERF_RECORD_SWITCH IN
  90   tr strt          read
  100  return           read  main
  100  call             main  work
  110  call             work  leaf
  130  return           leaf  work
  130  call             work  leaf
  150  return           leaf  work
  200  return           work  main`);

let page: Page;
let switches: Page;
beforeAll(async () => {
  page = await openReport(browser, CALLS);
  switches = await openReport(browser, SWITCHES);
}, 60_000);

describe('width', () => {
  /** Returns widths in percent, by label. */
  async function shares(width: string): Promise<Record<string, number>> {
    await goTo(switches, `#width=${width}`);
    const drawn = await report.frames(switches);
    const whole = (drawn[0]?.width ?? 0) + 1;
    return Object.fromEntries(
      drawn.map(({ label, width }) => [label.split('  ')[0] as string, Math.round((100 * (width + 1)) / whole)]),
    );
  }

  test.for([
    ['wall', { all: 100, main: 100, read: 50, 'system call': 40, 'off CPU': 30, work: 50, leaf: 20 }],
    ['cpu', { all: 100, main: 100, read: 29, 'system call': 14, work: 71, leaf: 29 }],
    ['outside', { all: 100, main: 100, read: 100, 'system call': 100, 'off CPU': 75 }],
    ['off-cpu', { all: 100, main: 100, read: 100, 'system call': 100, 'off CPU': 100 }],
    ['calls', { all: 100, main: 100, read: 43, 'system call': 29, 'off CPU': 14, work: 43, leaf: 29 }],
  ] as const)('by %s gives frames the width of their share', async ([width, expected]) => {
    expect(await shares(width)).toEqual(expected);
  });

  test.for(['#inverted=1', '#width=self'])(
    'shows functions by self time, with their callers below them: %s',
    async (hash) => {
      await goTo(page, hash);
      const drawn = await report.frames(page);
      const ofRow = (row: number) =>
        drawn
          .filter(({ y }) => y === (drawn[0]?.y ?? 0) + 19 * row)
          .map(({ label, width }) => `${label.split(' ')[0]} ${Math.round((width + 1) / 11.72)}`);
      expect(ofRow(1)).toEqual(['a 30', 'b 30', 'leaf 30', 'main 10']);
      expect(ofRow(2)).toEqual(['a 20', 'main 10', 'main 30', 'a 30']);
    },
  );

  test('is selected by the lens and by the keys 1 to 5; 6 has no meaning', async () => {
    await goTo(switches);
    const lens = switches.getByTitle(LENS);
    const chosen: (readonly [hash: string, shown: string])[] = [];
    for (const key of ['2', '3', '4', '5', '6', '1']) {
      await press(switches, key);
      chosen.push([await hashOf(switches), (await lens.textContent()) ?? '']);
    }
    expect(chosen).toEqual([
      ['width=cpu', 'Running'],
      ['width=outside', 'Waiting'],
      ['width=off-cpu', 'Off CPU'],
      ['width=calls', 'Calls'],
      ['width=calls', 'Calls'],
      ['', 'All time'],
    ]);
    await lens.click();
    await switches.getByRole('menuitemcheckbox', { name: 'Calls' }).click();
    await eventually(() => hashOf(switches)).toBe('width=calls');
    await lens.click();
    const checked = await switches.$$eval('.menu [aria-checked=true] span', (all) => all.map((one) => one.textContent));
    expect(checked).toEqual(['Calls']);
    await press(switches, 'Escape');
    await page.getByTitle(LENS).click();
    const lenses = await page.locator('.menu button span').allTextContents();
    expect(lenses).toContain('Calls');
    expect(lenses).not.toContain('Off CPU'); // no switches
    await press(page, 'Escape');
  });

  test('is what functions have themselves if inverted, by button and by b', async () => {
    await goTo(switches);
    const inverted = switches.getByRole('button', { name: 'Inverted' });
    await inverted.click();
    await eventually(() => hashOf(switches)).toBe('inverted=1');
    expect(await inverted.getAttribute('aria-pressed')).toBe('true');
    await press(switches, 'b');
    await eventually(() => hashOf(switches)).toBe('');
    expect(await inverted.getAttribute('aria-pressed')).toBe('false');
  });
});

test('colours frames by library, function, duration or time outside, with a legend', async () => {
  await goTo(switches);
  const legend = () => switches.locator('.legend').textContent();
  const fillOf = async (label: string) =>
    (await report.frames(switches)).find((one) => one.label.startsWith(label))?.fill;
  expect(await legend()).toContain('library not recorded (perf script -F +dso) 60 %');
  expect(await legend()).toContain('off CPU 30 %');
  expect(await fillOf('off CPU')).toBe('var(--off-cpu)');
  await press(switches, 'a');
  expect(await hashOf(switches)).toBe('colour=function');
  expect(await fillOf('off CPU')).toBe('var(--off-cpu)');
  await press(switches, 'a');
  expect(await legend()).toContain('below 100 ns100 ns+1 µs+');
  expect(await legend()).toContain('with inferred calls: lower bound');
  expect([await fillOf('leaf'), await fillOf('work'), await fillOf('main'), await fillOf('off CPU')]).toEqual([
    'var(--s0)',
    'var(--s1)',
    'var(--s1)',
    'var(--group)',
  ]);
  await press(switches, 'a');
  expect(await legend()).toContain('0 %12.5 %+25 %+');
  expect([await fillOf('leaf'), await fillOf('read'), await fillOf('main')]).toEqual([
    'var(--s0)',
    'var(--s6)',
    'var(--s3)',
  ]);
  await press(switches, 'a');
  await eventually(() => fillOf('off CPU')).toBe('var(--off-cpu)');
});
