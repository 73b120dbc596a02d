/**
 * Turns the requests of a trace into the answer that `ptflame requests` prints.
 */
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';
import { clockText, finiteOrNull, headOf, type Named, named, qualityOf, rounded, traceSummary } from '../common.js';
import { reasonName, waitPlace } from '../waits/wait-names.js';
import type { RequestsResult } from './ask-requests.js';
import type { FoundHost } from './found-hosts.js';
import type { RequestTime } from './found-requests.js';
import { requestPart } from './request-part.js';
import type * as schema from './schema.js';

export function requestsAnswer({ profile, requests: found, hosts }: RequestsResult): schema.RequestsAnswer {
  const { requests, cut, threads, otherThreads, stats, joined, flow, typical, slowest } = found;
  const hostName = (host: number) => (hosts.length === 1 ? null : hosts[host].name);
  const symbolsOf = (host: number) => hosts[host].profile.symbols;
  return {
    ...headOf('ptflame-requests'),
    trace: traceSummary(profile, treeOfAllThreads(profile)),
    hosts: hosts.length === 1 ? [] : hosts.map((host, at) => requestHost(host, at, hosts)),
    functions: functionsOf(hosts),
    ...{ requests, complete: requests - cut, threads, otherThreads },
    stats: stats && { ...stats, avgNs: rounded(stats.avgNs) },
    joined,
    flow: { isNamed: flow.isNamed, events: [...flow.events] },
    typical: typical && { ...typical, avgNs: rounded(typical.avgNs) },
    slowest: slowest && { ...slowest, avgNs: rounded(slowest.avgNs) },
    where: found.where.map((row) => ({ host: hostName(row.host), ...requestTime(symbolsOf(row.host), row) })),
    whereByThread: found.whereByThread.map(({ host, typicalNs, slowestNs, ...row }) => {
      return { host: hostName(host), ...row, typicalNs: rounded(typicalNs), slowestNs: rounded(slowestNs) };
    }),
    details: found.details.map(({ host, startNs, durationNs, parts }) => ({
      host: hostName(host),
      start: clockText(hosts[host].profile.meta, startNs - hosts[host].shiftNs),
      durationNs,
      parts: parts.map((part) => requestPart(hostName(part.host), symbolsOf(part.host), part, startNs)),
    })),
    quality: qualityOf(profile),
  };
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
