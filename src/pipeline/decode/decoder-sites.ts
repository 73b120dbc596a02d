/**
 * Turns the sites of a decoder into sites of the trace, with the names of their functions.
 */
import { branchKind, traceEdge } from '../../decode/branch-kinds.js';
import { type DecodedSites, siteRow } from '../../decode/decode-stream.js';
import type { Image } from '../../decode/images.js';
import { UNKNOWN_NAME } from '../../model/names/symbol-table.js';
import { FAR, FAR_LENGTH, NEAR_LENGTH } from '../../model/trace/event-run.js';
import { type Address, NONE, type SiteId } from '../../model/units.js';
import type { Interner } from '../../parser/sites/intern.js';
import type { Locate } from './locate.js';

export class DecoderSites {
  /** By number in the decoder. */
  private readonly sites: SiteId[] = [];
  /** Numbers of locations in the interner, by image, then by address. */
  private readonly locations = new Map<number, Map<Address, number>>();
  private readonly interner: Interner;
  private readonly images: readonly Image[];
  private readonly locate: Locate;

  constructor(interner: Interner, images: readonly Image[], locate: Locate) {
    this.interner = interner;
    this.images = images;
    this.locate = locate;
  }

  /** Adds the next sites of the decoder. */
  add(decoded: DecodedSites): void {
    for (let row = 0; row < decoded.length; row++) {
      const { from, to, image, kind, edge } = siteRow(decoded, row);
      const ends = [this.locationOf(image, from), this.locationOf(image, to)] as const;
      this.sites.push(this.interner.siteBetween(branchKind(kind, edge), traceEdge(edge), ...ends));
    }
  }

  /** Replaces the decoder's numbers in runs of events (model/trace/event-run.ts). */
  replaceIn(events: Int32Array): void {
    const { sites } = this;
    for (let at = 0; at < events.length; ) {
      const isFar = events[at] === FAR;
      const site = isFar ? at + 1 : at;
      events[site] = sites[events[site]];
      at += isFar ? FAR_LENGTH : NEAR_LENGTH;
    }
  }

  private locationOf(image: number, address: bigint): number {
    const at = Number(BigInt.asIntN(64, address));
    let locations = this.locations.get(image);
    if (locations === undefined) this.locations.set(image, (locations = new Map()));
    let location = locations.get(at);
    if (location === undefined) locations.set(at, (location = this.newLocation(this.images[image - 1], at)));
    return location;
  }

  private newLocation(image: Image | undefined, address: Address): number {
    const { interner } = this;
    if (address === 0) return interner.location(address, NONE, Number.NaN);
    const found = image ? this.locate(image, address) : null;
    const { name, file, start } = found ?? { name: null, file: UNKNOWN_NAME, start: Number.NaN };
    return interner.location(address, interner.symbolOf(name ?? UNKNOWN_NAME, file), start);
  }
}
