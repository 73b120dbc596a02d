/**
 * Announces large allocations to watchers, which keep a memory budget and may refuse by throwing. Each worker has its own
 * watchers.
 */
type Watcher = (bytes: number) => void;

/** Smaller allocations are not announced. */
const MIN_ANNOUNCED_BYTES = 256 * 1024;

const watchers = new Set<Watcher>();

/** Adds a watcher. Returns a function that removes it. */
export function watchMemory(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Announces an allocation. @throws what a watcher throws */
export function askForMemory(bytes: number): void {
  if (bytes >= MIN_ANNOUNCED_BYTES) for (const watcher of watchers) watcher(bytes);
}

/** Lets watchers check the memory in use, after work that created many small objects. @throws what a watcher throws */
export function checkMemory(): void {
  for (const watcher of watchers) watcher(0);
}
