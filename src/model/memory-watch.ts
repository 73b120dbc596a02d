/**
 * Whoever is about to take much memory says so here, and whoever keeps to a budget hears it and may refuse. One place for all
 * tables, wherever they grow; a worker has its own.
 */
type Watcher = (bytes: number) => void;

/** Less is taken without a word. */
const MIN_REPORTED_BYTES = 256 * 1024;

const watchers = new Set<Watcher>();

/** From now on `watcher` hears of it, until the function that is returned is called. */
export function watchMemory(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** `bytes` more are about to be taken. @throws what a watcher throws */
export function askForMemory(bytes: number): void {
  if (bytes >= MIN_REPORTED_BYTES) for (const watcher of watchers) watcher(bytes);
}

/** Some work was done, and objects came along with it that nobody asked for one by one. @throws what a watcher throws */
export function checkMemory(): void {
  for (const watcher of watchers) watcher(0);
}
