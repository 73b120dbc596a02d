/**
 * Chromium, in which files are opened as a reader opens them. They are to ask nothing of the network, and to complain
 * about nothing: that is checked when all tests of a file are through.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { BROWSER_SETTINGS } from '../../../bench/page/browser.js';
import { isMissing, needs, pathOf } from '../../tools/needs.js';

const LONGEST_MS = 60_000;

export class Windows {
  readonly pages: Page[] = [];
  /** Addresses that were asked for. */
  readonly requests: string[] = [];
  /** Errors, dialogs, and whatever was written to the console. */
  readonly complaints: string[] = [];
  private readonly ending: string;
  private readonly options: BrowserContextOptions;
  private readonly hasScrollBars: boolean;
  private browser!: Browser;
  private context!: BrowserContext;
  private folder!: string;

  constructor(ending: string, options: BrowserContextOptions, hasScrollBars: boolean) {
    this.ending = ending;
    this.options = options;
    this.hasScrollBars = hasScrollBars;
  }

  async begin(): Promise<void> {
    this.browser = await chromium.launch({
      ...BROWSER_SETTINGS,
      executablePath: pathOf('Chromium'),
      ignoreDefaultArgs: this.hasScrollBars ? ['--hide-scrollbars'] : [],
    });
    this.context = await this.browser.newContext({ viewport: { width: 1200, height: 800 }, ...this.options });
    this.folder = await mkdtemp(join(tmpdir(), 'ptflame-browser-'));
  }

  async end(): Promise<void> {
    await this.browser.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A new page with a file of this text. It stands in front: what is behind is painted once a second (`bringToFront`). */
  async open(text: string, hash = ''): Promise<Page> {
    const path = join(this.folder, `${this.pages.length}.${this.ending}`);
    await writeFile(path, text);
    const page = await this.context.newPage();
    this.pages.push(page);
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('dialog', (dialog) => {
      this.complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(path).href + hash);
    return page;
  }

  /** Those that are not for the files themselves, nor for what a page gives to be saved. */
  get otherRequests(): string[] {
    const own = pathToFileURL(this.folder).href;
    const isOwn = (url: string) => url.startsWith(own) && url.split('#')[0]?.endsWith(`.${this.ending}`);
    return this.requests.filter((url) => !isOwn(url) && !url.startsWith('blob:'));
  }
}

/** A browser for all tests of a file. Scroll bars take room, as they do for many readers. */
export function windows(
  ending: string,
  { hasScrollBars = false, ...options }: BrowserContextOptions & { readonly hasScrollBars?: boolean } = {},
): Windows {
  vi.setConfig({ testTimeout: LONGEST_MS });
  const opened = new Windows(ending, options, hasScrollBars);
  needs('Chromium');
  if (isMissing('Chromium')) return opened;
  beforeAll(() => opened.begin(), LONGEST_MS);
  afterAll(async () => {
    await opened.end();
    expect(opened.otherRequests).toEqual([]);
    expect(opened.complaints).toEqual([]);
  }, LONGEST_MS);
  return opened;
}

export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
