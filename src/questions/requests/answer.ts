/**
 * Turns the requests of a trace into the answer that `ptflame requests` prints.
 */

import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import { clockText, finiteOrNull, headOf, type Named, named, qualityOf, rounded, traceSummary } from '../common.js';
import { EndedBy } from '../waits/wait-facts.js';
import { addressText, reasonName, waitPlace, waitThread } from '../waits/wait-names.js';
import type { RequestsResult } from './ask-requests.js';
import type { FoundHost, RequestPart, RequestTime, RequestWait } from './found-requests.js';
import type * as schema from './schema.js';

/** `whole`: the sum of the recordings, if the requests are of several. */
export function requestsAnswer(
  { profile, requests: found, hosts, areApart }: RequestsResult,
  whole: Profile = profile,
): schema.RequestsAnswer {
  const { requests, cut, threads, otherThreads, stats, joined, flow, typical, slowest } = found;
  const isOne = hosts.length === 1 || areApart;
  const hostName = (host: number) => (isOne ? null : hosts[host].name);
  const symbolsOf = (host: number) => hosts[host].profile.symbols;
  return {
    ...headOf('ptflame-requests'),
    trace: traceSummary(whole, treeOfAllThreads(whole)),
    hosts: isOne ? [] : hosts.map((host, at) => requestHost(host, at, hosts)),
    functions: functionsOf(hosts),
    ...{ requests, complete: requests - cut, threads, otherThreads },
    stats: stats && { ...stats, avgNs: rounded(stats.avgNs) },
    joined,
    flow: { isNamed: flow.isNamed, events: [...flow.events] },
    typical: typical && { ...typical, avgNs: rounded(typical.avgNs) },
    slowest: slowest && { ...slowest, avgNs: rounded(slowest.avgNs) },
    where: sumsOfPlaces(
      found.where.map((row) => ({ host: hostName(row.host), ...requestTime(symbolsOf(row.host), row) })),
    ),
    whereByThread: found.whereByThread.map(({ host, typicalNs, slowestNs, ...row }) => {
      return { host: hostName(host), ...row, typicalNs: rounded(typicalNs), slowestNs: rounded(slowestNs) };
    }),
    details: found.details.map(({ host, startNs, durationNs, parts }) => ({
      ...(areApart && { recording: nameOf(hosts[host].name) }),
      host: hostName(host),
      start: clockText(hosts[host].profile.meta, startNs - hosts[host].shiftNs),
      durationNs,
      parts: parts.map((part) => requestPart(hostName(part.host), symbolsOf(part.host), part, startNs)),
    })),
    quality: qualityOf(whole),
  };
}

/** Places are the same in several recordings if their names are. */
function sumsOfPlaces(rows: readonly schema.RequestTime[]): schema.RequestTime[] {
  const sums = new Map<string, schema.RequestTime>();
  for (const { typicalNs, slowestNs, ...place } of rows) {
    const key = JSON.stringify(place);
    const sum = sums.get(key) ?? { ...place, typicalNs: 0, slowestNs: 0 };
    sums.set(key, {
      ...place,
      typicalNs: rounded(sum.typicalNs + typicalNs),
      slowestNs: rounded(sum.slowestNs + slowestNs),
    });
  }
  const longestNs = ({ typicalNs, slowestNs }: schema.RequestTime) => Math.max(typicalNs, slowestNs);
  return sums.size === rows.length ? [...rows] : [...sums.values()].sort((a, b) => longestNs(b) - longestNs(a));
}

function requestHost({ name, profile, offset }: FoundHost, at: number, hosts: readonly FoundHost[]) {
  const { to, lowNs, highNs, handOffs, contradictions } = offset;
  const bounds = { lowNs: finiteOrNull(lowNs), highNs: finiteOrNull(highNs) };
  return {
    name: nameOf(name),
    trace: traceSummary(profile, treeOfAllThreads(profile)),
    offset: to === at ? null : { to: nameOf(hosts[to].name), ...bounds, handOffs, contradictions },
    quality: qualityOf(profile),
  };
}

function nameOf(name: string | null): string {
  return name ?? '[unnamed]';
}

/** Those of several hosts are listed once. */
function functionsOf(hosts: readonly FoundHost[]): Named[] {
  const found = hosts.flatMap(({ functions, profile }) => functions.map((symbol) => named(profile.symbols, symbol)));
  return [...new Map(found.map((own) => [`${own.name}\0${own.dso}`, own])).values()];
}

function requestTime(symbols: SymbolTable, { isOwn, place, stop, reason, typicalNs, slowestNs }: RequestTime) {
  return {
    ...{ isOwn, ...waitPlace(symbols, place) },
    stop: stop === NONE ? null : symbols.name[stop],
    reason: reason === 0 ? null : reasonName(reason),
    typicalNs: rounded(typicalNs),
    slowestNs: rounded(slowestNs),
  };
}

export const HAND_OFF_BY: Readonly<Record<HandOffBy, schema.RequestPart['by']>> = {
  [HandOffBy.None]: null,
  [HandOffBy.Key]: 'key',
  [HandOffBy.Order]: 'order',
  [HandOffBy.Waking]: 'waking',
};

const ENDED_BY: Readonly<Record<EndedBy, schema.RequestWait['endedBy']>> = {
  [EndedBy.Thread]: 'thread',
  [EndedBy.MaybeThread]: 'thread',
  [EndedBy.Interrupt]: 'interrupt',
  [EndedBy.NotSeen]: 'not-seen',
  [EndedBy.Preempted]: 'preempted',
  [EndedBy.Unknown]: 'unknown',
  [EndedBy.Open]: 'open',
};

/** Turns a part of a request, its calls and waits, into JSON. `requestNs`: when the request began. */
export function requestPart(
  host: string | null,
  symbols: SymbolTable,
  part: RequestPart,
  requestNs: Nanoseconds,
): schema.RequestPart {
  const { thread, errorNs, by, sharedBy, parent, handedOnNs, startNs, endNs, spans } = part;
  return {
    host,
    errorNs: finiteOrNull(errorNs),
    thread: waitThread(thread),
    by: HAND_OFF_BY[by],
    sharedBy,
    isCandidate: by === HandOffBy.Order || by === HandOffBy.Waking,
    parent: parent < 0 ? null : parent,
    handedOnNs: finiteOrNull(handedOnNs - requestNs),
    startNs: startNs - requestNs,
    durationNs: endNs - startNs,
    spans: spans.map((span) => ({
      depth: span.depth,
      ...named(symbols, span.symbol),
      startNs: span.startNs - requestNs,
      durationNs: span.endNs - span.startNs,
      selfNs: span.selfNs,
      isInferred: span.isInferred,
      wait: span.wait && requestWait(symbols, span.wait),
    })),
  };
}

function requestWait(symbols: SymbolTable, wait: RequestWait): schema.RequestWait {
  const { reason, isReasonInferred, address, endedBy, waker, wakerPlace, wakeUpNs } = wait;
  return {
    reason: reason === 0 ? null : reasonName(reason),
    isReasonInferred,
    address: address === null ? null : addressText(address),
    endedBy: ENDED_BY[endedBy],
    isCandidate: endedBy === EndedBy.MaybeThread,
    waker: waker && waitThread(waker),
    ...waitPlace(symbols, wakerPlace),
    wakeUpNs: finiteOrNull(wakeUpNs),
  };
}
