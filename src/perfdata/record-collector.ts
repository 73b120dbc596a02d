/**
 * Collects what the records of a recording contain.
 */

import { joined, latin1Bytes, utf8Text } from '../codec/bytes.js';
import { loadZstd, ZstdFault } from '../codec/zstd.js';
import { nextTurn } from '../host/turns.js';
import { isThreadId } from '../model/limits.js';
import type { PerfTime } from '../model/trace/perf-time.js';
import { NONE } from '../model/units.js';
import { type Attributes, NO_SAMPLE_ID, readEventId, readSampleId, type SampleId, type Trailer } from './attributes.js';
import { readU64 } from './file-parts.js';
import {
  MIN_RECORD_BYTES,
  RecordType,
  readAuxBuffer,
  readAuxRecord,
  readEvent,
  readKsymbol,
  readMappedBuildId,
  readNextThread,
  readTextPoke,
} from './kernel-records.js';
import type { AuxBuffer, AuxRecord, BuildId, Loss, MadeSymbol, RecordedEvent, WrittenCode } from './recording.js';
import type { SampleCollector } from './sample-collector.js';
import { readTraceInfo, type TraceInfo } from './trace-settings.js';
import { type Damage, type FileRecord, RECORD_HEAD_BYTES, TimeBounds, timeOf } from './walk.js';

/** Records of the kernel shrink to a tenth; those that repeat, to a fiftieth. */
const MAX_RATIO = 256;
const ALWAYS_ALLOWED_BYTES = 64 * 1024 * 1024;

/**
 * Inflates the records that `perf record -z` compressed: one stream of zstd, cut into records anywhere, also inside the
 * records that it holds. The trace itself is never compressed.
 *
 * Those of one recording, in the order of the file.
 */
class CompressedRecords {
  private readonly pieces: Uint8Array[] = [];
  private sizeBytes = 0;

  /** Copies a piece of the stream. */
  add(view: DataView, start: number, end: number): void {
    const piece = new Uint8Array(view.buffer, view.byteOffset + start, end - start).slice();
    if (piece.length > 0) this.pieces.push(piece);
    this.sizeBytes += piece.length;
  }

  /** Calls `visit` with each record. What cannot be read is added to `damage`, and so is all that follows. */
  async walk(visit: (record: FileRecord) => void, damage: Damage, signal?: AbortSignal): Promise<void> {
    if (this.pieces.length === 0) return;
    const { stream } = await loadZstd();
    let rest = new Uint8Array(0);
    let inflatedBytes = 0;
    try {
      for (const piece of stream(this.pieces)) {
        inflatedBytes += piece.length;
        if (inflatedBytes > ALWAYS_ALLOWED_BYTES + MAX_RATIO * this.sizeBytes)
          return damage.add(`its compressed records inflate to more than ${MAX_RATIO} times their size`);
        rest = visitAll(joined([rest, piece]), inflatedBytes - piece.length - rest.length, visit);
        if (isStuck(rest)) return damage.add('a compressed record has no size: everything after it is ignored');
        await nextTurn(); // lets signals arrive
        signal?.throwIfAborted();
      }
    } catch (error) {
      if (!(error instanceof ZstdFault)) throw error;
      return damage.add(`its compressed records are damaged after ${inflatedBytes} bytes: ${error.message}`);
    }
    if (rest.length > 0) damage.add('the last compressed record is truncated');
  }
}

/** Returns what is left after the last whole record. `offset`: of the bytes in the inflated stream. */
function visitAll(bytes: Uint8Array, offset: number, visit: (record: FileRecord) => void): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (at + RECORD_HEAD_BYTES <= bytes.length) {
    const end = at + view.getUint16(at + 6, true);
    if (end > bytes.length || end < at + RECORD_HEAD_BYTES) break;
    const [type, misc] = [view.getUint32(at, true), view.getUint16(at + 4, true)];
    visit({ view, at, end, offset: offset + at, type, misc });
    at = end;
  }
  return Uint8Array.from(bytes.subarray(at));
}

function isStuck(rest: Uint8Array): boolean {
  return rest.length >= RECORD_HEAD_BYTES && new DataView(rest.buffer).getUint16(6, true) < RECORD_HEAD_BYTES;
}

export class RecordCollector {
  readonly buffers: AuxBuffer[] = [];
  readonly auxRecords: AuxRecord[] = [];
  readonly sideband: RecordedEvent[] = [];
  readonly kernelCode: WrittenCode[] = [];
  readonly kernelSymbols: MadeSymbol[] = [];
  /** By file and id, as every process maps the same libraries. */
  readonly buildIds = new Map<string, BuildId>();
  readonly times = new TimeBounds();
  /** Offsets of the records of trace buffers. */
  readonly auxtraceOffsets: number[] = [];
  /** To be read after all others. */
  readonly compressed = new CompressedRecords();
  traceInfo: TraceInfo | null = null;
  lostRecords = 0;
  private readonly lossCollector: LossCollector;

  constructor(
    private readonly attributes: Attributes,
    private readonly samples: SampleCollector,
    private readonly damage: Damage,
  ) {
    this.lossCollector = new LossCollector(attributes);
  }

  get losses(): readonly Loss[] {
    return this.lossCollector.losses;
  }

  /** Returns how many bytes of trace follow the record; `dataEnd`: offset in the file where the data ends. */
  add(record: FileRecord, dataEnd: number): number {
    const { type, at, end } = record;
    const trailer = type < RecordType.FirstOfPerf ? this.trailerOf(record) : null;
    const bodyEnd = end - (trailer?.sizeBytes ?? 0);
    if (bodyEnd - at < (MIN_RECORD_BYTES[type] ?? 0)) this.damage.add(tooShort(record));
    else if (type >= RecordType.FirstOfPerf) return this.addPerfRecord(record, dataEnd);
    else if (type === RecordType.Sample) this.addSample(record);
    else this.addKernelRecord(record, trailer && readSampleId(trailer, record.view, end), bodyEnd);
    return 0;
  }

  /** Adds a record that was compressed, which is never one of perf itself. */
  addInflated(record: FileRecord): void {
    if (record.type < RecordType.FirstOfPerf) this.add(record, 0);
  }

  private addPerfRecord(record: FileRecord, dataEnd: number): number {
    switch (record.type) {
      case RecordType.AuxtraceInfo:
        this.traceInfo ??= readTraceInfo(record);
        return 0;
      case RecordType.Auxtrace:
        return this.addBuffer(record, dataEnd);
      case RecordType.Compressed:
        this.compressed.add(record.view, record.at + 8, record.end);
        return 0;
      case RecordType.Compressed2:
        this.compressed.add(record.view, record.at + 16, compressedEnd(record));
        return 0;
      default:
        return 0;
    }
  }

  /** A truncated buffer counts with the bytes that exist. */
  private addBuffer(record: FileRecord, dataEnd: number): number {
    const buffer = readAuxBuffer(record);
    const sizeBytes = Math.min(buffer.sizeBytes, dataEnd - buffer.fileOffset);
    if (sizeBytes < buffer.sizeBytes)
      this.damage.add(
        `the trace buffer at byte ${record.offset} is truncated: ${buffer.sizeBytes - sizeBytes} bytes are missing`,
      );
    if (this.isPossible(record, [buffer.cpu, buffer.tid], [buffer.auxOffset])) {
      this.buffers.push({ ...buffer, sizeBytes });
      this.auxtraceOffsets.push(record.offset);
    }
    return sizeBytes;
  }

  private addSample(record: FileRecord): void {
    this.samples.add(record);
    this.lossCollector.addSample(record);
    const { trailer, layout } = this.attributes.first;
    if (trailer !== null && layout.time > 0 && record.at + layout.time + 8 <= record.end)
      this.times.include(timeOf(record.view, record.at + layout.time));
  }

  private addKernelRecord(record: FileRecord, sampleId: SampleId | null, bodyEnd: number): void {
    const { type, view, at } = record;
    const known = sampleId ?? NO_SAMPLE_ID;
    this.times.include(known.time);
    if (type === RecordType.Aux) this.addAux(record, known);
    else if (type === RecordType.Lost) this.addLost(record, known, readU64(view, at + 16));
    else if (type === RecordType.LostSamples) this.addLost(record, known, readU64(view, at + 8));
    else if (type === RecordType.TextPoke) this.addTextPoke(record, known, bodyEnd);
    else if (type === RecordType.Ksymbol) this.addKsymbol(record, bodyEnd);
    else this.addEvent(record, known, bodyEnd);
    this.lossCollector.addRecord(known);
  }

  private addAux(record: FileRecord, sampleId: SampleId): void {
    const aux = readAuxRecord(record, sampleId);
    if (this.isPossible(record, [aux.cpu, aux.tid], [aux.auxOffset, aux.sizeBytes])) this.auxRecords.push(aux);
  }

  private addKsymbol(record: FileRecord, bodyEnd: number): void {
    const symbol = readKsymbol(record, bodyEnd);
    if (symbol !== null && symbol.start < 0 && symbol.name !== '') this.kernelSymbols.push(symbol);
  }

  private addTextPoke(record: FileRecord, sampleId: SampleId, bodyEnd: number): void {
    const written = readTextPoke(record, sampleId, bodyEnd);
    if (written !== null && written.start < 0) this.kernelCode.push(written);
  }

  private addLost(record: FileRecord, sampleId: SampleId, count: number): void {
    if (!this.isPossible(record, [], [this.lostRecords + count])) return;
    this.lostRecords += count;
    if (count > 0) this.lossCollector.addLoss(sampleId);
  }

  /** Whether a kernel can have written it; if not, reports damage. */
  private isPossible({ type, offset }: FileRecord, ids: readonly number[], counts: readonly number[]): boolean {
    if (ids.every(isThreadId) && counts.every(Number.isSafeInteger)) return true;
    this.damage.add(`the record of type ${type} at byte ${offset} has impossible values, and is ignored`);
    return false;
  }

  private addEvent(record: FileRecord, { tid, pid, cpu, time }: SampleId, bodyEnd: number): void {
    const event = readEvent(record, bodyEnd);
    if (event === null) return;
    const next = readNextThread(record);
    this.sideband.push({ tid, pid, cpu, time, record: event, ...(next && { next }) });
    if (event.what === 'mmap') this.addBuildId(record, event.file);
  }

  private addBuildId(record: FileRecord, file: string): void {
    const found = readMappedBuildId(record);
    if (found === null) return;
    const buildId = { file: utf8Text(latin1Bytes(file)), ...found };
    this.buildIds.set(keyOf(buildId), buildId);
  }

  /** Records that perf synthesized have the id 0, and the layout of the first event. */
  private trailerOf({ view, at, end }: FileRecord): Trailer | null {
    const { first, byId, areAlike } = this.attributes;
    const { trailer } = first;
    const isAsked = trailer !== null && trailer.eventId > 0 && !areAlike && end - at >= 8 + trailer.eventId;
    return isAsked ? (byId.get(readEventId(trailer, view, end)) ?? first).trailer : trailer;
  }
}

/** Identifies a build id, whichever record it is from. */
export function keyOf({ buildId, file }: BuildId): string {
  return `${buildId} ${file}`;
}

function tooShort({ type, offset, at, end }: FileRecord): string {
  return `the record of type ${type} at byte ${offset} has only ${end - at} bytes, and is ignored`;
}

/** The newer record has the size of its content, which padding follows. */
function compressedEnd({ view, at, end }: FileRecord): number {
  return Math.min(at + 16 + readU64(view, at + 8), end);
}

/**
 * Finds out when the kernel could not write records: between the record before, in the buffer of the same CPU, and the
 * one that counts the lost ones.
 */
class LossCollector {
  readonly losses: Loss[] = [];
  private readonly lastOfCpu = new Map<number, PerfTime>();
  /** Offsets in samples; null: not the same in all of them. */
  private readonly inSamples: { readonly time: number; readonly cpu: number } | null;

  constructor({ all, first }: Pick<Attributes, 'all' | 'first'>) {
    const { time, cpu } = first.layout;
    const areAlike = all.every(({ layout }) => layout.time === time && layout.cpu === cpu);
    this.inSamples = areAlike && time > 0 && cpu > 0 ? { time, cpu } : null;
  }

  addSample({ view, at, end }: FileRecord): void {
    const { inSamples } = this;
    if (inSamples === null || at + Math.max(inSamples.time, inSamples.cpu) + 8 > end) return;
    this.addRecord({ cpu: view.getInt32(at + inSamples.cpu, true), time: timeOf(view, at + inSamples.time) });
  }

  addRecord({ cpu, time }: Pick<SampleId, 'cpu' | 'time'>): void {
    if (cpu !== NONE && time !== null) this.lastOfCpu.set(cpu, time);
  }

  addLoss({ cpu, time }: Pick<SampleId, 'cpu' | 'time'>): void {
    const isTimed = time !== null && (time.seconds > 0 || time.ns > 0); // perf notes some at the end, without a time
    this.losses.push({ after: (isTimed && this.lastOfCpu.get(cpu)) || null, before: isTimed ? time : null });
  }
}
