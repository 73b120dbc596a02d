/**
 * Code images: the files mapped into each process, over time. Plain data.
 *
 * An image is a set of mappings whose code never contradicts itself, so the module may keep the blocks it decoded from it.
 * Mapping more files extends an image; a file mapped over another one, an exec or a fork begins a new one.
 */
import { appendTo } from '../model/groups.js';
import { type Address, NONE } from '../model/units.js';

export { KERNEL_IMAGE } from './wasm/layout.js';

/** A file mapped into an image from some tick on. */
export interface MappedCode {
  readonly tick: bigint;
  readonly start: Address;
  /** The address after the last byte. */
  readonly end: Address;
  /** Offset in the file of the first byte. */
  readonly fileOffset: number;
  /** As recorded; bytes as latin1 characters. */
  readonly file: string;
  /** The filters of the recording; absent: all code is traced. */
  readonly filters?: readonly FilteredRegion[];
}

/** Code that is written at an address of the kernel at a tick. */
export interface CodeChange {
  readonly tick: bigint;
  readonly start: Address;
  readonly bytes: Uint8Array;
}

/** Numbered from 1; 1 is that of the kernel (KERNEL_IMAGE), whose pid is NONE, as in its records. */
export interface Image {
  readonly number: number;
  readonly pid: number;
  /** Of the process until its next exec: images after this one have more of them. */
  readonly mappings: readonly MappedCode[];
  /** How many of the mappings are in the image. */
  readonly length: number;
}

/** Returns an address as the module has it: those of the kernel are large numbers there. */
export function toAddress(ofModule: bigint): Address {
  return Number(BigInt.asIntN(64, ofModule));
}

/** Returns the mapping that held an address at a tick, or null. */
export function codeAt(image: Image, address: Address, tick: bigint): MappedCode | null {
  const row = rowAt(image, address, tick);
  return row === NONE ? null : image.mappings[row];
}

function rowAt({ mappings, length }: Image, address: Address, tick: bigint): number {
  let found = NONE;
  for (const rows of indexOf(mappings).near(address)) {
    const row = rows.findLast((row) => row < length && holds(mappings[row], address, tick)) ?? NONE;
    found = Math.max(found, row);
  }
  return found;
}

/** Returns the part of a range around an address that no mapping covers that is later than the one at the address. */
export function uncovered(image: Image, range: AddressRange, address: Address, tick: bigint): AddressRange {
  const { mappings, length } = image;
  const row = rowAt(image, address, tick);
  let { start, end } = range;
  for (const later of indexOf(mappings).around(range)) {
    const other = mappings[later];
    if (later <= row || later >= length || other.tick > tick) continue;
    if (other.end <= address) start = Math.max(start, other.end);
    else end = Math.min(end, other.start);
  }
  return { start, end };
}

function holds({ start, end, tick: since }: MappedCode, address: Address, tick: bigint): boolean {
  return start <= address && address < end && since <= tick;
}

/** Images are plain data, so that workers can have them; each worker builds the indexes that it needs. */
const indexes = new WeakMap<readonly MappedCode[], CodeIndex>();

function indexOf(mappings: readonly MappedCode[]): CodeIndex {
  let index = indexes.get(mappings);
  if (index === undefined) indexes.set(mappings, (index = new CodeIndex()));
  while (index.length < mappings.length) index.add(mappings[index.length]);
  return index;
}

interface GrowingImage extends Image {
  readonly mappings: MappedCode[];
  length: number;
}

/** Whether a branch to an address ends the trace, by the filters of the recording. */
export function endsTrace(image: Image, address: Address, tick: bigint): boolean {
  const code = codeAt(image, address, tick);
  return code?.filters !== undefined && !isTraced(code.filters, code.file, address - code.start + code.fileOffset);
}

/** The images of all processes, built from their records in order of time. */
export class Images {
  readonly all: Image[] = [];
  private readonly imageOf = new Map<number, GrowingImage>();

  /** Returns the current image of a process. */
  of(pid: number): Image {
    return this.imageOf.get(pid) ?? this.begin(pid, []);
  }

  map(pid: number, code: MappedCode): void {
    const before = this.imageOf.get(pid) ?? this.begin(pid, []);
    const image = pid !== NONE && contradicts(before, code) ? this.begin(pid, before.mappings) : before;
    image.mappings.push(code);
    image.length++;
  }

  exec(pid: number): void {
    this.begin(pid, []);
  }

  /** A new thread in the same process changes nothing. */
  fork(pid: number, parentPid: number): void {
    if (pid !== parentPid) this.begin(pid, [...this.of(parentPid).mappings]);
  }

  private begin(pid: number, mappings: MappedCode[]): GrowingImage {
    const image = { number: this.all.length + 1, pid, mappings, length: mappings.length };
    this.all.push(image);
    this.imageOf.set(pid, image);
    return image;
  }
}

/** Whether a mapping covers other code that was there before. */
function contradicts({ mappings }: Image, code: MappedCode): boolean {
  for (const row of indexOf(mappings).around(code)) {
    const other = mappings[row];
    if (other.start < code.end && code.start < other.end && !isSameCode(other, code)) return true;
  }
  return false;
}

function isSameCode(one: MappedCode, other: MappedCode): boolean {
  return one.file === other.file && one.fileOffset - one.start === other.fileOffset - other.start;
}

/**
 * Finds mappings by address among thousands, as generated code has: rows of small mappings by region of the address space, rows
 * of the few large ones in a list.
 */
export interface AddressRange {
  readonly start: Address;
  /** Exclusive. */
  readonly end: Address;
}

const REGION_BYTES = 64 * 1024;
const NO_ROWS: readonly number[] = [];

class CodeIndex {
  /** Of the mappings added so far: the row of the next one. */
  length = 0;
  private readonly large: number[] = [];
  private readonly regions = new Map<number, number[]>();

  add(code: AddressRange): void {
    const row = this.length++;
    if (code.end - code.start > REGION_BYTES) {
      this.large.push(row);
      return;
    }
    for (const region of regionsOf(code)) appendTo(this.regions, region, row);
  }

  /** Returns lists of ascending rows; a mapping that holds the address is in one of them. */
  near(address: Address): readonly [readonly number[], readonly number[]] {
    return [this.large, this.regions.get(Math.floor(address / REGION_BYTES)) ?? NO_ROWS];
  }

  /** Returns the rows of mappings that may overlap one; all of them for a large one. */
  *around(code: AddressRange): Generator<number> {
    if (code.end - code.start > REGION_BYTES) {
      for (let row = 0; row < this.length; row++) yield row;
      return;
    }
    yield* this.large;
    for (const region of regionsOf(code)) yield* this.regions.get(region) ?? NO_ROWS;
  }
}

function* regionsOf({ start, end }: AddressRange): Generator<number> {
  for (let region = Math.floor(start / REGION_BYTES); region * REGION_BYTES < end; region++) yield region;
}

// Filters of addresses: code that a recording traces, and code that stops the trace (`perf record --filter`).

/** Code of a file, by offsets; `end` is the one after the last byte. */
export interface FilteredRegion {
  /** "stop": the trace ends there. */
  readonly what: 'trace' | 'stop';
  readonly start: number;
  readonly end: number;
  /** As recorded; null: of the kernel, by address. */
  readonly file: string | null;
}

const NUMBER = '0x[0-9a-f]+|[1-9]\\d*|0';
const FILTER = new RegExp(`^(filter|tracestop|stop)\\s+(${NUMBER})\\s*/\\s*(${NUMBER})(?:\\s*@\\s*([^\\s,]+))?$`);
const BETWEEN = /\s*,\s*|\s+(?=(?:filter|tracestop|stop)\s)/;

/** Returns the regions of perf's text, whose symbols perf resolved as it recorded; null if it has other kinds of filters. */
export function parseFilters(text: string): FilteredRegion[] | null {
  const parts = text
    .trim()
    .split(BETWEEN)
    .map((part) => FILTER.exec(part));
  const regions = parts.flatMap((match) => (match === null ? [] : [regionOf(match)]));
  return regions.length === parts.length ? regions : null;
}

function regionOf([, action, from, size, file]: RegExpExecArray): FilteredRegion {
  const start = Number(from);
  return { what: action === 'filter' ? 'trace' : 'stop', start, end: start + Number(size), file: file ?? null };
}

/** Whether code of a file is traced. */
export function isTraced(regions: readonly FilteredRegion[], file: string, offset: Address): boolean {
  const covers = (region: FilteredRegion) => region.file === file && region.start <= offset && offset < region.end;
  if (regions.some((region) => region.what === 'stop' && covers(region))) return false;
  const traced = regions.filter(({ what }) => what === 'trace');
  return traced.length === 0 || traced.some(covers);
}
