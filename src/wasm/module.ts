/**
 * Modules of WebAssembly: the inner loops of reading, decoding, loading and replay, which are written in AssemblyScript
 * (src/{parser,decode,trace,replay}/wasm) and compiled by scripts/compile-wasm.mjs. Here they get memory and start.
 */
import { base64Bytes } from '../codec/bytes.js';

export const PAGE_BYTES = 65536;
/** All that addresses of 32 bits reach. */
export const MAX_PAGES = 65536;

/** Memory of one module. It grows, and never shrinks. */
export interface OwnMemory {
  readonly buffer: ArrayBuffer;
}

/** Memory that modules of several workers can use. Typed arrays of it stay valid when it grows. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

/** The part of it that is used here: its types come with those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  readonly Memory: {
    new (size: { readonly initial: number }): OwnMemory;
    new (size: { readonly initial: number; readonly maximum: number; readonly shared: true }): SharedMemory;
  };
};

export function ownMemory(pages: number): OwnMemory {
  return new WebAssembly.Memory({ initial: pages });
}

/** Enough for a small trace. When one grows, V8 goes through all shared memories that the process has ever had. */
const FIRST_PAGES = 16;

/**
 * Reserves addresses for as many pages as it may have; they take space only once they are used.
 *
 * @throws RangeError if the machine does not have so many addresses to spare
 */
export function sharedMemory(maximum = MAX_PAGES): SharedMemory {
  return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true });
}

/** A module, which is compiled when it starts for the first time. */
export class WasmModule<Exports> {
  private readonly base64: string;
  private compiled: object | null = null;

  constructor(base64: string) {
    this.base64 = base64;
  }

  /** Starts it in this memory. `imports`: functions that it calls, by the file that declares them. */
  start(memory: OwnMemory | SharedMemory, imports: Readonly<Record<string, object>> = {}): Exports {
    this.compiled ??= new WebAssembly.Module(base64Bytes(this.base64));
    return new WebAssembly.Instance(this.compiled, { ...imports, env: { memory, abort } }).exports as Exports;
  }
}

function abort(): never {
  throw new Error('a module of WebAssembly aborted');
}
