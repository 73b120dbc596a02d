/**
 * Collects what the records of a recording contain.
 */
import { isThreadId } from '../../model/limits.js';
import { CompressedRecords } from '../file/compressed-records.js';
import type { Damage } from '../file/damage.js';
import { readU64 } from '../file/sections.js';
import { TimeBounds, timeOf } from '../file/times.js';
import type { FileRecord } from '../file/walk.js';
import type { AuxBuffer, AuxRecord, BuildId, Loss, RecordedEvent } from '../recording.js';
import type { SampleCollector } from '../samples/sample-collector.js';
import type { Attributes } from './attributes.js';
import {
  MIN_RECORD_BYTES,
  RecordType,
  readAuxBuffer,
  readAuxRecord,
  readEvent,
  readMappedBuildId,
  readNextThread,
} from './kernel-records.js';
import { LossCollector } from './loss-collector.js';
import { NO_SAMPLE_ID, readEventId, readSampleId, type SampleId, type Trailer } from './sample-id.js';
import { readTraceInfo, type TraceInfo } from './trace-settings.js';

export class RecordCollector {
  readonly buffers: AuxBuffer[] = [];
  readonly auxRecords: AuxRecord[] = [];
  readonly sideband: RecordedEvent[] = [];
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
  private readonly attributes: Attributes;
  private readonly damage: Damage;
  private readonly samples: SampleCollector;

  constructor(attributes: Attributes, samples: SampleCollector, damage: Damage) {
    this.samples = samples;
    this.attributes = attributes;
    this.lossCollector = new LossCollector(attributes);
    this.damage = damage;
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
    const sampleTime = this.attributes.first.trailer?.sampleTime ?? 0;
    if (sampleTime > 0 && record.at + sampleTime + 8 <= record.end)
      this.times.include(timeOf(record.view, record.at + sampleTime));
  }

  private addKernelRecord(record: FileRecord, sampleId: SampleId | null, bodyEnd: number): void {
    const { type, view, at } = record;
    const known = sampleId ?? NO_SAMPLE_ID;
    this.times.include(known.time);
    if (type === RecordType.Aux) this.addAux(record, known);
    else if (type === RecordType.Lost) this.addLost(record, known, readU64(view, at + 16));
    else if (type === RecordType.LostSamples) this.addLost(record, known, readU64(view, at + 8));
    else this.addEvent(record, known, bodyEnd);
    this.lossCollector.addRecord(known);
  }

  private addAux(record: FileRecord, sampleId: SampleId): void {
    const aux = readAuxRecord(record, sampleId);
    if (this.isPossible(record, [aux.cpu, aux.tid], [aux.auxOffset, aux.sizeBytes])) this.auxRecords.push(aux);
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
    const buildId = { file: Buffer.from(file, 'latin1').toString(), ...found };
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
