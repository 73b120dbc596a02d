/**
 * Opens a page in Chromium as a file, does what a reader does, and measures when each result was painted.
 */
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium.js';
import { install, load, prepare, STEPS, type Step, type Timing } from './in-page.js';
import { type TimeVisit, visitTime } from './time.js';

/** Without network. Playwright is given the path of the browser next to these. */
export const BROWSER_SETTINGS = {
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
export const VIEWPORT = { width: 1400, height: 900 } as const;

/** @throws Error if no browser is found */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('no Chromium or Chrome found: install one, or set CHROMIUM to its path');
  return chromium.launch({ ...BROWSER_SETTINGS, executablePath });
}

export interface Visit {
  readonly load: Timing;
  readonly steps: Readonly<Record<Step, Timing>>;
  /** null: the page has no timeline. */
  readonly time: TimeVisit | null;
  /** At the end, after garbage collection. */
  readonly heapBytes: number;
}

/** What is shown of the timeline. */
export interface ShownTime {
  readonly durationNs: number;
  /** The thread with the most calls. */
  readonly tid: number;
}

export async function visit(browser: Browser, path: string, shown: ShownTime | null): Promise<Visit> {
  return inNewPage(browser, path, async (page) => {
    const opened = await page.evaluate(load);
    await page.evaluate(prepare);
    const steps: Partial<Record<Step, Timing>> = {};
    for (const step of STEPS) steps[step] = await page.evaluate((name) => window.bench.act(name), step);
    const time = shown && (await visitTime(page, shown.durationNs, shown.tid));
    return { load: opened, steps: steps as Record<Step, Timing>, time, heapBytes: await heapBytes(page) };
  });
}

/** Runs in a new page with its own process. */
export async function inNewPage<Result>(
  browser: Browser,
  path: string,
  measure: (page: Page) => Promise<Result>,
): Promise<Result> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  try {
    const failed = new Promise<never>((_, reject) => page.on('pageerror', reject));
    failed.catch(() => {});
    await page.addInitScript(install);
    await page.goto(pathToFileURL(path).href, { waitUntil: 'commit' });
    return await Promise.race([measure(page), failed]);
  } finally {
    await page.close();
  }
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  return usedSize + backingStorageSize;
}
