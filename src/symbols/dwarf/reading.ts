/**
 * What reading debug information needs besides the file: limits, a decompressor, the files that it refers to, and
 * its sections.
 */

import { viewOf } from '../../codec/bytes.js';
import { type Zstd, ZstdFault } from '../../codec/zstd.js';
import { inflateZlib } from '../../host/zip.js';
import { type ByteSource, partOf, wordAt } from '../byte-source.js';
import { bytesOf, type ElfFile, type ElfSection, SectionType, sectionNamed } from '../elf-file.js';
import { ByteReader, DwarfFault, orNull } from './byte-reader.js';

export interface DebugReading {
  readonly budget: DebugBudget;
  /** null: sections that zstd compressed are left out. */
  readonly zstd: Zstd | null;
  readonly others: OtherFiles;
  /** The file was read before: it allows for no more work. */
  readonly isAgain?: boolean;
}

/** Other files with debug information of a binary. */
export interface OtherFiles {
  /** Returns the package of all split units (`.dwp`); null: there is none. */
  package(): ElfFile | null;
  /** Opens, one after the other, the files that may be the `.dwo` of a split unit; each is closed with the next one. */
  split(name: string, directory: string): Iterable<{ readonly path: string; readonly elf: ElfFile }>;
  /** Returns the file that dwz moved entries and texts to (`.gnu_debugaltlink`, `.debug_sup`); null: it is missing. */
  shared(): ElfFile | null;
  /** Notes that a file is missing. */
  miss(name: string): void;
}

export const NO_FILES: OtherFiles = { package: () => null, split: () => [], shared: () => null, miss: () => {} };

/** Reads a file alone. */
export function readingAlone(): DebugReading {
  const budget = new DebugBudget();
  budget.begin(0);
  return { budget, zstd: null, others: NO_FILES };
}

// Reads parts of the debug sections of a file. Compressed sections are inflated whole, others are read part by part: a binary
// may have gigabytes of them.

interface Section {
  readonly length: number; // bytes, inflated
  readonly isInMemory: boolean;
  read(at: number, length: number): Uint8Array;
}

/** Which packages of split units have, without the suffix. */
export const PACKAGE_INDEX = '.debug_cu_index';

/** Kind, padding, size and alignment of what a compressed section contains. */
const COMPRESSION_HEADER_BYTES = 24;
const Compression = { Zlib: 1, Zstd: 2 } as const;
/** Debug sections shrink to a third, texts that repeat themselves to a twentieth. */
const MAX_INFLATION = 64;
const MIN_INFLATED_BYTES = 2 ** 22;
const MAX_INFLATED_BYTES = 2 ** 30;
/** What a section that is inflated adds to the budget of steps, per byte in the file. */
const COUNTED_INFLATION = 8;
const INFLATED_BYTES_PER_STEP = 8;
/** What it costs to make a view of bytes. */
const READ_STEPS = 20;
/** Bytes of a section that are read at once where the length of what follows is not known. */
const WINDOW_BYTES = 4096;
/** Mangled names of templates are long. */
const MAX_TEXT_BYTES = 16 * 1024;
const NO_BYTES = new Uint8Array(0);
const NO_SECTION: Section = { length: 0, isInMemory: true, read: () => NO_BYTES };

export class DebugSections {
  readonly budget: DebugBudget;
  private readonly suffix: string;
  private readonly sections = new Map<string, Section>();
  private readonly wholes = new Map<string, Uint8Array>();
  private readonly texts = new Map<string, Map<number, string>>();

  /** `suffix`: `.dwo` for the sections of split units. */
  constructor(
    private readonly elf: ElfFile,
    private readonly reading: DebugReading,
    suffix: '' | '.dwo' = '',
  ) {
    this.budget = reading.budget;
    this.suffix = suffix;
  }

  lengthOf(name: string): number {
    return this.section(name).length;
  }

  /** @throws DwarfFault if the section does not have so much */
  read(name: string, at: number, length: number): Uint8Array {
    const section = this.section(name);
    if (!(at >= 0 && length >= 0 && at + length <= section.length)) throw new DwarfFault(`${name} is too short`);
    this.budget.spend(READ_STEPS);
    return section.read(at, length);
  }

  /** Returns a reader of a part that ends after `bytes`, or with the section. */
  window(name: string, at: number, bytes = WINDOW_BYTES): ByteReader {
    return new ByteReader(this.read(name, at, Math.min(bytes, this.lengthOf(name) - at)));
  }

  /** Reads a text of at most `MAX_TEXT_BYTES`; the same one again is the same string. */
  text(name: string, at: number): string {
    let texts = this.texts.get(name);
    if (texts === undefined) this.texts.set(name, (texts = new Map()));
    const known = texts.get(at);
    if (known !== undefined) return known;
    const text = this.window(name, at, MAX_TEXT_BYTES).text();
    this.budget.keep(text);
    texts.set(at, text);
    return text;
  }

  /** Reads a section whose entries have no known length. */
  whole(name: string): Uint8Array {
    const known = this.wholes.get(name);
    if (known !== undefined) return known;
    const bytes = this.read(name, 0, this.lengthOf(name));
    if (!this.section(name).isInMemory) this.budget.hold(bytes.length);
    this.wholes.set(name, bytes);
    return bytes;
  }

  private section(name: string): Section {
    const known = this.sections.get(name);
    if (known !== undefined) return known;
    this.sections.set(name, NO_SECTION); // also if it cannot be read
    const found = sectionNamed(this.elf, name === PACKAGE_INDEX ? name : name + this.suffix);
    if (found === null || found.type === SectionType.NoBits) return NO_SECTION;
    const opened = found.isCompressed ? this.inflated(found) : this.plain(found);
    this.sections.set(name, opened);
    return opened;
  }

  private plain({ offset, length }: ElfSection): Section {
    const { source } = this.elf;
    const inFile = Math.max(0, Math.min(length, source.length - offset));
    if (!this.reading.isAgain) this.budget.allow(inFile);
    return pagedSection(source, offset, inFile, this.budget);
  }

  private inflated(section: ElfSection): Section {
    const { elf, budget } = this;
    budget.fits(section.length);
    const bytes = bytesOf(elf, section);
    if (bytes.length < COMPRESSION_HEADER_BYTES) return NO_SECTION;
    const view = viewOf(bytes);
    const length = wordAt(view, 8);
    const packed = bytes.subarray(COMPRESSION_HEADER_BYTES);
    if (!(length > 0)) return NO_SECTION;
    if (length > Math.min(MAX_INFLATED_BYTES, Math.max(MIN_INFLATED_BYTES, packed.length * MAX_INFLATION)))
      budget.refuse('memory', 'inflates to too much');
    budget.hold(length);
    if (!this.reading.isAgain) budget.allow(Math.min(length, packed.length * COUNTED_INFLATION));
    budget.spend(length / INFLATED_BYTES_PER_STEP);
    const all = this.inflate(view.getUint32(0, true), packed, length);
    return { length: all.length, isInMemory: true, read: (at, count) => all.subarray(at, at + count) };
  }

  private inflate(kind: number, packed: Uint8Array, length: number): Uint8Array {
    const { reading, budget } = this;
    try {
      const inflated = kind === Compression.Zlib ? inflateZlib(packed, length) : null;
      if (inflated !== null) return inflated;
      if (kind === Compression.Zstd && reading.zstd !== null) return reading.zstd.inflate(packed, length);
    } catch (error) {
      if (!(error instanceof ZstdFault)) throw error;
    }
    return budget.refuse('compressed', 'cannot be inflated');
  }
}

const PAGE_BYTES = 2 ** 14;
const MAX_PAGES = 256;
/** What it costs to read from the file, and then for its bytes. */
const FILE_STEPS = 200;
const FILE_BYTES_PER_STEP = 64;

/** Reads pages, and keeps the last ones: most of what is read is short, and near to what was read before. */
function pagedSection(source: ByteSource, offset: number, sectionBytes: number, budget: DebugBudget): Section {
  const pages = new Map<number, Uint8Array>();
  const readFile = (at: number, length: number) => {
    budget.spend(FILE_STEPS + length / FILE_BYTES_PER_STEP);
    budget.fits(length);
    return partOf(source, offset + at, length);
  };
  const read = (at: number, length: number): Uint8Array => {
    const first = Math.floor(at / PAGE_BYTES) * PAGE_BYTES;
    if (at + length > first + PAGE_BYTES) return readFile(at, length);
    let page = pages.get(first);
    if (page === undefined) {
      page = readFile(first, Math.min(PAGE_BYTES, sectionBytes - first));
      if (pages.size === MAX_PAGES) pages.clear();
      pages.set(first, page);
    }
    return page.subarray(at - first, at - first + length);
  };
  return { length: sectionBytes, isInMemory: false, read };
}

// Bounds what reading debug information may cost: it may be made to lead in circles, to repeat itself without end, or to
// inflate to gigabytes. All limits are in proportion to the files that are read, so that no real binary meets them.

/**
 * Why a part was left out. `work`: it takes more than a file of its length has; `memory`: it takes more than there is, or inflates
 * to more than a compiler's output does; `compressed`: in a way that is not known, or it is damaged.
 */
export type LeftOut = 'work' | 'memory' | 'compressed';

/** To throw and to catch. */
const FAULT_STEPS = 50;
/** A step takes about 20 ns. Real debug information needs less than one for each of its bytes. */
const STEPS_PER_BYTE = 4;
const STEPS_PER_ADDRESS = 200;
const MIN_STEPS = 2e6;
/** Of all binaries together: some seconds. */
const MAX_STEPS = 2e8;
/** Names are not longer than the sections that have them. */
const MIN_TEXT_BYTES = 2 ** 18;
/** Of `--memory`, the share that the debug information of one binary may hold. */
const MEMORY_SHARE = 1 / 4;
/** For callers that set no limit. */
const DEFAULT_MEMORY_BYTES = 2 ** 30;

export class DebugBudget {
  /** What was left out of the binary that is read. */
  readonly leftOut = new Set<LeftOut>();
  private readonly maxBytes: number;
  private stepsOfAll = MAX_STEPS;
  private steps = 0;
  private bytes = 0;
  private textBytes = 0;

  /** `memoryBytes`: of the whole process. */
  constructor(memoryBytes = DEFAULT_MEMORY_BYTES) {
    this.maxBytes = memoryBytes * MEMORY_SHARE;
  }

  /** Begins with a binary, that is asked about some addresses. */
  begin(addresses: number): void {
    this.leftOut.clear();
    this.steps = MIN_STEPS + STEPS_PER_ADDRESS * addresses;
    this.bytes = this.maxBytes;
    this.textBytes = MIN_TEXT_BYTES;
  }

  /** Allows for a section of a file. */
  allow(sectionBytes: number): void {
    this.steps += sectionBytes * STEPS_PER_BYTE;
    this.textBytes += sectionBytes;
  }

  /** @throws DwarfFault */
  spend(steps = 1): void {
    this.steps -= steps;
    this.stepsOfAll -= steps;
    if (this.steps < 0 || this.stepsOfAll < 0) this.refuse('work', 'more than one binary needs');
  }

  /** Allows for memory that is held until the binary is done. @throws DwarfFault */
  hold(bytes: number): void {
    this.fits(bytes);
    this.bytes -= bytes;
  }

  /** Allows for memory that is held for a moment. @throws DwarfFault */
  fits(bytes: number): void {
    if (bytes > this.bytes) this.refuse('memory', 'more than fits into memory');
  }

  /** Allows for a text of the result. @throws DwarfFault */
  keep(text: string): void {
    this.textBytes -= text.length;
    if (this.textBytes < 0) this.refuse('work', 'more names than the file has');
  }

  /** Returns null instead of throwing a `DwarfFault`. */
  orNull<Value>(read: () => Value): Value | null {
    const value = orNull(read);
    if (value === null) {
      this.steps -= FAULT_STEPS;
      this.stepsOfAll -= FAULT_STEPS;
    }
    return value;
  }

  refuse(why: LeftOut, message: string): never {
    this.leftOut.add(why);
    throw new DwarfFault(message);
  }
}
