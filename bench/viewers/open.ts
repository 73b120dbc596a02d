/**
 * Opens each viewer with the same spans in a browser of its own, and measures time and memory.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import { startBrowser, VIEWPORT } from '../page/browser.js';

export interface Opened {
  /** From navigation until the spans can be seen or asked for. */
  readonly ms: number;
  /** Of the process of the page: the most, and at the end. */
  readonly peakBytes: number;
  readonly residentBytes: number;
  /** CPU time of all processes of the browser. */
  readonly cpuMs: number;
}

const TIMEOUT_MS = 300_000;

/** `isReady`: resolves when the spans are there. */
export async function openViewer(address: string, isReady: (page: Page) => Promise<unknown>): Promise<Opened> {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: VIEWPORT });
    page.setDefaultTimeout(TIMEOUT_MS);
    const session = await browser.newBrowserCDPSession();
    const processes = async () => (await session.send('SystemInfo.getProcessInfo')).processInfo;
    const cpuMs = async () => (await processes()).reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
    const [beforeMs, startMs] = [await cpuMs(), performance.now()];
    await page.goto(address, { waitUntil: 'commit' });
    await isReady(page);
    const ms = performance.now() - startMs;
    const largest = (await processes())
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => memoryOf(id))
      .sort((a, b) => b.peakBytes - a.peakBytes)[0];
    if (largest === undefined) throw new Error('the browser has no process for the page');
    return { ms, ...largest, cpuMs: (await cpuMs()) - beforeMs };
  } finally {
    await browser.close();
  }
}

/** Of a process on Linux. */
function memoryOf(pid: number): { readonly peakBytes: number; readonly residentBytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]);
  return { peakBytes: bytes('VmHWM'), residentBytes: bytes('VmRSS') };
}

/** The title of speedscope's page has the name of the profile once its first thread is drawn. */
export async function speedscopeReady(page: Page): Promise<void> {
  await page.waitForFunction(() => / - speedscope$/.test(document.title) && document.querySelector('canvas') !== null);
  await painted(page);
}

/** Our page draws the stack chart that its address asks for. */
export async function ptflameReady(page: Page): Promise<void> {
  await page.locator('.stack-chart:not([hidden]) canvas').first().waitFor();
  await page.locator('.table .row').first().waitFor({ state: 'attached' });
  await painted(page);
}

function painted(page: Page): Promise<void> {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}

/** Perfetto's processor counts the slices; its window is not measured. */
export async function perfettoReady(page: Page): Promise<number> {
  await page.waitForFunction(() => 'sliceCount' in window);
  return page.evaluate(() => (window as unknown as { sliceCount: number }).sliceCount);
}
