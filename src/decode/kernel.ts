/**
 * The door to the compiled decoder (src/decode/kernel).
 */
import { DECODER_BASE64 } from './kernel.generated.js';

/** Addresses are those of the kernel's memory. */
export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  space(bytes: number): number;
  setTiming(mtcPeriod: number, ctcNumerator: number, ctcDenominator: number, maxBusRatio: number): void;
  setClock(shift: number, mult: bigint, zero: bigint, originNs: bigint): void;
  wantAllBranches(all: boolean): void;
  /** The recording has filters of addresses. */
  setFiltered(filtered: boolean): void;
  /** Space for the slots of a CPU, then for the records of a stream: rows as kernel/layout.ts has them. */
  writeSchedule(bytes: number): number;
  writeRecords(bytes: number): number;
  /** `reference`: the tick that the first TSC packet is near. */
  startStream(reference: bigint): void;
  /** Returns how many bytes were consumed. */
  decodeWindow(start: number, bytes: number, offset: bigint, isLast: boolean): number;
  /** The slot that runs now. */
  currentSlot(): number;
  /** 0: events, 1: runs, 2: sites, 3: errors. */
  columnStart(column: number): number;
  columnBytes(column: number): number;
  forgetEvents(): void;
  forgetCode(): void;
  nsOf(tick: bigint): bigint;
}

/** Returns the address of a description of code (kernel/host.ts), or 0. */
export type LoadCode = (image: number, address: bigint) => number;

/** Returns whether a branch to an address of an image ends the trace. */
export type EndsTrace = (image: number, address: bigint) => boolean;

/** The part of it that is used here: its types come with those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

let compiled: object | null = null;

/** Starts a kernel with memory of its own. */
export function newKernel(loadCode: LoadCode, endsTrace: EndsTrace): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(DECODER_BASE64, 'base64'));
  const abort = () => {
    throw new Error('the decoder aborted');
  };
  return new WebAssembly.Instance(compiled, { host: { loadCode, endsTrace }, env: { abort } }).exports as Kernel;
}
