/**
 * Takes records one by one, and keeps what they tell.
 */
import type { Attribute, Attributes } from './attributes.js';
import type { Damage } from './damage.js';
import {
  LEAST_BYTES,
  RecordType,
  readAuxBuffer,
  readAuxRecord,
  readEvent,
  readMappedBuildId,
} from './kernel-records.js';
import type { AuxBuffer, AuxRecord, BuildId, RecordedEvent } from './recording.js';
import { compressed } from './refusals.js';
import { readU64 } from './sections.js';
import { TimeBounds, timeOf } from './times.js';
import { readTraceInfo, type TraceInfo } from './trace-settings.js';
import { NOWHERE, type Place, readEventId, readPlace } from './trailer.js';
import type { FileRecord } from './walk.js';

export class RecordTaker {
  readonly buffers: AuxBuffer[] = [];
  readonly auxRecords: AuxRecord[] = [];
  readonly sideband: RecordedEvent[] = [];
  readonly buildIds: BuildId[] = [];
  readonly times = new TimeBounds();
  /** Where records of pieces of trace begin. */
  readonly auxtraceOffsets: number[] = [];
  traceInfo: TraceInfo | null = null;
  lostRecords = 0;
  private readonly attributes: Attributes;
  private readonly name: string;
  private readonly damage: Damage;
  private readonly mapped = new Set<string>();

  constructor(attributes: Attributes, name: string, damage: Damage) {
    this.attributes = attributes;
    this.name = name;
    this.damage = damage;
  }

  /** How many bytes of trace stand behind it; `dataEnd`: where in the file no more can. */
  take(record: FileRecord, dataEnd: number): number {
    const { type, at, end } = record;
    const trailerBytes = type < RecordType.FirstOfPerf ? (this.attributeOf(record)?.trailer?.sizeBytes ?? 0) : 0;
    if (end - at < (LEAST_BYTES[type] ?? 0) + trailerBytes) this.damage.add(tooShort(record));
    else if (type >= RecordType.FirstOfPerf) return this.takeOfPerf(record, dataEnd);
    else if (type === RecordType.Sample) this.takeSample(record);
    else this.takeOfKernel(record, end - trailerBytes);
    return 0;
  }

  private takeOfPerf(record: FileRecord, dataEnd: number): number {
    switch (record.type) {
      case RecordType.AuxtraceInfo:
        this.traceInfo ??= readTraceInfo(record);
        return 0;
      case RecordType.Auxtrace:
        return this.takeBuffer(record, dataEnd);
      case RecordType.Compressed:
      case RecordType.Compressed2:
        throw compressed(this.name);
      default:
        return 0;
    }
  }

  /** Of a piece that is cut, what there is of it. */
  private takeBuffer(record: FileRecord, dataEnd: number): number {
    const buffer = readAuxBuffer(record);
    const sizeBytes = Math.min(buffer.sizeBytes, dataEnd - buffer.fileOffset);
    if (sizeBytes < buffer.sizeBytes)
      this.damage.add(`the piece of trace at byte ${record.offset} is cut: ${buffer.sizeBytes - sizeBytes} bytes miss`);
    this.buffers.push({ ...buffer, sizeBytes });
    this.auxtraceOffsets.push(record.offset);
    return sizeBytes;
  }

  /** Of other events, as that of the scheduler: only when. */
  private takeSample(record: FileRecord): void {
    const sampleTime = this.attributes.first.trailer?.sampleTime ?? 0;
    if (sampleTime > 0 && record.at + sampleTime + 8 <= record.end)
      this.times.include(timeOf(record.view, record.at + sampleTime));
  }

  private takeOfKernel(record: FileRecord, bodyEnd: number): void {
    const place = this.placeOf(record);
    this.times.include(place.time);
    if (record.type === RecordType.Aux) this.auxRecords.push(readAuxRecord(record, place));
    else if (record.type === RecordType.Lost) this.lostRecords += readU64(record.view, record.at + 16);
    else if (record.type === RecordType.LostSamples) this.lostRecords += readU64(record.view, record.at + 8);
    else this.takeEvent(record, place, bodyEnd);
  }

  private takeEvent(record: FileRecord, place: Place, bodyEnd: number): void {
    const event = readEvent(record, bodyEnd);
    if (event === null) return;
    this.sideband.push({ ...place, record: event });
    if (event.what === 'mmap') this.takeBuildId(record, event.file);
  }

  private takeBuildId(record: FileRecord, file: string): void {
    const found = readMappedBuildId(record);
    if (found === null || this.mapped.has(file + found.buildId)) return;
    this.mapped.add(file + found.buildId);
    this.buildIds.push({ file: Buffer.from(file, 'latin1').toString(), ...found });
  }

  private placeOf(record: FileRecord): Place {
    const trailer = this.attributeOf(record)?.trailer;
    return trailer ? readPlace(trailer, record.view, record.end) : NOWHERE;
  }

  /** What perf made up itself has the id 0, and looks like records of the first event. */
  private attributeOf({ view, at, end }: FileRecord): Attribute {
    const { first, byId } = this.attributes;
    const eventIdAt = first.trailer?.eventId ?? 0;
    if (first.trailer === null || eventIdAt === 0 || end - at < 8 + eventIdAt) return first;
    return byId.get(readEventId(first.trailer, view, end)) ?? first;
  }
}

function tooShort({ type, offset, at, end }: FileRecord): string {
  return `the record of type ${type} at byte ${offset} has ${end - at} bytes only, and is left out`;
}
