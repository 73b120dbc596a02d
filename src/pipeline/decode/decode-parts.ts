/**
 * Decodes all parts of a recording, in workers or here, and gives what they hold in order: CPU after CPU, each event once.
 *
 * Later parts are decoded ahead, each from its first PSB on. Where the decoder of one part hands over to that of the next
 * one, both are in the same state (hand-over.ts). If none is found, the first decoder goes on, and what the next one
 * found is dropped.
 */

import { type Image, KERNEL_IMAGE, toAddress } from '../../decode/images.js';
import {
  branchKind,
  completed,
  type DecodedPart,
  type DecoderSites,
  handOver,
  hasNoPsb,
  type Mark,
  type Part,
  partsOf,
  type Stream,
  siteCount,
  siteRow,
  type TakenOver,
  traceEdge,
} from '../../decode/parts.js';
import { assert } from '../../model/errors.js';
import { bundleEnd, bundleSites } from '../../model/trace/event-runs.js';
import { type Address, NONE, type SiteId } from '../../model/units.js';
import type { Interner } from '../../parser/intern.js';
import type { Locate } from './locate.js';

/** A decoded part whose sites are known. Its events are in `memory`, or of its own. */
interface ReadyPart {
  readonly cpu: number;
  readonly part: Part;
  readonly decoded: DecodedPart;
  readonly sites: SiteNumbers;
  readonly memory: Int32Array;
}

/** What to take of a part: from one mark to another; null: from its begin, to its end. */
export interface TakenPart extends ReadyPart {
  readonly from: Mark | null;
  readonly to: Mark | null;
}

export interface PartsOptions {
  /** By row of the CPU. */
  readonly streams: readonly (readonly Stream[])[];
  readonly partBytes: number;
  /** Parts in memory: those that are decoded, and those that wait for their turn. */
  readonly maxParts: number;
  readonly newMemory: () => Int32Array;
  readonly decode: (cpu: number, part: Part, memory: Int32Array) => Promise<ReadyPart>;
  /** Takes what is next. */
  readonly take: (part: TakenPart) => void;
}

/** After so many parts of a CPU that could not be handed over, it is decoded by one decoder. */
const MAX_MISSES = 2;

/** The part that is taken now. */
type OpenPart = ReadyPart & TakenOver;

export class PartsDecoding {
  private readonly upcoming: Iterator<{ readonly cpu: number; readonly part: Part }>;
  private readonly pending: Promise<ReadyPart>[] = [];
  private readonly free: Int32Array[] = [];
  /** By row of the CPU. */
  private readonly misses: number[];
  private done = { cpu: NONE, stream: NONE };

  constructor(private readonly options: PartsOptions) {
    this.upcoming = this.parts();
    this.misses = options.streams.map(() => 0);
  }

  async run(): Promise<void> {
    for (let next = await this.next(); next !== null; next = await this.next()) {
      if (this.isBegin(next)) await this.takeStreams(next);
      else this.release(next); // its stream has been decoded
    }
  }

  private *parts(): Generator<{ readonly cpu: number; readonly part: Part }> {
    for (const [cpu, streams] of this.options.streams.entries())
      for (const part of partsOf(streams, this.options.partBytes))
        if (this.isBegin({ cpu, part }) || (this.isDivided(cpu) && !this.isDone(cpu, part))) yield { cpu, part };
  }

  private isBegin({ cpu, part }: { readonly cpu: number; readonly part: Part }): boolean {
    return part.offset === this.options.streams[cpu]?.[part.stream]?.[0].offset;
  }

  /** The stream was taken to its end. */
  private isDone(cpu: number, { stream }: Part): boolean {
    return this.done.cpu === cpu && this.done.stream === stream;
  }

  private isDivided(cpu: number): boolean {
    return (this.misses[cpu] ?? 0) < MAX_MISSES;
  }

  /** Takes a stream to its end, whatever part its pieces came from. */
  private async takeStreams(first: ReadyPart): Promise<void> {
    let open: OpenPart = { ...first, from: null, known: null };
    for (;;) {
      const { rest, isAtCut } = open.decoded;
      if (rest === null) {
        this.done = { cpu: open.cpu, stream: open.part.lastStream };
        return this.close(open);
      }
      open = isAtCut ? await this.passCut(open) : await this.goOn(open, open.part.cut);
    }
  }

  /** The decoder has passed the begin of the next part: ends there, or goes on if it cannot hand over. */
  private async passCut(open: OpenPart): Promise<OpenPart> {
    const next = await this.next();
    assert(next !== null && next.part.offset === open.part.cut, 'the next part of the stream is missing');
    const found = handOver(open, next.decoded);
    if (found !== null) {
      this.misses[open.cpu] = 0;
      this.close(open, found.end);
      return { ...next, from: found.start, known: found.state };
    }
    this.release(next);
    const { cut } = next.part;
    if (hasNoPsb(next.decoded)) return { ...open, part: { ...open.part, cut } };
    this.misses[open.cpu] = (this.misses[open.cpu] ?? 0) + 1;
    return this.goOn(open, this.isDivided(open.cpu) ? cut : Number.POSITIVE_INFINITY);
  }

  /** The decoder goes on where it stopped. */
  private async goOn(open: OpenPart, cut: number): Promise<OpenPart> {
    const { rest } = open.decoded;
    assert(rest !== null, 'a part that has ended goes on');
    const { cpu, part, known, memory } = open;
    this.options.take({ ...open, to: null });
    const state = rest.state === null ? null : completed(rest.state, known);
    const next = await this.options.decode(cpu, { ...rest, state, lastStream: part.lastStream, cut }, memory);
    return { ...next, from: null, known: state };
  }

  private close(open: OpenPart, to: Mark | null = null): void {
    this.options.take({ ...open, to });
    this.release(open);
  }

  private release({ memory }: ReadyPart): void {
    this.free.push(memory);
  }

  /** Returns the next part in order; null: there is none. */
  private async next(): Promise<ReadyPart | null> {
    while (this.pending.length < this.options.maxParts) {
      const { value, done } = this.upcoming.next();
      if (done) break;
      const memory = this.free.pop() ?? this.options.newMemory();
      const decoding = this.options.decode(value.cpu, value.part, memory);
      decoding.catch(() => {}); // a rejection is handled in order
      this.pending.push(decoding);
    }
    return (await this.pending.shift()) ?? null;
  }
}

// Turns the sites of decoders into sites of the trace, with the names of their functions.

/** Names sites, those of all decoders. */
export class SiteNames {
  /** Numbers of locations in the interner, by image, then by address. */
  private readonly locations = new Map<number, Map<Address, number>>();

  constructor(
    private readonly interner: Interner,
    private readonly images: readonly Image[],
    private readonly locate: Locate,
  ) {}

  siteOf(rows: DataView, row: number): SiteId {
    const { from, to, image, kind, edge } = siteRow(rows, row);
    const ends = [this.locationOf(image, from), this.locationOf(image, to)] as const;
    return this.interner.siteBetween(branchKind(kind, edge), traceEdge(edge), ...ends);
  }

  private locationOf(image: number, address: bigint): number {
    const at = toAddress(address);
    const own = at < 0 ? KERNEL_IMAGE : image;
    let locations = this.locations.get(own);
    if (locations === undefined) this.locations.set(own, (locations = new Map()));
    let location = locations.get(at);
    if (location === undefined) locations.set(at, (location = this.newLocation(this.images[own - 1], at)));
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
class SiteNumbers {
  private readonly added: DecoderSites[] = [];
  private length = 0;
  private sites = new Int32Array(1024).fill(UNNAMED);

  constructor(private readonly names: SiteNames) {}

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
  private readonly of = new Map<number, SiteNumbers>();

  constructor(private readonly names: SiteNames) {}

  /** Adds the sites of a part, in the order in which the worker decoded; returns the numbers of its decoder. */
  add(worker: number, found: DecoderSites): SiteNumbers {
    let numbers = this.of.get(worker);
    if (numbers === undefined || found.first === 0) this.of.set(worker, (numbers = new SiteNumbers(this.names)));
    numbers.add(found);
    return numbers;
  }
}
