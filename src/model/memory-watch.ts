/**
 * Asks watchers before large allocations: they keep a memory budget, and refuse by throwing. Each worker has its own.
 */
type Watcher = (bytes: number) => void;

/** Smaller allocations need no permission. */
const MIN_ASKED_BYTES = 256 * 1024;

const watchers = new Set<Watcher>();

/** Adds a watcher. Returns a function that removes it. */
export function watchMemory(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Asks for `bytes` more memory. @throws what a watcher throws */
export function askForMemory(bytes: number): void {
  if (bytes >= MIN_ASKED_BYTES) for (const watcher of watchers) watcher(bytes);
}

/** Lets watchers check the memory in use, after work that created many small objects. @throws what a watcher throws */
export function checkMemory(): void {
  for (const watcher of watchers) watcher(0);
}
