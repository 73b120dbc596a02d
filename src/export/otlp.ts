/**
 * Turns requests into OTLP: each is a trace, its parts and their calls are spans, as JSON, a message of at most 1 MiB a line.
 *
 * Ids follow from the recording and the request, or from the W3C `traceparent` that its program shows.
 */

import { createHash } from 'node:crypto';
import type { Nanoseconds } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import type { RequestsResult } from '../questions/requests/ask-requests.js';
import type { FoundHost, RequestDetails, RequestPart } from '../questions/requests/found-requests.js';
import type { TraceContext } from '../questions/requests/trace-contexts.js';
import { visibleText } from '../render/visible-text.js';
import { HandOffBy } from '../waits/hand-offs.js';
import { type PartSpan, partSpans, type SpanValues, sharedWorkOf } from './request-spans.js';
import { wallClock } from './shared.js';

/** Yields lines of JSON; none, if no request is described. */
export function* otlpOfRequests(found: RequestsResult): Generator<string> {
  const { hosts, requests } = found;
  const [resources, identities, batches] = [new Resources(found), new UniqueTexts(), new Batches()];
  const shared = new Map<string, SpanPlace>();
  const clocks = hosts.map(unixClock);
  const known = new Map<string, string>();
  for (const details of requests.details) {
    const clock = clocks[details.host];
    const ids = new SpanIds(identities.of(identityOf(details, hosts[details.host])), details.context);
    for (const { host, pid, span } of new RequestSpans(details, { hosts, ids, clock, shared }).all()) {
      const key = `${host} ${pid} ${details.host}`;
      const resource = known.get(key) ?? resources.of(host, pid, clock, details.host);
      known.set(key, resource);
      const line = batches.add(resource, span);
      if (line !== '') yield line;
    }
  }
  yield batches.line();
}

/** The recording, as far as it names itself, and the request in it. */
function identityOf(
  { startNs, durationNs, symbol, parts }: RequestDetails,
  { name, profile, shiftNs }: FoundHost,
): string {
  const { originNs, recorded } = profile.meta;
  const startedNs = originNs + BigInt(Math.round(startNs - shiftNs));
  const recording = [name ?? recorded?.host, recorded?.startedAt, recorded?.command];
  return JSON.stringify([
    ...recording,
    parts[0]?.thread.tid,
    String(startedNs),
    durationNs,
    profile.symbols.name[symbol],
  ]);
}

/** The collector's receiver for files splits lines of more than 1 MiB; a character has up to three bytes. */
const MAX_LINE_CHARACTERS = 300_000;

const SCOPE = JSON.stringify({ name: 'ptflame', version: PTFLAME_VERSION });

/**
 * Joins spans in lines of JSON: each is a message of OTLP, which a collector reads from a file and takes as a request.
 */
class Batches {
  /** By resource: its spans. */
  private readonly spans = new Map<string, string[]>();
  private characters = 0;

  /** `resource`: as JSON. Returns the line before the span, if that is full; else ''. */
  add(resource: string, span: OtlpSpan): string {
    const text = JSON.stringify(span);
    const line = this.characters + resource.length + text.length > MAX_LINE_CHARACTERS ? this.line() : '';
    const own = this.spans.get(resource);
    if (own) own.push(text);
    else this.spans.set(resource, [text]);
    this.characters += text.length + 1 + (own ? 0 : resource.length);
    return line;
  }

  /** Returns the spans that are not in a line yet; '': there is none. */
  line(): string {
    const resources = Array.from(this.spans, ([resource, spans]) => {
      return `{"resource":${resource},"scopeSpans":[{"scope":${SCOPE},"spans":[${spans.join(',')}]}]}`;
    });
    this.spans.clear();
    this.characters = 0;
    return resources.length === 0 ? '' : `{"resourceSpans":[${resources.join(',')}]}\n`;
  }
}

/** The name of services that have none, as OpenTelemetry defines it. */
const UNKNOWN_SERVICE = 'unknown_service';

/** Describes the processes to which spans belong. */
class Resources {
  private readonly hosts: readonly FoundHost[];
  private readonly ofAll: SpanValues;
  private readonly comms: readonly ReadonlyMap<number, string | null>[];

  constructor({ hosts, requests: { requests, cut, leftOut } }: RequestsResult) {
    this.hosts = hosts;
    this.comms = hosts.map(({ profile: { threads } }) => new Map(threads.map(({ tid, comm }) => [tid, comm])));
    this.ofAll = {
      'telemetry.sdk.name': 'ptflame',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': PTFLAME_VERSION,
      'ptflame.requests': requests,
      'ptflame.requests.cut': cut,
      'ptflame.requests.left_out': leftOut.requests,
      'ptflame.calls.left_out': leftOut.calls,
      'ptflame.calls.min_ns': leftOut.minNs,
    };
  }

  /** Returns JSON. `pid`: null, if the trace does not say it. `clock`: of the spans; of the host `clockHost`. */
  of(host: number, pid: number | null, clock: UnixClock, clockHost: number): string {
    const { name, profile } = this.hosts[host];
    const comm = pid === null ? null : this.comms[host].get(pid); // of the main thread
    const attributes = attributesOf({
      'service.name': comm ?? profile.threads.find((thread) => thread.pid === pid)?.comm ?? UNKNOWN_SERVICE,
      'host.name': name ?? profile.meta.recorded?.host,
      'process.pid': pid,
      ...this.ofAll,
      'ptflame.clock': clock.kind,
      'ptflame.clock.host': this.hosts.length > 1 ? this.hosts[clockHost].name : null,
    });
    return JSON.stringify({ attributes });
  }
}

// Turns a request into spans of OTLP: one for each part, and one for each call and stop in it.

/** A span, and the process in which it was. */
interface PlacedSpan {
  readonly host: number;
  readonly pid: number | null;
  readonly span: OtlpSpan;
}

interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

interface RequestContext {
  readonly hosts: readonly FoundHost[];
  readonly ids: SpanIds;
  /** Of the request's host. */
  readonly clock: UnixClock;
  /** Work for several requests: where the first of them has it. Grows with what they share. */
  readonly shared: Map<string, SpanPlace>;
}

/** A part, its spans and their ids. */
interface NumberedPart {
  readonly found: RequestPart;
  readonly thread: SpanValues;
  readonly spans: readonly PartSpan[];
  readonly ids: readonly string[];
}

/** Where a span belongs. */
type Place = Pick<OtlpSpan, 'spanId' | 'parentSpanId' | 'flags' | 'kind' | 'links'>;

class RequestSpans {
  private readonly parts: NumberedPart[] = [];

  constructor(
    private readonly details: RequestDetails,
    private readonly context: RequestContext,
  ) {}

  /** Callers are before what they called, and parts before those that they handed on. */
  *all(): Generator<PlacedSpan> {
    for (const found of this.details.parts) {
      const part = this.number(found);
      for (const row of part.spans.keys()) yield this.placed(part, row);
    }
  }

  private number(found: RequestPart): NumberedPart {
    const { hosts, ids } = this.context;
    const spans = partSpans(this.details, found, hosts[found.host]);
    const thread = { 'thread.id': found.thread.tid, 'thread.name': found.thread.comm };
    const part = { found, thread, spans, ids: spans.map(() => ids.next()) };
    this.parts.push(part);
    return part;
  }

  private placed(part: NumberedPart, row: number): PlacedSpan {
    const { ids, clock } = this.context;
    const { thread, host } = part.found;
    const { name, startNs, endNs, values } = part.spans[row];
    const span = {
      traceId: ids.traceId,
      ...this.placeOf(part, row),
      name: visibleText(name),
      startTimeUnixNano: clock.text(startNs),
      endTimeUnixNano: clock.text(endNs),
      attributes: attributesOf(part.thread, codeValues(part.spans[row]), values),
    };
    return { host, pid: thread.pid, span };
  }

  private placeOf(part: NumberedPart, row: number): Place {
    const { found, spans, ids } = part;
    const [spanId] = ids;
    if (row > 0) return { spanId: ids[row], parentSpanId: ids[spans[row].parent], kind: SpanKind.Internal };
    if (found.by === HandOffBy.None) return { spanId, ...remoteParent(this.details), kind: SpanKind.Internal };
    const from = this.parts[Math.max(0, found.parent)];
    const links = [this.linkToHandOff(from, part), ...this.linksToSharedWork(part)];
    return { spanId, parentSpanId: from.ids[0], kind: SpanKind.Consumer, links };
  }

  /** To the innermost span in which the work was handed on. */
  private linkToHandOff({ spans, ids }: NumberedPart, { found, spans: [own] }: NumberedPart): SpanLink {
    const by = own.values['ptflame.handoff.by'];
    return {
      traceId: this.context.ids.traceId,
      spanId: ids[innermostAt(spans, found.handedOnNs)],
      attributes: attributesOf({ 'ptflame.handoff.by': by }),
    };
  }

  /** To the first request for which the work was done, too. */
  private linksToSharedWork({ found, ids: [spanId] }: NumberedPart): SpanLink[] {
    const { ids, shared } = this.context;
    const work = sharedWorkOf(found);
    if (work === null) return [];
    const first = shared.get(work);
    if (first !== undefined) return [{ ...first, attributes: attributesOf({ 'ptflame.link': 'shared' }) }];
    shared.set(work, { traceId: ids.traceId, spanId });
    return [];
  }
}

/** Which code it is. */
function codeValues({ call, isStop }: PartSpan): SpanValues {
  if (call === null) return {};
  const { name, dso, srcline } = call;
  return {
    'code.function.name': isStop ? null : name,
    'code.file.path': srcline?.file,
    'code.line.number': srcline?.line,
    'ptflame.binary': dso,
  };
}

/** As in OTLP: the low byte is the flags of W3C, bit 8 says that bit 9 is set, which says that the parent is remote. */
const HAS_REMOTE_PARENT = 0x300;

function remoteParent({ context }: RequestDetails): Pick<Place, 'parentSpanId' | 'flags'> {
  if (context === null) return {};
  return { parentSpanId: context.spanId, flags: HAS_REMOTE_PARENT | context.flags };
}

type Span = Pick<PartSpan, 'parent' | 'startNs' | 'endNs'>;

/**
 * Finds the span in which something happened.
 *
 * `spans`: of one part. Returns the row of the innermost one at a time; the part itself (0) if no call was open.
 */
function innermostAt(spans: readonly Span[], ns: Nanoseconds): number {
  let row = Math.max(0, begunBy(spans, ns) - 1);
  while (row > 0 && ns >= spans[row].endNs) row = spans[row].parent;
  return row;
}

function begunBy(spans: readonly Span[], ns: Nanoseconds): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle].startNs <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The spans of OTLP, as the JSON of protocol buffers has them: ids in hexadecimal, enums as numbers, 64-bit integers as texts.
 */
const SpanKind = { Internal: 1, Consumer: 5 } as const;
type SpanKind = (typeof SpanKind)[keyof typeof SpanKind];

interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly Attribute[];
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Of the parent, where that is a span of another program. */
  readonly flags?: number;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly SpanLink[];
}

// Turns names and values into attributes, as OTLP has them in JSON.

/** A 64-bit integer is a text in the JSON of protocol buffers. */
interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean };
}

/** Leaves out what is not known. Numbers are rounded to integers. Texts are made visible: names may have any characters. */
function attributesOf(...all: readonly SpanValues[]): Attribute[] {
  const attributes: Attribute[] = [];
  for (const values of all)
    for (const key of Object.keys(values)) {
      const value = values[key];
      if (value !== null && value !== undefined) attributes.push({ key, value: attributeValue(value) });
    }
  return attributes;
}

function attributeValue(value: string | number | boolean): Attribute['value'] {
  if (typeof value === 'string') return { stringValue: visibleText(value) };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(Math.round(value)) };
}

// Gives requests and their spans ids: the same for the same request of the same recording, whatever else is asked.

/** Ids of the spans of one request. */
class SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  private readonly high: string;
  private low: number;

  /** `identity`: what no other request has. `context`: of the trace that the request belongs to; null: it is one itself. */
  constructor(identity: string, context: TraceContext | null) {
    const hash = createHash('sha256').update(identity).digest('hex');
    this.traceId = context?.traceId ?? hash.slice(0, 32);
    this.high = hash.slice(32, 40);
    this.low = Number.parseInt(hash.slice(40, 48), 16);
  }

  /** Returns 16 hexadecimal digits, which are not all zero. */
  next(): string {
    this.low = this.low === 0xffff_ffff ? 1 : this.low + 1;
    return `${this.high}${this.low.toString(16).padStart(8, '0')}`;
  }
}

/** Makes texts unique: the second "a" becomes "a 2". */
class UniqueTexts {
  private readonly counts = new Map<string, number>();

  of(text: string): string {
    const count = (this.counts.get(text) ?? 0) + 1;
    this.counts.set(text, count);
    return count === 1 ? text : `${text} ${count}`;
  }
}

// Turns times of a request into the nanoseconds since 1970 that OTLP has.

/** Of one host. */
interface UnixClock {
  /** `wall`: the recording says when it began, which is taken for its first event. Else perf's clock stands for 1970. */
  readonly kind: 'wall' | 'perf';
  /** Decimal digits. */
  readonly text: (ns: Nanoseconds) => string;
}

function unixClock({ profile: { meta }, shiftNs }: Pick<FoundHost, 'profile' | 'shiftNs'>): UnixClock {
  const wall = wallClock(meta);
  const perf = (ns: Nanoseconds) => meta.originNs + BigInt(Math.round(ns));
  return { kind: wall ? 'wall' : 'perf', text: (ns) => String((wall ?? perf)(ns - shiftNs)) };
}
