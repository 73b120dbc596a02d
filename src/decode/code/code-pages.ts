/**
 * Code in the memory of a kernel: loaded page by page, when the walk first gets there.
 */

import type { Kernel } from '../kernel.js';
import type { AddressRange } from './code-index.js';
import { codeAt, endsTrace, type Image, type MappedCode, uncovered } from './images.js';

/** Reads bytes of a file that was mapped; null: it cannot be read. Fewer bytes at its end. */
export type ReadCode = (code: MappedCode, fileOffset: number, bytes: number) => Uint8Array | null;

const PAGE_BYTES = 64 * 1024;
/** The longest instruction. */
const MAX_INSTRUCTION_BYTES = 15;
const DESCRIPTION_BYTES = 40;

/** Code whose instructions begin in this range. */
interface Page extends AddressRange {
  /** Where the bytes are in the kernel, and how many: those of the last instruction may reach beyond the range. */
  readonly at: number;
  readonly bytes: number;
}

export class CodePages {
  private readonly kernel: Kernel;
  private readonly readCode: ReadCode;
  private readonly images: readonly Image[];
  /** By mapping and page; null: no code. */
  private readonly pages = new Map<MappedCode, Map<number, Page | null>>();
  /** In the kernel: of the page that was loaded last. */
  private readonly description: number;

  constructor(kernel: Kernel, images: readonly Image[], readCode: ReadCode) {
    this.kernel = kernel;
    this.images = images;
    this.readCode = readCode;
    this.description = kernel.space(DESCRIPTION_BYTES);
  }

  /** Returns the description of the page that holds an address of an image at a tick, as the kernel wants it. */
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
    const { kernel } = this;
    const mappedBytes = Math.min(code.end - code.start - offset, PAGE_BYTES);
    // as perf does: the last instruction of a mapping may reach beyond it
    const bytes = this.readCode(code, code.fileOffset + offset, mappedBytes + MAX_INSTRUCTION_BYTES);
    if (bytes === null || bytes.length === 0) return null;
    const at = kernel.space(bytes.length + MAX_INSTRUCTION_BYTES);
    new Uint8Array(kernel.memory.buffer).set(bytes, at);
    const start = code.start + offset;
    return { start, end: start + Math.min(bytes.length, mappedBytes), at, bytes: bytes.length };
  }

  private describe(values: readonly (number | bigint)[]): number {
    const view = new DataView(this.kernel.memory.buffer, this.description, DESCRIPTION_BYTES);
    for (const [row, value] of values.entries()) view.setBigInt64(8 * row, BigInt(value), true);
    return this.description;
  }
}
