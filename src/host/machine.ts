/**
 * The machine, and the memory of this process.
 */
import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** CPUs that this process may use. */
export function cpuCount(): number {
  return availableParallelism();
}

/** Memory that this process may use: a container may have less than the machine. */
export function machineBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** Memory of the whole process; null: the host does not say. */
export function residentBytes(): number | null {
  return process.memoryUsage.rss();
}

/** The heap of this worker, and its limit. */
export interface Heap {
  readonly usedBytes: number;
  readonly maxBytes: number;
}

export function heap(): Heap {
  const { used_heap_size: usedBytes, heap_size_limit: maxBytes } = getHeapStatistics();
  return { usedBytes, maxBytes };
}

let collect: (() => void) | null = null;

/** Collects garbage, if the host can. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as () => void;
  collect();
}
