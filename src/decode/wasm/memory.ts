/**
 * Memory of the module: handed out from one end and never returned; what grows leaves its old space behind.
 */
import { askForMemory, outOfMemory } from './host';

const PAGE: usize = 65536;
/** Memory grows by at least as many pages. */
const MIN_PAGES: i32 = 16;
let top: usize = (__heap_base + 15) & ~15;
let maxTop: usize = usize.MAX_VALUE;

/** Asks for no more than that many bytes from now on; what needs more still gets it. */
export function limitMemory(bytes: usize): void {
  maxTop = top + bytes;
}

/** What the host writes and takes does not count. */
export function extendUncounted(column: Column, bytes: usize): usize {
  reserveUncounted(column, bytes);
  return column.extend(bytes);
}

export function reserveUncounted(column: Column, bytes: usize): void {
  const before = top;
  column.reserve(bytes);
  if (maxTop !== usize.MAX_VALUE) maxTop += top - before;
}

export function isFull(): bool {
  return top > maxTop;
}

/** Memory that may be forgotten at any time. */
const MAX_CACHES: u32 = 8;
const caches: usize = memory.data(16 * MAX_CACHES, 8);
let cacheCount: u32 = 0;
/** How often they were forgotten. */
export let cacheAge: u32 = 0;

/** Memory of zeros for what follows from code, to which `forgetCaches` returns it. */
export function cacheOf(bytes: usize): usize {
  const start = zeroed(bytes);
  store<u64>(caches + 16 * <usize>cacheCount, start);
  store<u64>(caches + 16 * <usize>cacheCount, bytes, 8);
  cacheCount++;
  return start;
}

export function forgetCaches(): void {
  cacheAge++;
  for (let row: u32 = 0; row < cacheCount; row++) {
    const at = caches + 16 * <usize>row;
    memory.fill(<usize>load<u64>(at), 0, <usize>load<u64>(at, 8));
  }
}

export function allocate(bytes: usize): usize {
  const start = top;
  top = (top + bytes + 15) & ~15;
  const missing = <i32>((top + PAGE - 1) / PAGE) - memory.size();
  if (missing > 0) growBy(missing);
  return start;
}

function growBy(missing: i32): void {
  const pages = max(missing, MIN_PAGES);
  askForMemory(<usize>pages * PAGE);
  if (memory.grow(pages) < 0 && memory.grow(missing) < 0) outOfMemory();
}

export function zeroed(bytes: usize): usize {
  const start = allocate(bytes);
  memory.fill(start, 0, bytes);
  return start;
}

/** Rows appended one after another. */
@unmanaged
export class Column {
  start: usize = 0;
  capacity: usize = 0;
  used: usize = 0;

  /** The address of that many new bytes. */
  @inline
  extend(bytes: usize): usize {
    if (this.used + bytes > this.capacity) this.grow(bytes);
    const at = this.start + this.used;
    this.used += bytes;
    return at;
  }

  /** Makes space for that many new bytes. */
  reserve(bytes: usize): void {
    if (this.used + bytes > this.capacity) this.grow(bytes);
  }

  private grow(bytes: usize): void {
    this.capacity = max<usize>(2 * this.capacity, this.used + bytes + 1024);
    const larger = allocate(this.capacity);
    memory.copy(larger, this.start, this.used);
    this.start = larger;
  }
}
