/**
 * Turns the sites of decoders into sites of the trace, with the names of their functions.
 */

import type { Image } from '../../decode/images.js';
import { branchKind, type DecoderSites, siteCount, siteRow, traceEdge } from '../../decode/parts.js';
import { assert } from '../../model/errors.js';
import { bundleEnd, bundleSites } from '../../model/trace/event-runs.js';
import { type Address, NONE, type SiteId } from '../../model/units.js';
import type { Interner } from '../../parser/intern.js';
import type { Locate } from './locate.js';

/** Names sites, those of all decoders. */
export class SiteNames {
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

  siteOf(rows: DataView, row: number): SiteId {
    const { from, to, image, kind, edge } = siteRow(rows, row);
    const ends = [this.locationOf(image, from), this.locationOf(image, to)] as const;
    return this.interner.siteBetween(branchKind(kind, edge), traceEdge(edge), ...ends);
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
    if (found === null || found.name === null)
      return interner.location(address, interner.namelessIn(found?.file ?? null), Number.NaN);
    return interner.location(address, interner.symbolOf(found.name, found.file), found.start);
  }
}

const UNNAMED = -1;

/**
 * The numbers of one decoder's sites. A site gets its number of the trace when its first event is taken: the numbers are those
 * of the events in order, whoever decoded them.
 */
export class SiteNumbers {
  private readonly names: SiteNames;
  private readonly added: DecoderSites[] = [];
  private length = 0;
  private sites = new Int32Array(1024).fill(UNNAMED);

  constructor(names: SiteNames) {
    this.names = names;
  }

  /** Adds the next sites of the decoder. */
  add(found: DecoderSites): void {
    assert(found.first === this.length, 'sites of a decoder are missing');
    const count = siteCount(found.rows);
    if (count === 0) return;
    this.added.push(found);
    this.length += count;
    if (this.length > this.sites.length) this.grow();
  }

  /** Replaces the decoder's numbers in bundles of events, which list their sites as they come. */
  replaceIn(bundles: Int32Array): void {
    for (let at = 0; at < bundles.length; at = bundleEnd(bundles, at)) {
      const sites = bundleSites(bundles, at);
      for (let row = 0; row < sites.length; row++) {
        const site = this.sites[sites[row]];
        sites[row] = site === UNNAMED ? this.name(sites[row]) : site;
      }
    }
  }

  private name(number: number): SiteId {
    const { first, rows } = this.added.findLast(({ first }) => first <= number) as DecoderSites;
    return (this.sites[number] = this.names.siteOf(rows, number - first));
  }

  private grow(): void {
    const larger = new Int32Array(2 * this.length).fill(UNNAMED);
    larger.set(this.sites);
    this.sites = larger;
  }
}

/** The numbers of the decoders that workers have now. */
export class WorkerSites {
  private readonly names: SiteNames;
  private readonly of = new Map<number, SiteNumbers>();

  constructor(names: SiteNames) {
    this.names = names;
  }

  /** Adds the sites of a part, in the order in which the worker decoded; returns the numbers of its decoder. */
  add(worker: number, found: DecoderSites): SiteNumbers {
    let numbers = this.of.get(worker);
    if (numbers === undefined || found.first === 0) this.of.set(worker, (numbers = new SiteNumbers(this.names)));
    numbers.add(found);
    return numbers;
  }
}
