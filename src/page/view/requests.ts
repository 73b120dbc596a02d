/**
 * Words and choices of the view Requests.
 */
import { havePercentile } from '../../model/percentiles.js';
import type { Nanoseconds } from '../../model/units.js';
import type { SentencePart } from '../../render/findings.js';
import { formatCount, formatDifference, formatDuration, formatMany, formatPercentile } from '../../render/format.js';
import { visibleText } from '../../render/visible-text.js';
import type { ListedRequest, PageRequests, RequestPlace } from '../data/requests.js';
import { nameOfThread } from './captions/wakings.js';
import type { State } from './state.js';
import type { Waking, WakingIndex } from './waking-index.js';

/** Returns "handle_request · 8 requests in 2 threads · median ≈ 9.83 ms, p90 16.6 ms, slowest 16.6 ms · …", without the name. */
export function requestsLine({ requests, complete, threads, otherThreads, stats, listed }: PageRequests): string {
  const cut = requests - complete;
  return [
    `${formatMany(requests, 'request')} in ${formatMany(threads, 'thread')}`,
    ...(stats === null ? [] : [timesText(stats, complete)]),
    ...(otherThreads === 0 ? [] : [`${formatMany(otherThreads, 'other thread')} worked for them`]),
    ...(cut === 0 ? [] : [`${formatCount(cut)} cut: start or end not seen`]),
    ...(listed.length < complete
      ? [`${formatCount(listed.length)} listed: the slowest, and a sample of the others`]
      : []),
  ].join(' · ');
}

function timesText(stats: NonNullable<PageRequests['stats']>, calls: number): string {
  const range = { ...stats, calls };
  const text = (name: string, ns: Nanoseconds, part: number) =>
    havePercentile(range, part) ? [`${name} ${formatPercentile(ns, range, part)}`] : [];
  const percentiles = [...text('median', stats.p50Ns, 0.5), ...text('p90', stats.p90Ns, 0.9)];
  return [...percentiles, `slowest ${formatDuration(stats.maxNs)}`].join(', ');
}

/** Returns "await_reply → pthread_cond_wait". */
export function placeText({ name, call }: RequestPlace): string {
  if (name === null) return '[unknown]';
  return call === null ? name : `${name} → ${call.replace(/@@?[\w.]+$/, '')}`;
}

/** Returns why it did not run; empty: it ran. */
export function reasonText({ stop, reason }: RequestPlace): string {
  return reason ?? (stop === null ? '' : stop.replace(/^\[(.*)\]$/, '$1'));
}

/** Without a flow, a waking shows that a thread worked for another, but nothing shows that none did. */
export function isKnown(ns: Nanoseconds, { isOwn }: RequestPlace, { isFlowNamed }: PageRequests): boolean {
  return isOwn || isFlowNamed || ns > 0;
}

/** Returns the listed request that a state marks as its call, else the slowest; null: none is listed. `startNs`: of the timeline. */
export function chosenRequest({ listed }: PageRequests, { call }: State, startNs: Nanoseconds): ListedRequest | null {
  const marked = listed.find((request) => {
    const own = callOf(request, startNs);
    return own !== null && own.tid === call?.tid && own.startNs === call.startNs && own.endNs === call.endNs;
  });
  return marked ?? listed[0] ?? null;
}

const MAX_WAITS = 3;

/** Returns the wakings that ended the longest waits of its own thread in its time, the longest first. */
export function waitsOf(
  { tid, startNs, durationNs }: ListedRequest,
  index: WakingIndex | null,
  originNs: Nanoseconds,
): Waking[] {
  if (index === null) return [];
  const rows = index.within(tid, 'waiter', { startNs: startNs - originNs, endNs: startNs - originNs + durationNs });
  return [...rows]
    .sort((a, b) => index.nsOf(b) - index.nsOf(a) || a - b)
    .slice(0, MAX_WAITS)
    .map((row) => index.at(row));
}

/** Returns "waited 13.8 ms until worker1 9170 woke it". */
export function waitText({ startNs, runNs, waker, isMaybe }: Waking): string {
  return `waited ${formatDuration(runNs - startNs)} until ${isMaybe ? 'maybe ' : ''}${nameOfThread(waker)} woke it`;
}

/** Marks a request, and shows only its time. */
export function showRequest(request: ListedRequest, startNs: Nanoseconds): Partial<State> {
  const call = callOf(request, startNs);
  return call === null ? {} : { call, range: { startNs: call.startNs, endNs: call.endNs } };
}

/** Addresses have whole nanoseconds since the start of the timeline. */
function callOf({ tid, startNs, durationNs }: ListedRequest, originNs: Nanoseconds): State['call'] {
  const fromNs = Math.max(0, Math.floor(startNs - originNs));
  return { tid, startNs: fromNs, endNs: Math.max(fromNs + 1, Math.ceil(startNs - originNs + durationNs)) };
}

/** Slower than the median by less is no finding. */
const MIN_RATIO = 1.5;

/** Says how much slower than the median the slowest request is, and what grew most; null: it is not slower. */
export function requestsSentence(requests: PageRequests): SentencePart[] | null {
  const { name, complete, stats, where } = requests;
  if (stats === null || complete < 2 || stats.maxNs < MIN_RATIO * stats.p50Ns) return null;
  const more = (row: RequestPlace) =>
    isKnown(row.typicalNs, row, requests) && isKnown(row.slowestNs, row, requests) ? row.slowestNs - row.typicalNs : 0;
  const most = where.reduce<RequestPlace | null>(
    (best, row) => (more(row) > (best ? more(best) : 0) ? row : best),
    null,
  );
  const text = (own: string): SentencePart => ({ kind: 'text', text: own });
  return [
    text(`The slowest of ${formatCount(complete)} `),
    { kind: 'name', text: visibleText(name) },
    text(' took '),
    { kind: 'number', text: formatDuration(stats.maxNs) },
    text(`, ${(stats.maxNs / stats.p50Ns).toPrecision(2)} × the median`),
    ...(most === null
      ? []
      : [
          text('; most of what slow ones took longer is '),
          { kind: 'name', text: visibleText(placeText(most)) } as const,
          text(` (${formatDifference(more(most))})`),
        ]),
    text('.'),
  ];
}
