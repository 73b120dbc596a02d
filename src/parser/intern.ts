/**
 * Assigns ids to the texts of branch ends, and parses each distinct text once.
 */

import { latin1Bytes, latin1Text, utf8Text } from '../codec/bytes.js';
import { float64Column, int32Column } from '../model/columns.js';
import { PairMap } from '../model/pair-map.js';
import { SpecialSymbol, SymbolTableBuilder, UNKNOWN_NAME } from '../model/symbol-table.js';
import { type BranchKind, BranchSitesBuilder, type Location, type TraceEdge } from '../model/trace/branch-sites.js';
import { type Address, NONE, type SiteId, type SymbolId } from '../model/units.js';
import { parseLocation } from './lines/location.js';

const MIN_SLOTS = 1024;

/** Numbers the locations that perf prints: addresses with their functions. Open addressing over columns. */
class Locations {
  private readonly address = float64Column();
  private readonly symbol = int32Column();
  private readonly start = float64Column();
  private slots = new Int32Array(MIN_SLOTS).fill(NONE);

  /** Returns the number of a location; a new one if it was not seen before. `start`: first address of its function, or NaN. */
  numberOf(address: Address, symbol: SymbolId | typeof NONE, start: Address): number {
    const mask = this.slots.length - 1;
    let slot = hashOf(address, symbol, start) & mask;
    for (; this.slots[slot] !== NONE; slot = (slot + 1) & mask)
      if (this.is(this.slots[slot], address, symbol, start)) return this.slots[slot];
    this.address.push(address);
    this.symbol.push(symbol);
    this.start.push(start);
    const { length } = this.address;
    this.slots[slot] = length - 1;
    if (2 * length > this.slots.length) this.grow();
    return length - 1;
  }

  at(number: number): Location {
    return {
      address: this.address.values[number],
      symbol: this.symbol.values[number],
      start: this.start.values[number],
    };
  }

  private is(number: number, address: Address, symbol: number, start: Address): boolean {
    if (this.address.values[number] !== address || this.symbol.values[number] !== symbol) return false;
    const own = this.start.values[number];
    return own === start || (Number.isNaN(own) && Number.isNaN(start));
  }

  private grow(): void {
    this.slots = new Int32Array(4 * this.slots.length).fill(NONE);
    const mask = this.slots.length - 1;
    for (let number = 0; number < this.address.length; number++) {
      const { address, symbol, start } = this.at(number);
      let slot = hashOf(address, symbol, start) & mask;
      while (this.slots[slot] !== NONE) slot = (slot + 1) & mask;
      this.slots[slot] = number;
    }
  }
}

/** Addresses are below 2^53: both halves count. */
function hashOf(address: Address, symbol: number, start: Address): number {
  const low = Math.imul(address | 0, 0x9e3779b1) ^ Math.imul((address / 2 ** 32) | 0, 0x85ebca6b);
  const mixed = Math.imul(low ^ Math.imul(symbol, 0xc2b2ae35) ^ (start | 0), 0x27d4eb2f);
  return mixed ^ (mixed >>> 15);
}

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
  return latin1Text(latin1Bytes(text));
}

/** Decodes bytes in latin1 characters as UTF-8. Returns a copy, which keeps nothing else in memory. */
export function fromLatin1(text: string): string {
  return utf8Text(latin1Bytes(text));
}
