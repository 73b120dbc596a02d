/**
 * The kernel's memory: a bump allocator that never frees. A buffer that grows abandons its old memory.
 */
const PAGE: usize = 65536;
let top: usize = (__heap_base + 15) & ~15;

export function allocate(bytes: usize): usize {
  const start = top;
  top = (top + bytes + 15) & ~15;
  const missing = <i32>((top + PAGE - 1) / PAGE) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) unreachable();
  return start;
}

/** Bytes allocated so far. */
export function memoryUsed(): usize {
  return top;
}

/** Continues after the copied memory of another kernel that used this many bytes. */
export function restore(used: usize): void {
  allocate(used - top);
}

export function zeroed(bytes: usize): usize {
  const start = allocate(bytes);
  memory.fill(start, 0, bytes);
  return start;
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
