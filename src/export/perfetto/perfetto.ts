/**
 * Turns the calls of a trace over time into a trace of Perfetto: a track for each thread, with a slice for each call.
 * Times are perf's clock. The format: https://perfetto.dev/docs/reference/synthetic-track-event
 */

import type { PbfWriter } from 'pbf';
import { CallEvent, type CallEvents, isBeginning, type LongestCalls } from '../../model/calls/call-events.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity } from '../../model/profile/timeline.js';
import type { Nanoseconds } from '../../model/units.js';
import { isChunkFull, newProtoWriter, takeChunk } from '../proto-writer.js';
import { attributesOf } from './attributes.js';
import { withoutDeepCalls } from './deep-calls.js';
import { EventType, PACKET, TRACK_EVENT } from './fields.js';
import { writeHead } from './head.js';
import { Category, EventNames, Mark, type NamedCalls, writeMark } from './names.js';
import { PacketSequence } from './packets.js';
import { type ThreadTrack, Tracks, writeCounterTrack, writeProcessTrack, writeThreadTrack } from './tracks.js';
import { ThreadWakings, wakingEnds } from './wakings.js';

export interface PerfettoCalls {
  readonly longestCalls: LongestCalls;
  /** null: neither wakings nor counters are written. */
  readonly timeline: Timeline | null;
}

const NO_EVENTS: CallEvents = { timeNs: new Float64Array(), node: new Int32Array(), kind: new Uint8Array() };

/** Yields chunks of about 64 KiB. `profile`: each thread has its own tree. */
export function* renderPerfetto(profile: Profile, calls: PerfettoCalls): Generator<Uint8Array> {
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
