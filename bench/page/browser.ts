/**
 * A page in, times out: Chromium opens it as a file, does what a reader does, and tells when it was painted.
 */
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
export const VIEWPORT = { width: 1400, height: 900 } as const;

export const startBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });

/** What a reader does, one after the other; each begins when nothing is left to be done. */
export const STEPS = [
  'zoom in',
  'zoom out',
  'one thread',
  'all threads',
  'width: on CPU',
  'width: calls',
  'width: self',
  'width: wall clock',
  'search',
  'open function',
] as const;
export type Step = (typeof STEPS)[number];

export interface Timed {
  /** From the reader's act, or the start of the navigation, until it was painted. */
  readonly paintedMs: number;
  /** Until nothing was left to be done: tables are filled, too. */
  readonly idleMs: number;
  /** Frames that are drawn. */
  readonly boxes: number;
}

export interface Visit {
  readonly load: Timed;
  readonly steps: Readonly<Record<Step, Timed>>;
  readonly heapBytes: number;
}

export async function visit(browser: Browser, path: string): Promise<Visit> {
  return inNewPage(browser, path, async (page) => {
    const load = await page.evaluate(loaded);
    await page.evaluate(prepare);
    const steps: Partial<Record<Step, Timed>> = {};
    for (const step of STEPS) steps[step] = await page.evaluate((name) => window.bench.act(name), step);
    return { load, steps: steps as Record<Step, Timed>, heapBytes: await heapBytes(page) };
  });
}

/** A page of its own, in a process of its own. */
export async function inNewPage<Result>(
  browser: Browser,
  path: string,
  measure: (page: Page) => Promise<Result>,
): Promise<Result> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  try {
    const failed = new Promise<never>((_, reject) => page.on('pageerror', reject));
    failed.catch(() => {});
    await page.goto(pathToFileURL(path).href, { waitUntil: 'commit' });
    return await Promise.race([measure(page), failed]);
  } finally {
    await page.close();
  }
}

/** What is still alive after the garbage was collected. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = (await session.send('Runtime.getHeapUsage')) as {
    usedSize: number;
    backingStorageSize?: number;
  };
  return usedSize + backingStorageSize;
}

declare global {
  interface Window {
    bench: { act: (step: string) => Promise<Timed> };
  }
}

/** Runs in the page: waits for the mark that it sets when the graph was painted. */
function loaded(): Promise<Timed> {
  return new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => {
      const mark = list.getEntries().find(({ name }) => name === 'painted');
      if (mark === undefined) return;
      const boxes = document.querySelectorAll('.graph.main .frame').length;
      requestIdleCallback(() => resolve({ paintedMs: mark.startTime, idleMs: performance.now(), boxes }));
    });
    observer.observe({ type: 'mark', buffered: true });
  });
}

/** Runs in the page. */
function prepare(): void {
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const idle = () => new Promise((resolve) => requestIdleCallback(resolve));
  const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
  const find = <Found extends Element>(selector: string, isRight: (element: Found) => boolean = () => true): Found => {
    const found = [...document.querySelectorAll<Found>(selector)].find(isRight);
    if (found === undefined) throw new Error(`the page has no ${selector}`);
    return found;
  };
  const setWidth = (width: string) => {
    const select = find<HTMLSelectElement>('select', ({ options }) =>
      [...options].some(({ value }) => value === width),
    );
    return () => {
      select.value = width;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    };
  };
  const click = (element: Element) => () => {
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  };
  /** The one farthest from the root that is still a tenth as wide as all. */
  const deepFrame = () => {
    const rects = [...document.querySelectorAll('.graph.main .frame:not(.caller) > rect')];
    const wide = rects
      .map((rect) => ({ rect, place: rect.getBoundingClientRect() }))
      .filter(({ place }) => place.width > innerWidth / 10);
    wide.sort((a, b) => a.place.top - b.place.top);
    return wide[0]?.rect as Element;
  };
  const setHash = (hash: string) => () => {
    location.hash = hash;
  };
  /** The thread that has most. */
  const oneThread = () => {
    const cells = [...document.querySelectorAll('#panel-threads .row')].map(
      (row) => row.children[1]?.textContent ?? '',
    );
    const tid = cells.find((text) => /^\d+$/.test(text));
    return setHash(`#threads=tid%3A${tid}`);
  };
  const acts: Record<string, () => () => void> = {
    'zoom in': () => click(deepFrame()),
    'zoom out': () => click(find('button', ({ textContent }) => textContent === 'Reset zoom')),
    'one thread': oneThread,
    'all threads': () => setHash('#'),
    'width: on CPU': () => setWidth('cpu'),
    'width: calls': () => setWidth('calls'),
    'width: self': () => setWidth('self'),
    'width: wall clock': () => setWidth('wall'),
    search: () => {
      const input = find<HTMLInputElement>('input[type=search]');
      return () => {
        input.value = 'mem';
        input.dispatchEvent(new Event('input', { bubbles: true }));
      };
    },
    'open function': () => click(find('#panel-functions .row:nth-child(6)')),
  };
  const act = async (step: string): Promise<Timed> => {
    await pause();
    await idle();
    const start = acts[step]?.();
    await frame();
    await pause();
    const began = performance.now();
    start?.();
    // a change of the address is told later: wait for what is queued before
    if (step.endsWith('thread') || step.endsWith('threads'))
      await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
    await frame();
    await frame();
    const paintedMs = performance.now() - began;
    await idle();
    const boxes = document.querySelectorAll('.graph.main .frame').length;
    return { paintedMs, idleMs: performance.now() - began, boxes };
  };
  window.bench = { act };
}
