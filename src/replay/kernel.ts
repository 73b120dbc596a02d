/**
 * The door to the compiled kernel of replay (src/replay/wasm).
 */
import { REPLAY_BASE64 } from './kernel.generated.js';

/** Rows are those of the thread. Both functions return the row before which they stopped; HEAD_STOP says why. */
export interface KernelCalls {
  pair(firstRow: number, endRow: number): number;
  execute(firstRow: number, endRow: number): number;
}

/** Memory that grows by pages. Typed arrays of it stay valid when it grows, as it is shared. */
export interface PagedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

export const PAGE_BYTES = 65536;
export const MAX_PAGES = 65536;

/** The part of it that is used here: its types come with those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => PagedMemory;
};

let compiled: object | null = null;

/** Reserves memory for a kernel; null if the machine does not have so many addresses to spare. */
export function reserveMemory(): PagedMemory | null {
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES, shared: true });
  } catch {
    return null;
  }
}

/** Starts a kernel that works on this memory. */
export function newKernel(memory: PagedMemory): KernelCalls {
  compiled ??= new WebAssembly.Module(Buffer.from(REPLAY_BASE64, 'base64'));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as KernelCalls;
}
