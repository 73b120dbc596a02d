/**
 * Turns requests into a trace of Perfetto: the spans of each part are slices on the track of its thread, and flows lead from
 * where work was handed on to that work.
 */
import { groupBy } from '../../model/groups.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { RequestsResult } from '../../questions/requests/ask-requests.js';
import type { FoundHost } from '../../questions/requests/found-requests.js';
import type { KnownThread } from '../../questions/waits/thread-directory.js';
import { formatCount } from '../../render/format.js';
import { isChunkFull, newProtoWriter, takeChunk } from '../proto-writer.js';
import { type PartSpan, partSpans } from '../request-spans.js';
import { leftOutText } from '../shared.js';
import { type Attributes, known, NewNames, PACKET, PacketSequence, recordedAttributes, writeHead } from './packets.js';
import {
  type AnnotatedEvent,
  beginning,
  handedOnNs,
  type InstantAt,
  instantsOf,
  numbered,
  RequestClock,
  type Work,
  worksOf,
  writeEnd,
  writeNumbered,
} from './request-events.js';
import { type Process, threadName, writeNamedTrack, writeProcessTrack, writeThreadTrack } from './tracks.js';

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
  const threads = groupBy(works, ({ part }) => `${part.host} ${part.thread.tid}`);
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

/** Writes the packets of one lane: a slice for each span, from begin to end, with instants in between. */
interface PacketContext {
  readonly sequence: PacketSequence;
  readonly names: NewNames;
  readonly clock: RequestClock;
}

/**
 * Yields full chunks; the rest stays in the writer. `instants`: by time. Two clocks differ by less and less, or more and
 * more, so work that follows other work may seem to begin a little before its end: it is written as beginning then.
 */
function* lanePackets(
  { events }: Lane,
  instants: readonly InstantAt[],
  { sequence, names, clock }: PacketContext,
): Generator<Uint8Array> {
  let [nowNs, next] = [Number.NEGATIVE_INFINITY, 0];
  const begin = (event: AnnotatedEvent) => {
    const own = numbered(event, names);
    names.write(sequence);
    sequence.event(nowNs, writeNumbered, own);
  };
  const writeInstantsBefore = (ns: number) => {
    for (; next < instants.length && instants[next].ns < ns; next++) {
      nowNs = Math.max(nowNs, instants[next].ns);
      begin(instants[next].event);
    }
  };
  for (const { ns, work, span } of events) {
    const atNs = clock.ns(work.details, ns - work.part.ownStartNs + work.part.startNs);
    writeInstantsBefore(atNs);
    nowNs = Math.max(nowNs, atNs);
    if (span === null) sequence.event(nowNs, writeEnd, null);
    else begin(beginning(work, span, clock));
    if (isChunkFull(sequence.writer)) yield takeChunk(sequence.writer);
  }
  writeInstantsBefore(Number.POSITIVE_INFINITY);
}

/** Writes the tracks of requests when they are first needed: hosts, processes, threads, and lanes of these. */
class RequestTracks {
  private readonly comms: readonly ReadonlyMap<number, string | null>[];
  private readonly known = new Map<string, number>();
  private count = 0;

  constructor(
    private readonly hosts: readonly FoundHost[],
    private readonly sequence: PacketSequence,
  ) {
    this.comms = hosts.map(({ profile: { threads } }) => new Map(threads.map(({ tid, comm }) => [tid, comm])));
  }

  /** Begins the track of a thread, or another one below it: the lane. */
  begin(host: number, thread: KnownThread, lane: number): void {
    const track = this.hosts.length === 1 ? this.ofThread(thread) : this.ofHostThread(host, thread);
    const name = `${threadName(thread)} (${lane + 1})`;
    this.sequence.beginTrack(lane === 0 ? track : this.named(name, track));
  }

  private ofThread(thread: KnownThread): number {
    const process = thread.pid === null ? null : this.process(thread.pid);
    return this.once(`thread ${thread.tid}`, (id) => {
      this.sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeThreadTrack, own), {
        ...{ id, thread, process },
      });
    });
  }

  private process(pid: number): Process {
    const name = this.comms[0].get(pid) ?? null;
    const id = this.once(`process ${pid}`, (id) => {
      this.sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeProcessTrack, own), {
        ...{ id, pid, name },
      });
    });
    return { id, pid, name };
  }

  /** Perfetto takes threads of one number for one thread: those of several hosts are tracks with a name only. */
  private ofHostThread(host: number, thread: KnownThread): number {
    const { pid } = thread;
    const ofHost = this.named(this.hosts[host].name ?? `host ${host + 1}`, null);
    if (pid === null) return this.named(threadName(thread), ofHost);
    const comm = this.comms[host].get(pid) ?? 'process';
    return this.named(threadName(thread), this.named(`${comm} ${pid}`, ofHost));
  }

  private named(name: string, parent: number | null): number {
    return this.once(`${parent} ${name}`, (id) => {
      this.sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeNamedTrack, own), {
        ...{ id, name, parent },
      });
    });
  }

  private once(key: string, write: (id: number) => void): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const id = ++this.count;
    this.known.set(key, id);
    write(id);
    return id;
  }
}

/**
 * Places the work of a thread on lanes, on which it nests. One lane is enough, unless a thread works for a request while it
 * works for another one, or switches between stacks.
 *
 * The beginning of a span, or the end of the last one that has not ended yet.
 */
interface LaneEvent {
  /** The clock of the work's thread. */
  readonly ns: Nanoseconds;
  readonly work: Work;
  /** What begins; null: what began last ends. */
  readonly span: PartSpan | null;
}

/** An open span. */
interface Open extends LaneEvent {
  readonly endNs: Nanoseconds;
}

class Lane {
  readonly events: LaneEvent[] = [];
  /** Innermost last. */
  private readonly open: Open[] = [];

  isIdleAt(ns: Nanoseconds): boolean {
    this.endUntil(ns, null);
    return this.open.length === 0 && (this.events.at(-1)?.ns ?? ns) <= ns;
  }

  /** Whether a span that begins now can be right above another one. */
  isAbove(below: Open, ns: Nanoseconds): boolean {
    this.endUntil(ns, below);
    return this.open.at(-1) === below;
  }

  begin(span: Open): void {
    this.open.push(span);
    this.events.push(span);
  }

  /** Ends the spans above one, or all, as far as they have ended by a time. */
  endUntil(ns: Nanoseconds, below: Open | null): void {
    for (let top = this.open.at(-1); top !== undefined && top !== below && top.endNs <= ns; top = this.open.at(-1)) {
      this.events.push({ ns: top.endNs, work: top.work, span: null });
      this.open.pop();
    }
  }
}

class Lanes {
  readonly all: Lane[] = [];

  /** Adds what a thread did; by time of its beginning. Returns the lane of the work itself. */
  add(work: Work, spans: readonly PartSpan[]): Lane {
    const { startNs, ownStartNs } = work.part;
    const own = (ns: Nanoseconds) => ns - startNs + ownStartNs;
    const placed: { readonly lane: Lane; readonly opened: Open }[] = [];
    for (const span of spans) {
      const opened = { ns: own(span.startNs), endNs: own(span.endNs), work, span };
      const below = span.parent === NONE ? null : placed[span.parent];
      const lane = below?.lane.isAbove(below.opened, opened.ns) ? below.lane : this.idleAt(opened.ns);
      lane.begin(opened);
      placed.push({ lane, opened });
    }
    return placed[0].lane;
  }

  end(): void {
    for (const lane of this.all) lane.endUntil(Number.POSITIVE_INFINITY, null);
  }

  private idleAt(ns: Nanoseconds): Lane {
    const idle = this.all.find((lane) => lane.isIdleAt(ns));
    if (idle !== undefined) return idle;
    const added = new Lane();
    this.all.push(added);
    return added;
  }
}
