/**
 * The programs that tests need are found wherever they are, and CI has all of them.
 */
import { chmod, writeFile } from 'node:fs/promises';
import { describe, expect, inject, test as plain } from 'vitest';
import { findChromium, findChromiumForTests } from '../../bench/page/find-chromium.js';
import { test } from '../helpers/cli/run-cli.js';
import { missingFrom, PROGRAMS } from './programs.js';

plain.runIf(process.env['CI skips no test: all programs that tests need are installed'])(
  'CI skips no test: nothing that tests need is missing',
  () => {
    expect(missingFrom(inject('programs'), PROGRAMS).map(({ name }) => name)).toEqual([]);
  },
);

describe('finds a browser', () => {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'])
    test(`as ${name} on the PATH`, async ({ dir }) => {
      const browser = await dir.write(name, '#!/bin/sh\necho Chromium 150.0.1\n');
      await chmod(browser, 0o755);
      expect(findChromium({ PATH: dir.path })).toBe(browser);
    });

  test('for tests without a user interface, if there is one; readers have another', async ({ dir }) => {
    const [browser, shell] = ['chromium', 'chromium-headless-shell'].map((name) => dir.file(name)) as [string, string];
    const add = async (path: string) => {
      await writeFile(path, '#!/bin/sh\necho Chromium 150.0.1\n', { mode: 0o755 });
      return [findChromium({ PATH: dir.path }), findChromiumForTests({ PATH: dir.path })];
    };
    expect(await add(browser)).toEqual([browser, browser]);
    expect(await add(shell)).toEqual([browser, shell]);
  });

  test('only where a variable points, if it is set', async ({ dir }) => {
    const browser = await dir.write('mine', '#!/bin/sh\necho Google Chrome 150.0.1\n');
    await chmod(browser, 0o755);
    for (const name of ['CHROMIUM', 'CHROME_PATH', 'CHROME_BIN', 'PUPPETEER_EXECUTABLE_PATH'])
      expect(findChromium({ PATH: '', [name]: browser })).toBe(browser);
    expect(findChromium({ PATH: dir.path, CHROMIUM: dir.file('no-such-file') })).toBeUndefined();
  });

  test('but not in a script that only explains how to install one', async ({ dir }) => {
    await chmod(await dir.write('chromium-browser', '#!/bin/sh\necho "snap install chromium" >&2\nexit 1\n'), 0o755);
    expect(findChromium({ PATH: dir.path })).not.toBe(dir.file('chromium-browser'));
  });
});
