/**
 * Memory that the kernels of all readers of a trace share: a bump allocator that never frees. A buffer that grows
 * abandons its old memory, so another kernel may still read what it found there.
 */
const PAGE: usize = 65536;
/** Whatever is allocated begins with a cache line, so that kernels do not write to the same one by accident. */
const LINE: usize = 64;
const HEAD: usize = (__heap_base + LINE - 1) & ~(LINE - 1);
/** The head of the memory: the first free address, and the addresses of what the kernels share. Zero is none yet. */
const TOP: usize = HEAD;
const SHARED: usize = HEAD + LINE;
const MAX_SHARED: usize = 16;

if (atomic.load<u32>(TOP) === 0) atomic.store<u32>(TOP, <u32>(SHARED + sizeof<u32>() * MAX_SHARED));

export function allocate(bytes: usize): usize {
  const aligned = (bytes + LINE - 1) & ~(LINE - 1);
  const start = <usize>atomic.add<u32>(TOP, <u32>aligned);
  const missing = <i32>((start + aligned + PAGE - 1) / PAGE) - memory.size();
  if (start + aligned < start || (missing > 0 && memory.grow(missing) < 0)) unreachable();
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
