/**
 * Turns the calls of a trace over time into a trace of Perfetto: a track for each thread, with a slice for each call.
 * Times are perf's clock. The format: https://perfetto.dev/docs/reference/synthetic-track-event
 */
import type { CallEvents, LongestCalls } from '../../model/calls/call-events.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import type { Nanoseconds } from '../../model/units.js';
import { isChunkFull, newProtoWriter, takeChunk } from '../proto-writer.js';
import { attributesOf } from './attributes.js';
import { writeCounters } from './counters.js';
import { withoutDeepCalls } from './deep-calls.js';
import { PACKET } from './fields.js';
import { writeHead } from './head.js';
import { EventNames, type NamedCalls } from './names.js';
import { PacketSequence } from './packets.js';
import { threadPackets, type WrittenThread } from './thread-events.js';
import { Tracks, writeProcessTrack } from './tracks.js';
import { ThreadWakings, wakingEnds } from './wakings.js';

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
