/**
 * The door to the compiled decoder (src/decode/wasm).
 */
import { PtflameError } from '../model/errors.js';
import { askForMemory } from '../model/memory.js';
import { type OwnMemory, ownMemory, WasmModule } from '../wasm/module.js';
import { DECODE_BASE64 } from './wasm.generated.js';

/** Addresses are those of the module's memory. */
export interface DecoderModule {
  readonly memory: OwnMemory;
  space(bytes: number): number;
  setTiming(mtcPeriod: number, ctcNumerator: number, ctcDenominator: number, maxBusRatio: number): void;
  setClock(shift: number, mult: bigint, zero: bigint, originNs: bigint): void;
  /** Ticks: no trace of the recording is earlier or later. */
  setBounds(first: bigint, last: bigint): void;
  /** Where decoders hand over: at packets with addresses, or at MTC packets. */
  setMarks(atAddresses: boolean): void;
  /** Whether returns may be bits of TNT packets. */
  compressReturns(compressed: boolean): void;
  /** JUMPS_… of wasm/layout.ts. */
  wantJumps(which: number): void;
  /** Without what only makes it faster: for tests. */
  walkPlainly(plain: boolean): void;
  /** Where the kernel switches stacks; 0: it is not traced, or unknown. */
  setSwitch(ip: bigint): void;
  /** The recording has filters of addresses. */
  setFiltered(filtered: boolean): void;
  /** Stops decoding at that many bytes of events, and at that many of code and sites that are not there yet. */
  limit(eventBytes: number, codeBytes: number): void;
  /** Space for the slots of a CPU, then for the records of a stream: rows as wasm/layout.ts has them. */
  writeSchedule(bytes: number): number;
  writeRecords(bytes: number): number;
  /** Likewise for the changes of the kernel's code, once. */
  writeChanges(bytes: number): number;
  /** Likewise for the times of the events up to which instructions and cycles are counted (wasm/counts.ts). */
  writeWatched(bytes: number): number;
  /** How many of them have happened where the walk is. */
  currentChanges(): number;
  /** Forgets the events, runs, errors and marks. */
  beginPart(): void;
  /** `reference`: the tick that the first TSC packet is near. `isWithin`: the stream has begun before. */
  startStream(reference: bigint, isWithin: boolean, follows: boolean): void;
  /** Takes up the state that is in the space for it. */
  loadState(): void;
  saveState(): number;
  stateSpace(): number;
  stateBytes(): number;
  /** From which offset on the PSBs are after which marks are made; the next part begins at the second one. */
  expectMarks(first: bigint, next: bigint): void;
  /** Returns how many bytes were consumed. */
  decodeWindow(start: number, bytes: number, offset: bigint, isLast: boolean): number;
  /** Decoding must not go on in this part: the next one has begun, or space is short. */
  hasStopped(): boolean;
  stoppedAtCut(): boolean;
  /** There is no more space for code and sites. */
  isFull(): boolean;
  /** Offset after the last CYC packet that was counted on from an unknown start; 0: none. */
  lastUnsure(): bigint;
  /** Tick of the first event; 0: none. */
  firstEvent(): bigint;
  /** The slot that runs now. */
  currentSlot(): number;
  /** COLUMN_… of wasm/layout.ts. */
  columnStart(column: number): number;
  columnBytes(column: number): number;
  /** Writes the events of the part as bundles; of runs and marks, the bytes are those of bundles then. */
  bundleRuns(): void;
  /** Adds the bundles of a run, whose sites are numbers below `siteCount`; returns their bytes. For checks. */
  bundleRun(start: number, bytes: number, siteCount: number): number;
  forgetCode(): void;
  /** Of the instruction at an address: its length, 0 if it is none or not all there; and then its KIND_…. For checks. */
  decodeInstruction(start: number, bytes: number): number;
  instructionKind(): number;
}

/** Returns the address of a description of code (wasm/host.ts), or 0. */
export type LoadCode = (image: number, address: bigint) => number;

/** Returns whether a branch to an address of an image ends the trace. */
export type EndsTrace = (image: number, address: bigint) => boolean;

/** Returns the address of the bounds of the function that holds an address (wasm/host.ts), or 0. */
export type FunctionAround = (image: number, address: bigint) => number;

const DECODER = new WasmModule<DecoderModule>(DECODE_BASE64);
const FIRST_PAGES = 16;

/** Starts a module. `used`: the memory of one that is no longer needed; it would wait for the garbage collector otherwise. */
export function newDecoderModule(
  loadCode: LoadCode,
  endsTrace: EndsTrace,
  functionAround: FunctionAround,
  used: OwnMemory | null = null,
): DecoderModule {
  if (used !== null) new Uint8Array(used.buffer).fill(0);
  const host = { loadCode, endsTrace, functionAround, askForMemory, outOfMemory };
  return DECODER.start(used ?? ownMemory(FIRST_PAGES), { host });
}

function outOfMemory(): never {
  askForMemory(Number.MAX_SAFE_INTEGER);
  throw new PtflameError('TOO_LARGE', 'the code that this recording ran needs more memory than there is', {
    hint: 'read less of it: --cpu, or record a shorter time',
  });
}
