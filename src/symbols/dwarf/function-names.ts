/**
 * Finds the names of functions that entries refer to. An entry without a name refers to the one that it is an instance of, or that declares it.
 */
import { type Attributes, readEntry } from './entries.js';
import { type Reference, referenceIn, textIn } from './unit-values.js';
import { Attribute, type DebugFile, type Unit } from './units.js';

/** From an instance to its function, to the declaration in a class, to the one in another unit or file; more is a circle. */
const MAX_REFERENCES = 8;
/** What a name takes besides its text. */
const NAME_BYTES = 200;

/** Functions of one file; entries of others, to which these refer, are found there. */
export class FunctionNames {
  private readonly known = new Map<number, string | null>();
  private readonly file: DebugFile;
  /** In their order. */
  private readonly units: readonly Unit[];

  /** `units`: of this file. */
  constructor(file: DebugFile, units: readonly Unit[]) {
    this.file = file;
    this.units = units;
  }

  /** Returns the name that linkers know, or else the one in the source; null: unknown. */
  nameOf({ file, at }: Reference): string | null {
    const key = file === this.file ? at : -1 - at;
    let name = this.known.get(key);
    if (name === undefined) {
      this.file.sections.budget.hold(NAME_BYTES);
      this.known.set(key, (name = this.find({ file, at })));
    }
    return name;
  }

  private find(first: Reference): string | null {
    let plain: string | null = null;
    let entryOf: Reference | null = first;
    for (let count = 0; entryOf !== null && count < MAX_REFERENCES; count++) {
      const { file, at }: Reference = entryOf;
      const unit = unitAt(file === this.file ? this.units : file.units, at);
      const entry = unit && file.sections.budget.orNull(() => readEntry(unit, at));
      if (unit === null || entry === null) break;
      const linkageName = textOf(unit, entry, Attribute.LinkageName) ?? textOf(unit, entry, Attribute.MipsLinkageName);
      if (linkageName !== null) return linkageName;
      plain ??= textOf(unit, entry, Attribute.Name);
      entryOf = referenceIn(unit, entry.get(Attribute.AbstractOrigin) ?? entry.get(Attribute.Specification));
    }
    return plain;
  }
}

function textOf(unit: Unit, entry: Attributes, attribute: number): string | null {
  return unit.file.sections.budget.orNull(() => textIn(unit, entry.get(attribute))) || null;
}

function unitAt(units: readonly Unit[], at: number): Unit | null {
  let [low, high] = [0, units.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (units[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  const unit = units[low - 1];
  return unit !== undefined && at >= unit.entriesAt && at < unit.end ? unit : null;
}
