/**
 * What was found of the requests of a trace: plain data, with functions as symbols, and times in the trace's time.
 */

import type { Profile } from '../../model/profile/profile.js';
import type { Address, Nanoseconds, SymbolId } from '../../model/units.js';
import type { RequestStats } from '../../waits/compared.js';
import type { HandOffBy } from '../../waits/hand-offs.js';
import type { HostClocks, HostOffset } from '../../waits/host-clocks.js';
import type { Reason } from '../../waits/reason.js';
import type { KnownThread } from '../waits/thread-directory.js';
import type { EndedBy, Place } from '../waits/wait-facts.js';
import type { HostTrace } from './scene.js';
import type { TraceContext } from './trace-contexts.js';

export interface FoundRequests {
  readonly requests: number;
  /** Their start or end was not seen. */
  readonly cut: number;
  /** How many threads they are in, and how many others did work for them. */
  readonly threads: number;
  readonly otherThreads: number;
  readonly stats: RequestStats | null;
  readonly joined: JoinedWork;
  readonly flow: AskedFlow;
  readonly typical: RequestGroup | null;
  readonly slowest: RequestGroup | null;
  /** Where the time of a typical and of a slow request goes: those with most time first. */
  readonly where: readonly RequestTime[];
  readonly whereByThread: readonly RequestThreadTime[];
  readonly details: readonly RequestDetails[];
  readonly leftOut: LeftOut;
}

/** What the details do not show of the requests that were to be described. */
export interface LeftOut {
  /** Complete requests. */
  readonly requests: number;
  /** Calls, of the described requests: those of less than `minNs`. */
  readonly calls: number;
  readonly minNs: Nanoseconds;
}

/** How the work of others was to be found: if no flow is named, only wakings tell who worked for whom. */
interface AskedFlow {
  readonly isNamed: boolean;
  /** Events that could be named, with their arguments; none if a flow is named. */
  readonly events: readonly string[];
}

/** How often threads took work, by how the one that handed it on was found. */
export interface JoinedWork {
  readonly byKey: number;
  readonly byOrder: number;
  readonly byWaking: number;
  /** How many of these were done together with work of other requests. */
  readonly shared: number;
  /** Taken from a known thread, but not for a request of the trace. */
  readonly forNoRequest: number;
  /** Who handed it on is not known. */
  readonly notJoined: number;
}

/** Complete requests, and their own durations. */
export interface RequestGroup {
  readonly requests: number;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
  readonly avgNs: Nanoseconds;
}

/** Average time per request of a group. */
export interface RequestTime {
  /** Whose functions these are. */
  readonly host: number;
  /** Of the request's own thread, not of others that worked for it. */
  readonly isOwn: boolean;
  readonly place: Place;
  /** The stop in which the time passed; NONE: it ran. */
  readonly stop: SymbolId;
  readonly reason: Reason;
  readonly typicalNs: Nanoseconds;
  readonly slowestNs: Nanoseconds;
}

/** Threads of one name: average time per request of a group. */
export interface RequestThreadTime {
  readonly host: number;
  readonly isOwn: boolean;
  readonly comm: string | null;
  readonly threads: number;
  readonly typicalNs: Nanoseconds;
  readonly slowestNs: Nanoseconds;
}

/** One request; its first part is its own call. Times are on the clock of its host. */
export interface RequestDetails {
  readonly host: number;
  /** Of its call, as a symbol of its host. */
  readonly symbol: SymbolId;
  /** Of the trace that its program says it belongs to; null: no sample says so. */
  readonly context: TraceContext | null;
  readonly startNs: Nanoseconds;
  /** When it began on the common clock of its host and those that are related to it. */
  readonly commonNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  readonly parts: readonly RequestPart[];
}

export interface RequestPart {
  readonly host: number;
  readonly thread: KnownThread;
  /** How far its times may be off, as the clocks of hosts differ; 0: it is on the request's host; infinite: not known. */
  readonly errorNs: Nanoseconds;
  readonly by: HandOffBy;
  /** How many requests the work is for, this one included. */
  readonly sharedBy: number;
  /** The part that handed this one on, and when; NONE and NaN: its own call. */
  readonly parent: number;
  readonly handedOnNs: Nanoseconds;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** On its own host's clock. */
  readonly ownStartNs: Nanoseconds;
  readonly ownEndNs: Nanoseconds;
  /** In the order in which they began; callers before what they called. */
  readonly spans: readonly RequestSpan[];
}

export interface RequestSpan {
  readonly depth: number;
  /** The row of the call below it; NONE: none is shown. */
  readonly parent: number;
  readonly symbol: SymbolId;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** Without the spans in it. */
  readonly selfNs: Nanoseconds;
  /** Its start or its end was not seen; it lasted at least this long. */
  readonly isInferred: boolean;
  /** Of time off the CPU. */
  readonly wait: RequestWait | null;
}

export interface RequestWait {
  readonly reason: Reason;
  /** The reason was concluded from other waits. */
  readonly isReasonInferred: boolean;
  readonly address: Address | null;
  readonly endedBy: EndedBy;
  /** null: it is not a thread, or not known. */
  readonly waker: KnownThread | null;
  readonly wakerPlace: Place;
  /** From its waking until it ran; NaN: not known. */
  readonly wakeUpNs: Nanoseconds;
}

/** A host of requests. */
export interface FoundHost {
  readonly name: string | null;
  readonly profile: Profile;
  /** From the profile's time to that of the requests. */
  readonly shiftNs: Nanoseconds;
  /** Those that are requests. */
  readonly functions: readonly SymbolId[];
  /** Of perf's clock on this host, to that on another; to itself: no other one is known. */
  readonly offset: HostOffset;
}

export function foundHosts(hosts: readonly HostTrace[], clocks: HostClocks): FoundHost[] {
  const originNs = hosts.map(({ traced }) => (traced.trace.originSeconds ?? 0) * 1e9);
  return hosts.map(({ name, calls: { profile, shiftNs }, functions }, host) => {
    const offset = clocks.offsetOf(host);
    const apartNs = originNs[host] - originNs[offset.to];
    return {
      ...{ name, profile, shiftNs },
      functions: [...functions.keys()].filter((symbol) => functions[symbol] === 1),
      offset: { ...offset, lowNs: offset.lowNs + apartNs, highNs: offset.highNs + apartNs },
    };
  });
}
