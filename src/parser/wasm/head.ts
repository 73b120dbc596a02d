/**
 * The head of the memory that kernels share: addresses of its parts, each in a cache line of its own.
 */
export const LINE: usize = 64;
/** The first free address; 0 before the first kernel starts. */
export const TOP: usize = (__heap_base + LINE - 1) & ~(LINE - 1);
/** The state of the lock, and after it whether a kernel has failed. */
export const LOCK: usize = TOP + LINE;
export const FAILED: usize = LOCK + 4;
/** The addresses of what kernels share, by number (SHARED_… of layout.ts); 0 is none yet. */
export const SHARED: usize = LOCK + LINE;
const MAX_SHARED: usize = 16;
export const HEAD_END: usize = SHARED + sizeof<u32>() * MAX_SHARED;
