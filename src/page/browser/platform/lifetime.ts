/**
 * How long a report is on the page: what it listens to outside its own elements ends with it, as the offline page shows
 * one report after another.
 */

let shown = new AbortController();

/** Aborted when the report that is shown now makes room for another one. */
export function lifetime(): AbortSignal {
  return shown.signal;
}

export function endReport(): void {
  shown.abort();
  shown = new AbortController();
}

/** Calls back when the size of an element changes. */
export function onResize(element: Element, changed: () => void): void {
  const observer = new ResizeObserver(changed);
  observer.observe(element);
  lifetime().addEventListener('abort', () => observer.disconnect());
}
