/**
 * Collects the samples of tracepoints and probes in a recording into tables.
 */
import { isEqual, utf8Text } from '../codec/bytes.js';
import { isThreadId } from '../model/limits.js';
import { KERNEL_STACKS, type NumberStyle, OtherSampleCounts, SampleContext } from '../model/sample-table.js';
import type { FieldBuilder } from '../model/sample-tables-builder.js';
import { type SampleTableBuilder, SampleTablesBuilder } from '../model/sample-tables-builder.js';
import type { PerfTime } from '../model/trace/perf-time.js';
import { NONE } from '../model/units.js';
import {
  type Attribute,
  type Attributes,
  callChainAt,
  rawDataAt,
  registersAt,
  type SampleLayout,
} from './attributes.js';
import type { EventFormat, FormatField } from './event-format.js';
import { readU64 } from './file-parts.js';
import { KernelNotes } from './kernel-notes.js';
import type { RecordedSamples } from './recording.js';
import { type Damage, type FileRecord, timeOf } from './walk.js';

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
  private readonly formatOf: ReadonlyMap<number, EventFormat>;
  private readonly tables = new SampleTablesBuilder();
  private readonly events = new Map<Attribute, SampledEvent | null>();
  /** Many events may share a format, each with a layout of its own. */
  private readonly readers = new Map<EventFormat, readonly FieldReader[]>();
  private readonly others = new OtherSampleCounts();
  private originSeconds = 0;
  private hasOrigin = false;
  private unreadable = 0;
  private damaged = 0;

  constructor(
    private readonly attributes: Attributes,
    private readonly formats: readonly EventFormat[],
    private readonly damage: Damage,
    private readonly nameOf: (attribute: Attribute) => string | null = () => null,
    private readonly kernel = new KernelNotes(''),
  ) {
    this.formatOf = new Map(formats.map((format) => [format.id, format]));
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

// Reads the fields of raw samples of one event into the columns of its table.

/** Reads a field of the raw sample from `at` to `end` into a row; returns whether its bytes are in the sample. */
type FieldReader = (view: DataView, at: number, end: number, row: number) => boolean;

/** The same in all events; `common_flags` becomes the context of the sample. */
const COMMON = /^common_/;

function fieldReaders(format: EventFormat, into: SampleTableBuilder): FieldReader[] {
  const own = format.fields.filter(({ name }) => !COMMON.test(name));
  const left: BytesLeft = { bytes: 0 };
  const begin: FieldReader = (_, at, end) => {
    left.bytes = end - at;
    return true;
  };
  return [begin, ...own.map((field) => readerOf(field, into.field(field.name, styleOf(field)), format, left))];
}

/** Of the sample being read: if all its fields were the same bytes elsewhere, it would become many times as large. */
interface BytesLeft {
  bytes: number;
}

function styleOf({ isHex, isSigned }: FormatField): NumberStyle {
  return isHex ? 'hexadecimal' : isSigned ? 'signed' : 'unsigned';
}

function readerOf(field: FormatField, into: FieldBuilder, format: EventFormat, left: BytesLeft): FieldReader {
  const states =
    field.name === 'prev_state' && field.kind === 'number' && field.sizeBytes >= 4 ? taskStates(format.print) : null;
  if (states !== null) return (view, at, _, row) => setText(into, row, states(view.getUint32(at + field.offset, true)));
  switch (field.kind) {
    case 'number':
      return numberReader(field, into);
    case 'text':
      return bytesReader(field, left, (view, at, count, row) => into.setText(row, shortText(view, at, count)));
    case 'list':
      return bytesReader(field, left, (view, at, count, row) => into.setText(row, listText(field, view, at, count)));
  }
}

function setText(into: FieldBuilder, row: number, text: string): true {
  into.setText(row, text);
  return true;
}

function numberReader({ sizeBytes, isSigned, isHex, offset }: FormatField, into: FieldBuilder): FieldReader {
  if (sizeBytes === 8) return (view, at, _, row) => setLong(view, at + offset, isSigned, isHex, into, row);
  const read = shortReader(sizeBytes, isSigned);
  return (view, at, _, row) => {
    into.setNumber(row, read(view, at + offset));
    return true;
  };
}

function shortReader(sizeBytes: number, isSigned: boolean): (view: DataView, at: number) => number {
  switch (sizeBytes) {
    case 1:
      return isSigned ? (view, at) => view.getInt8(at) : (view, at) => view.getUint8(at);
    case 2:
      return isSigned ? (view, at) => view.getInt16(at, true) : (view, at) => view.getUint16(at, true);
    default:
      return isSigned ? (view, at) => view.getInt32(at, true) : (view, at) => view.getUint32(at, true);
  }
}

/** Numbers of 64 bits are signed, as addresses are; those beyond 2^53 become texts. */
function setLong(view: DataView, at: number, isSigned: boolean, isHex: boolean, into: FieldBuilder, row: number): true {
  const value = view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  if (Number.isSafeInteger(value)) into.setNumber(row, value);
  else into.setText(row, longText(view, at, isSigned, isHex));
  return true;
}

function longText(view: DataView, at: number, isSigned: boolean, isHex: boolean): string {
  if (isHex) return `0x${view.getBigUint64(at, true).toString(16)}`;
  return String(isSigned ? view.getBigInt64(at, true) : view.getBigUint64(at, true));
}

/** Finds the bytes of a text or list. Where they are elsewhere, the field has their offset and, above it, their size. */
function bytesReader(
  { place, offset, sizeBytes }: FormatField,
  left: BytesLeft,
  set: (view: DataView, at: number, count: number, row: number) => void,
): FieldReader {
  if (place === 'here')
    return (view, at, _, row) => {
      set(view, at + offset, sizeBytes, row);
      return true;
    };
  const base = place === 'from-start' ? 0 : offset + 4;
  return (view, at, end, row) => {
    const first = at + base + view.getUint16(at + offset, true);
    const count = view.getUint16(at + offset + 2, true);
    const isInside = first + count <= end && count <= left.bytes;
    if (isInside) left.bytes -= count;
    set(view, isInside ? first : at, isInside ? count : 0, row);
    return isInside;
  };
}

/** As perf prints an array of a probe: `{1,2}`. */
function listText({ elementBytes, isSigned, isHex }: FormatField, view: DataView, at: number, count: number): string {
  const read = elementBytes === 8 ? null : shortReader(elementBytes, isSigned);
  const elements: string[] = [];
  for (let next = at; next + elementBytes <= at + count; next += elementBytes) {
    if (read === null) elements.push(longText(view, next, isSigned, isHex));
    else elements.push(isHex ? `0x${(read(view, next) >>> 0).toString(16)}` : String(read(view, next)));
  }
  return `{${elements.join(',')}}`;
}

/** A kernel has about ten letters, and bits up to 0x1000. Few states keep the texts small, whatever a file lists. */
const FLAG = /\{ (0x[0-9a-f]{1,8}|\d{1,8}), "([^"]{1,8})" \}/g;
const MAX_FLAGS = 32;
const MAX_BIT = 2 ** 15;

/**
 * The state of a thread that is switched out, as `sched_switch` prints it.
 *
 * Returns a function from the number to the text, such as "S" (waits), "D" (waits, uninterruptible), "R" (runnable),
 * "R+" (preempted); null if the event prints no such flags. `print`: has a list like `{ 0x00000001, "S" }, …`.
 */
function taskStates(print: string): ((state: number) => string) | null {
  const listed = Array.from(print.matchAll(FLAG), ([, bit, letter]) => ({
    bit: Number(bit),
    letter: letter as string,
  }));
  const flags = listed.filter(({ bit }) => bit <= MAX_BIT).slice(0, MAX_FLAGS);
  if (flags.length === 0) return null;
  // the bit above all states marks a thread that was preempted
  const preempted = 2 * Math.max(...flags.map(({ bit }) => bit));
  const known = new Map<number, string>();
  return (state) => {
    let text = known.get(state & (2 * preempted - 1));
    if (text === undefined) {
      const letters = flags.filter(({ bit }) => state & bit).map(({ letter }) => letter);
      text = `${letters.join('|') || 'R'}${state & preempted ? '+' : ''}`;
      known.set(state & (2 * preempted - 1), text);
    }
    return text;
  };
}

const SLOTS = 4096;
const MAX_CACHED_BYTES = 64;

const bytesOf: (Uint8Array | undefined)[] = new Array(SLOTS);
const texts: string[] = new Array(SLOTS).fill('');

/**
 * Decodes short texts that repeat, such as names of threads, to the same string.
 *
 * Decodes UTF-8 up to the first zero byte.
 */
function shortText(view: DataView, at: number, count: number): string {
  let hash = 0;
  let length = 0;
  for (let byte = 0; length < count && (byte = view.getUint8(at + length)) !== 0; length++)
    hash = (Math.imul(hash, 31) + byte) | 0;
  if (length === 0) return '';
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  if (length > MAX_CACHED_BYTES) return utf8Text(bytes);
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
  const cached = bytesOf[slot];
  if (cached !== undefined && isEqual(cached, bytes)) return texts[slot] as string;
  bytesOf[slot] = bytes.slice();
  return (texts[slot] = utf8Text(bytes));
}
