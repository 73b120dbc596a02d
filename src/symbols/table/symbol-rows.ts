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

const [ONE, TWO, LETTER_C, LETTER_D] = [...'12CD'].map((character) => character.charCodeAt(0));

/** Whether a byte of a name and that of another differ only in the variant of a constructor or destructor. */
function isVariant(name: Uint8Array, at: number, otherByte: number): boolean {
  const isNumber = (byte: number) => byte === ONE || byte === TWO;
  return (name[at - 1] === LETTER_C || name[at - 1] === LETTER_D) && isNumber(name[at]) && isNumber(otherByte);
}

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

  /**
   * Whether two names are equal, also if only demangling shows it: `C1` and `C2` are one constructor, `D1` and `D2` one
   * destructor. Most aliases are such, or symbols that `.symtab` and `.dynsym` both have.
   */
  hasSameName(one: number, other: number): boolean {
    const oneBytes = this.names[this.nameSource[one]];
    const otherBytes = this.names[this.nameSource[other]];
    const distance = this.nameAt[other] - this.nameAt[one];
    const start = this.nameAt[one];
    for (let at = start; ; at++) {
      const byte = oneBytes[at];
      if (byte !== otherBytes[at + distance] && !isVariant(oneBytes, at, otherBytes[at + distance])) return false;
      if (byte === undefined || byte === 0) return true;
    }
  }

  /** Returns the name as perf prints it. */
  nameOf(row: number): string {
    const source = this.nameSource[row];
    const raw = textAt(this.names[source], this.nameAt[row]);
    const name = this.demangle(raw) ?? raw;
    return source === NameSource.Plt ? `${name}@plt` : name;
  }
}
