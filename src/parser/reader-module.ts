/**
 * The module that reads, the compiled inner loop of reading (src/parser/wasm): starts it, and declares its exports.
 */
import { PtflameError } from '../model/errors.js';
import { MAX_PAGES, type SharedMemory, sharedMemory, WasmModule } from '../wasm/module.js';
import { LOCK_AWAITED } from './wasm/layout.js';
import { PARSER_BASE64 } from './wasm.generated.js';

/** Addresses and lengths are in bytes; offsets count from the beginning of the text. */
export interface ReaderModule {
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
  /** Of the line whose text after the time begins at `rest`. */
  cacheBranch(rest: number, branch: number): void;
  /** The text buffer holds the words and two blanks. */
  addFlagWords(start: number, length: number, meaning: number): void;
  reserveScratch(bytes: number): number;
  /** Keeps an end in an unusual form, which is in the scratch buffer, for all modules. Returns its row. */
  addText(length: number): number;
  /** Adds a branch whose ends are texts, by their rows. Returns its number. */
  addTextBranch(flags: number, from: number, to: number): number;
  clearHeads(): void;
  linesStart(): number;
  linesBytes(): number;
  branchesStart(): number;
  branchesBytes(): number;
  symbolsStart(): number;
  filesStart(): number;
  textsStart(): number;
  addLane(tid: number, cpu: number): void;
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

const READER = new WasmModule<ReaderModule>(PARSER_BASE64);

/** Reserves memory for the modules of a trace: what one has read, the others know. It can be sent to workers. */
export function newReaderMemory(maximum = MAX_PAGES): SharedMemory {
  return sharedMemory(maximum);
}

/** Starts a module that works on this memory. The first one must have started before there is another. */
export function newReaderModule(memory: SharedMemory): ReaderModule {
  return READER.start(memory, { memory: memoryHost(memory) });
}

/** Returns what the module calls if it has to wait for its lock, and if memory is exhausted (wasm/memory.ts). */
function memoryHost({ buffer }: SharedMemory): object {
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

/** Returns the numbers of eight bytes at an address; `length` in bytes. */
export function floatsAt(memory: SharedMemory, start: number, length: number): Float64Array {
  const { buffer, byteOffset } = bytesAt(memory, start, length);
  return new Float64Array(buffer, byteOffset, length / Float64Array.BYTES_PER_ELEMENT);
}

/** Returns the numbers of four bytes at an address; `length` in bytes. */
export function intsAt(memory: SharedMemory, start: number, length: number): Int32Array {
  const { buffer, byteOffset } = bytesAt(memory, start, length);
  return new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT);
}

/** Returns the bytes at an address. Another module may have grown the memory, which its buffer shows only when asked. */
export function bytesAt(memory: SharedMemory, start: number, length: number): Uint8Array {
  if (start + length > memory.buffer.byteLength) memory.grow(0);
  return new Uint8Array(memory.buffer, start, length);
}
