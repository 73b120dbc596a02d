/**
 * Code in the memory of a module: loaded page by page, when the walk first gets there.
 */

import type { Address } from '../model/units.js';
import { type DecoderModule, newDecoderModule } from './decoder-module.js';
import { type AddressRange, codeAt, endsTrace, type Image, type MappedCode, uncovered } from './images.js';
import { KIND_JCC, KIND_JUMP, KIND_RETURN } from './wasm/layout.js';

/** Reads bytes of a file that was mapped; null: it cannot be read. Fewer bytes at its end. */
export type ReadCode = (code: MappedCode, fileOffset: number, bytes: number) => Uint8Array | null;

const PAGE_BYTES = 64 * 1024;
/** The longest instruction. */
const MAX_INSTRUCTION_BYTES = 15;
const DESCRIPTION_BYTES = 40;

/** Code whose instructions begin in this range. */
interface Page extends AddressRange {
  /** Where the bytes are in the module, and how many: those of the last instruction may reach beyond the range. */
  readonly at: number;
  readonly bytes: number;
}

export class CodePages {
  private readonly module: DecoderModule;
  private readonly readCode: ReadCode;
  private readonly images: readonly Image[];
  /** By mapping and page; null: no code. */
  private readonly pages = new Map<MappedCode, Map<number, Page | null>>();
  /** In the module: of the page that was loaded last. */
  private readonly description: number;

  constructor(module: DecoderModule, images: readonly Image[], readCode: ReadCode) {
    this.module = module;
    this.images = images;
    this.readCode = readCode;
    this.description = module.space(DESCRIPTION_BYTES);
  }

  /** Returns the description of the page that holds an address of an image at a tick, as the module wants it. */
  load(image: number, tick: bigint, address: bigint): number {
    const ip = Number(BigInt.asIntN(64, address));
    const mapped = this.images[image - 1];
    const code = mapped && codeAt(mapped, ip, tick);
    if (!code) return 0;
    const page = this.page(code, Math.floor((ip - code.start) / PAGE_BYTES));
    if (page === null) return 0;
    const { start, end } = uncovered(mapped, page, ip, tick);
    const skipped = start - page.start;
    return this.describe([start, page.start + page.bytes, end, page.at + skipped, code.tick]);
  }

  /** Whether a branch to an address ends the trace, because it is filtered. */
  endsTrace(image: number, tick: bigint, address: bigint): boolean {
    const mapped = this.images[image - 1];
    return mapped !== undefined && endsTrace(mapped, Number(BigInt.asIntN(64, address)), tick);
  }

  private page(code: MappedCode, number: number): Page | null {
    let pages = this.pages.get(code);
    if (pages === undefined) this.pages.set(code, (pages = new Map()));
    let page = pages.get(number);
    if (page === undefined) pages.set(number, (page = this.read(code, number * PAGE_BYTES)));
    return page;
  }

  private read(code: MappedCode, offset: number): Page | null {
    const { module } = this;
    const mappedBytes = Math.min(code.end - code.start - offset, PAGE_BYTES);
    // as perf does: the last instruction of a mapping may reach beyond it
    const bytes = this.readCode(code, code.fileOffset + offset, mappedBytes + MAX_INSTRUCTION_BYTES);
    if (bytes === null || bytes.length === 0) return null;
    const at = module.space(bytes.length + MAX_INSTRUCTION_BYTES);
    new Uint8Array(module.memory.buffer).set(bytes, at);
    const start = code.start + offset;
    return { start, end: start + Math.min(bytes.length, mappedBytes), at, bytes: bytes.length };
  }

  private describe(values: readonly (number | bigint)[]): number {
    const view = new DataView(this.module.memory.buffer, this.description, DESCRIPTION_BYTES);
    for (const [row, value] of values.entries()) view.setBigInt64(8 * row, BigInt(value), true);
    return this.description;
  }
}

/** Bounds of functions for a module. */
interface FunctionRange {
  readonly start: Address;
  /** The address after the last byte. */
  readonly end: Address;
}

/** Returns the function that holds an address of an image; null: unknown. */
export type FunctionAt = (image: Image, address: Address) => FunctionRange | null;

const BOUNDS_BYTES = 16;

export class FunctionBounds {
  private readonly module: DecoderModule;
  private readonly images: readonly Image[];
  private readonly functionAt: FunctionAt;
  private space = 0;

  constructor(module: DecoderModule, images: readonly Image[], functionAt: FunctionAt) {
    this.module = module;
    this.images = images;
    this.functionAt = functionAt;
  }

  /** Returns where in the module the bounds are; 0: unknown. */
  around(image: number, address: bigint): number {
    const { module } = this;
    const mapped = this.images[image - 1];
    const found = mapped && this.functionAt(mapped, Number(BigInt.asIntN(64, address)));
    if (!found) return 0;
    this.space ||= module.space(BOUNDS_BYTES);
    const view = new DataView(module.memory.buffer, this.space, BOUNDS_BYTES);
    view.setBigInt64(0, BigInt(found.start), true);
    view.setBigInt64(8, BigInt(found.end), true);
    return this.space;
  }
}

/** Decodes instructions alone, without a trace. */
interface Instruction {
  readonly isReturn: boolean;
  /** Where a direct jump goes, conditional or not, from the beginning of the code; null: it is none. */
  readonly jumpsTo: number | null;
}

/** Calls `onInstruction` for each one, in order. Returns false for no code, and at the first bytes that are no instruction. */
export function eachInstruction(code: Uint8Array, onInstruction: (at: number, found: Instruction) => void): boolean {
  const module = newDecoderModule(
    () => 0,
    () => false,
    () => 0,
  );
  const start = module.space(code.length + MAX_INSTRUCTION_BYTES);
  new Uint8Array(module.memory.buffer, start, code.length).set(code);
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  for (let at = 0; at < code.length; ) {
    const length = module.decodeInstruction(start + at, Math.min(code.length - at, MAX_INSTRUCTION_BYTES));
    if (length === 0) return false;
    const kind = module.instructionKind();
    const next = at + length;
    // "eb 08", "f2 eb 08" and "75 08" have one byte of distance, "e9 08 00 00 00" and "0f 85 08 00 00 00" four
    const distance = () => (length < 5 ? view.getInt8(next - 1) : view.getInt32(next - 4, true));
    const isJump = kind === KIND_JUMP || kind === KIND_JCC;
    onInstruction(at, { isReturn: kind === KIND_RETURN, jumpsTo: isJump ? next + distance() : null });
    at = next;
  }
  return code.length > 0;
}
