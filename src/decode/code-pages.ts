/**
 * Code in the memory of a kernel: loaded page by page, when the walk first gets there.
 */
import { codeAt, endsTrace, type Image, type MappedCode } from './images.js';
import type { Kernel } from './kernel.js';

/** Reads bytes of a file that was mapped; null: it cannot be read. Fewer bytes at its end. */
export type ReadCode = (code: MappedCode, fileOffset: number, bytes: number) => Uint8Array | null;

const PAGE_BYTES = 64 * 1024;
/** The longest instruction. */
const MAX_INSTRUCTION_BYTES = 15;
const DESCRIPTION_BYTES = 40;

export class CodePages {
  private readonly kernel: Kernel;
  private readonly readCode: ReadCode;
  private readonly images: readonly Image[];
  /** Descriptions in the kernel, by mapping and page; 0: no code. */
  private readonly pages = new Map<MappedCode, Map<number, number>>();

  constructor(kernel: Kernel, images: readonly Image[], readCode: ReadCode) {
    this.kernel = kernel;
    this.images = images;
    this.readCode = readCode;
  }

  /** Returns the description of the page that holds an address of an image at a tick, as the kernel wants it. */
  load(image: number, tick: bigint, address: bigint): number {
    const ip = Number(BigInt.asIntN(64, address));
    const mapped = this.images[image - 1];
    const code = mapped && codeAt(mapped, ip, tick);
    if (!code) return 0;
    const page = Math.floor((ip - code.start) / PAGE_BYTES);
    let pages = this.pages.get(code);
    if (pages === undefined) this.pages.set(code, (pages = new Map()));
    let description = pages.get(page);
    if (description === undefined) pages.set(page, (description = this.read(code, page * PAGE_BYTES)));
    return description;
  }

  /** Whether a branch to an address ends the trace, because it is filtered. */
  endsTrace(image: number, tick: bigint, address: bigint): boolean {
    const mapped = this.images[image - 1];
    return mapped !== undefined && endsTrace(mapped, Number(BigInt.asIntN(64, address)), tick);
  }

  private read(code: MappedCode, offset: number): number {
    const { kernel } = this;
    const mappedBytes = Math.min(code.end - code.start - offset, PAGE_BYTES);
    // as perf does: the last instruction of a mapping may reach beyond it
    const bytes = this.readCode(code, code.fileOffset + offset, mappedBytes + MAX_INSTRUCTION_BYTES);
    if (bytes === null || bytes.length === 0) return 0;
    const at = kernel.space(bytes.length + MAX_INSTRUCTION_BYTES);
    new Uint8Array(kernel.memory.buffer).set(bytes, at);
    const description = kernel.space(DESCRIPTION_BYTES);
    const view = new DataView(kernel.memory.buffer, description, DESCRIPTION_BYTES);
    const start = code.start + offset;
    const until = start + Math.min(bytes.length, mappedBytes);
    for (const [row, value] of [start, start + bytes.length, until, at, code.tick].entries())
      view.setBigInt64(8 * row, BigInt(value), true);
    return description;
  }
}
