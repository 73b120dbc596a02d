/**
 * Functions that run inside the page. The browser receives their source, so they use nothing from this file.
 */

/** The actions of a reader, in order; each begins when the page is idle. */
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

export interface Timing {
  /** From the reader's action, or the start of the navigation, until the graph is painted. */
  readonly paintedMs: number;
  /** Until the page is idle: tables are filled, too. */
  readonly idleMs: number;
  readonly boxes: number;
}

declare global {
  interface Window {
    bench: {
      /** When the latest change was painted, on the clock of the page. */
      readonly painted: () => Promise<number>;
      /** When the first frames were painted; the page has to draw them itself. */
      readonly loaded: Promise<number>;
      readonly act: (step: Step) => Promise<Timing>;
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
  const loaded = new Promise<number>((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('g.frame') === null) return;
      observer.disconnect();
      resolve(painted());
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  window.bench = { painted, loaded, act: () => Promise.reject(new Error('not prepared')) };
}

export async function load(): Promise<Timing> {
  const paintedMs = await window.bench.loaded;
  await new Promise((resolve) => requestIdleCallback(resolve));
  const boxes = document.querySelectorAll('.graph.main .frame').length;
  return { paintedMs, idleMs: performance.now(), boxes };
}

/** Defines the actions of a reader on the report page. */
export function prepare(): void {
  const idle = () => new Promise((resolve) => requestIdleCallback(resolve));
  const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
  const find = <Found extends Element>(selector: string, isRight: (element: Found) => boolean = () => true): Found => {
    const found = [...document.querySelectorAll<Found>(selector)].find(isRight);
    if (found === undefined) throw new Error(`the page has no ${selector}`);
    return found;
  };
  const setWidth = (width: string) => {
    const hasIt = ({ options }: HTMLSelectElement) => [...options].some(({ value }) => value === width);
    const select = find('select', hasIt);
    return () => {
      select.value = width;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    };
  };
  const click = (element: Element) => () => {
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  };
  /** The frame farthest from the root that is at least a tenth of the window wide. */
  const deepFrame = (): Element => {
    const rects = [...document.querySelectorAll('.graph.main .frame:not(.caller) > rect')];
    const areas = rects.map((rect) => ({ rect, area: rect.getBoundingClientRect() }));
    const wide = areas.filter(({ area }) => area.width > innerWidth / 10);
    return wide.sort((a, b) => a.area.top - b.area.top)[0]?.rect;
  };
  /** The page is notified of a changed address later. */
  const setHash = (hash: string) => () =>
    new Promise<void>((resolve) => {
      addEventListener('hashchange', () => resolve(), { once: true });
      location.hash = hash;
    });
  /** The thread with the most time. */
  const largestThread = (): string | undefined => {
    find<HTMLElement>('#tab-threads').click(); // only the open table has rows
    const rows = [...document.querySelectorAll('#panel-threads .row')];
    find<HTMLElement>('#tab-functions').click();
    return rows.map((row) => row.children[1]?.textContent ?? '').find((text) => /^\d+$/.test(text));
  };
  const search = () => {
    const input = find<HTMLInputElement>('input[type=search]');
    return () => {
      input.value = 'mem';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    };
  };
  const acts: Readonly<Record<Step, () => () => void | Promise<void>>> = {
    'zoom in': () => click(deepFrame()),
    'zoom out': () => click(find('button', ({ textContent }) => textContent === 'Reset zoom')),
    'one thread': () => setHash(`#threads=tid%3A${largestThread()}`),
    'all threads': () => setHash('#'),
    'width: on CPU': () => setWidth('cpu'),
    'width: calls': () => setWidth('calls'),
    'width: self': () => setWidth('self'),
    'width: wall clock': () => setWidth('wall'),
    search,
    'open function': () => click(find('#panel-functions .row:not(.inert)')),
  };
  const act = async (step: Step): Promise<Timing> => {
    await pause();
    await idle();
    const start = acts[step]();
    await pause();
    const began = performance.now();
    await start();
    const paintedMs = (await window.bench.painted()) - began;
    await idle();
    const boxes = document.querySelectorAll('.graph.main .frame').length;
    return { paintedMs, idleMs: performance.now() - began, boxes };
  };
  window.bench = { ...window.bench, act };
}
