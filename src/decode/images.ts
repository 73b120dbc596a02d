/**
 * Code images: the files mapped into each process, over time. Plain data.
 *
 * An image is a set of mappings whose code never contradicts itself, so the kernel may keep the blocks it decoded from it.
 * Mapping more files extends an image; a file mapped over another one, an exec or a fork begins a new one.
 */
import type { Address } from '../model/units.js';
import { type FilteredRegion, isTraced } from './address-filters.js';

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
  readonly mappings: readonly MappedCode[];
}

/** Returns the mapping that held an address at a tick, or null. */
export function codeAt({ mappings }: Image, address: Address, tick: bigint): MappedCode | null {
  return mappings.findLast((code) => code.start <= address && address < code.end && code.tick <= tick) ?? null;
}

/** Whether a branch to an address ends the trace, by the filters of the recording. */
export function endsTrace(image: Image, address: Address, tick: bigint): boolean {
  const code = codeAt(image, address, tick);
  return code?.filters !== undefined && !isTraced(code.filters, code.file, address - code.start + code.fileOffset);
}

/** The images of all processes, built from their records in order of time. */
export class Images {
  readonly all: Image[] = [];
  private readonly imageOf = new Map<number, Image & { readonly mappings: MappedCode[] }>();

  /** Returns the current image of a process. */
  of(pid: number): Image {
    return this.imageOf.get(pid) ?? this.begin(pid, []);
  }

  map(pid: number, code: MappedCode): void {
    const image = this.imageOf.get(pid) ?? this.begin(pid, []);
    if (contradicts(image, code)) this.begin(pid, [...image.mappings, code]);
    else image.mappings.push(code);
  }

  exec(pid: number): void {
    this.begin(pid, []);
  }

  /** A new thread in the same process changes nothing. */
  fork(pid: number, parentPid: number): void {
    if (pid !== parentPid) this.begin(pid, [...this.of(parentPid).mappings]);
  }

  private begin(pid: number, mappings: MappedCode[]): Image & { readonly mappings: MappedCode[] } {
    const image = { number: this.all.length + 1, pid, mappings };
    this.all.push(image);
    this.imageOf.set(pid, image);
    return image;
  }
}

/** Whether a mapping covers other code that was there before. */
function contradicts({ mappings }: Image, { start, end, file, fileOffset }: MappedCode): boolean {
  return mappings.some(
    (code) =>
      code.start < end &&
      start < code.end &&
      (code.file !== file || code.fileOffset - code.start !== fileOffset - start),
  );
}
