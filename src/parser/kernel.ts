/**
 * Instantiates the kernel, the compiled inner loop of reading (src/parser/kernel), and declares its exports.
 */
import { KERNEL_BASE64 } from './kernel.generated.js';

/** Addresses and lengths are in bytes; offsets count from the beginning of the text. */
export interface Kernel {
  memoryUsed(): number;
  restore(used: number): void;
  readonly memory: { readonly buffer: ArrayBuffer };
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
  /** Adds an end that is kept as a text elsewhere, in `row`. */
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
  symbolsBytes(): number;
  namesStart(): number;
  filesStart(): number;
  filesBytes(): number;
  fileNamesStart(): number;
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
  readonly Instance: new (module: object) => { readonly exports: object };
};

let compiled: object | null = null;

/** Creates a kernel with its own memory. */
export function newKernel(): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_BASE64, 'base64'));
  return new WebAssembly.Instance(compiled).exports as Kernel;
}
