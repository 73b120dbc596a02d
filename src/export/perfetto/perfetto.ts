/**
 * Turns the calls of a trace over time into a trace of Perfetto: a track for each thread, with a slice for each call.
 * Times are perf's clock. The format: https://perfetto.dev/docs/reference/synthetic-track-event
 */

import type { PbfWriter } from 'pbf';
import { CallEvent, type CallEvents, isBeginning, type LongestCalls } from '../../model/calls/call-events.js';
import { rowNumbers } from '../../model/columns.js';
import { appendTo } from '../../model/groups.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline, Wakings } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity } from '../../model/profile/timeline.js';
import { lineOf, SymbolKind, type SymbolTable, symbolRanks } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { isChunkFull, newProtoWriter, takeChunk } from '../proto-writer.js';
import {
  ANNOTATION,
  attributesOf,
  EventType,
  INTERNED_DATA,
  type Interned,
  PACKET,
  PacketSequence,
  TRACK_EVENT,
  withoutDeepCalls,
  writeHead,
  writeInternedData,
} from './packets.js';
import {
  type ThreadTrack,
  Tracks,
  threadName,
  writeCounterTrack,
  writeProcessTrack,
  writeThreadTrack,
} from './tracks.js';

export interface CallsOverTime {
  readonly longestCalls: LongestCalls;
  /** null: neither wakings nor counters are written. */
  readonly timeline: Timeline | null;
}

const NO_EVENTS: CallEvents = { timeNs: new Float64Array(), node: new Int32Array(), kind: new Uint8Array() };

/** Yields chunks of about 64 KiB. `profile`: each thread has its own tree. */
export function* renderPerfetto(profile: Profile, calls: CallsOverTime): Generator<Uint8Array> {
  const { meta, threads, symbols } = profile;
  const { longestCalls, timeline } = calls;
  const shallow = longestCalls.threads.map((events) => ({ tid: events.tid, ...withoutDeepCalls(events) }));
  const deep = shallow.reduce((sum, { leftOut }) => sum + leftOut, 0);
  const eventsOf = new Map(shallow.map(({ tid, events }) => [tid, events]));
  const named = threads.map(({ tid, tree }) => ({ events: eventsOf.get(tid) ?? NO_EVENTS, symbol: tree.symbol }));
  const names = new EventNames(symbols, named);
  const ends = wakingEnds(timeline);
  const tracks = new Tracks(threads);
  const written = threads.map(
    (thread, row): WrittenThread => ({
      ...(named[row] as NamedCalls),
      track: { id: tracks.ofThread(thread.tid), thread, process: tracks.parentOf(thread) },
      wakings: new ThreadWakings(ends.get(thread.tid) ?? [], names),
    }),
  );
  const ns = firstNs(written, timeline);
  const sequence = new PacketSequence(newProtoWriter(), { ns, traceNs: meta.originNs + BigInt(ns) });
  writeHead(meta, attributesOf(meta, longestCalls, deep, timeline?.wakings ?? null), sequence);
  for (const process of tracks.processes)
    sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeProcessTrack, own), process);
  if (timeline !== null) writeCounters(timeline, tracks, sequence);
  for (const _ of names.write(sequence)) if (isChunkFull(sequence.writer)) yield takeChunk(sequence.writer);
  for (const thread of written) yield* threadPackets(thread, names, sequence);
  yield takeChunk(sequence.writer);
}

/** Returns the time of the first event; 0 if there is none. */
function firstNs(threads: readonly WrittenThread[], timeline: Timeline | null): Nanoseconds {
  const ofThreads = threads.flatMap(({ events, wakings }) => [...events.timeNs.subarray(0, 1), wakings.startNs]);
  const first = ofThreads.reduce((least, ns) => Math.min(least, ns), timeline?.startNs ?? Number.POSITIVE_INFINITY);
  return first === Number.POSITIVE_INFINITY ? 0 : Math.round(first);
}

/** What is counted: threads, as an average over each slice of time. */
const COUNTERS = [
  { name: 'running threads', activity: Activity.Running },
  { name: 'threads with lost trace data', activity: Activity.Lost },
] as const;

type Strips = Pick<Timeline, 'startNs' | 'durationNs' | 'stripSliceNs' | 'threads'>;

/**
 * Turns the strips of the timeline into counters: how many threads ran, and how many lost trace data, over time.
 *
 * Writes counters that are not zero all the time.
 */
function writeCounters(strips: Strips, tracks: Tracks, sequence: PacketSequence): void {
  for (const [at, { name, activity }] of COUNTERS.entries()) {
    const values = averages(strips, activity);
    if (values.every((value) => value === 0)) continue;
    const id = tracks.ofCounter(at);
    const track = { id, name, unit: 'threads' };
    sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeCounterTrack, own), track);
    sequence.beginTrack(id);
    writeChanges(values, strips, sequence);
  }
}

function writeChanges(values: Float64Array, strips: Strips, sequence: PacketSequence): void {
  const write = (slice: number, value: number) => sequence.event(momentOf(strips, slice), writeValue, value);
  for (let slice = 0; slice < values.length; slice++)
    if (slice === 0 || values[slice] !== values[slice - 1]) write(slice, values[slice]);
  write(values.length, 0);
}

/** Returns the start of a slice; that after the last one is the end of the timeline. */
function momentOf({ startNs, durationNs, stripSliceNs }: Strips, slice: number): Nanoseconds {
  return Math.round(startNs + Math.min(durationNs, slice * stripSliceNs));
}

function averages({ threads, durationNs, stripSliceNs }: Strips, activity: Activity): Float64Array {
  const slices = threads.reduce((most, { strip }) => Math.max(most, strip.length / ACTIVITIES), 0);
  const sums = new Float64Array(slices);
  for (const { strip } of threads)
    for (let slice = 0; slice < strip.length / ACTIVITIES; slice++) sums[slice] += strip[ACTIVITIES * slice + activity];
  return sums.map((ns, slice) => ns / Math.max(1, Math.min(stripSliceNs, durationNs - slice * stripSliceNs)));
}

function writeValue(value: number, writer: PbfWriter): void {
  writer.writeVarintField(TRACK_EVENT.type, EventType.Counter);
  writer.writeDoubleField(TRACK_EVENT.doubleValue, value);
}

/**
 * Writes the packets of one thread: its track, and a slice for each call, from begin to end in the order of the
 * log, with wakings in between.
 */
interface WrittenThread extends NamedCalls {
  readonly track: ThreadTrack;
  readonly wakings: ThreadWakings;
}

/** Yields full chunks; the rest stays in the writer. */
function* threadPackets(
  { track, events, symbol, wakings }: WrittenThread,
  names: EventNames,
  sequence: PacketSequence,
): Generator<Uint8Array> {
  const { writer } = sequence;
  const { timeNs, node, kind } = events;
  sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeThreadTrack, own), track);
  sequence.beginTrack(track.id);
  const slice: Slice = { kind: CallEvent.Begin, name: 0, category: 0, hasLine: 0 };
  for (let row = 0; row < kind.length; row++) {
    const ns = Math.round(timeNs[row]);
    const function_ = symbol[node[row]];
    wakings.writeBefore(ns, sequence);
    slice.kind = kind[row] as CallEvent;
    slice.name = names.functionOf[function_];
    slice.category = names.categoryOf[function_];
    slice.hasLine = names.hasLine[function_];
    sequence.event(ns, isBeginning(slice.kind) ? writeBegin : writeEnd, slice);
    if (isChunkFull(writer)) yield takeChunk(writer);
  }
  wakings.writeBefore(Number.POSITIVE_INFINITY, sequence);
}

/** One object is used for all events. */
interface Slice {
  kind: CallEvent;
  name: number;
  category: number;
  hasLine: number;
}

function writeBegin({ kind, name, category, hasLine }: Slice, writer: PbfWriter): void {
  if (category !== Category.None) writer.writeVarintField(TRACK_EVENT.category, category);
  if (kind === CallEvent.Resume) writer.writeMessage(TRACK_EVENT.annotation, writeMark, Mark.Resumed);
  writer.writeVarintField(TRACK_EVENT.type, EventType.Begin);
  writer.writeVarintField(TRACK_EVENT.name, name);
  if (hasLine === 1) writer.writeVarintField(TRACK_EVENT.sourceLocation, name);
}

/** Annotations that are true where they are; their numbers. */
const Mark = { Cut: 1, Unwound: 2, Left: 3, Resumed: 4, Maybe: 5 } as const;
type Mark = (typeof Mark)[keyof typeof Mark];

const MARK_OF: Readonly<Partial<Record<CallEvent, Mark>>> = {
  [CallEvent.Unwound]: Mark.Unwound,
  [CallEvent.Cut]: Mark.Cut,
  [CallEvent.Leave]: Mark.Left,
};

/** Perfetto adds the mark to the slice. */
function writeEnd({ kind }: Slice, writer: PbfWriter): void {
  const mark = MARK_OF[kind];
  if (mark !== undefined) writer.writeMessage(TRACK_EVENT.annotation, writeMark, mark);
  writer.writeVarintField(TRACK_EVENT.type, EventType.End);
}

// Numbers the names that the events of a thread refer to: functions, the files that they are in, and marks.

const MARK_NAMES = ['cut', 'unwound', 'left', 'resumed', 'maybe'];

/** Categories that are not files; their numbers. */
const Category = { None: 0, Stop: 1, Waking: 2 } as const;
const CATEGORY_NAMES = ['stop', 'waking'];

/** So many are in a packet. */
const NAMES_PER_PACKET = 256;

/** `symbol`: by node. */
interface NamedCalls {
  readonly events: CallEvents;
  readonly symbol: Int32Array;
}

/** Frequent functions get small numbers, which take a byte. */
class EventNames {
  /** By symbol; 0: not used. */
  readonly functionOf: Int32Array;
  readonly categoryOf: Int32Array;
  /** By symbol, 1: where it begins in source code is known, and has the number of the function. */
  readonly hasLine: Uint8Array;
  private readonly list: Interned[];
  private readonly others = new Map<string, number>();
  private count: number;

  constructor(symbols: SymbolTable, calls: readonly NamedCalls[]) {
    this.functionOf = new Int32Array(symbols.length);
    this.categoryOf = new Int32Array(symbols.length);
    this.hasLine = new Uint8Array(symbols.length);
    this.list = [...list(INTERNED_DATA.annotationNames, MARK_NAMES), ...list(INTERNED_DATA.categories, CATEGORY_NAMES)];
    const used = byFrequency(calls, symbols);
    this.count = used.length;
    this.addFunctions(used, symbols);
    this.addCategories(used, symbols);
  }

  private addFunctions(used: readonly SymbolId[], symbols: SymbolTable): void {
    for (const [at, symbol] of used.entries()) {
      const id = at + 1;
      const line = lineOf(symbols, symbol);
      this.functionOf[symbol] = id;
      this.list.push({ of: INTERNED_DATA.eventNames, id, name: symbols.name[symbol] as string });
      if (line === null) continue;
      this.hasLine[symbol] = 1;
      this.list.push({ of: INTERNED_DATA.sourceLocations, id, name: line.file, line: line.line });
    }
  }

  private addCategories(used: readonly SymbolId[], { kind, dso, dsoName }: SymbolTable): void {
    const files = new Map<number, number>();
    for (const symbol of used) {
      const file = dso[symbol] as number;
      if (file !== NONE && !files.has(file)) files.set(file, CATEGORY_NAMES.length + files.size + 1);
      const isStop = kind[symbol] === SymbolKind.Synthetic;
      this.categoryOf[symbol] = isStop ? Category.Stop : (files.get(file) ?? Category.None);
    }
    for (const [file, id] of files) this.list.push({ of: INTERNED_DATA.categories, id, name: dsoName[file] as string });
  }

  /** Returns the number of the name of an event that is not a call. */
  idOf(name: string): number {
    const known = this.others.get(name);
    if (known !== undefined) return known;
    this.list.push({ of: INTERNED_DATA.eventNames, id: ++this.count, name });
    this.others.set(name, this.count);
    return this.count;
  }

  /** Writes all names; yields after each packet. */
  *write(sequence: PacketSequence): Generator<void> {
    for (let at = 0; at < this.list.length; at += NAMES_PER_PACKET) {
      writeInternedData(this.list.slice(at, at + NAMES_PER_PACKET), sequence);
      yield;
    }
  }
}

/** Annotates an event. */
function writeMark(mark: Mark, writer: PbfWriter): void {
  writer.writeVarintField(ANNOTATION.name, mark);
  writer.writeVarintField(ANNOTATION.bool, 1);
}

function list(of: number, names: readonly string[]): Interned[] {
  return names.map((name, at) => ({ of, id: at + 1, name }));
}

/** Returns the functions of calls, those with the most calls first; of the same number, by name. */
function byFrequency(calls: readonly NamedCalls[], symbols: SymbolTable): SymbolId[] {
  const counts = new Float64Array(symbols.length);
  const ranks = symbolRanks(symbols);
  for (const { events, symbol } of calls)
    for (let row = 0; row < events.kind.length; row++)
      if (isBeginning(events.kind[row])) counts[symbol[events.node[row]]]++;
  return Array.from(rowNumbers(symbols.length).filter((symbol) => counts[symbol] > 0)).sort(
    (a, b) => counts[b] - counts[a] || ranks[a] - ranks[b],
  );
}

// Turns wakings into instants on both threads, and flows between them: Perfetto draws them as arrows.

/** One end of a waking, on the thread that it is about. */
interface WakingEnd {
  /** In the profile's time. */
  readonly ns: Nanoseconds;
  readonly isWaiter: boolean;
  /** The other thread: "worker 1234". */
  readonly other: string;
  /** Of the flow that begins or ends here; 0: none. */
  readonly flow: number;
  /** An interrupt may have done it instead. */
  readonly isMaybe: boolean;
}

/** By thread of the profile, in the order of time. */
type WakingEnds = ReadonlyMap<Tid, readonly WakingEnd[]>;

function wakingEnds(timeline: Pick<Timeline, 'startNs' | 'wakings'> | null): WakingEnds {
  const ends = new Map<Tid, WakingEnd[]>();
  if (timeline === null || timeline.wakings === null) return ends;
  const { threads } = timeline.wakings;
  const add = (place: number, end: WakingEnd) => {
    const { tid, isTraced } = threads[place] as Wakings['threads'][number];
    if (!isTraced) return;
    appendTo(ends, tid, end);
  };
  for (const { waker, waiter, ...both } of arrowsOf(timeline.wakings, timeline.startNs)) {
    const { wakeNs, runNs, flow, isMaybe } = both;
    add(waker, { ns: wakeNs, isWaiter: false, other: nameOf(threads, waiter), flow, isMaybe });
    add(waiter, { ns: runNs, isWaiter: true, other: nameOf(threads, waker), flow, isMaybe });
  }
  for (const list of ends.values()) list.sort((a, b) => a.ns - b.ns);
  return ends;
}

function nameOf(threads: Wakings['threads'], place: number): string {
  return threadName(threads[place] as Wakings['threads'][number]);
}

/** A flow leads to a later moment: of two events of the same moment, Perfetto would not know which is first. */
function* arrowsOf({ threads, rows }: Wakings, startNs: Nanoseconds) {
  for (let row = 0; row < rows.waiter.length; row++) {
    const [waker, waiter] = [rows.waker[row], rows.waiter[row]];
    const [wakeNs, runNs] = [rows.wakeNs[row], rows.runNs[row]].map((ns) => Math.round(startNs + ns)) as [
      number,
      number,
    ];
    const isArrow = wakeNs < runNs && [waker, waiter].every((place) => threads[place]?.isTraced);
    yield { waker, waiter, wakeNs, runNs, flow: isArrow ? row + 1 : 0, isMaybe: rows.isMaybe[row] === 1 };
  }
}

/** The ends of one thread, in the order in which they are written. Their names are known before any are written. */
class ThreadWakings {
  private next = 0;

  constructor(
    private readonly ends: readonly WakingEnd[],
    private readonly names: EventNames,
  ) {
    for (const end of ends) names.idOf(textOf(end));
  }

  /** Of the first one; Infinity if there is none. */
  get startNs(): Nanoseconds {
    return this.ends[0]?.ns ?? Number.POSITIVE_INFINITY;
  }

  /** Writes those before a moment that are not written yet. */
  writeBefore(ns: Nanoseconds, sequence: PacketSequence): void {
    for (let end = this.ends[this.next]; end !== undefined && end.ns < ns; end = this.ends[++this.next])
      sequence.event(end.ns, writeWakingEnd, { ...end, name: this.names.idOf(textOf(end)) });
  }
}

/** Two wakings have the same name if they have the same threads. */
function textOf({ isWaiter, other }: WakingEnd): string {
  return isWaiter ? `woken by ${other}` : `wakes ${other}`;
}

function writeWakingEnd(
  { isWaiter, flow, isMaybe, name }: WakingEnd & { readonly name: number },
  writer: PbfWriter,
): void {
  writer.writeVarintField(TRACK_EVENT.category, Category.Waking);
  if (isMaybe) writer.writeMessage(TRACK_EVENT.annotation, writeMark, Mark.Maybe);
  writer.writeVarintField(TRACK_EVENT.type, EventType.Instant);
  writer.writeVarintField(TRACK_EVENT.name, name);
  if (flow > 0) writer.writeFixed64Field(isWaiter ? TRACK_EVENT.lastFlow : TRACK_EVENT.flow, flow);
}
