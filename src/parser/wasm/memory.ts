/**
 * Memory that the modules of all readers of a trace share, and the lock that a module holds while it writes to shared
 * tables. Readers need no lock: what they find is complete.
 *
 * JavaScript waits for it (reader-module.ts): after `memory.atomic.wait32`, optimized code of V8 11.3 (Node 20) went on with
 * its last parameter lost.
 */
import { LOCK_AWAITED } from './layout';

const FREE: u32 = 0;
const HELD: u32 = 1;

/** Sleeps while the word at `address` is LOCK_AWAITED. */
declare function wait(address: usize): void;
/** Wakes one that sleeps. */
declare function wake(address: usize): void;
/** Throws: there is no memory left. */
declare function refuse(): void;

/** Throws if any module has failed: it may have left a table half written. */
export function lock(): void {
  if (atomic.cmpxchg<u32>(LOCK, FREE, HELD) !== FREE) while (atomic.xchg<u32>(LOCK, LOCK_AWAITED) !== FREE) wait(LOCK);
  if (atomic.load<u32>(FAILED) !== 0) fail();
}

export function unlock(): void {
  if (atomic.xchg<u32>(LOCK, FREE) === LOCK_AWAITED) wake(LOCK);
}

/** Gives up, whether or not this module holds the lock: so no other one waits for it forever. */
export function fail(): void {
  atomic.store<u32>(FAILED, 1);
  unlock();
  refuse();
}

/** The head of the memory that modules share: addresses of its parts, each in a cache line of its own. */
export const LINE: usize = 64;
/** The first free address; 0 before the first module starts. */
export const TOP: usize = (__heap_base + LINE - 1) & ~(LINE - 1);
/** The state of the lock, and after it whether a module has failed. */
const LOCK: usize = TOP + LINE;
const FAILED: usize = LOCK + 4;
/** The addresses of what modules share, by number (SHARED_… of layout.ts); 0 is none yet. */
export const SHARED: usize = LOCK + LINE;
const MAX_SHARED: usize = 16;
export const HEAD_END: usize = SHARED + sizeof<u32>() * MAX_SHARED;

const PAGE: usize = 65536;

if (atomic.load<u32>(TOP) === 0) atomic.store<u32>(TOP, <u32>HEAD_END);

/**
 * Memory that the modules of all readers of a trace share: a bump allocator that never frees. A buffer that grows
 * abandons its old memory, so another module may still read what it found there.
 *
 * Whatever is allocated begins with a cache line, so that modules do not write to the same one by accident.
 */
export function allocate(bytes: usize): usize {
  const aligned = (bytes + LINE - 1) & ~(LINE - 1);
  const start = <usize>atomic.add<u32>(TOP, <u32>aligned);
  const missing = <i32>((start + aligned + PAGE - 1) / PAGE) - memory.size();
  if (start + aligned < start || (missing > 0 && memory.grow(missing) < 0)) fail();
  return start;
}

export function zeroed(bytes: usize): usize {
  const start = allocate(bytes);
  memory.fill(start, 0, bytes);
  return start;
}

/**
 * Returns the address of what all modules share under this number. The first module allocates it, zeroed, before there
 * is another one.
 */
export function shared(number: usize, bytes: usize): usize {
  const at = SHARED + sizeof<u32>() * number;
  if (atomic.load<u32>(at) === 0) atomic.store<u32>(at, <u32>zeroed(bytes));
  return <usize>atomic.load<u32>(at);
}

/** An append-only sequence of bytes; kept, or overwritten by each piece. */
@unmanaged
export class GrowingBuffer {
  start: usize = 0;
  capacity: usize = 0;
  used: usize = 0;

  static make(): GrowingBuffer {
    return changetype<GrowingBuffer>(zeroed(offsetof<GrowingBuffer>()));
  }

  static shared(number: usize): GrowingBuffer {
    return changetype<GrowingBuffer>(shared(number, offsetof<GrowingBuffer>()));
  }

  /** Appends bytes and returns their address. */
  @inline
  extend(bytes: usize): usize {
    if (this.used + bytes > this.capacity) this.grow(bytes);
    const at = this.start + this.used;
    this.used += bytes;
    return at;
  }

  private grow(bytes: usize): void {
    this.capacity = max<usize>(2 * this.capacity, this.used + bytes + 1024);
    const larger = allocate(this.capacity);
    memory.copy(larger, this.start, this.used);
    this.start = larger;
  }
}
