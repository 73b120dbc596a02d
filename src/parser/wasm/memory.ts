/**
 * Memory that the kernels of all readers of a trace share: a bump allocator that never frees. A buffer that grows
 * abandons its old memory, so another kernel may still read what it found there.
 */
import { HEAD_END, LINE, SHARED, TOP } from './head';
import { fail } from './lock';

const PAGE: usize = 65536;

if (atomic.load<u32>(TOP) === 0) atomic.store<u32>(TOP, <u32>HEAD_END);

/** Whatever is allocated begins with a cache line, so that kernels do not write to the same one by accident. */
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
 * Returns the address of what all kernels share under this number. The first kernel allocates it, zeroed, before there
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
