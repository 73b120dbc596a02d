/**
 * Turns work and hand-offs of requests into events of Perfetto.
 */

import type { PbfWriter } from 'pbf';
import type { TraceMeta } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { HAND_OFF_BY } from '../../questions/requests/answer.js';
import type { FoundHost, RequestDetails, RequestPart } from '../../questions/requests/found-requests.js';
import { type PartSpan, type SpanValues, sharedWorkOf } from '../request-spans.js';
import { ANNOTATION, EventType, INTERNED_DATA, type NewNames, TRACK_EVENT } from './packets.js';
import { threadName } from './tracks.js';

/** A call or a stop that begins, or the work as a whole. */
export function beginning(work: Work, span: PartSpan, clock: RequestClock): AnnotatedEvent {
  const { call, name, parent } = span;
  const isWhole = parent === NONE;
  const values = isWhole ? { ...wholeValues(work), ...span.values } : span.values;
  const lastFlows = isWhole ? work.taken.filter(isTakenFirst).flatMap((handOff) => flowOf(handOff, clock)) : NO_FLOWS;
  const category = categoryOf(span);
  return { isInstant: false, name, category, srcline: call?.srcline, values, flows: NO_FLOWS, lastFlows };
}

const NO_FLOWS: readonly number[] = [];

function categoryOf({ call, isStop }: PartSpan): string | null {
  if (call === null) return 'work';
  return isStop ? 'stop' : call.dso;
}

function wholeValues({ details: { context }, part, requests }: Work): SpanValues {
  return { ...requestValues(requests), trace_id: HAND_OFF_BY[part.by] === null ? context?.traceId : null };
}

function requestValues(requests: readonly number[]): SpanValues {
  return requests.length === 1 ? { request: requests[0] } : { requests: requests.join(', ') };
}

export interface InstantAt {
  readonly ns: Nanoseconds;
  readonly event: AnnotatedEvent;
}

/** Returns where work was handed on, and where more was taken than at the beginning; by time. */
export function instantsOf({ taken, handedOn }: Work, clock: RequestClock): InstantAt[] {
  const later = taken.filter((handOff) => !isTakenFirst(handOff));
  return [
    ...handedOn.map((handOff) => {
      const name = `hands on to ${threadName(handOff.to.part.thread)}`;
      const event = { ...instantOf(handOff, name), flows: flowOf(handOff, clock), lastFlows: NO_FLOWS };
      return { ns: handedOnNs(handOff, clock), event };
    }),
    ...later.map((handOff) => {
      const name = `takes from ${threadName(handOff.from.part.thread)}`;
      const event = { ...instantOf(handOff, name), flows: NO_FLOWS, lastFlows: flowOf(handOff, clock) };
      return { ns: takenNs(handOff, clock), event };
    }),
  ].sort((a, b) => a.ns - b.ns);
}

function instantOf({ part: { by }, requests }: HandOff, name: string) {
  const values = { ...requestValues(requests), 'ptflame.handoff.by': HAND_OFF_BY[by] };
  return { isInstant: true, name, category: 'hand-off', values };
}

/** Its arrow leads to the beginning of the work. */
function isTakenFirst({ part, to }: HandOff): boolean {
  return part.ownStartNs === to.part.ownStartNs;
}

/** A flow leads to a later moment: of two events of the same moment, Perfetto would not know which is first. */
function flowOf(handOff: HandOff, clock: RequestClock): readonly number[] {
  return handedOnNs(handOff, clock) < takenNs(handOff, clock) ? [handOff.id] : NO_FLOWS;
}

export function handedOnNs({ details, part }: HandOff, clock: RequestClock): Nanoseconds {
  return clock.ns(details, part.handedOnNs);
}

function takenNs({ details, part }: HandOff, clock: RequestClock): Nanoseconds {
  return clock.ns(details, part.startNs);
}

/** Turns times of requests into those of one file: perf's clock on the host to whose clock most others are related. */
export class RequestClock {
  /** Of the host whose clock it is. */
  readonly host: FoundHost;

  constructor(private readonly hosts: readonly FoundHost[]) {
    this.host = hosts[hosts[0].offset.to];
  }

  get meta(): TraceMeta {
    return this.host.profile.meta;
  }

  /** Returns a time of a request, in the time of the profile of the clock's host. A host that is not related keeps its clock. */
  ns(details: RequestDetails, ns: Nanoseconds): Nanoseconds {
    const { profile, shiftNs } = this.hosts[this.hosts[details.host].offset.to];
    const apartNs = Number(profile.meta.originNs - this.meta.originNs);
    return Math.round(commonNs(details, ns) - shiftNs + apartNs);
  }
}

// Collects the work of all requests, each once, and how it was handed on.

/** What one thread did for a request, or for several at once. */
export interface Work {
  /** The part of a request that has it all; of several, that whose work was taken first. */
  details: RequestDetails;
  part: RequestPart;
  /** Counted from 1, the slowest first. */
  readonly requests: number[];
  readonly taken: HandOff[];
  readonly handedOn: HandOff[];
}

interface HandOff {
  /** Counted from 1. */
  readonly id: number;
  readonly from: Work;
  readonly to: Work;
  /** One of the requests for which it was, and the part of it that was taken: times are on the clock of its host. */
  readonly details: RequestDetails;
  readonly part: RequestPart;
  readonly requests: number[];
}

export function worksOf(details: readonly RequestDetails[]): Work[] {
  const works = new WorkList();
  for (const [row, each] of details.entries()) works.add(each, row + 1);
  return works.all;
}

class WorkList {
  readonly all: Work[] = [];
  private readonly shared = new Map<string, Work>();
  private count = 0;

  add(details: RequestDetails, request: number): void {
    const own: Work[] = []; // by part
    for (const part of details.parts) {
      const work = this.workOf(details, part);
      addOnce(work.requests, request);
      own.push(work);
      if (HAND_OFF_BY[part.by] !== null) this.handOn(own[Math.max(0, part.parent)], work, details, part, request);
    }
  }

  private workOf(details: RequestDetails, part: RequestPart): Work {
    const key = sharedWorkOf(part);
    const known = key === null ? undefined : this.shared.get(key);
    if (known === undefined) {
      const work = { details, part, requests: [], taken: [], handedOn: [] };
      this.all.push(work);
      if (key !== null) this.shared.set(key, work);
      return work;
    }
    if (part.ownStartNs < known.part.ownStartNs) [known.details, known.part] = [details, part];
    return known;
  }

  /** What shared work hands on is handed on once, for all its requests. */
  private handOn(from: Work, to: Work, details: RequestDetails, part: RequestPart, request: number): void {
    const isSame = (other: HandOff) =>
      other.from === from &&
      other.part.ownStartNs === part.ownStartNs &&
      handedOnInAllNs(other.details, other.part) === handedOnInAllNs(details, part);
    const same = to.taken.find(isSame);
    if (same !== undefined) return addOnce(same.requests, request);
    const handOff = { id: ++this.count, from, to, details, part, requests: [request] };
    from.handedOn.push(handOff);
    to.taken.push(handOff);
  }
}

function addOnce(requests: number[], request: number): void {
  if (requests.at(-1) !== request) requests.push(request);
}

function handedOnInAllNs(details: RequestDetails, part: RequestPart): Nanoseconds {
  return commonNs(details, part.handedOnNs);
}

/** Returns a time of a request on the common clock of its host and those that are related to it. */
function commonNs({ startNs, commonNs }: RequestDetails, ns: Nanoseconds): Nanoseconds {
  return ns - startNs + commonNs;
}

// Writes an event with everything that is known of it, by name.

/** A slice that begins, or an instant. */
export interface AnnotatedEvent {
  readonly isInstant: boolean;
  readonly name: string;
  /** null: none. */
  readonly category: string | null;
  readonly srcline?: { readonly file: string; readonly line: number } | undefined;
  readonly values: SpanValues;
  /** Flows that begin here, and that end here. */
  readonly flows: readonly number[];
  readonly lastFlows: readonly number[];
}

/** The same with numbers of names. */
interface NumberedEvent extends Pick<AnnotatedEvent, 'isInstant' | 'flows' | 'lastFlows'> {
  readonly name: number;
  readonly category: number;
  readonly srcline: number;
  readonly annotations: readonly Annotation[];
}

/** `text`: the number of one; 0: it is an integer, or true. */
interface Annotation {
  readonly name: number;
  readonly text: number;
  readonly integer: number | true;
}

const NO_NAME = 0;

export function numbered(event: AnnotatedEvent, names: NewNames): NumberedEvent {
  const { isInstant, name, category, srcline, values, flows, lastFlows } = event;
  return {
    isInstant,
    name: names.idOf(INTERNED_DATA.eventNames, name),
    category: category === null ? NO_NAME : names.idOf(INTERNED_DATA.categories, category),
    srcline: srcline ? names.idOf(INTERNED_DATA.sourceLocations, srcline.file, srcline.line) : NO_NAME,
    annotations: annotationsOf(values, names),
    flows,
    lastFlows,
  };
}

/** Leaves out what is not known, or false. */
function annotationsOf(values: SpanValues, names: NewNames): Annotation[] {
  const annotations: Annotation[] = [];
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value === null || value === undefined || value === false) continue;
    const name = names.idOf(INTERNED_DATA.annotationNames, annotationName(key));
    const text = typeof value === 'string' ? names.idOf(INTERNED_DATA.annotationTexts, value) : NO_NAME;
    annotations.push({ name, text, integer: typeof value === 'number' ? Math.round(value) : true });
  }
  return annotations;
}

/** By key. There are few. */
const annotationNames = new Map<string, string>();

/** As Perfetto's SQL would change them anyway: "ptflame.wait.reason" becomes "wait_reason". */
function annotationName(key: string): string {
  let name = annotationNames.get(key);
  if (name === undefined) {
    name = key.replace('ptflame.', '').replaceAll('.', '_');
    annotationNames.set(key, name);
  }
  return name;
}

export function writeNumbered(event: NumberedEvent, writer: PbfWriter): void {
  if (event.category !== NO_NAME) writer.writeVarintField(TRACK_EVENT.category, event.category);
  for (const annotation of event.annotations) writer.writeMessage(TRACK_EVENT.annotation, writeAnnotation, annotation);
  writer.writeVarintField(TRACK_EVENT.type, event.isInstant ? EventType.Instant : EventType.Begin);
  writer.writeVarintField(TRACK_EVENT.name, event.name);
  if (event.srcline !== NO_NAME) writer.writeVarintField(TRACK_EVENT.sourceLocation, event.srcline);
  for (const flow of event.flows) writer.writeFixed64Field(TRACK_EVENT.flow, flow);
  for (const flow of event.lastFlows) writer.writeFixed64Field(TRACK_EVENT.lastFlow, flow);
}

function writeAnnotation({ name, text, integer }: Annotation, writer: PbfWriter): void {
  writer.writeVarintField(ANNOTATION.name, name);
  if (text !== NO_NAME) writer.writeVarintField(ANNOTATION.text, text);
  else if (integer === true) writer.writeBooleanField(ANNOTATION.bool, true);
  else writer.writeVarintField(ANNOTATION.integer, integer);
}

export function writeEnd(_: null, writer: PbfWriter): void {
  writer.writeVarintField(TRACK_EVENT.type, EventType.End);
}
