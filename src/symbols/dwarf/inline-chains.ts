/**
 * Finds the inlined functions that the code at addresses of a binary comes from, in its entries of subroutines (DWARF 5, 3.3.8).
 *
 * Only units that have one of the addresses are read. Debug information that contradicts itself gives no inlined functions.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { ElfFile } from '../elf/elf-file.js';
import { type Attributes, eachEntry } from './entries.js';
import { FunctionNames } from './function-names.js';
import { type DebugReading, readingAlone } from './reading.js';
import { SplitUnits } from './split-units.js';
import { eachRange } from './unit-ranges.js';
import { type Reference, referenceIn } from './unit-values.js';
import { Attribute, DebugFile, type Unit } from './units.js';

/** The names of inlined functions, outermost first, as linkers know them if the compiler says so. Functions without a name are left out. */
export type InlineChain = readonly string[];

const Tag = { InlinedSubroutine: 0x1d, Subprogram: 0x2e } as const;
const SUBROUTINES: ReadonlySet<number> = new Set(Object.values(Tag));
const NO_CHAIN: InlineChain = [];
/** What a function in a chain takes, until it is drawn. */
const LINK_BYTES = 200;

/** Code that was put in place of a call. */
interface Inlined {
  /** null: the function that the code was put into. */
  readonly around: Inlined | null;
  /** The function that was called; null: it is in a file that is missing. */
  readonly origin: Reference | null;
}

/**
 * Returns the inlined functions at each address; empty where there are none, or where they are unknown. `addresses`: ascending.
 * Chains that are equal may be the same array.
 */
export function inlineChains(elf: ElfFile, addresses: Float64Array, reading = readingAlone()): InlineChain[] {
  const chains = new Array<InlineChain>(addresses.length).fill(NO_CHAIN);
  const file = new DebugFile(elf, reading);
  const split = new SplitUnits(reading);
  const names = new FunctionNames(file, file.units);
  const find = (unit: Unit, names: FunctionNames) => findChains(unit, names, addresses, chains, reading);
  for (const unit of file.units) {
    if (!hasRow(unit, addresses)) continue;
    const isRead = reading.budget.orNull(() => {
      find(unit, names);
      // names of the other half are in its file, which is closed at the end of the call
      split.find(unit, (half) => find(half, new FunctionNames(half.file, [half])));
      return true;
    });
    if (isRead === null && reading.budget.leftOut.size === 0) reading.budget.leftOut.add('work');
  }
  return chains;
}

/**
 * Finds the innermost function at each address in a unit: as entries are nested, the last one that contains it. A unit that
 * cannot be read to its end has none: they might not be the innermost. @throws DwarfFault
 */
function findChains(
  unit: Unit,
  names: FunctionNames,
  addresses: Float64Array,
  chains: InlineChain[],
  reading: DebugReading,
): void {
  const innermost = new Map<number, Inlined | null>();
  eachEntry<Inlined | null>(unit, SUBROUTINES, null, (tag, entry, around) => {
    const inlined =
      tag === Tag.Subprogram ? null : { around, origin: referenceIn(unit, entry.get(Attribute.AbstractOrigin)) };
    eachRow(unit, entry, addresses, (row) => {
      innermost.set(row, inlined);
    });
    return inlined;
  });
  const known = new Map<Inlined, InlineChain>();
  for (const [row, inlined] of innermost) {
    if (inlined === null) continue;
    let chain = known.get(inlined);
    if (chain === undefined) known.set(inlined, (chain = chainOf(inlined, names, reading)));
    chains[row] = chain;
  }
}

function chainOf(innermost: Inlined, names: FunctionNames, { budget }: DebugReading): InlineChain {
  const chain: string[] = [];
  for (let inlined: Inlined | null = innermost; inlined !== null; inlined = inlined.around) {
    budget.hold(LINK_BYTES);
    const name = inlined.origin === null ? null : names.nameOf(inlined.origin);
    if (name !== null) chain.push(name);
  }
  return chain.reverse();
}

function hasRow(unit: Unit, addresses: Float64Array): boolean {
  let isFound = false;
  eachRow(unit, unit.attributes, addresses, () => {
    isFound = true;
  });
  return isFound;
}

/** Finds the addresses that are in the code of a unit or an entry. Ranges that cannot be read have none. */
function eachRow(unit: Unit, entry: Attributes, addresses: Float64Array, onRow: (row: number) => void): void {
  const { budget } = unit.file.sections;
  const addRange = (start: number, end: number) => {
    if (start === 0) return; // code that the linker left out
    for (let row = countAtOrBelow(addresses, start - 1); row < addresses.length && addresses[row] < end; row++) {
      budget.spend();
      onRow(row);
    }
  };
  budget.orNull(() => eachRange(unit, addRange, entry));
}
