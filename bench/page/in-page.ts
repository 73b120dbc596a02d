/**
 * Functions that run inside the page. The browser receives their source, so they use nothing from this file.
 */

/** Where a reader goes on a page, as addresses. */
export interface Places {
  /** A frame far from the root. */
  readonly zoomed: string;
  /** A function near the root. */
  readonly chosen: string;
  /** The thread with the most call paths. */
  readonly thread: string;
}

export type Step = 'zoom' | 'open panel' | 'select' | 'one thread' | 'width: calls' | 'search';

export interface PaintTiming {
  /** From the reader's action, or the start of the navigation, until the graph is painted. */
  readonly paintedMs: number;
  readonly boxes: number;
}

declare global {
  interface Window {
    bench: {
      /** When the latest change was painted, on the clock of the page. */
      readonly painted: () => Promise<number>;
      /** When frames were painted where there were none; the page has to draw them itself. */
      readonly framed: () => Promise<number>;
      /** When the first frames were. */
      readonly loaded: Promise<number>;
      /** Goes where a step begins. */
      readonly from: (step: Step, places: Places) => Promise<void>;
      readonly act: (step: Step, places: Places) => Promise<PaintTiming>;
    };
  }
}

/**
 * Runs before the page's own scripts. `painted` adds a word to the page and asks the browser when it painted the word,
 * which it does together with the change. Requesting the next animation frame would not do: it comes late while the
 * page is still working, and too early otherwise.
 */
export function install(): void {
  let marks = 0;
  const painted = (): Promise<number> =>
    new Promise((resolve) => {
      const mark = document.createElement('span');
      const name = `mark-${++marks}`;
      mark.setAttribute('elementtiming', name);
      mark.textContent = String(marks);
      Object.assign(mark.style, { position: 'fixed', top: '0', left: '0', fontSize: '8px' });
      const observer = new PerformanceObserver((list) => {
        const entries = list.getEntries() as (PerformanceEntry & { identifier: string; renderTime: number })[];
        const own = entries.find(({ identifier }) => identifier === name);
        if (own === undefined) return;
        observer.disconnect();
        mark.remove();
        resolve(own.renderTime);
      });
      observer.observe({ type: 'element', buffered: true });
      document.body.append(mark);
    });
  const framed = () =>
    new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector('g.frame') === null) return;
        observer.disconnect();
        resolve(painted());
      });
      observer.observe(document, { childList: true, subtree: true });
    });
  const unprepared = () => Promise.reject(new Error('not prepared'));
  window.bench = { painted, framed, loaded: framed(), from: unprepared, act: unprepared };
}

export async function load(): Promise<PaintTiming> {
  const paintedMs = await window.bench.loaded;
  await new Promise((resolve) => requestIdleCallback(resolve));
  return { paintedMs, boxes: document.querySelectorAll('.graph.main .frame').length };
}

/** Defines the steps of a reader: from one address to another, or typing. Each begins when the page is idle. */
export function prepare(): void {
  const idle = async () => {
    for (let round = 0; round < 2; round++) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      await new Promise((resolve) => requestIdleCallback(resolve));
    }
  };
  /** The page is notified of a changed address later. */
  const goTo = async (hash: string) => {
    const before = location.hash;
    const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
    location.hash = hash;
    if (location.hash !== before) await changed;
  };
  const type = (text: string) => {
    const input = document.querySelector('input[type=search]') as HTMLInputElement;
    input.value = text;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
  /** Clicks the frame of a function farthest from the root that is at least a tenth of the window wide. */
  const click = () => {
    const isStop = (rect: Element) =>
      /--(syscall|untraced|off-cpu|preempted|lost|group)/.test(rect.getAttribute('fill') ?? '');
    const all = [...document.querySelectorAll('.graph.main .frame:not(.caller) > rect')];
    const rects = all.filter((rect) => !isStop(rect));
    const areas = rects.map((rect) => ({ rect, area: rect.getBoundingClientRect() }));
    const wide = areas.filter(({ area }) => area.width > innerWidth / 10);
    const found = wide.sort((a, b) => b.area.top - a.area.top)[0]?.rect;
    return () => {
      found?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    };
  };
  const stepOf = (step: Step, { zoomed, chosen, thread }: Places) => {
    const steps: Readonly<Record<Step, readonly [from: string, prepare: () => () => void | Promise<void>]>> = {
      zoom: ['#', () => () => goTo(zoomed)],
      'open panel': ['#', click],
      select: [chosen, click],
      'one thread': ['#', () => () => goTo(thread)],
      'width: calls': ['#', () => () => goTo('#width=calls')],
      search: ['#', () => () => type('mem')],
    };
    return steps[step];
  };
  const from = async (step: Step, places: Places) => {
    await goTo(stepOf(step, places)[0]);
    await idle();
  };
  const act = async (step: Step, places: Places): Promise<PaintTiming> => {
    const begin = stepOf(step, places)[1]();
    await idle();
    const began = performance.now();
    await begin();
    const paintedMs = (await window.bench.painted()) - began;
    await idle();
    return { paintedMs, boxes: document.querySelectorAll('.graph.main .frame').length };
  };
  window.bench = { ...window.bench, from, act };
}
