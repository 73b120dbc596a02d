/**
 * Opens files in a browser as a user would. Each action waits until the page has drawn its result. After all tests of a
 * file, checks that they requested nothing from the network and logged no errors.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { BROWSER_SETTINGS } from '../../../bench/page/browser.js';
import { isMissing, needs, pathOf } from '../../tools/needs.js';
import { drawn, drawsAfterActions } from './drawing.js';
import { launchFirefox } from './firefox.js';

const TIMEOUT_MS = 60_000;

export type Engine = 'Chromium' | 'Firefox';

/** In which browser tests run that need none in particular. */
const USUAL: Engine = process.env['PTFLAME_TEST_BROWSER'] === 'firefox' ? 'Firefox' : 'Chromium';

/** Those of a worker, for all of its files, by their kind and whether they have scroll bars. They end with the worker. */
const browsers = new Map<string, Browser>();

async function browserWith(engine: Engine, hasScrollBars: boolean): Promise<Browser> {
  const kind = `${engine} ${hasScrollBars}`;
  const running = browsers.get(kind);
  if (running?.isConnected()) return running;
  const executablePath = pathOf(engine);
  const ignoreDefaultArgs = hasScrollBars ? ['--hide-scrollbars'] : [];
  const browser =
    engine === 'Firefox'
      ? await launchFirefox(executablePath)
      : await chromium.launch({ ...BROWSER_SETTINGS, executablePath, ignoreDefaultArgs });
  browsers.set(kind, browser);
  return browser;
}

export class Windows {
  readonly pages: Page[] = [];
  /** Requested addresses. */
  readonly requests: string[] = [];
  /** Errors, dialogs and console messages. */
  readonly complaints: string[] = [];
  private readonly served: string[] = [];
  private readonly ending: string;
  private readonly options: BrowserContextOptions;
  private readonly hasScrollBars: boolean;
  private readonly engine: Engine;
  private context!: BrowserContext;
  private folder!: string;

  constructor(ending: string, options: BrowserContextOptions, hasScrollBars: boolean, engine: Engine) {
    this.ending = ending;
    this.options = options;
    this.hasScrollBars = hasScrollBars;
    this.engine = engine;
  }

  async begin(): Promise<void> {
    const browser = await browserWith(this.engine, this.hasScrollBars);
    this.context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...this.options });
    this.folder = await mkdtemp(join(tmpdir(), 'ptflame-browser-'));
  }

  async end(): Promise<void> {
    await this.context.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Opens a file with this text in a new page, in front: pages in the background are painted once a second (`bringToFront`). */
  async open(text: string, hash = '', prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const path = join(this.folder, `${this.pages.length}.${this.ending}`);
    await writeFile(path, text);
    return this.visit(pathToFileURL(path).href + hash, prepare);
  }

  /** Opens an address, from which more may be requested than the page. */
  async openServed(address: string, hash: string): Promise<Page> {
    this.served.push(address);
    return this.visit(address + hash);
  }

  private async visit(address: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const page = drawsAfterActions(await this.context.newPage());
    this.pages.push(page);
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('pageerror', ({ message }) => this.complained(message));
    page.on('console', (message) => this.complained(message.text()));
    page.on('dialog', (dialog) => {
      this.complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await prepare?.(page);
    await page.goto(address);
    return page;
  }

  /** Firefox wants an icon of each server, and says that the page's policy forbids it. */
  private complained(text: string): void {
    if (!text.includes('/favicon.ico because it violates')) this.complaints.push(text);
  }

  /** Requests other than for the files themselves, to the servers of pages, and for downloads of a page. */
  get otherRequests(): string[] {
    const own = pathToFileURL(this.folder).href;
    const isOwn = (url: string) => url.startsWith(own) && url.split('#')[0]?.endsWith(`.${this.ending}`);
    const isServed = (url: string) => this.served.some((address) => url.startsWith(address));
    return this.requests.filter((url) => !isOwn(url) && !isServed(url) && !url.startsWith('blob:'));
  }
}

/** Opens windows for all tests of a file. Scroll bars take up space, as they do for many users. */
export function windows(
  ending: string,
  {
    hasScrollBars = false,
    engine = USUAL,
    ...options
  }: BrowserContextOptions & { readonly hasScrollBars?: boolean; readonly engine?: Engine } = {},
): Windows {
  vi.setConfig({ testTimeout: TIMEOUT_MS });
  const opened = new Windows(ending, options, hasScrollBars, engine);
  needs(engine);
  if (isMissing(engine)) return opened;
  beforeAll(() => opened.begin(), TIMEOUT_MS);
  afterAll(async () => {
    await opened.end();
    expect(opened.otherRequests).toEqual([]);
    expect(opened.complaints).toEqual([]);
  }, TIMEOUT_MS);
  return opened;
}

/** Presses keys as fast as the page takes them. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
  await drawn(page);
}
