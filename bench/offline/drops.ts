/**
 * Drops files on the offline page in Chromium, and measures until the graph of the report is painted.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Cost } from '../measure.js';
import { VIEWPORT } from '../page/browser.js';
import { install } from '../page/in-page.js';

declare global {
  interface Window {
    /** When files were dropped, and when the graph of their report was painted; NaN: not yet. */
    drops: { droppedMs: number; paintedMs: number };
  }
}

/** Opens the page; `cores`: as it is told of the machine. */
export async function openPage(browser: Browser, path: string, cores: number): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.addInitScript(install);
  await page.addInitScript((count) => {
    Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => count });
    window.drops = { droppedMs: Number.NaN, paintedMs: Number.NaN };
    addEventListener(
      'drop',
      () => {
        const own = { droppedMs: performance.now(), paintedMs: Number.NaN };
        window.drops = own;
        void window.bench.framed().then((ms) => {
          own.paintedMs = ms;
        });
      },
      true,
    );
  }, cores);
  await page.goto(pathToFileURL(path).href);
  await page.locator('.screen.start').waitFor();
  return page;
}

/** Returns the seconds until the graph was painted, without binaries that are missing. @throws Error if the page refuses, or after `timeoutMs` */
export async function drop(page: Page, files: readonly string[], timeoutMs: number): Promise<number> {
  await page.bringToFront();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  await session.detach();
  const painted = await page.waitForFunction(
    () => {
      const buttons = document.querySelectorAll<HTMLElement>('.screen.needs button');
      [...buttons].find(({ innerText }) => innerText.startsWith('Show without'))?.click();
      const problem = document.querySelector<HTMLElement>('.screen.start .problem');
      if (problem !== null) return problem.innerText;
      return window.drops.paintedMs > window.drops.droppedMs ? window.drops.paintedMs - window.drops.droppedMs : null;
    },
    null,
    { timeout: timeoutMs, polling: 20 },
  );
  const result = (await painted.jsonValue()) as number | string;
  if (typeof result === 'string') throw new Error(result);
  return result / 1000;
}

/** Waits until a page has nothing to do: the tables are filled, too. */
export async function settle(page: Page): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await page.waitForTimeout(100);
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  }
}

/** Goes back to the first screen. */
export async function closeReport(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Recording' }).click();
  await page.getByRole('menuitem', { name: 'Close this one' }).click();
  await page.locator('.screen.start').waitFor();
}

/** What a browser costs besides drawing: all of its processes, and the largest page. */
export class BrowserCost {
  private readonly session: CDPSession;
  private readonly began = performance.now();
  private cpuBefore = 0;

  private constructor(session: CDPSession) {
    this.session = session;
  }

  static async start(browser: Browser): Promise<BrowserCost> {
    const cost = new BrowserCost(await browser.newBrowserCDPSession());
    cost.cpuBefore = (await cost.now()).cpuSeconds;
    return cost;
  }

  async end(): Promise<Cost> {
    const { cpuSeconds, peakBytes } = await this.now();
    await this.session.detach();
    return {
      wallSeconds: (performance.now() - this.began) / 1000,
      cpuSeconds: cpuSeconds - this.cpuBefore,
      peakBytes,
    };
  }

  private async now(): Promise<Omit<Cost, 'wallSeconds'>> {
    const { processInfo } = await this.session.send('SystemInfo.getProcessInfo');
    return {
      cpuSeconds: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
      peakBytes: Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => peakOf(id))),
    };
  }
}

/** Peak memory of a process; 0: it has ended. */
function peakOf(pid: number): number {
  try {
    return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
