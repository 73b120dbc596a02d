/**
 * Assigns ids to the texts of branch ends, and parses each distinct text once.
 */
import { SpecialSymbol, SymbolTableBuilder, UNKNOWN_NAME } from '../../model/names/symbol-table.js';
import { type BranchKind, BranchSitesBuilder, type Location, type TraceEdge } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { parseLocation } from '../lines/location.js';
import { PairMap } from './pair-map.js';

/** Locations compared one by one: perf may print several names for an address, with and without an offset or a file. */
const MAX_AT_ADDRESS = 16;

export class Interner {
  readonly sites = new BranchSitesBuilder();
  readonly symbols = new SymbolTableBuilder();
  private readonly locations: Location[] = [];
  private readonly locationOfText = new Map<string, number>();
  /** The first location at an address, and for each location the next one at the same address. */
  private readonly locationAt = new Map<Address, number>();
  private readonly nextLocation: number[] = [];
  /** Locations at addresses with more functions than any program has there, by address, symbol and start. */
  private readonly crowded = new Map<string, number>();
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
    const site = this.sites.add(kind, edge, this.locations[from], this.locations[to]);
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
    const { locations, nextLocation } = this;
    const first = this.locationAt.get(address) ?? NONE;
    let compared = 0;
    for (let number = first; number !== NONE && compared < MAX_AT_ADDRESS; number = nextLocation[number]) {
      const known = locations[number];
      if (known.symbol === symbol && Object.is(known.start, start)) return number;
      compared++;
    }
    const key = compared < MAX_AT_ADDRESS ? null : `${address} ${symbol} ${start}`;
    const crowded = key === null ? undefined : this.crowded.get(key);
    if (crowded !== undefined) return crowded;
    const number = locations.push({ address, symbol, start }) - 1;
    if (key === null) {
      nextLocation.push(first);
      this.locationAt.set(address, number);
    } else {
      nextLocation.push(NONE);
      this.crowded.set(key, number);
    }
    return number;
  }

  /** Returns the symbol of a function; bytes as latin1 characters, `dso` null if it was not printed. */
  symbolOf(name: string, dso: string | null): SymbolId {
    return this.symbols.intern(fromLatin1(name), dso === null ? null : fromLatin1(dso));
  }

  private read(text: string): number {
    const { address, name, offset, dso, fileOffset } = parseLocation(text);
    if (address === 0 && name === null) return this.location(address, NONE, Number.NaN);
    if (name !== null) return this.location(address, this.symbolOf(name, dso), address - offset);
    const nameless = dso === null ? SpecialSymbol.Unknown : this.symbolOf(UNKNOWN_NAME, dso);
    return this.location(address, nameless, address - fileOffset);
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
