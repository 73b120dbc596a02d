/**
 * Symbols as columns: where they begin and end in the file, and where their names are. A library can have 500,000.
 */
import { NONE } from '../../model/units.js';
import { cutName, MAX_NAME_BYTES, tableName } from '../byte-source.js';

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

/** How often each name may be read, on average. */
const NAME_USES = 4;
const MIN_NAME_BUDGET = 2 ** 20;

export class SymbolRows {
  length = 0;
  readonly start: Float64Array; // offset in the file
  readonly end: Float64Array; // exclusive
  readonly nameAt: Uint32Array;
  readonly nameSource: Uint8Array;
  readonly binding: Uint8Array;
  private readonly names: [Uint8Array, Uint8Array, Uint8Array];
  private readonly demangle: Demangle;
  /** Names as they are printed, by source, then by offset: symbols may share them. */
  private readonly known = [0, 1, 2].map(() => new Map<number, string>());
  /** Bytes of names that may still be compared or demangled; each name is, a few times at most. */
  private budget = MIN_NAME_BUDGET;

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
    this.known[source].clear();
    this.budget += NAME_USES * bytes.length;
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
    if (distance === 0 && oneBytes === otherBytes) return true;
    for (let at = start; ; at++) {
      const byte = oneBytes[at];
      if (--this.budget < 0) return false;
      if (byte !== otherBytes[at + distance] && !isVariant(oneBytes, at, otherBytes[at + distance])) return false;
      if (byte === undefined || byte === 0) return true;
    }
  }

  /** Returns the name as perf prints it. */
  nameOf(row: number): string {
    const source = this.nameSource[row];
    const known = this.known[source];
    const at = this.nameAt[row];
    let name = known.get(at);
    if (name === undefined) known.set(at, (name = this.readName(source, at)));
    return name;
  }

  /** Whether names can still be compared: symbols without number may share long names in part. */
  get mayCompare(): boolean {
    return this.budget > 0;
  }

  private readName(source: number, at: number): string {
    const raw = tableName(this.names[source], at);
    this.budget -= raw.length;
    const isMangled = raw.length <= MAX_NAME_BYTES && this.budget > 0;
    const name = cutName((isMangled ? this.demangle(raw) : null) ?? raw, at);
    return source === NameSource.Plt ? `${name}@plt` : name;
  }
}
