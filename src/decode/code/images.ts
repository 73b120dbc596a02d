/**
 * Code images: the files mapped into each process, over time. Plain data.
 *
 * An image is a set of mappings whose code never contradicts itself, so the kernel may keep the blocks it decoded from it.
 * Mapping more files extends an image; a file mapped over another one, an exec or a fork begins a new one.
 */
import { type Address, NONE } from '../../model/units.js';
import { type FilteredRegion, isTraced } from './address-filters.js';
import { type AddressRange, CodeIndex } from './code-index.js';

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

/** Numbered from 1. */
export interface Image {
  readonly number: number;
  readonly pid: number;
  /** Of the process until its next exec: images after this one have more of them. */
  readonly mappings: readonly MappedCode[];
  /** How many of the mappings are in the image. */
  readonly length: number;
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
    const image = contradicts(before, code) ? this.begin(pid, before.mappings) : before;
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
