/**
 * Texts of branch ends → ids: each distinct text is taken apart once.
 */
import { type BranchKind, BranchSitesBuilder, type Location, type TraceEdge } from '../model/branch-sites.js';
import { SpecialSymbol, SymbolTableBuilder } from '../model/symbol-table.js';
import { NONE, type SiteId } from '../model/units.js';
import { parseLocation } from './location.js';
import { PairTable } from './pair-table.js';

export class Interner {
  readonly sites = new BranchSitesBuilder();
  readonly symbols = new SymbolTableBuilder();
  private readonly locations: Location[] = [];
  private readonly locationOf = new Map<string, number>();
  /** By kind and edge, then by the two locations. */
  private readonly siteOf: PairTable[] = [];

  /** The site of a branch; `from` and `to` as perf prints them, bytes as latin1 characters. */
  site(kind: BranchKind, edge: TraceEdge, from: string, to: string): SiteId {
    return this.siteBetween(kind, edge, this.location(from), this.location(to));
  }

  /** The same, by the numbers of both locations. */
  siteBetween(kind: BranchKind, edge: TraceEdge, from: number, to: number): SiteId {
    const sites = (this.siteOf[kind * 4 + edge] ??= new PairTable());
    const known = sites.find(from, to);
    if (known !== NONE) return known;
    const site = this.sites.add(kind, edge, this.locations[from] as Location, this.locations[to] as Location);
    sites.add(from, to, site);
    return site;
  }

  /** The number of a location. */
  location(text: string): number {
    let row = this.locationOf.get(text);
    if (row === undefined) {
      const kept = copied(text);
      row = this.locations.push(this.read(kept)) - 1;
      this.locationOf.set(kept, row);
    }
    return row;
  }

  private read(text: string): Location {
    const { address, name, offset, dso } = parseLocation(text);
    if (address === 0 && name === null) return { address, symbol: NONE, start: Number.NaN };
    const file = dso === null ? null : fromLatin1(dso);
    const symbol = name === null ? SpecialSymbol.Unknown : this.symbols.intern(fromLatin1(name), file);
    return { address, symbol, start: address - offset };
  }
}

/** A part of a string holds on to the whole: to keep it as it is would keep the chunk that it was cut from. */
export function copied(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Bytes that were read as latin1, read as what they are; a copy, which keeps nothing else in memory. */
export function fromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
