/**
 * Opens a page in Chromium as a file, does what a reader does, and measures when each result was painted.
 */
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium.js';
import { install, load, type PaintTiming, type Places, prepare, type Step } from './in-page.js';
import { cpuSeconds, type TimeVisit, visitTime } from './time.js';

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

export const STEPS = ['zoom', 'open panel', 'select', 'one thread', 'width: calls', 'search'] as const satisfies Step[];
/** The first time, code is compiled while it runs; readers are there longer. */
const ROUNDS = 3;

export interface Timing extends PaintTiming {
  /** CPU time of the page's main thread until it is idle: tables are filled, too. */
  readonly cpuMs: number;
}

export interface Visit {
  readonly load: Timing;
  readonly steps: Readonly<Record<Step, readonly Timing[]>>;
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

export async function visit(browser: Browser, path: string, places: Places, shown: ShownTime | null): Promise<Visit> {
  return inNewPage(browser, path, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const timed = async (act: () => Promise<PaintTiming>): Promise<Timing> => {
      const before = await cpuSeconds(session);
      const timing = await act();
      return { ...timing, cpuMs: 1000 * ((await cpuSeconds(session)) - before) };
    };
    const opened = await timed(() => page.evaluate(load));
    await page.evaluate(prepare);
    const steps = Object.fromEntries(STEPS.map((step): [Step, Timing[]] => [step, []])) as Record<Step, Timing[]>;
    for (let round = 0; round < ROUNDS; round++)
      for (const step of STEPS) {
        await page.evaluate((args) => window.bench.from(...args), [step, places] as const);
        steps[step].push(
          await timed(() => page.evaluate((args) => window.bench.act(...args), [step, places] as const)),
        );
      }
    const time = shown && (await visitTime(page, shown.durationNs, shown.tid));
    return { load: opened, steps, time, heapBytes: await heapBytes(page) };
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
