/**
 * The memory budget: watchers keep it. They are asked before large allocations, and refuse by throwing. Each worker has its
 * own. The command line loads this file at start: it stays small.
 */

/** The smallest budget: the program itself does not fit into less. */
export const MIN_MEMORY_BYTES = 160 * 1024 * 1024;

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

/** As hosts have it that are newer than the oldest Node. */
interface Transferable {
  readonly transfer?: (bytes: number) => ArrayBuffer;
}

/**
 * Frees columns that nothing refers to any more. Else garbage collectors do it, late, as columns are not in their heap; and so it is
 * where memory cannot be freed.
 */
export function freeColumns(columns: object): void {
  for (const column of Object.values(columns))
    if (ArrayBuffer.isView(column) && column.byteLength > 0) (column.buffer as Transferable).transfer?.(0);
}
