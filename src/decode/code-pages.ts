/**
 * Code in the memory of a module: loaded page by page, when the walk first gets there.
 */

import { type Address, NONE } from '../model/units.js';
import { type DecoderModule, newDecoderModule } from './decoder-module.js';
import {
  type AddressRange,
  type CodeChange,
  codeAt,
  endsTrace,
  type Image,
  type MappedCode,
  toAddress,
  uncovered,
} from './images.js';
import { KERNEL_IMAGE, KIND_JCC, KIND_JUMP, KIND_RETURN } from './wasm/layout.js';

/** Reads bytes of a file that was mapped; null: it cannot be read. Fewer bytes at its end. */
export type ReadCode = (code: MappedCode, fileOffset: number, bytes: number) => Uint8Array | null;

/** Code is loaded so many bytes at a time. */
const PAGE_BYTES = 64 * 1024;
/** The kernel's memory is used in pages of this size. */
const SMALL_PAGE_BYTES = 4096;
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
  /** Pages of the kernel as they were changed, by address and by the last change that they have. */
  private readonly changed = new Map<string, Page>();
  /** By mapping and page; null: no code. */
  private readonly pages = new Map<MappedCode, Map<number, Page | null>>();
  /** Of pages of the kernel: whether each small page was in use. */
  private readonly used = new Map<Page, boolean[]>();
  /** In the module: of the page that was loaded last. */
  private readonly description: number;

  /** `changes`: of the kernel's code, in order of time. */
  constructor(
    private readonly module: DecoderModule,
    private readonly images: readonly Image[],
    private readonly changes: readonly CodeChange[],
    private readonly readCode: ReadCode,
    private readonly pageBytes: number = PAGE_BYTES,
  ) {
    this.description = module.space(DESCRIPTION_BYTES);
  }

  /** Returns the description of the page that holds an address of an image at a tick, as the module wants it. */
  load(image: number, tick: bigint, address: bigint): number {
    const ip = toAddress(address);
    const mapped = this.images[image - 1];
    const code = mapped && codeAt(mapped, ip, tick);
    if (!code) return image === KERNEL_IMAGE ? this.loadWritten(ip) : 0;
    const own = this.page(code, Math.floor((ip - code.start) / this.pageBytes));
    if (own === null) return 0;
    const isKernel = image === KERNEL_IMAGE;
    const known = isKernel ? this.inUse(own, ip) : own;
    if (known === null) return this.loadWritten(ip);
    const page = isKernel ? this.asChanged(own) : own;
    const { start, end } = uncovered(mapped, known, ip, tick);
    const skipped = start - page.start;
    return this.describe([start, page.start + page.bytes, end, page.at + skipped, code.tick]);
  }

  /**
   * Returns the part of a page of the kernel around an address that was in use when its memory was copied: the rest reads as
   * zeros, which are instructions, and modules that are loaded later run there.
   */
  private inUse(page: Page, ip: Address): AddressRange | null {
    let used = this.used.get(page);
    if (used === undefined) this.used.set(page, (used = this.usedPages(page)));
    const first = Math.floor(page.start / SMALL_PAGE_BYTES);
    const own = Math.floor(ip / SMALL_PAGE_BYTES) - first;
    if (used[own] !== true) return null;
    let [start, end] = [own, own + 1];
    while (used[start - 1] === true) start--;
    while (used[end] === true) end++;
    return {
      start: Math.max((first + start) * SMALL_PAGE_BYTES, page.start),
      end: Math.min((first + end) * SMALL_PAGE_BYTES, page.end),
    };
  }

  private usedPages({ start, end, at }: Page): boolean[] {
    const bytes = new Uint8Array(this.module.memory.buffer, at, end - start);
    const [first, last] = [start, end - 1].map((address) => Math.floor(address / SMALL_PAGE_BYTES));
    return Array.from({ length: last - first + 1 }, (_, row) => {
      const from = (first + row) * SMALL_PAGE_BYTES - start;
      return hasByte(bytes, Math.max(0, from), Math.min(bytes.length, from + SMALL_PAGE_BYTES));
    });
  }

  /** Whether a branch to an address ends the trace, because it is filtered. */
  endsTrace(image: number, tick: bigint, address: bigint): boolean {
    const mapped = this.images[image - 1];
    return mapped !== undefined && endsTrace(mapped, toAddress(address), tick);
  }

  /** Code that is nowhere but in changes: of programs that the kernel compiled. */
  private loadWritten(ip: Address): number {
    const row = this.changes.findLastIndex(
      ({ start, bytes }, row) => row < this.module.currentChanges() && start <= ip && ip < start + bytes.length,
    );
    const change = this.changes[row];
    if (change === undefined) return 0;
    const { start, bytes } = change;
    const { at } = this.changedPage(`${start} ${row}`, start, () => bytes);
    return this.describe([start, start + bytes.length, start + bytes.length, at, 0]);
  }

  private asChanged(page: Page): Page {
    const count = this.module.currentChanges();
    const touches = ({ start, bytes }: CodeChange) =>
      start < page.start + page.bytes && page.start < start + bytes.length;
    const last = this.changes.findLastIndex((change, row) => row < count && touches(change));
    if (last === NONE) return page;
    const changed = this.changedPage(`${page.start} ${last}`, page.start, () => {
      const bytes = new Uint8Array(this.module.memory.buffer, page.at, page.bytes).slice();
      for (const change of this.changes.slice(0, last + 1)) if (touches(change)) overwrite(bytes, page.start, change);
      return bytes;
    });
    return { ...page, at: changed.at };
  }

  private changedPage(key: string, start: Address, bytesOf: () => Uint8Array): Page {
    const known = this.changed.get(key);
    if (known !== undefined) return known;
    const bytes = bytesOf();
    const page = { start, end: start + bytes.length, at: this.write(bytes), bytes: bytes.length };
    this.changed.set(key, page);
    return page;
  }

  private page(code: MappedCode, number: number): Page | null {
    let pages = this.pages.get(code);
    if (pages === undefined) this.pages.set(code, (pages = new Map()));
    let page = pages.get(number);
    if (page === undefined) pages.set(number, (page = this.read(code, number * this.pageBytes)));
    return page;
  }

  private read(code: MappedCode, offset: number): Page | null {
    const mappedBytes = Math.min(code.end - code.start - offset, this.pageBytes);
    // as perf does: the last instruction of a mapping may reach beyond it
    const bytes = this.readCode(code, code.fileOffset + offset, mappedBytes + MAX_INSTRUCTION_BYTES);
    if (bytes === null || bytes.length === 0) return null;
    const at = this.write(bytes);
    const start = code.start + offset;
    return { start, end: start + Math.min(bytes.length, mappedBytes), at, bytes: bytes.length };
  }

  private write(bytes: Uint8Array): number {
    const at = this.module.space(bytes.length + MAX_INSTRUCTION_BYTES);
    new Uint8Array(this.module.memory.buffer).set(bytes, at);
    return at;
  }

  private describe(values: readonly (number | bigint)[]): number {
    const view = new DataView(this.module.memory.buffer, this.description, DESCRIPTION_BYTES);
    for (const [row, value] of values.entries()) view.setBigInt64(8 * row, BigInt(value), true);
    return this.description;
  }
}

/** Whether not all bytes are zeros. A loop: many pages of a pack are empty, and a callback for each byte takes seven times as long. */
function hasByte(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0) return true;
  return false;
}

function overwrite(code: Uint8Array, codeStart: Address, { start, bytes }: CodeChange): void {
  for (const [row, byte] of bytes.entries()) {
    const at = start + row - codeStart;
    if (at >= 0 && at < code.length) code[at] = byte;
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
  private space = 0;

  constructor(
    private readonly module: DecoderModule,
    private readonly images: readonly Image[],
    private readonly functionAt: FunctionAt,
  ) {}

  /** Returns where in the module the bounds are; 0: unknown. */
  around(image: number, address: bigint): number {
    const { module } = this;
    const mapped = this.images[image - 1];
    const found = mapped && this.functionAt(mapped, toAddress(address));
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
