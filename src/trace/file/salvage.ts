/**
 * Salvages a damaged trace file: reads what is intact, and counts how much that is.
 */

import type { PackedBlock, PackedThread } from '../../codec/block-head.js';
import { readBlockHead } from '../../codec/block-head.js';
import { FileFault } from '../../codec/file-fault.js';
import { appendTo } from '../../model/groups.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import { NONE, type Tid } from '../../model/units.js';
import type { SideRecords, StoredSamples, TraceContents } from './contents.js';
import { FRAME_BYTES, FrameKind, VERSION } from './format.js';
import type { FileBytes } from './read.js';
import { NO_OUTLINES, readCommon, readHead, readThreads, type StoredContents } from './read.js';
import { NO_SAMPLES, readSamples, readSide } from './records.js';

export interface SalvagedTrace extends StoredContents {
  readonly keptEvents: number;
  readonly ofEvents: number;
  /** Names, switches, mappings and perf's errors are lost. */
  readonly isSideLost: boolean;
  readonly areSamplesLost: boolean;
}

const LOST_CODE = 8; // perf's "Lost trace data"
const LOST = 'Lost trace data';

/** @throws FileFault if symbols, sites or metadata cannot be read, or no block is intact */
export function salvageTraceFile(file: FileBytes): SalvagedTrace {
  const version = nullIfDamaged(() => readHead(file))?.version ?? VERSION;
  const { meta, symbols, sites, end: sideAt } = readCommon(file);
  const side = nullIfDamaged(() => file.frame(sideAt, FrameKind.Side));
  const records = side && nullIfDamaged(() => readSide(side.bytes, version));
  const samplesAt = side?.end ?? endOfFrame(file, sideAt);
  const { samples, end: blocksAt } = salvagedSamples(file, samplesAt);
  const indexed = nullIfDamaged(() => readThreads(file, blocksAt ?? sideAt, meta));
  const kept = new IntactBlocks();
  const lost: TraceRecord[] = [];
  if (indexed !== null)
    for (const { tid, blocks } of indexed)
      for (const block of blocks) if (!kept.add(file, tid, block)) lost.push(lossOf(tid, block));
  if (indexed === null && blocksAt !== null) scanBlocks(file, blocksAt, meta, kept);
  const ofEvents = meta.counts.events - meta.unwanted;
  if (kept.events === 0 || kept.events > ofEvents) throw new FileFault('damaged', 'none of its events can be salvaged');
  const losses = ofEvents - kept.events;
  const counts = { ...meta.counts, events: meta.counts.events - losses, lines: meta.counts.lines - losses };
  const rest = { side: withLosses(records ?? NO_SIDE_RECORDS, lost), samples: samples ?? NO_SAMPLES };
  const contents = { meta: { ...meta, counts }, symbols, sites, ...rest };
  const areLost = { isSideLost: records === null, areSamplesLost: samples === null };
  const threads = kept.threads();
  return { contents, threads, outlines: () => NO_OUTLINES, keptEvents: kept.events, ofEvents, ...areLost };
}

/** Returns what may follow the side records: null if it is damaged; and where the blocks begin, if that is known. */
function salvagedSamples(
  file: FileBytes,
  at: number | null,
): { readonly samples: StoredSamples | null; readonly end: number | null } {
  if (at === null || file.frameHead(at)?.kind !== FrameKind.Samples) return { samples: NO_SAMPLES, end: at };
  const samples = nullIfDamaged(() => readSamples(file.frame(at, FrameKind.Samples).bytes));
  return { samples, end: endOfFrame(file, at) };
}

const NO_SIDE_RECORDS: SideRecords = { records: [], names: [], mappings: [] };

function withLosses(side: SideRecords, lost: readonly TraceRecord[]): SideRecords {
  return { ...side, records: [...side.records, ...lost] };
}

/** Returns the end of a frame whose contents are damaged; null if its head is damaged, too. */
function endOfFrame(file: FileBytes, at: number): number | null {
  const head = file.frameHead(at);
  return head && at + FRAME_BYTES + head.storedBytes;
}

/** Returns what `read` returns, or null if that part of the file is damaged. */
function nullIfDamaged<Part>(read: () => Part): Part | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileFault && (error.code === 'damaged' || error.code === 'cut')) return null;
    throw error;
  }
}

/** A loss in location of missing events: without it replay would continue as if nothing had happened in between. */
function lossOf(tid: Tid, { startNs }: PackedBlock): TraceRecord {
  const nowhere = { cpu: NONE, pid: NONE, ip: Number.NaN };
  return { what: 'gap', tid, timeNs: startNs, code: LOST_CODE, message: LOST, ...nowhere };
}

/** Finds blocks without an index: one after the other, up to the first damaged head. */
function scanBlocks(
  file: FileBytes,
  start: number,
  { startNs, endNs }: TraceContents['meta'],
  kept: IntactBlocks,
): void {
  for (let at = start, head = file.frameHead(at); head?.kind === FrameKind.Block; head = file.frameHead(at)) {
    const { storedBytes: bytes, inflatedBytes, crc } = head;
    const location = { offset: at + FRAME_BYTES, bytes, inflatedBytes, crc };
    at = location.offset + bytes;
    const plain = file.block(location);
    const block = plain && readBlockHead(plain);
    if (block === null || !(startNs <= block.startNs && block.startNs <= block.endNs && block.endNs <= endNs)) continue;
    const { tid, events, startNs: first, endNs: last } = block;
    kept.add(file, tid, { ...location, events, startNs: first, endNs: last });
  }
}

/** Intact blocks by thread. */
class IntactBlocks {
  events = 0;
  private readonly blocks = new Map<Tid, PackedBlock[]>();
  private readonly eventsOfCpu = new Map<Tid, Map<number, number>>();

  /** Returns false if the block is damaged. */
  add(file: FileBytes, tid: Tid, block: PackedBlock): boolean {
    const plain = file.block(block);
    const head = plain && readBlockHead(plain);
    if (head === null || head.tid !== tid || head.events !== block.events || tid < 0) return false;
    if (head.parts.some(({ cpu, events }) => cpu < NONE || events === 0)) return false;
    this.events += block.events;
    appendTo(this.blocks, tid, block);
    for (const { cpu, events } of head.parts) this.count(tid, cpu, events);
    return true;
  }

  /** By tid; lanes by CPU. */
  threads(): PackedThread[] {
    const byNumber = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]) => a - b;
    return [...this.blocks].sort(byNumber).map(([tid, blocks]) => {
      const lanes = [...(this.eventsOfCpu.get(tid) ?? [])].sort(byNumber).map(([cpu, events]) => ({ cpu, events }));
      return { tid, lanes, blocks };
    });
  }

  private count(tid: Tid, cpu: number, events: number): void {
    const counts = this.eventsOfCpu.get(tid) ?? new Map<number, number>();
    this.eventsOfCpu.set(tid, counts.set(cpu, (counts.get(cpu) ?? 0) + events));
  }
}
