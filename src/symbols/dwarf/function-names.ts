/**
 * Finds the names of functions that entries refer to. An entry without a name refers to the one that it is an instance of, or that declares it.
 */
import type { Attributes, EntryReader } from './entries.js';
import type { DebugSections } from './sections.js';
import { referenceIn, textIn } from './unit-values.js';
import { Attribute, orNull, type Unit } from './units.js';

/** From an instance to its function, to the declaration in a class, to the one in another unit; more is a circle. */
const MAX_REFERENCES = 8;

export class FunctionNames {
  private readonly known = new Map<number, string | null>();
  private readonly sections: DebugSections;
  private readonly entries: EntryReader;
  /** In their order. */
  private readonly units: readonly Unit[];

  constructor(sections: DebugSections, entries: EntryReader, units: readonly Unit[]) {
    this.sections = sections;
    this.entries = entries;
    this.units = units;
  }

  /** Returns the name that linkers know, or else the one in the source; null: unknown. `at`: offset of an entry in `.debug_info`. */
  nameOf(at: number): string | null {
    let name = this.known.get(at);
    if (name === undefined) this.known.set(at, (name = this.find(at)));
    return name;
  }

  private find(first: number): string | null {
    let plain: string | null = null;
    let at: number | null = first;
    for (let count = 0; at !== null && count < MAX_REFERENCES; count++) {
      const unit = this.unitAt(at);
      const entry = unit && orNull(() => this.entries.read(unit, at as number));
      if (unit === null || entry === null) break;
      const linkageName =
        this.text(unit, entry, Attribute.LinkageName) ?? this.text(unit, entry, Attribute.MipsLinkageName);
      if (linkageName !== null) return linkageName;
      plain ??= this.text(unit, entry, Attribute.Name);
      at = referenceIn(unit, entry.get(Attribute.AbstractOrigin) ?? entry.get(Attribute.Specification));
    }
    return plain;
  }

  private text(unit: Unit, entry: Attributes, attribute: number): string | null {
    return orNull(() => textIn(this.sections, unit, entry.get(attribute))) || null;
  }

  private unitAt(at: number): Unit | null {
    let [low, high] = [0, this.units.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.units[middle].at <= at) low = middle + 1;
      else high = middle;
    }
    const unit = this.units[low - 1];
    return unit !== undefined && at >= unit.entriesAt && at < unit.end ? unit : null;
  }
}
