/**
 * Finds the inlined functions that the code at addresses of a binary comes from, in its entries of subroutines (DWARF 5, 3.3.8).
 *
 * Only units that have one of the addresses are read. Debug information that contradicts itself gives no inlined functions.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { ElfFile } from '../elf/elf-file.js';
import { Abbreviations } from './abbreviations.js';
import { WorkBudget } from './byte-reader.js';
import { type Attributes, EntryReader } from './entries.js';
import { FunctionNames } from './function-names.js';
import { DebugSections } from './sections.js';
import { UnitRanges } from './unit-ranges.js';
import { referenceIn } from './unit-values.js';
import { Attribute, eachUnit, orNull, type Unit } from './units.js';

/** The names of inlined functions, outermost first, as linkers know them if the compiler says so. Functions without a name are left out. */
export type InlineChain = readonly string[];

/** Units, ranges, entries and names: a binary with 1 GB of debug information has about as many entries. */
const MAX_STEPS = 5e7;
const Tag = { InlinedSubroutine: 0x1d, Subprogram: 0x2e } as const;
const SUBROUTINES: ReadonlySet<number> = new Set(Object.values(Tag));

/** Code that was put in place of a call. */
interface Inlined {
  /** null: the function that the code was put into. */
  readonly around: Inlined | null;
  /** Offset in `.debug_info` of the function that was called; null: it is in another file. */
  readonly origin: number | null;
}

/** Returns the inlined functions at each address; empty where there are none, or where they are unknown. `addresses`: ascending. */
export function inlineChains(elf: ElfFile, addresses: Float64Array): InlineChain[] {
  const sections = new DebugSections(elf);
  const budget = new WorkBudget(MAX_STEPS);
  const abbreviations = new Abbreviations(sections, budget);
  const entries = new EntryReader(sections, budget, abbreviations);
  const rows = new RowFinder(new UnitRanges(sections, budget), addresses, budget);
  const units: Unit[] = [];
  orNull(() => eachUnit(sections, budget, (unit) => units.push(unit), abbreviations));
  const innermost = new Array<Inlined | null>(addresses.length).fill(null);
  for (const unit of units) orNull(() => findInlined(unit, entries, rows, innermost));
  const names = new FunctionNames(sections, entries, units);
  return innermost.map((inlined) => chainOf(inlined, names));
}

/** Notes for each address in a unit the innermost function: as entries are nested, the last one that contains it. */
function findInlined(unit: Unit, entries: EntryReader, rows: RowFinder, innermost: (Inlined | null)[]): void {
  if (!rows.has(unit)) return;
  entries.each<Inlined | null>(unit, SUBROUTINES, null, (tag, entry, around) => {
    const inlined =
      tag === Tag.Subprogram ? null : { around, origin: referenceIn(unit, entry.get(Attribute.AbstractOrigin)) };
    rows.each(unit, entry, (row) => {
      innermost[row] = inlined;
    });
    return inlined;
  });
}

function chainOf(innermost: Inlined | null, names: FunctionNames): InlineChain {
  const chain: string[] = [];
  for (let inlined = innermost; inlined !== null; inlined = inlined.around) {
    const name = inlined.origin === null ? null : names.nameOf(inlined.origin);
    if (name !== null) chain.push(name);
  }
  return chain.reverse();
}

/** Finds the addresses that are in the code of units and entries. */
class RowFinder {
  private readonly ranges: UnitRanges;
  private readonly addresses: Float64Array;
  private readonly budget: WorkBudget;

  constructor(ranges: UnitRanges, addresses: Float64Array, budget: WorkBudget) {
    this.ranges = ranges;
    this.addresses = addresses;
    this.budget = budget;
  }

  has(unit: Unit): boolean {
    let isFound = false;
    this.each(unit, unit.attributes, () => {
      isFound = true;
    });
    return isFound;
  }

  /** Ranges that cannot be read have no addresses. */
  each(unit: Unit, entry: Attributes, onRow: (row: number) => void): void {
    const { addresses, budget } = this;
    const addRange = (start: number, end: number) => {
      if (start === 0) return; // code that the linker left out
      for (let row = countAtOrBelow(addresses, start - 1); row < addresses.length && addresses[row] < end; row++) {
        budget.spend();
        onRow(row);
      }
    };
    orNull(() => this.ranges.each(unit, addRange, entry));
  }
}
