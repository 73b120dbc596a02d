/**
 * Reads parts of the debug sections of a file. Compressed sections are inflated whole, others are read part by part: a binary may
 * have gigabytes of them.
 */
import { inflateSync } from 'node:zlib';
import { ZstdFault } from '../../codec/zstd.js';
import { type ByteSource, partOf, viewOf, wordAt } from '../byte-source.js';
import { bytesOf, type ElfFile, type ElfSection, SectionType, sectionNamed } from '../elf-file.js';
import type { DebugBudget } from './budget.js';
import { ByteReader, DwarfFault } from './byte-reader.js';
import type { DebugReading } from './reading.js';

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
/** zlib returns so much at once: Ctrl-C ends it in between. */
const INFLATED_CHUNK_BYTES = 2 ** 26;
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
  private readonly elf: ElfFile;
  private readonly reading: DebugReading;
  private readonly suffix: string;
  private readonly sections = new Map<string, Section>();
  private readonly wholes = new Map<string, Uint8Array>();
  private readonly texts = new Map<string, Map<number, string>>();

  /** `suffix`: `.dwo` for the sections of split units. */
  constructor(elf: ElfFile, reading: DebugReading, suffix: '' | '.dwo' = '') {
    this.elf = elf;
    this.reading = reading;
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
      if (kind === Compression.Zlib)
        return inflateSync(packed, {
          maxOutputLength: length,
          chunkSize: Math.max(64, Math.min(length, INFLATED_CHUNK_BYTES)),
        });
      if (kind === Compression.Zstd && reading.zstd !== null) return reading.zstd.inflate(packed, length);
    } catch (error) {
      if (!(error instanceof ZstdFault || (error as { code?: unknown }).code !== undefined)) throw error;
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
