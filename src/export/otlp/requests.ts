/**
 * Turns requests into OTLP: each is a trace, its parts and their calls are spans, as JSON, a message of at most 1 MiB a line.
 *
 * Ids follow from the recording and the request, or from the W3C `traceparent` that its program shows.
 */
import type { RequestsResult } from '../../questions/requests/ask-requests.js';
import type { RequestDetails } from '../../questions/requests/found-requests.js';
import type { FoundHost } from '../../questions/requests/hosts/found-hosts.js';
import { Batches } from './batches.js';
import { RequestSpans, type SpanPlace } from './request-spans.js';
import { Resources } from './resources.js';
import { SpanIds, UniqueTexts } from './span-ids.js';
import { unixClock } from './unix-time.js';

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
