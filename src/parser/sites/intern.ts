/**
 * Assigns ids to the texts of branch ends, and parses each distinct text once.
 */
import { SpecialSymbol, SymbolTableBuilder, UNKNOWN_NAME } from '../../model/names/symbol-table.js';
import { type BranchKind, BranchSitesBuilder, type TraceEdge } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { parseLocation } from '../lines/location.js';
import { Locations } from './locations.js';
import { PairMap } from './pair-map.js';

export class Interner {
  readonly sites = new BranchSitesBuilder();
  readonly symbols = new SymbolTableBuilder();
  private readonly locations = new Locations();
  private readonly locationOfText = new Map<string, number>();
  /** By kind and edge, then by both locations. */
  private readonly siteOf: PairMap[] = [];

  /** Returns the site of a branch; `from` and `to` as perf prints them, bytes as latin1 characters. */
  site(kind: BranchKind, edge: TraceEdge, from: string, to: string): SiteId {
    return this.siteBetween(kind, edge, this.locationOf(from), this.locationOf(to));
  }

  /** Likewise by the numbers of both locations. */
  siteBetween(kind: BranchKind, edge: TraceEdge, from: number, to: number): SiteId {
    const sites = (this.siteOf[kind * 4 + edge] ??= new PairMap());
    const known = sites.find(from, to);
    if (known !== NONE) return known;
    const site = this.sites.add(kind, edge, this.locations.at(from), this.locations.at(to));
    sites.add(from, to, site);
    return site;
  }

  /** Returns the number of a location as perf prints it. */
  locationOf(text: string): number {
    let number = this.locationOfText.get(text);
    if (number === undefined) this.locationOfText.set(copied(text), (number = this.read(text)));
    return number;
  }

  /** Returns the number of a location; `start` is the first address of its function. */
  location(address: Address, symbol: SymbolId | typeof NONE, start: Address): number {
    return this.locations.numberOf(address, symbol, start);
  }

  /** Returns the symbol of a function; bytes as latin1 characters, `dso` null if it was not printed. */
  symbolOf(name: string, dso: string | null): SymbolId {
    return this.symbols.intern(fromLatin1(name), dso === null ? null : fromLatin1(dso));
  }

  /** Returns the symbol of code without a name; `dso`: null if no file is known or printed. */
  namelessIn(dso: string | null): SymbolId {
    return dso === null ? SpecialSymbol.Unknown : this.symbolOf(UNKNOWN_NAME, dso);
  }

  private read(text: string): number {
    const { address, name, offset, dso, fileOffset } = parseLocation(text);
    if (address === 0 && name === null) return this.location(address, NONE, Number.NaN);
    if (name !== null) return this.location(address, this.symbolOf(name, dso), address - offset);
    return this.location(address, this.namelessIn(dso), address - fileOffset);
  }
}

/** Copies a string. A slice would keep the whole chunk in memory that it was cut from. */
export function copied(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Decodes bytes in latin1 characters as UTF-8. Returns a copy, which keeps nothing else in memory. */
export function fromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
