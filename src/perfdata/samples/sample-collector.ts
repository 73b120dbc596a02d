/**
 * Collects the samples of tracepoints and probes in a recording into tables.
 */
import { isThreadId } from '../../model/limits.js';
import { OtherSampleCounts } from '../../model/samples/sample-account.js';
import { SampleContext } from '../../model/samples/sample-table.js';
import { type SampleTableBuilder, SampleTablesBuilder } from '../../model/samples/sample-tables-builder.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import { NONE } from '../../model/units.js';
import type { Damage } from '../file/damage.js';
import { readU64 } from '../file/sections.js';
import { timeOf } from '../file/times.js';
import type { FileRecord } from '../file/walk.js';
import type { RecordedSamples } from '../recording.js';
import type { Attribute, Attributes } from '../records/attributes.js';
import type { EventFormat } from './event-format.js';
import { type FieldReader, fieldReaders } from './field-readers.js';
import { rawDataAt } from './sample-layout.js';

/** Kinds of events, perf's numbers. */
const TRACEPOINT = 2;
const FLAGS_AT = 2;
const HARD_INTERRUPT = 0x08 | 0x40; // also a non-maskable one
const SOFT_INTERRUPT = 0x10;

/** The event of an attribute. */
interface SampledEvent {
  readonly attribute: Attribute;
  /** null: its format is unknown. */
  readonly format: EventFormat | null;
  readonly table: SampleTableBuilder | null;
  readonly readers: readonly FieldReader[];
}

export class SampleCollector {
  private readonly attributes: Attributes;
  private readonly formats: readonly EventFormat[];
  private readonly formatOf: ReadonlyMap<number, EventFormat>;
  private readonly damage: Damage;
  private readonly tables = new SampleTablesBuilder();
  private readonly events = new Map<Attribute, SampledEvent | null>();
  /** Many events may share a format, each with a layout of its own. */
  private readonly readers = new Map<EventFormat, readonly FieldReader[]>();
  private readonly others = new OtherSampleCounts();
  private readonly nameOf: (attribute: Attribute) => string | null;
  private originSeconds = 0;
  private hasOrigin = false;
  private unreadable = 0;
  private damaged = 0;

  constructor(
    attributes: Attributes,
    formats: readonly EventFormat[],
    damage: Damage,
    nameOf: (attribute: Attribute) => string | null = () => null,
  ) {
    this.nameOf = nameOf;
    this.attributes = attributes;
    this.formats = formats;
    this.formatOf = new Map(formats.map((format) => [format.id, format]));
    this.damage = damage;
  }

  /** Only counts samples of other events, such as cycles. */
  add(record: FileRecord): void {
    const attribute = this.attributeOf(record);
    const event = this.eventOf(attribute);
    if (event === null) return this.others.add(this.nameOf(attribute));
    if (event.format === null) this.unreadable++;
    else if (!this.read(record, event as ReadableEvent)) this.addDamaged(record);
  }

  /** An event that was recorded but never happened has an empty table. */
  build(): RecordedSamples {
    for (const attribute of this.attributes.all) this.eventOf(attribute);
    const { originSeconds, formats, unreadable, damaged } = this;
    return { originSeconds, tables: this.tables.build(), formats, unreadable, damaged, others: this.others.build() };
  }

  private attributeOf({ view, at, end }: FileRecord): Attribute {
    const { first, byId } = this.attributes;
    const idAt = at + first.layout.eventId; // the same in all events, or perf could not read it either
    return idAt === at || idAt + 8 > end ? first : (byId.get(readU64(view, idAt)) ?? first);
  }

  private eventOf(attribute: Attribute): SampledEvent | null {
    let event = this.events.get(attribute);
    if (event === undefined) this.events.set(attribute, (event = this.sampledEvent(attribute)));
    return event;
  }

  /** Returns null for an event that is not a tracepoint. */
  private sampledEvent(attribute: Attribute): SampledEvent | null {
    const { type, config, layout } = attribute;
    if (type !== TRACEPOINT || !layout.hasRaw) return null;
    const format = layout.time === 0 ? null : (this.formatOf.get(Number(config)) ?? null);
    const table = format && this.tables.table(format.event);
    return { attribute, format, table, readers: format && table ? this.readersOf(format, table) : [] };
  }

  private readersOf(format: EventFormat, table: SampleTableBuilder): readonly FieldReader[] {
    let readers = this.readers.get(format);
    if (readers === undefined) this.readers.set(format, (readers = fieldReaders(format, table)));
    return readers;
  }

  /** Returns false if the sample is too short or has impossible values, or more of them than fit into it. */
  private read({ view, at, end }: FileRecord, { attribute, format, table, readers }: ReadableEvent): boolean {
    const { layout } = attribute;
    const rawAt = rawDataAt(layout, view, at, end);
    if (rawAt + 4 > end) return false;
    const raw = rawAt + 4;
    const rawEnd = raw + view.getUint32(rawAt, true);
    if (rawEnd > end || rawEnd - raw < format.sizeBytes) return false;
    const time = timeOf(view, at + layout.time);
    const pid = layout.ids === 0 ? NONE : view.getInt32(at + layout.ids, true);
    const tid = layout.ids === 0 ? NONE : view.getInt32(at + layout.ids + 4, true);
    const cpu = layout.cpu === 0 ? NONE : view.getInt32(at + layout.cpu, true);
    if (time === null || !isThreadId(tid) || !isThreadId(pid) || !isThreadId(cpu)) return false;
    const row = table.addRow(this.nanosecondsOf(time), tid, pid, cpu, contextOf(view.getUint8(raw + FLAGS_AT)));
    let isWhole = true;
    for (const read of readers) isWhole = read(view, raw, rawEnd, row) && isWhole;
    return isWhole;
  }

  private nanosecondsOf(time: PerfTime): number {
    if (!this.hasOrigin) this.originSeconds = time.seconds;
    this.hasOrigin = true;
    return (time.seconds - this.originSeconds) * 1e9 + time.ns;
  }

  private addDamaged({ offset }: FileRecord): void {
    this.damaged++;
    this.damage.add(`the sample at byte ${offset} is too short for its event, or has impossible values`);
  }
}

type ReadableEvent = SampledEvent & { readonly format: EventFormat; readonly table: SampleTableBuilder };

function contextOf(flags: number): SampleContext {
  if (flags & HARD_INTERRUPT) return SampleContext.HardInterrupt;
  return flags & SOFT_INTERRUPT ? SampleContext.SoftInterrupt : SampleContext.Task;
}
