/**
 * Turns the calls of a trace over time into a trace of Perfetto: a track for each thread, with a slice for each call.
 * Times are perf's clock. The format: https://perfetto.dev/docs/reference/synthetic-track-event
 */
import type { PbfWriter } from 'pbf';
import type { CallEvents, LongestCalls } from '../../model/calls/call-events.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import { newProtoWriter, takeChunk } from '../proto-writer.js';
import { recordedAtNs } from '../recorded-at.js';
import { attributesOf, writeAttributes } from './attributes.js';
import { writeCounters } from './counters.js';
import { ClockId, PACKET } from './fields.js';
import { EventNames } from './names.js';
import { PacketSequence } from './packets.js';
import { threadPackets } from './thread-events.js';
import { Tracks, writeProcessTrack } from './tracks.js';
import { ThreadWakings, wakingEnds } from './wakings.js';

export interface CallsOverTime {
  readonly longestCalls: LongestCalls;
  /** null: neither wakings nor counters are written. */
  readonly timeline: Timeline | null;
}

const NO_EVENTS: CallEvents = { timeNs: new Float64Array(), node: new Int32Array(), kind: new Uint8Array() };
/** Of processes, counters and what is known of the trace; those of threads follow. */
const FIRST_SEQUENCE = 1;

/** Yields chunks of about 64 KiB. `profile`: each thread has its own tree. */
export function* renderPerfetto(profile: Profile, { longestCalls, timeline }: CallsOverTime): Generator<Uint8Array> {
  const { meta, threads, symbols } = profile;
  const writer = newProtoWriter();
  const tracks = new Tracks(threads);
  writeHead(profile, { longestCalls, timeline }, tracks, writer);
  const eventsOf = new Map(longestCalls.threads.map((events) => [events.tid, events]));
  const ends = wakingEnds(timeline);
  const names = new EventNames(symbols);
  for (const [row, thread] of threads.entries()) {
    const { tid, tree } = thread;
    const events = eventsOf.get(tid) ?? NO_EVENTS;
    names.begin(events, tree);
    const wakings = new ThreadWakings(ends.get(tid) ?? [], names);
    const track = { id: tracks.ofThread(tid), thread, process: tracks.parentOf(thread) };
    const sequence = new PacketSequence(FIRST_SEQUENCE + 1 + row, writer);
    yield* threadPackets({ track, events, symbol: tree.symbol, wakings }, names, meta.originNs, sequence);
  }
  yield takeChunk(writer);
}

function writeHead(
  { meta }: Profile,
  { longestCalls, timeline }: CallsOverTime,
  tracks: Tracks,
  writer: PbfWriter,
): void {
  const sequence = new PacketSequence(FIRST_SEQUENCE, writer);
  const startedAtNs = recordedAtNs(meta);
  sequence.begin(0);
  if (startedAtNs !== null)
    sequence.snapshot({ traceNs: meta.originNs, clock: ClockId.Realtime, ns: startedAtNs, isIncremental: false });
  const attributes = attributesOf(meta, longestCalls, timeline?.wakings ?? null);
  sequence.packet((own, to) => to.writeMessage(PACKET.traceAttributes, writeAttributes, own), attributes);
  for (const process of tracks.processes)
    sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeProcessTrack, own), process);
  if (timeline !== null) writeCounters(timeline, tracks, meta.originNs, sequence);
}
