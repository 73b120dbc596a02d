/**
 * Instantiates the kernel, the compiled inner loop of reading (src/parser/wasm), and declares its exports.
 */
import { PtflameError } from '../model/errors.js';
import { KERNEL_BASE64 } from './kernel.generated.js';
import { LOCK_AWAITED } from './wasm/layout.js';

/** Memory that all kernels of a trace share: what one has read, the others know. It can be sent to workers. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

/** Addresses and lengths are in bytes; offsets count from the beginning of the text. */
export interface Kernel {
  reserveText(bytes: number): number;
  begin(from: number, to: number): void;
  /** Returns why it stopped: STOP_DONE or another STOP value. */
  read(offset: number): number;
  lineStart(): number;
  restStart(): number;
  lineHead(): number;
  lineNs(): number;
  addLine(start: number, branch: number, head: number, ns: number): void;
  cacheHead(start: number, length: number, row: number): number;
  cacheOrigin(start: number, length: number, origin: number): void;
  cacheTarget(start: number, length: number, target: number): void;
  /** The text buffer holds the words and two blanks. */
  addFlagWords(start: number, length: number, meaning: number): void;
  reserveScratch(bytes: number): number;
  /** Keeps an end in an unusual form, which is in the scratch buffer, for all kernels. Returns its row. */
  addText(length: number): number;
  /** Adds an end whose text is in `row`. */
  addOrigin(flags: number, row: number): number;
  addTarget(row: number): number;
  branch(origin: number, target: number): number;
  clearHeads(): void;
  linesStart(): number;
  linesBytes(): number;
  pairsStart(): number;
  pairsBytes(): number;
  originsStart(): number;
  originsBytes(): number;
  targetsStart(): number;
  targetsBytes(): number;
  symbolsStart(): number;
  filesStart(): number;
  textsStart(): number;
  addHead(seconds: number, lane: number): void;
  clearHeadRows(): void;
  group(count: number, origin: number): number;
  runsStart(): number;
  runsBytes(): number;
  eventsStart(): number;
  eventsBytes(): number;
  lowestNs(origin: number): number;
  highestNs(origin: number): number;
}

/** The part used here; TypeScript has the full types only in its DOM library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => KernelMemory;
};

const MAX_PAGES = 65536;

let compiled: object | null = null;

/** Reserves memory for the kernels of a trace. Pages take space only once they are used. */
export function newMemory(maximum = MAX_PAGES): KernelMemory {
  return new WebAssembly.Memory({ initial: 2, maximum, shared: true });
}

/** Starts a kernel that works on this memory. The first one must have started before there is another. */
export function newKernel(memory: KernelMemory): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_BASE64, 'base64'));
  return new WebAssembly.Instance(compiled, { env: { memory }, lock: lockOf(memory) }).exports as Kernel;
}

/** Returns what the kernel calls if it has to wait for its lock, and if memory is exhausted (kernel/lock.ts). */
function lockOf({ buffer }: KernelMemory): object {
  const words = new Int32Array(buffer);
  return {
    wait: (address: number) => Atomics.wait(words, address / Int32Array.BYTES_PER_ELEMENT, LOCK_AWAITED),
    wake: (address: number) => Atomics.notify(words, address / Int32Array.BYTES_PER_ELEMENT, 1),
    refuse,
  };
}

/** @throws PtflameError */
function refuse(): never {
  throw new PtflameError('TOO_LARGE', 'the distinct branches of the trace need more memory than there is', {
    hint: 'read less of the trace: --tid, --cpu, or record a shorter time',
  });
}

/** Returns the numbers of four bytes at an address; `length` in bytes. */
export function intsAt(memory: KernelMemory, start: number, length: number): Int32Array {
  const { buffer, byteOffset } = bytesAt(memory, start, length);
  return new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT);
}

/** Returns the bytes at an address. Another kernel may have grown the memory, which its buffer shows only when asked. */
export function bytesAt(memory: KernelMemory, start: number, length: number): Uint8Array {
  if (start + length > memory.buffer.byteLength) memory.grow(0);
  return new Uint8Array(memory.buffer, start, length);
}
