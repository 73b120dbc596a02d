/**
 * Collects the samples of tracepoints and probes in a recording into tables.
 */
import { isThreadId } from '../../model/limits.js';
import { KERNEL_STACKS, OtherSampleCounts, SampleContext } from '../../model/sample-table.js';
import { type SampleTableBuilder, SampleTablesBuilder } from '../../model/sample-tables-builder.js';
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
import { KernelNotes } from './kernel-notes.js';
import { callChainAt, rawDataAt, registersAt, type SampleLayout } from './sample-layout.js';

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
  /** What the sample has besides the fields of its format. */
  readonly besides: readonly BesidesReader[];
}

/** `rawEnd`: where the raw data ends. Reads something else of a sample into a row. */
type BesidesReader = (record: FileRecord, rawEnd: number, row: number) => void;

const STACK = 'kernel_stack';
const SWITCHES = 'sched:sched_switch';
/** Call chains of some switches, next to the samples of all: the fields are in those. */
const CHAINS: EventFormat = { event: KERNEL_STACKS, id: 0, fields: [], sizeBytes: 0, print: '' };

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
  private readonly kernel: KernelNotes;
  private originSeconds = 0;
  private hasOrigin = false;
  private unreadable = 0;
  private damaged = 0;

  constructor(
    attributes: Attributes,
    formats: readonly EventFormat[],
    damage: Damage,
    nameOf: (attribute: Attribute) => string | null = () => null,
    kernel = new KernelNotes(''),
  ) {
    this.nameOf = nameOf;
    this.kernel = kernel;
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

  /** An event that was recorded but never happened has an empty table. `start`: of the recording; null: not known. */
  build(start: PerfTime | null): RecordedSamples {
    const events = this.attributes.all.map((attribute) => this.eventOf(attribute));
    if (start !== null && events.some((event) => event?.format === CHAINS)) this.addBlocked(start);
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

  /** Returns null for an event that is neither a tracepoint nor one of call chains. */
  private sampledEvent(attribute: Attribute): SampledEvent | null {
    const { type, config, layout } = attribute;
    if (type !== TRACEPOINT) return null;
    const known = this.formatOf.get(Number(config)) ?? null;
    const isChain = !layout.hasRaw && layout.hasCallChain && known?.event === SWITCHES;
    if (!layout.hasRaw && !isChain) return null;
    const format = layout.time === 0 ? null : isChain ? CHAINS : known;
    const table = format && this.tables.table(format.event);
    const isReadable = format !== null && table !== null;
    return {
      ...{ attribute, format, table },
      readers: isReadable ? this.readersOf(format, table) : [],
      besides: isReadable ? besidesReaders(layout, format, table, this.kernel) : [],
    };
  }

  private readersOf(format: EventFormat, table: SampleTableBuilder): readonly FieldReader[] {
    let readers = this.readers.get(format);
    if (readers === undefined) this.readers.set(format, (readers = fieldReaders(format, table)));
    return readers;
  }

  /** Returns false if the sample is too short or has impossible values, or more of them than fit into it. */
  private read(record: FileRecord, { attribute, format, table, readers, besides }: ReadableEvent): boolean {
    const { view, at, end } = record;
    const { layout } = attribute;
    const rawAt = rawDataAt(layout, view, at, end);
    if (rawAt + (layout.hasRaw ? 4 : 0) > end) return false;
    const raw = layout.hasRaw ? rawAt + 4 : rawAt;
    const rawEnd = layout.hasRaw ? raw + view.getUint32(rawAt, true) : rawAt;
    if (rawEnd > end || rawEnd - raw < format.sizeBytes) return false;
    const time = timeOf(view, at + layout.time);
    const pid = layout.ids === 0 ? NONE : view.getInt32(at + layout.ids, true);
    const tid = layout.ids === 0 ? NONE : view.getInt32(at + layout.ids + 4, true);
    const cpu = layout.cpu === 0 ? NONE : view.getInt32(at + layout.cpu, true);
    if (time === null || !isThreadId(tid) || !isThreadId(pid) || !isThreadId(cpu)) return false;
    const context = layout.hasRaw ? contextOf(view.getUint8(raw + FLAGS_AT)) : SampleContext.Task;
    const row = table.addRow(this.nanosecondsOf(time), tid, pid, cpu, context);
    let isWhole = true;
    for (const read of readers) isWhole = read(view, raw, rawEnd, row) && isWhole;
    for (const read of besides) read(record, rawEnd, row);
    return isWhole;
  }

  /** Threads that waited when the recording began. */
  private addBlocked(start: PerfTime): void {
    const table = this.tables.table(KERNEL_STACKS);
    for (const { pid, tid, stack } of this.kernel.blocked) {
      const row = table.addRow(this.nanosecondsOf(start), tid, pid, NONE, SampleContext.Task);
      table.field(STACK).setText(row, stack);
    }
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

/** Of a switch, where the program was and what it had passed to the kernel tell equal waits. */
function besidesReaders(
  layout: SampleLayout,
  format: EventFormat,
  table: SampleTableBuilder,
  kernel: KernelNotes,
): BesidesReader[] {
  const readers: BesidesReader[] = [];
  if (layout.hasCallChain && kernel.hasFunctions) {
    const stack = table.field(STACK);
    readers.push(({ view, at, end }, _, row) =>
      stack.setText(row, kernel.stackOf(view, callChainAt(layout, view, at, end), end)),
    );
  }
  if (format.event !== SWITCHES) return readers;
  const isArm = layout.registers.includes(ARM.user_ip);
  for (const [name, register] of Object.entries(isArm ? ARM : X86)) {
    const place = layout.registers.indexOf(register);
    if (place === -1) continue;
    const field = table.field(name, 'hexadecimal');
    readers.push(({ view, end }, rawEnd, row) => {
      const first = registersAt(layout, view, rawEnd, end);
      if (first !== NONE) field.setNumber(row, lowU48(view, first + 8 * place));
    });
  }
  return readers;
}

/** The instruction, and the first argument of a system call, by perf's numbers of registers. x86-64 has no number 32. */
const X86 = { user_ip: 8, user_argument: 5 };
const ARM = { user_ip: 32, user_argument: 0 };

/** As many bits of a register as addresses of programs have: an exact number. */
function lowU48(view: DataView, at: number): number {
  return view.getUint16(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
