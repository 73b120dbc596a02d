/**
 * Turns requests into a trace of Perfetto: the spans of each part are slices on the track of its thread, and flows lead from
 * where work was handed on to that work.
 */
import type { Nanoseconds } from '../../../model/units.js';
import type { RequestsResult } from '../../../questions/requests/ask-requests.js';
import { formatCount } from '../../../render/format.js';
import { leftOutText } from '../../left-out.js';
import { newProtoWriter, takeChunk } from '../../proto-writer.js';
import { partSpans } from '../../requests/part-spans.js';
import { type Attributes, known, recordedAttributes } from '../attributes.js';
import { writeHead } from '../head.js';
import { NewNames } from '../interned.js';
import { PacketSequence } from '../packets.js';
import { lanePackets } from './lane-packets.js';
import { type Lane, Lanes } from './lanes.js';
import { RequestClock } from './request-clock.js';
import { handedOnNs, type InstantAt, instantsOf } from './request-events.js';
import { RequestTracks } from './request-tracks.js';
import { type Work, worksOf } from './works.js';

/** Yields chunks of about 64 KiB. */
export function* perfettoOfRequests(found: RequestsResult): Generator<Uint8Array> {
  const { hosts, requests } = found;
  const works = worksOf(requests.details);
  const clock = new RequestClock(hosts);
  const ns = firstNs(works, clock);
  const sequence = new PacketSequence(newProtoWriter(), { ns, traceNs: clock.meta.originNs + BigInt(ns) });
  const context = { sequence, names: new NewNames(), clock };
  const tracks = new RequestTracks(hosts, sequence);
  writeHead(clock.meta, attributesOf(found, clock), sequence);
  for (const own of byThread(works)) {
    const [{ part }] = own;
    const lanes = placed(own, found, clock);
    for (const [row, { lane, instants }] of lanes.entries()) {
      tracks.begin(part.host, part.thread, row);
      yield* lanePackets(lane, instants, context);
    }
  }
  yield takeChunk(sequence.writer);
}

/** By host, process and thread; work by time. */
function byThread(works: readonly Work[]): Work[][] {
  const threads = new Map<string, Work[]>();
  for (const work of works) {
    const key = `${work.part.host} ${work.part.thread.tid}`;
    const own = threads.get(key);
    if (own === undefined) threads.set(key, [work]);
    else own.push(work);
  }
  for (const own of threads.values())
    own.sort(({ part: a }, { part: b }) => a.ownStartNs - b.ownStartNs || b.ownEndNs - a.ownEndNs);
  return [...threads.values()].sort(([{ part: a }], [{ part: b }]) => {
    return a.host - b.host || (a.thread.pid ?? -1) - (b.thread.pid ?? -1) || a.thread.tid - b.thread.tid;
  });
}

interface PlacedLane {
  readonly lane: Lane;
  readonly instants: InstantAt[];
}

/** `works`: of one thread. Hand-offs are on the lane of their work. */
function placed(works: readonly Work[], { hosts }: RequestsResult, clock: RequestClock): PlacedLane[] {
  const lanes = new Lanes();
  const instants = new Map<Lane, InstantAt[]>();
  for (const work of works) {
    const lane = lanes.add(work, partSpans(work.details, work.part, hosts[work.part.host]));
    const own = instants.get(lane) ?? [];
    own.push(...instantsOf(work, clock));
    instants.set(lane, own);
  }
  lanes.end();
  return lanes.all.map((lane) => ({ lane, instants: (instants.get(lane) ?? []).sort((a, b) => a.ns - b.ns) }));
}

/** Returns the time of the first event; 0 if there is none. */
function firstNs(works: readonly Work[], clock: RequestClock): Nanoseconds {
  const times = works.flatMap(({ details, part, handedOn }) => [
    clock.ns(details, part.startNs),
    ...handedOn.map((handOff) => handedOnNs(handOff, clock)),
  ]);
  return times.length === 0 ? 0 : times.reduce((least, ns) => Math.min(least, ns));
}

function attributesOf(
  { hosts, requests: { requests, cut, leftOut } }: RequestsResult,
  clock: RequestClock,
): Attributes {
  const ofHosts = [
    ['hosts', hosts.map(({ name }) => name).join(', ')],
    ['clock of', clock.host.name],
  ] as const;
  return known([
    ...(hosts.length > 1 ? ofHosts : recordedAttributes(clock.meta)),
    ['requests', formatCount(requests)],
    ['requests cut', cut === 0 ? null : formatCount(cut)],
    ['requests left out', leftOut.requests === 0 ? null : formatCount(leftOut.requests)],
    ['calls left out', leftOutText({ leftOut: leftOut.calls, minNs: leftOut.minNs })],
  ]);
}
