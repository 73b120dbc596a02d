/**
 * The blocks of a trace file: decodes them, rejects invalid ones, and encodes threads as blocks.
 */

import {
  blockHeadBytes,
  MAX_BLOCK_BYTES,
  MAX_BLOCK_EVENTS,
  type PackedBlock,
  type PackedLane,
  type PackedOutline,
  type PackedThread,
  readBlockHead,
  writeBlockHead,
} from '../codec/block-head.js';
import { joined, viewOf } from '../codec/bytes.js';
import { SEVEN_BITS as MORE, putCount } from '../codec/numbers.js';
import { openRef } from '../host/files.js';
import { crc32, inflateRaw } from '../host/zip.js';
import { countBelow, firstThat } from '../model/columns.js';
import { assert, systemReason } from '../model/errors.js';
import { type FileRef, readFully } from '../model/open-file.js';
import { sharableBytes } from '../model/shared-memory.js';
import { type BranchSites, RECORD_SITES } from '../model/trace/branch-sites.js';
import { type Bounds, type Nanoseconds, NONE, type Tid } from '../model/units.js';
import type { PackedFile, SharedEvents } from './event-memory.js';
import type { LaneRuns } from './lanes/lane.js';
import { type LaneEvents, LaneReader, type Slices } from './lanes/lane.js';
import type { ThreadPart, ThreadSource } from './store-contents.js';

/** Shift of the fifth and last byte that a number may have. */
const LAST_SHIFT = 28;

/** Events of one CPU: valid until the next ones. */
export interface CpuEvents extends LaneEvents {
  readonly cpu: number;
}

/** Yields the events of a thread: those of a CPU in order. @throws BlockFault */
export function* packedEvents({ lanes, blocks, tid }: PackedThread, file: PackedFile): Generator<CpuEvents> {
  const left = new Map(lanes.map(({ cpu, events }) => [cpu, events]));
  const unpacker = new BlockDecoder(file);
  for (const block of blocks) yield* unpacker.unpack(block, tid, left);
  if ([...left.values()].some((events) => events > 0))
    throw new BlockFault(`thread ${tid} has fewer events than its index states`);
}

/** Returns what a part of the time needs: whole blocks, which are in order, and the outline of the others. */
export function partOf({ blocks }: PackedThread, { startNs, endNs }: Bounds, outline: PackedOutline): ThreadPart {
  const first = firstThat(0, blocks.length, (block) => blocks[block].endNs >= startNs);
  const last = firstThat(first, blocks.length, (block) => blocks[block].startNs >= endNs) - 1;
  const isWhole = (block: number) => first <= block && block <= last;
  const events = blocks.reduce((sum, own, block) => sum + (isWhole(block) ? own.events : outline.lengths[block]), 0);
  return { first, last, outline, events };
}

/** Yields these events: of the outline, without their CPUs. @throws BlockFault */
export function* partEvents(
  { lanes, blocks, tid }: PackedThread,
  { first, last, outline }: ThreadPart,
  file: PackedFile,
): Generator<CpuEvents> {
  const left = new Map(lanes.map(({ cpu, events }) => [cpu, events]));
  const unpacker = new BlockDecoder(file);
  const rowsOf = (start: number, end: number) => outline.lengths.slice(start, end).reduce((sum, own) => sum + own, 0);
  const [before, within] = [rowsOf(0, first), rowsOf(first, last + 1)];
  const rows = (start: number, end?: number): CpuEvents => {
    const site = outline.site.subarray(start, end);
    return { cpu: NONE, length: site.length, site, timeNs: outline.timeNs.subarray(start, end) };
  };
  yield rows(0, before);
  for (const block of blocks.slice(first, last + 1)) yield* unpacker.unpack(block, tid, left);
  yield rows(before + within);
}

/** Reused: a worker reads one block at a time. */
let buffer: Uint8Array = new Uint8Array();

/** Reads and checks a block. Valid until the next one is read. @throws BlockFault */
function readBlock(ref: FileRef, { offset, bytes, inflatedBytes, crc }: PackedBlock): Uint8Array {
  if (bytes > MAX_BLOCK_BYTES) throw new BlockFault(`the block at byte ${offset} is too long`);
  if (buffer.length < bytes) buffer = new Uint8Array(bytes);
  const block = buffer.subarray(0, bytes);
  if (readStored(ref, block, offset) < bytes) throw new BlockFault(`the block at byte ${offset} ends in the middle`);
  if (crc32(block) !== crc) throw new BlockFault(`the block at byte ${offset} has a wrong checksum`);
  return inflatedBytes === bytes ? block : inflate(block, inflatedBytes, offset);
}

function readStored(ref: FileRef, into: Uint8Array, position: number): number {
  try {
    return readFully(openRef(ref), into, position);
  } catch (cause) {
    throw new BlockFault(`the block at byte ${position} cannot be read: ${systemReason(cause)}`);
  }
}

function inflate(block: Uint8Array, inflatedBytes: number, offset: number): Uint8Array {
  const inflated = inflateRaw(block, inflatedBytes);
  if (inflated?.length === inflatedBytes) return inflated;
  throw new BlockFault(`the block at byte ${offset} cannot be inflated`);
}

class BlockDecoder {
  /** Of the current part. */
  private site = new Uint32Array(0);
  private timeNs = new Float64Array(0);
  /** Of the current block. */
  private bytes = buffer;
  private at = 0;
  private startNs = 0;
  private endNs = 0;

  constructor(private readonly file: PackedFile) {}

  /** `left`: how many events each CPU may still have. */
  *unpack(block: PackedBlock, tid: number, left: Map<number, number>): Generator<CpuEvents> {
    const bytes = readBlock(this.file.ref, block);
    const head = readBlockHead(bytes);
    if (head === null || head.tid !== tid || head.events !== block.events) throw invalidBlock(block);
    Object.assign(this, { bytes, at: blockHeadBytes(head.parts.length), startNs: block.startNs, endNs: block.endNs });
    for (const { cpu, events, startNs } of head.parts) {
      const most = left.get(cpu) ?? 0;
      if (events > most || !this.unpackPart(events, startNs)) throw invalidBlock(block);
      left.set(cpu, most - events);
      yield { cpu, length: events, site: this.site, timeNs: this.timeNs };
    }
    if (this.at !== bytes.length) throw invalidBlock(block);
  }

  /**
   * Decodes a part. Returns false if it is invalid. Steps are never negative, so only the first time and absolute times
   * can be too early, and only the last time before an absolute one too late. Reads past the end of the block are
   * harmless: the caller notices that the block does not end at its last event.
   */
  private unpackPart(events: number, partStartNs: Nanoseconds): boolean {
    if (events > this.site.length) [this.site, this.timeNs] = [new Uint32Array(events), new Float64Array(events)];
    const { bytes, site, timeNs, startNs, endNs } = this;
    const view = viewOf(bytes);
    const { expected } = this.file;
    const sites = expected.length;
    let { at } = this;
    let lastNs = partStartNs;
    let next = FIRST_EXPECTED;
    if (!(lastNs >= startNs)) return false;
    for (let row = 0; row < events; row++) {
      let ahead = bytes[at];
      let step = bytes[at + 1];
      if ((ahead | step) < MORE && step !== FAR_TIME) at += 2;
      else {
        ahead = bytes[at++];
        for (let shift = 7, more = ahead & MORE; more !== 0 && shift <= LAST_SHIFT; shift += 7) {
          more = bytes[at] & MORE;
          ahead = (ahead & ~(-1 << shift)) | ((bytes[at++] & ~MORE) << shift);
        }
        step = bytes[at++];
        for (let shift = 7, more = step & MORE; more !== 0 && shift <= LAST_SHIFT; shift += 7) {
          more = bytes[at] & MORE;
          step = (step & ~(-1 << shift)) | ((bytes[at++] & ~MORE) << shift);
        }
        if (step === FAR_TIME) {
          if (!(lastNs <= endNs) || at + 8 > bytes.length) return false;
          lastNs = view.getFloat64(at, true);
          at += 8;
          step = 1;
          if (!(lastNs >= startNs && Number.isSafeInteger(lastNs))) return false;
        }
        if (!(step > 0 && ahead >= 0)) return false;
      }
      next += ahead;
      if (next >= sites && (next -= sites) >= sites) return false;
      lastNs += step - 1;
      site[row] = next + RECORD_SITES;
      timeNs[row] = lastNs;
      next = expected[next];
    }
    this.at = at;
    return lastNs <= endNs;
  }
}

function invalidBlock({ offset }: PackedBlock): BlockFault {
  return new BlockFault(`the block at byte ${offset} holds impossible events`);
}

const MARK = 'trace file: ';

/**
 * The error for a block that cannot be read. Of a worker's error only the message arrives, so a prefix marks it.
 */
class BlockFault extends Error {
  constructor(what: string) {
    super(`${MARK}${what}`);
  }
}

/** The error for an outline that lacks events. */
export function unfitOutline(tid: Tid): Error {
  return new BlockFault(`the outline of thread ${tid} does not fit its events`);
}

/** Returns what is wrong, or null for any other error. */
export function blockFault(error: unknown): string | null {
  return error instanceof Error && error.message.startsWith(MARK) ? error.message.slice(MARK.length) : null;
}

/**
 * The encoding of events in blocks: an event is two LEB128 numbers (`codec/numbers.ts`).
 *
 * The first is the distance of its site from the expected one. The second is the step from the previous time plus one,
 * or 0, followed by the eight bytes of the time itself.
 */
export const FAR_TIME = 0;
export const MAX_STEP_NS = 2 ** 30;

/** The expected site at the start of a part. */
export const FIRST_EXPECTED = 0;

/** Sites just before the branch target get the shortest codes, too, because loops go back a little. */
const SITES_BACK = 16;

/**
 * Returns for each site the one with code 0 after it; both count from the first branch site. Execution continues at a
 * branch's target, and sites are sorted by origin, so the next site is near.
 */
export function expectedSites({ length, from, to }: Pick<BranchSites, 'length' | 'from' | 'to'>): Int32Array {
  const count = Math.max(length - RECORD_SITES, 0);
  const expected = new Int32Array(sharableBytes(count * Int32Array.BYTES_PER_ELEMENT));
  const origins = from.subarray(RECORD_SITES);
  for (let site = 0; site < count; site++) {
    const next = countBelow(origins, to[site + RECORD_SITES]) - SITES_BACK;
    expected[site] = ((next % count) + count) % count;
  }
  return expected;
}

/** A site takes at most five bytes, a time nine. */
const MAX_EVENT_BYTES = 14;

// Encodes a thread's events as blocks.

/** How sites and times are numbered in the file. */
export interface PackingParameters {
  /** By site. */
  readonly rankOf: Uint32Array;
  /** By rank, from `expectedSites`. */
  readonly expected: Int32Array;
  /** Time 0 of the file. */
  readonly originNs: Nanoseconds;
}

/** An encoded block, not yet compressed or placed in a file. */
export interface EncodedBlock extends Pick<PackedBlock, 'events' | 'startNs' | 'endNs'> {
  readonly data: Uint8Array;
}

interface OpenPart {
  readonly cpu: number;
  readonly startNs: Nanoseconds;
  events: number;
}

/** Accepts the events of one thread after another. */
export class EventPacker {
  private tid: Tid = NONE;
  private blockEvents = MAX_BLOCK_EVENTS;
  private readonly data = new Uint8Array(MAX_BLOCK_EVENTS * MAX_EVENT_BYTES);
  private length = 0;
  private events = 0;
  private parts: OpenPart[] = [];
  private startNs = Number.POSITIVE_INFINITY;
  private endNs = Number.NEGATIVE_INFINITY;
  private lastNs = 0;
  private expectedSite = FIRST_EXPECTED;

  constructor(private readonly terms: PackingParameters) {}

  /** Begins a thread; the previous one must be finished. `blockEvents`: how many a block has at most. */
  begin(tid: Tid, blockEvents = MAX_BLOCK_EVENTS): void {
    this.tid = tid;
    this.blockEvents = blockEvents;
  }

  /** Adds consecutive events of a CPU. Yields each block that is full. */
  *add(cpu: number, { length, site, timeNs }: LaneEvents): Generator<EncodedBlock> {
    for (let row = 0; row < length; ) {
      const end = Math.min(length, row + this.blockEvents - this.events);
      this.addRows(this.partOf(cpu, timeNs[row] - this.terms.originNs), site, timeNs, row, end);
      row = end;
      if (this.events === this.blockEvents) yield* this.finish();
    }
  }

  /** Yields the last block, if any. */
  *finish(): Generator<EncodedBlock> {
    if (this.events === 0) return;
    const { tid, events, startNs, endNs, parts } = this;
    const head = writeBlockHead({ tid, events, startNs, endNs, parts });
    yield { events, startNs, endNs, data: joined([head, this.data.subarray(0, this.length)]) };
    this.length = 0;
    this.events = 0;
    this.parts = [];
    this.startNs = Number.POSITIVE_INFINITY;
    this.endNs = Number.NEGATIVE_INFINITY;
  }

  private partOf(cpu: number, startNs: Nanoseconds): OpenPart {
    const last = this.parts.at(-1);
    if (last?.cpu === cpu) return last;
    const part = { cpu, startNs, events: 0 };
    this.parts.push(part);
    this.lastNs = startNs;
    this.expectedSite = FIRST_EXPECTED;
    return part;
  }

  private addRows(part: OpenPart, site: Uint32Array, timeNs: Float64Array, start: number, end: number): void {
    const { rankOf, expected, originNs } = this.terms;
    const { data } = this;
    const view = viewOf(data);
    let { length, lastNs, expectedSite, startNs, endNs } = this;
    for (let row = start; row < end; row++) {
      const rank = rankOf[site[row]] - RECORD_SITES;
      const atNs = timeNs[row] - originNs;
      const ahead = rank - expectedSite;
      length = putCount(data, length, ahead < 0 ? ahead + expected.length : ahead);
      const stepNs = atNs - lastNs;
      if (isNear(stepNs, lastNs, atNs)) length = putCount(data, length, stepNs + 1);
      else {
        length = putCount(data, length, FAR_TIME);
        view.setFloat64(length, atNs, true);
        length += 8;
      }
      if (atNs < startNs) startNs = atNs;
      if (atNs > endNs) endNs = atNs;
      lastNs = atNs;
      expectedSite = expected[rank];
    }
    part.events += end - start;
    this.events += end - start;
    Object.assign(this, { length, lastNs, expectedSite, startNs, endNs });
  }
}

/** Returns whether adding the step to the previous time gives exactly this time. */
function isNear(stepNs: number, lastNs: Nanoseconds, atNs: Nanoseconds): boolean {
  return stepNs >= 0 && stepNs <= MAX_STEP_NS && Number.isInteger(stepNs) && lastNs + stepNs === atNs;
}

interface LaneInBatches {
  readonly cpu: number;
  readonly batches: Iterable<LaneEvents>;
}

// Encodes a stored thread as blocks, whether its events came from text or from a trace file.

/** Yields the blocks of one CPU after another; adds each lane to `lanes` when all its events are encoded. */
export function* packThread(
  source: ThreadSource,
  shared: SharedEvents,
  packer: EventPacker,
  lanes: PackedLane[],
): Generator<EncodedBlock> {
  packer.begin(source.tid);
  for (const { cpu, batches } of lanesOf(source, shared)) {
    let events = 0;
    for (const batch of batches) {
      events += batch.length;
      yield* packer.add(cpu, batch);
    }
    lanes.push({ cpu, events });
  }
  yield* packer.finish();
}

/** A thread whose blocks have the events of all CPUs in order, so many at most. */
export interface OutlinedThread {
  readonly outline: PackedOutline;
  readonly slices: Slices;
  readonly blockEvents: number;
}

/** Yields its blocks; adds the lanes to `lanes` when all their events are encoded. */
export function* packInOrder(
  tid: Tid,
  { slices, blockEvents }: OutlinedThread,
  packer: EventPacker,
  lanes: PackedLane[],
): Generator<EncodedBlock> {
  packer.begin(tid, blockEvents);
  const eventsOn = new Map<number, number>();
  for (const { cpu, length, site, siteAt, timeNs, timeAt } of slices.from()) {
    eventsOn.set(cpu, (eventsOn.get(cpu) ?? 0) + length);
    yield* packer.add(cpu, { length, site: site.subarray(siteAt), timeNs: timeNs.subarray(timeAt) });
  }
  yield* packer.finish();
  lanes.push(...[...eventsOn].map(([cpu, events]) => ({ cpu, events })).sort((a, b) => a.cpu - b.cpu));
}

function lanesOf({ lanes, packed }: ThreadSource, shared: SharedEvents): LaneInBatches[] {
  if (packed !== null) return packedLanes(packed, shared);
  const inBatches = lanes.map((inputs) => ({
    cpu: (inputs[0] as LaneRuns).cpu,
    batches: new LaneReader(inputs, shared).from(),
  }));
  return inBatches.sort((a, b) => a.cpu - b.cpu);
}

/** These lanes are in order already. */
function packedLanes({ thread, cpus }: NonNullable<ThreadSource['packed']>, { packed }: SharedEvents): LaneInBatches[] {
  assert(packed !== null, 'a packed thread without its file');
  const lanes = thread.lanes.filter(({ cpu }) => cpus.includes(cpu));
  const columns = lanes.map(({ cpu, events }) => {
    const [site, timeNs] = [new Uint32Array(events), new Float64Array(events)];
    return { cpu, length: 0, site, timeNs };
  });
  for (const { cpu, length, site, timeNs } of packedEvents(thread, packed)) {
    const own = columns.find((lane) => lane.cpu === cpu);
    own?.site.set(site.subarray(0, length), own.length);
    own?.timeNs.set(timeNs.subarray(0, length), own.length);
    if (own) own.length += length;
  }
  return columns.map((lane) => ({ cpu: lane.cpu, batches: [lane] }));
}
