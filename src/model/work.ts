/**
 * How far the work on a thread is, for whoever shows it. Each worker has its own watcher.
 */

type Watcher = (rows: number) => void;

let watcher: Watcher | null = null;

/** Sets who is told of rows that have been passed; null: nobody. */
export function watchWork(by: Watcher | null): void {
  watcher = by;
}

/** Tells that replay, or a walk over a call log, has passed some more rows of a thread. */
export function passRows(rows: number): void {
  watcher?.(rows);
}
