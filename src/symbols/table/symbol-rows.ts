/**
 * Symbols as columns: where they begin and end in the file, and where their names are. A library can have 500,000.
 */
import { NONE } from '../../model/units.js';
import { textAt } from '../elf/byte-source.js';

/** Which string table has the name of a row. */
export type NameSource = 0 | 1 | 2;
export const NameSource = { Symbols: 0, Dynamic: 1, Plt: 2 } as const;

export const Binding = { Local: 0, Global: 1, Weak: 2 } as const;

/** Returns null if the name is not mangled. */
export type Demangle = (name: string) => string | null;

export class SymbolRows {
  length = 0;
  readonly start: Float64Array; // offset in the file
  readonly end: Float64Array; // exclusive
  readonly nameAt: Uint32Array;
  readonly nameSource: Uint8Array;
  readonly binding: Uint8Array;
  private readonly names: [Uint8Array, Uint8Array, Uint8Array];
  private readonly demangle: Demangle;

  constructor(capacity: number, demangle: Demangle) {
    this.start = new Float64Array(capacity);
    this.end = new Float64Array(capacity);
    this.nameAt = new Uint32Array(capacity);
    this.nameSource = new Uint8Array(capacity);
    this.binding = new Uint8Array(capacity);
    this.names = [new Uint8Array(0), new Uint8Array(0), new Uint8Array(0)];
    this.demangle = demangle;
  }

  /** Sets the string table for names of a source. */
  setNames(source: NameSource, bytes: Uint8Array): void {
    this.names[source] = bytes;
  }

  /** Returns NONE if the columns are full. */
  add(start: number, bytes: number, nameAt: number, nameSource: NameSource, binding: number): number {
    if (this.length === this.start.length) return NONE;
    const row = this.length++;
    this.start[row] = start;
    this.end[row] = start + bytes;
    this.nameAt[row] = nameAt;
    this.nameSource[row] = nameSource;
    this.binding[row] = binding;
    return row;
  }

  /** Compares without demangling. Most aliases are symbols that `.symtab` and `.dynsym` both have. */
  hasSameName(one: number, other: number): boolean {
    const oneBytes = this.names[this.nameSource[one]];
    const otherBytes = this.names[this.nameSource[other]];
    let at = this.nameAt[one];
    let otherAt = this.nameAt[other];
    while (oneBytes[at] === otherBytes[otherAt]) {
      if (oneBytes[at] === 0 || at >= oneBytes.length) return true;
      at++;
      otherAt++;
    }
    return false;
  }

  /** Returns the name as perf prints it. */
  nameOf(row: number): string {
    const source = this.nameSource[row];
    const raw = textAt(this.names[source], this.nameAt[row]);
    const name = this.demangle(raw) ?? raw;
    return source === NameSource.Plt ? `${name}@plt` : name;
  }
}
