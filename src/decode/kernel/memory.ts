/**
 * Memory of the kernel: handed out from one end and never returned; what grows leaves its old space behind.
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

  static make(): Column {
    return changetype<Column>(zeroed(offsetof<Column>()));
  }

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
