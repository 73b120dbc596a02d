/**
 * The door to the compiled inner loop of reading (src/parser/kernel): what it exports, and its memory.
 */
import { KERNEL_BASE64 } from './kernel.generated.js';

/** Addresses and lengths are bytes; offsets are counted from the beginning of the text. */
export interface Kernel {
  memoryUsed(): number;
  takeOver(used: number): void;
  readonly memory: { readonly buffer: ArrayBuffer };
  roomForText(bytes: number): number;
  begin(from: number, to: number): void;
  /** Why it stopped: STOP_DONE or another of these. */
  read(offset: number): number;
  lineStart(): number;
  restStart(): number;
  lineHead(): number;
  lineNs(): number;
  addLine(start: number, branch: number, head: number, ns: number): void;
  learnHead(start: number, length: number, row: number): number;
  learnOrigin(start: number, length: number, origin: number): void;
  learnTarget(start: number, length: number, target: number): void;
  /** They are in the room for text: words, and two blanks. */
  addFlagWords(start: number, length: number, meaning: number): void;
  /** Ends as texts, by their rows elsewhere. */
  addOrigin(flags: number, row: number): number;
  addTarget(row: number): number;
  branch(origin: number, target: number): number;
  forgetHeads(): void;
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
  forgetHeadFacts(): void;
  group(count: number, origin: number): number;
  runsStart(): number;
  runsBytes(): number;
  eventsStart(): number;
  eventsBytes(): number;
  lowest(origin: number): number;
  highest(origin: number): number;
}

/** The little of it that is used here: its types come with those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

let compiled: object | null = null;

/** A kernel with a memory of its own. */
export function newKernel(): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_BASE64, 'base64'));
  return new WebAssembly.Instance(compiled).exports as Kernel;
}
