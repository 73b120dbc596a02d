/**
 * Turns requests into OTLP: each is a trace, its parts and their calls are spans, as JSON, a message of at most 1 MiB a line.
 *
 * Ids follow from the recording and the request, or from the W3C `traceparent` that its program shows.
 */

import { PTFLAME_VERSION } from '../../model/version.js';
import type { RequestsResult } from '../../questions/requests/ask-requests.js';
import type { FoundHost } from '../../questions/requests/found-hosts.js';
import type { RequestDetails } from '../../questions/requests/found-requests.js';
import type { SpanValues } from '../requests/span-values.js';
import { attributesOf } from './attributes.js';
import { RequestSpans, type SpanPlace } from './request-spans.js';
import type { OtlpSpan } from './span.js';
import { SpanIds, UniqueTexts } from './span-ids.js';
import { type UnixClock, unixClock } from './unix-time.js';

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
