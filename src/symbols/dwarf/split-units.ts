/**
 * Finds the other halves of split units, which have their entries: in a package (`.dwp`), by its index, or in a file of their own
 * (`.dwo`) (DWARF 5, 7.3.2 and 7.3.5; before, gcc's DebugFission).
 */
import type { ByteReader } from './byte-reader.js';
import { type DebugReading, NO_FILES, PACKAGE_INDEX } from './reading.js';
import { Attribute, DebugFile, type SplitPart, textIn, type Unit } from './units.js';

/** Version, and numbers of columns, units and slots. */
const INDEX_HEADER_BYTES = 16;
const ID_BYTES = 8;
const NUMBER_BYTES = 4;
const MAX_COLUMNS = 16;
/** Of a third of the slots, none is used. */
const MAX_TRIES = 1000;
/** Sections of the columns. */
const Column = { Info: 1, Abbreviations: 3, TextOffsets: 6, Ranges: 8 } as const;
/** Opening a file. */
const OPEN_STEPS = 5000;

export class SplitUnits {
  private readonly read = new Set<string>();
  /** undefined: not looked for yet. */
  private package: DebugFile | null | undefined;

  constructor(private readonly reading: DebugReading) {}

  /** Calls `onHalf` with the other half of a unit of a binary, if it is split. Its file is closed then. @throws DwarfFault */
  find(skeleton: Unit, onHalf: (half: Unit) => void): void {
    const { id, attributes } = skeleton;
    const name = textIn(skeleton, attributes.get(Attribute.DwoName) ?? attributes.get(Attribute.GnuDwoName));
    if (id === null || name === null) return;
    const { budget, others } = this.reading;
    budget.spend(OPEN_STEPS);
    const packed = budget.orNull(() => this.inPackage(skeleton, id));
    if (packed !== null) return onHalf(packed);
    const directory = textIn(skeleton, attributes.get(Attribute.CompDir)) ?? '';
    const whole = { skeleton, info: 0, abbreviations: 0, textOffsets: 0, ranges: 0 };
    for (const { path, elf } of others.split(name, directory)) {
      budget.spend(OPEN_STEPS + elf.sections.length);
      const isAgain = this.read.has(path);
      this.read.add(path);
      const half = halfIn(new DebugFile(elf, { ...this.reading, others: NO_FILES, isAgain }, '.dwo'), id, whole);
      if (half !== null) return onHalf(half);
    }
    others.miss(name);
  }

  private inPackage(skeleton: Unit, id: bigint): Unit | null {
    if (this.package === undefined) {
      const elf = this.reading.others.package();
      this.package = elf && new DebugFile(elf, { ...this.reading, others: NO_FILES }, '.dwo');
    }
    if (this.package === null) return null;
    const part = partOf(this.package, skeleton, id);
    return part && halfIn(this.package, id, part.part, part.end);
  }
}

function halfIn(file: DebugFile, id: bigint, part: SplitPart, end?: number): Unit | null {
  let half: Unit | null = null;
  const onUnit = (unit: Unit) => {
    if (unit.id === id) half = unit;
    return half !== null;
  };
  file.sections.budget.orNull(() => file.eachUnit(onUnit, part, end));
  return half;
}

/** Looks a unit up in the index of a package: a hash table of ids, with rows of offsets and of lengths. */
function partOf({ sections }: DebugFile, skeleton: Unit, id: bigint): { part: SplitPart; end: number } | null {
  const read = (at: number, bytes: number): ByteReader => sections.window(PACKAGE_INDEX, at, bytes);
  const header = read(0, INDEX_HEADER_BYTES);
  header.skip(NUMBER_BYTES);
  const [columns, units, slots] = [header.u32(), header.u32(), header.u32()];
  if (columns > MAX_COLUMNS) return null;
  const rowsAt = INDEX_HEADER_BYTES + slots * ID_BYTES;
  const columnsAt = rowsAt + slots * NUMBER_BYTES;
  const row = rowOf(id, slots, (slot) => ({
    id: read(INDEX_HEADER_BYTES + slot * ID_BYTES, ID_BYTES).big(),
    row: read(rowsAt + slot * NUMBER_BYTES, NUMBER_BYTES).u32(),
  }));
  if (row === null) return null;
  const kinds = numbers(read(columnsAt, columns * NUMBER_BYTES), columns);
  const rowBytes = columns * NUMBER_BYTES;
  const offsets = numbers(read(columnsAt + row * rowBytes, rowBytes), columns);
  const lengths = numbers(read(columnsAt + (units + row) * rowBytes, rowBytes), columns);
  const offsetIn = (column: number) => offsets[kinds.indexOf(column)] ?? 0;
  const info = offsetIn(Column.Info);
  const part = {
    ...{ skeleton, info, abbreviations: offsetIn(Column.Abbreviations) },
    ...{ textOffsets: offsetIn(Column.TextOffsets), ranges: offsetIn(Column.Ranges) },
  };
  return { part, end: info + (lengths[kinds.indexOf(Column.Info)] ?? 0) };
}

function numbers(reader: ByteReader, count: number): number[] {
  return Array.from({ length: count }, () => reader.u32());
}

/** Returns the row of an id, counted from 1; null: it has none. The number of slots is a power of two. */
function rowOf(id: bigint, slots: number, at: (slot: number) => { id: bigint; row: number }): number | null {
  const mask = BigInt(slots - 1);
  const step = Number((id >> 32n) & mask) | 1;
  let slot = Number(id & mask);
  for (let tries = 0; tries < Math.min(slots, MAX_TRIES); tries++) {
    const found = at(slot);
    if (found.row === 0) return null;
    if (found.id === id) return found.row;
    slot = (slot + step) % slots;
  }
  return null;
}
