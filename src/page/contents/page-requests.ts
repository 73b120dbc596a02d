/**
 * Asks for the requests of the report page, and bounds what it shows of them.
 */

import { isStop } from '../../analysis/tree/outside.js';
import { utf8Bytes } from '../../codec/bytes.js';
import { dsoOf, type SymbolTable } from '../../model/symbol-table.js';
import type { SymbolId } from '../../model/units.js';
import type { FunctionPattern } from '../../pipeline/replay/find-functions.js';
import { requestsAnswer } from '../../questions/requests/answer.js';
import { type RequestsResult, requestsAside } from '../../questions/requests/ask-requests.js';
import type { RequestDetails, RequestPart, RequestSpan } from '../../questions/requests/found-requests.js';
import type * as schema from '../../questions/requests/schema.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import {
  type ListedFunction,
  type ListedPart,
  type ListedRequest,
  type PageRequests,
  scriptJson,
} from '../data/requests.js';
import type { AskForRequests } from './analyze-for-page.js';

export type { PageRequests };

/** The slowest requests, and others evenly by rank. */
const LISTED = { slowest: 20, sampled: 20 };
const MAX_PLACES = 40;
const MAX_PARTS = 24;
const MAX_SPANS = 120;
const MAX_BYTES = 2 ** 16;

/** Asks for the calls of a function. */
export function requestsForPage(root: FunctionPattern): AskForRequests {
  return (options) => {
    const { callsToList, find } = requestsAside({ root, listed: LISTED }, options);
    return { callsToList, find: async (...of) => pageRequests(await find(...of)) };
  };
}

function pageRequests(result: RequestsResult): PageRequests {
  const answer = requestsAnswer(result);
  const { functions, requests, complete, threads, otherThreads, stats, flow, typical, slowest, where } = answer;
  const rows = new FunctionRows();
  const listed = result.requests.details.map((details, at) => listedRequest(details, result, at, rows));
  return bounded({
    name: functions.map(({ name }) => name).join(', '),
    ...{ requests, complete, threads, otherThreads },
    stats: stats && { p50Ns: stats.p50Ns, p90Ns: stats.p90Ns, minNs: stats.minNs, maxNs: stats.maxNs },
    isFlowNamed: flow.isNamed,
    typical: group(typical),
    slowest: group(slowest),
    where: where.slice(0, MAX_PLACES).map(({ function: place, call, isOwn, stop, reason, typicalNs, slowestNs }) => {
      return { isOwn, name: place?.name ?? null, call: call?.name ?? null, stop, reason, typicalNs, slowestNs };
    }),
    whereLeftOut: Math.max(0, where.length - MAX_PLACES),
    listed,
    minNs: result.requests.leftOut.minNs,
    functions: rows.functions,
  });
}

function group(own: schema.RequestsAnswer['typical']): PageRequests['typical'] {
  return own && { requests: own.requests, minNs: own.minNs, maxNs: own.maxNs };
}

function listedRequest(
  { startNs: requestNs, durationNs, parts }: RequestDetails,
  { ranks, shiftNs, hosts }: RequestsResult,
  at: number,
  functions: FunctionRows,
): ListedRequest {
  const listedPart = ({ spans, thread, by, startNs, endNs, host }: RequestPart): ListedPart => ({
    tid: thread.tid,
    comm: thread.comm,
    isCandidate: by === HandOffBy.Order || by === HandOffBy.Waking,
    startNs: startNs - requestNs,
    durationNs: endNs - startNs,
    spans: longestOf(spans).map(({ depth, symbol, startNs, endNs, isInferred }) => {
      const row = functions.rowOf(hosts[host].profile.symbols, symbol);
      const span = [depth, row, startNs - requestNs, endNs - startNs] as const;
      return isInferred ? ([...span, 1] as const) : span;
    }),
  });
  return {
    rank: ranks[at],
    tid: parts[0].thread.tid,
    comm: parts[0].thread.comm,
    startNs: requestNs - shiftNs,
    durationNs,
    waitingNs: waitingNs(parts[0]),
    parts: parts.slice(0, MAX_PARTS).map(listedPart),
  };
}

/** Writes each function once. */
class FunctionRows {
  readonly functions: ListedFunction[] = [];
  private readonly rows = new Map<string, number>();

  rowOf(symbols: SymbolTable, symbol: SymbolId): number {
    const [name, dso] = [symbols.name[symbol], dsoOf(symbols, symbol)];
    const key = `${name}\0${dso ?? ''}`;
    const row = this.rows.get(key) ?? this.functions.push([name, dso]) - 1;
    this.rows.set(key, row);
    return row;
  }
}

/** Returns the longest, in their order; callers of what is listed last longer. */
function longestOf(spans: readonly RequestSpan[]): RequestSpan[] {
  const durations = spans.map(({ startNs, endNs }) => endNs - startNs).sort((a, b) => b - a);
  const boundNs = durations[MAX_SPANS - 1] ?? 0;
  return spans.filter(({ startNs, endNs }) => endNs - startNs >= boundNs).slice(0, MAX_SPANS);
}

/** Sums up the outermost stops. */
function waitingNs({ spans }: RequestPart): number {
  let [sum, untilNs] = [0, Number.NEGATIVE_INFINITY];
  for (const { symbol, startNs, endNs } of spans) {
    if (!isStop(symbol) || startNs < untilNs) continue;
    sum += endNs - startNs;
    untilNs = endNs;
  }
  return sum;
}

/** Leaves out what happened in the fastest requests, until the rest is small enough. */
function bounded(requests: PageRequests): PageRequests {
  const listed = [...requests.listed];
  let shown = requests;
  for (let last = listed.length - 1; last >= 0 && utf8Bytes(scriptJson(shown)).length > MAX_BYTES; last--) {
    listed[last] = { ...(listed[last] as ListedRequest), parts: [] };
    shown = { ...requests, listed };
  }
  return shown;
}
