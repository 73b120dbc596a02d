/**
 * Turns the requests of a trace into the answer that `ptflame requests` prints.
 */
import type { SymbolTable } from '../../model/names/symbol-table.js';
import { NONE } from '../../model/units.js';
import type { RequestsResult } from '../../pipeline/requests/ask-requests.js';
import type { RequestTime } from '../../pipeline/requests/found-requests.js';
import { clockText, named, PRODUCER, qualityOf, rounded, traceSummary, treeOfAllThreads } from '../common.js';
import { reasonName, waitPlace } from '../waits/wait-names.js';
import { requestPart } from './request-part.js';
import type * as schema from './schema.js';

export function requestsAnswer({ profile, requests: found, shiftNs }: RequestsResult): schema.RequestsAnswer {
  const { symbols } = profile;
  const { requests, cut, threads, otherThreads, stats, joined, typical, slowest } = found;
  return {
    format: 'ptflame-requests',
    version: 2,
    producer: PRODUCER,
    trace: traceSummary(profile, treeOfAllThreads(profile)),
    functions: found.functions.map((symbol) => named(symbols, symbol)),
    ...{ requests, complete: requests - cut, threads, otherThreads },
    stats: stats && { ...stats, avgNs: rounded(stats.avgNs) },
    joined,
    typical: typical && { ...typical, avgNs: rounded(typical.avgNs) },
    slowest: slowest && { ...slowest, avgNs: rounded(slowest.avgNs) },
    where: found.where.map((row) => requestTime(symbols, row)),
    whereByThread: found.whereByThread.map(({ typicalNs, slowestNs, ...row }) => {
      return { ...row, typicalNs: rounded(typicalNs), slowestNs: rounded(slowestNs) };
    }),
    details: found.details.map(({ startNs, durationNs, parts }) => ({
      start: clockText(profile.meta, startNs - shiftNs),
      durationNs,
      parts: parts.map((part) => requestPart(symbols, part, startNs)),
    })),
    quality: qualityOf(profile),
  };
}

function requestTime(symbols: SymbolTable, { isOwn, place, stop, reason, ...ns }: RequestTime) {
  return {
    ...{ isOwn, ...waitPlace(symbols, place) },
    stop: stop === NONE ? null : symbols.name[stop],
    reason: reason === 0 ? null : reasonName(reason),
    typicalNs: rounded(ns.typicalNs),
    slowestNs: rounded(ns.slowestNs),
  };
}
