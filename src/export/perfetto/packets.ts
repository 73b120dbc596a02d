/**
 * The format of Perfetto: fields, names, and packets in one sequence, which share names. Events are on the track that was begun
 * last, and each has the time since the one before it.
 */
import type { PbfWriter } from 'pbf';
import { type CallEvents, forEachEvent, isBeginning, type LongestCalls } from '../../model/calls/call-events.js';
import { int32Column, valuesOf } from '../../model/columns.js';
import type { TraceMeta } from '../../model/profile/profile.js';
import type { Wakings } from '../../model/profile/timeline.js';
import type { Nanoseconds } from '../../model/units.js';
import { formatCount, formatMany } from '../../render/format.js';
import { shellWords, visibleText } from '../../render/visible-text.js';
import { writeBigVarintField, writeTextField } from '../proto-writer.js';
import { leftOutText, wallClock } from '../shared.js';

/** Writes the fields of a message. */
type WriteMessage<Value> = (value: Value, writer: PbfWriter) => void;

/** A reading of the trace's clock, which is perf's, and of another one. */
interface ClockReading {
  readonly traceNs: bigint;
  readonly clock: number;
  readonly ns: bigint;
  readonly isIncremental: boolean;
}

/** A moment that is not after any event: Perfetto's clocks must not go back from track to track. */
interface TrackStart {
  /** In the profile's time. */
  readonly ns: Nanoseconds;
  /** On perf's clock. */
  readonly traceNs: bigint;
}

/** The number of the sequence; there is only one. */
const SEQUENCE = 1;

export class PacketSequence {
  /** Of the last packet with a time. */
  private lastNs: Nanoseconds = 0;
  /** The event that is being written; fields, as a closure for each would take half the time. */
  sinceLastNs: Nanoseconds = 0;
  write: WriteMessage<unknown> = () => {};
  value: unknown = null;

  constructor(
    readonly writer: PbfWriter,
    private readonly start: TrackStart,
  ) {}

  /** Comes first: nothing is known of earlier packets. */
  begin(): void {
    this.packet((_, writer) => {
      writer.writeVarintField(PACKET.sequenceFlags, STATE_CLEARED);
      writer.writeVarintField(PACKET.isFirstOfSequence, 1);
    }, null);
  }

  /** From here on, events are on this track, and the first one has the time since the start. */
  beginTrack(track: number): void {
    const { ns, traceNs } = this.start;
    this.packet((id, writer) => writer.writeMessage(PACKET.defaults, writeDefaults, id), track);
    this.snapshot({ traceNs, clock: ClockId.Sequence, ns: traceNs, isIncremental: true });
    this.lastNs = ns;
  }

  snapshot(reading: ClockReading): void {
    this.packet((_, writer) => writer.writeMessage(PACKET.clockSnapshot, writeReading, reading), null);
  }

  /** Writes a packet without a time. */
  packet<Value>(write: WriteMessage<Value>, value: Value): void {
    this.writer.writeMessage(
      TRACE.packet,
      (_, writer) => {
        writer.writeVarintField(PACKET.sequence, SEQUENCE);
        write(value, writer);
      },
      null,
    );
  }

  /** Writes an event at a time, which is not before that of the last one. */
  event<Value>(ns: Nanoseconds, write: WriteMessage<Value>, value: Value): void {
    this.sinceLastNs = ns - this.lastNs;
    this.lastNs = ns;
    this.write = write as WriteMessage<unknown>;
    this.value = value;
    this.writer.writeMessage(TRACE.packet, writeEvent, this);
  }
}

function writeEvent({ sinceLastNs, write, value }: PacketSequence, writer: PbfWriter): void {
  writer.writeVarintField(PACKET.timestamp, sinceLastNs);
  writer.writeVarintField(PACKET.sequence, SEQUENCE);
  writer.writeMessage(PACKET.trackEvent, write, value);
}

function writeDefaults(track: number, writer: PbfWriter): void {
  writer.writeVarintField(PACKET.timestampClock, ClockId.Sequence);
  if (track > 0)
    writer.writeMessage(DEFAULTS.trackEvent, (id, to) => to.writeVarintField(TRACK_EVENT.track, id), track);
}

function writeReading({ traceNs, clock, ns, isIncremental }: ClockReading, writer: PbfWriter): void {
  const writeClock = (id: number, at: bigint, counts: boolean) =>
    writer.writeMessage(
      CLOCK_SNAPSHOT.clock,
      (_, to) => {
        to.writeVarintField(CLOCK.id, id);
        writeBigVarintField(CLOCK.timestamp, at, to);
        if (counts) to.writeBooleanField(CLOCK.isIncremental, true);
      },
      null,
    );
  writeClock(ClockId.Trace, traceNs, false);
  writeClock(clock, ns, isIncremental);
}

/** The numbers of Perfetto's trace format, from its public .proto files (protos/perfetto/trace). */
const TRACE = { packet: 1 } as const;

export const PACKET = {
  clockSnapshot: 6,
  timestamp: 8,
  sequence: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  timestampClock: 58,
  defaults: 59,
  trackDescriptor: 60,
  isFirstOfSequence: 87,
  traceAttributes: 126,
} as const;

/** Names and defaults of this sequence of packets begin anew. */
const STATE_CLEARED = 1;

const CLOCK_SNAPSHOT = { clock: 1 } as const;
const CLOCK = { id: 1, timestamp: 2, isIncremental: 3 } as const;
/** `Trace`: the clock of the trace unless it names another one. `Sequence`: the first that a sequence may define. */
const ClockId = { Realtime: 1, Trace: 6, Sequence: 64 } as const;

const DEFAULTS = { trackEvent: 11 } as const;

export const INTERNED_DATA = {
  categories: 1,
  eventNames: 2,
  annotationNames: 3,
  sourceLocations: 4,
  annotationTexts: 29,
} as const;
/** Of each of these; a source location has the name of its file, and a line. */
const INTERNED = { id: 1, name: 2, line: 4 } as const;

export const TRACK_EVENT = {
  category: 3,
  annotation: 4,
  type: 9,
  name: 10,
  track: 11,
  sourceLocation: 34,
  doubleValue: 44,
  flow: 47,
  lastFlow: 48,
} as const;
export const EventType = { Begin: 1, End: 2, Instant: 3, Counter: 4 } as const;
export const ANNOTATION = { name: 1, bool: 2, integer: 4, text: 17 } as const;

export const TRACK = { id: 1, name: 2, process: 3, thread: 4, parent: 5, counter: 8 } as const;
export const PROCESS = { pid: 1, name: 6 } as const;
export const THREAD = { pid: 1, tid: 2, name: 5 } as const;
export const COUNTER = { unitName: 6 } as const;

const ATTRIBUTES = { attribute: 1 } as const;
const ATTRIBUTE = { key: 1, text: 3 } as const;

/** Writes names that events refer to by number. */
export interface Interned {
  /** What it is the name of: a number of `INTERNED_DATA`. */
  readonly of: number;
  readonly id: number;
  readonly name: string;
  readonly line?: number;
}

/** Names of each kind are numbered when they are first used, from 1. */
export class NewNames {
  private readonly ids = new Map<number, Map<string, number>>();
  private unwritten: Interned[] = [];

  /** `of`: a number of `INTERNED_DATA`. `line`: of a source location, whose name is that of its file. */
  idOf(of: number, name: string, line?: number): number {
    let ids = this.ids.get(of);
    if (ids === undefined) this.ids.set(of, (ids = new Map()));
    const key = line === undefined ? name : `${line} ${name}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = ids.size + 1;
    ids.set(key, id);
    this.unwritten.push({ of, id, name, ...(line !== undefined && { line }) });
    return id;
  }

  /** Writes those that no packet has yet: before the event that uses them. */
  write(sequence: PacketSequence): void {
    if (this.unwritten.length === 0) return;
    writeInternedData(this.unwritten, sequence);
    this.unwritten = [];
  }
}

export function writeInternedData(names: readonly Interned[], sequence: PacketSequence): void {
  sequence.packet((own, writer) => writer.writeMessage(PACKET.internedData, writeNames, own), names);
}

function writeNames(names: readonly Interned[], writer: PbfWriter): void {
  for (const interned of names) writer.writeMessage(interned.of, writeInterned, interned);
}

function writeInterned({ id, name, line }: Interned, writer: PbfWriter): void {
  writer.writeVarintField(INTERNED.id, id);
  writeTextField(INTERNED.name, visibleText(name), writer);
  if (line !== undefined) writer.writeVarintField(INTERNED.line, line);
}

// Writes what comes first in a trace of Perfetto: its clock as a date, and what its overview shows.

/** `meta`: of the trace whose clock is that of the file. */
export function writeHead(meta: TraceMeta, attributes: Attributes, sequence: PacketSequence): void {
  const wall = wallClock(meta);
  sequence.begin();
  if (wall !== null)
    sequence.snapshot({ traceNs: meta.originNs, clock: ClockId.Realtime, ns: wall(0), isIncremental: false });
  sequence.packet((own, to) => to.writeMessage(PACKET.traceAttributes, writeAttributes, own), attributes);
}

/** Writes what Perfetto shows in its overview of a trace: where it was recorded, and what was left out. */
export type Attributes = readonly (readonly [key: string, value: string])[];

type MaybeAttributes = readonly (readonly [key: string, value: string | null])[];

/** `deep`: how many calls are left out because they are nested too deeply. */
export function attributesOf(meta: TraceMeta, calls: LongestCalls, deep: number, wakings: Wakings | null): Attributes {
  return known([
    ...recordedAttributes(meta),
    ['calls left out', leftOutText(calls)],
    ['deep calls left out', deep === 0 ? null : `${formatMany(deep, 'call')} below ${MAX_DEPTH} others`],
    ['wakings left out', wakings && leftOutWakings(wakings)],
  ]);
}

/** Where and how it was recorded, and which part of it is shown. */
export function recordedAttributes({ recorded, part }: TraceMeta): MaybeAttributes {
  return [
    ['host', recorded?.host ?? null],
    ['kernel', recorded?.kernel ?? null],
    ['cpu', recorded?.cpu ?? null],
    ['perf', recorded?.perf ?? null],
    ['command', recorded?.command ? shellWords(recorded.command) : null],
    ['recorded at', recorded?.startedAt ?? null],
    ['selected', part],
  ];
}

/** Leaves out what is null. */
export function known(attributes: MaybeAttributes): Attributes {
  return attributes.filter((entry): entry is readonly [string, string] => entry[1] !== null);
}

function leftOutWakings({ leftOut }: Wakings): string | null {
  const count = leftOut.reduce((sum, slice) => sum + slice, 0);
  return count === 0 ? null : `${formatCount(count)} that ended the shortest waits`;
}

function writeAttributes(attributes: Attributes, writer: PbfWriter): void {
  for (const attribute of attributes) writer.writeMessage(ATTRIBUTES.attribute, writeAttribute, attribute);
}

function writeAttribute([key, value]: readonly [key: string, value: string], writer: PbfWriter): void {
  writeTextField(ATTRIBUTE.key, key, writer);
  writeTextField(ATTRIBUTE.text, visibleText(value), writer);
}

/**
 * Leaves out calls that are nested too deeply for Perfetto: its trace processor keeps stacks of 512 slices, and gives those
 * below wrong ends if there are more, without an error.
 */
const MAX_DEPTH = 512;

/** Returns the other events, and how many calls (and parts of calls) are left out. */
export function withoutDeepCalls(events: CallEvents): { readonly events: CallEvents; readonly leftOut: number } {
  const { timeNs, node, kind } = events;
  if (deepestOf(events) < MAX_DEPTH) return { events, leftOut: 0 };
  const kept = int32Column();
  let row = 0;
  forEachEvent(events, (_kind, _timeNs, _node, depth) => {
    if (depth < MAX_DEPTH) kept.push(row);
    row++;
  });
  const rows = kept.view();
  return {
    events: { timeNs: valuesOf(timeNs, rows), node: valuesOf(node, rows), kind: valuesOf(kind, rows) },
    leftOut: (kind.length - rows.length) / 2,
  };
}

/** Returns the depth of the deepest call, from 0. */
function deepestOf({ kind }: CallEvents): number {
  let open = 0;
  let most = 0;
  for (let row = 0; row < kind.length; row++) {
    if (isBeginning(kind[row])) most = Math.max(most, ++open);
    else open--;
  }
  return most - 1;
}
