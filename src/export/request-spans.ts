/**
 * Turns a part of a request into spans, for all formats that have them: the part itself, and each call and stop in it.
 */
import { isStop } from '../analysis/tree/outside.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import { requestPart } from '../questions/requests/answer.js';
import type { FoundHost, RequestDetails, RequestPart } from '../questions/requests/found-requests.js';
import type { RequestPart as Part, RequestSpan, RequestWait } from '../questions/requests/schema.js';
import { HandOffBy } from '../waits/hand-offs.js';

export interface PartSpan {
  /** What it is; null: a part that is no single call, or whose call is too short to be shown. */
  readonly call: RequestSpan | null;
  readonly isStop: boolean;
  readonly name: string;
  /** The row of the span around it; NONE: it is the part itself. */
  readonly parent: number;
  /** On the clock of the request's host. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly values: SpanValues;
}

/** Returns the part itself first, then its calls in the order in which they began. A part that is one call is that call. */
export function partSpans(
  { symbol, startNs: requestNs }: RequestDetails,
  found: RequestPart,
  { profile: { symbols } }: FoundHost,
): PartSpan[] {
  const part = requestPart(null, symbols, found, requestNs);
  const head = rowOfItself(found, part, symbol);
  const ownValues = handOffValues(part);
  const { startNs, endNs } = found;
  const name = found.by === HandOffBy.None ? symbols.name[symbol] : 'work';
  const itself = { call: null, isStop: false, name, parent: NONE, startNs, endNs, values: ownValues };
  const [own, before] = head === NONE ? [0, 1] : [head, 0];
  const calls = part.spans.map((call, row): PartSpan => {
    const { symbol, startNs, endNs, parent: below } = found.spans[row];
    const isHead = row === head;
    const parent = isHead ? NONE : below === NONE ? own : below + before;
    const values = isHead ? { ...ownValues, ...callValues(call) } : callValues(call);
    return { call, isStop: isStop(symbol), name: call.name, parent, startNs, endNs, values };
  });
  return head === NONE ? [itself, ...calls] : calls;
}

/**
 * Returns the row of the span that is all of the part, or NONE. The request's own part is its call, not one around it
 * whose start was not seen and seems to be the same. Calls on other stacks may have begun before.
 */
function rowOfItself({ spans, by }: RequestPart, part: Part, symbol: number): number {
  return part.spans.findIndex(
    ({ startNs, durationNs }, row) =>
      spans[row].parent === NONE &&
      (by !== HandOffBy.None || spans[row].symbol === symbol) &&
      startNs === part.startNs &&
      durationNs === part.durationNs,
  );
}

/** Returns a text that is the same for the same work; null: it is for one request. Work of a thread that ends at one time is one. */
export function sharedWorkOf({ sharedBy, host, thread, ownEndNs }: RequestPart): string | null {
  return sharedBy < 2 ? null : `${host} ${thread.tid} ${ownEndNs}`;
}

// Says of the spans of a request what their times do not show: for whom they waited, and how work was handed on.

/** null and undefined: not known. */
type SpanValue = string | number | boolean | null | undefined;

/** By name, as in the attributes of OTLP. */
export type SpanValues = Readonly<Record<string, SpanValue>>;

const NO_VALUES: SpanValues = {};
const INFERRED: SpanValues = { 'ptflame.inferred': true };

/** Of a call or a stop. */
export function callValues({ isInferred, wait }: RequestSpan): SpanValues {
  const values = isInferred ? INFERRED : NO_VALUES;
  return wait === null ? values : { ...values, ...waitValues(wait) };
}

function waitValues({ reason, isReasonInferred, address, ...wait }: RequestWait): SpanValues {
  const { endedBy, isCandidate, waker, wakeUpNs, ...place } = wait;
  return {
    'ptflame.wait.reason': reason,
    'ptflame.wait.reason_inferred': isReasonInferred ? true : null,
    'ptflame.wait.address': address,
    'ptflame.wait.ended_by': endedBy,
    'ptflame.wait.is_candidate': isCandidate ? true : null,
    'ptflame.wait.wake_up_ns': wakeUpNs,
    'ptflame.waker.thread.id': waker?.tid,
    'ptflame.waker.thread.name': waker?.comm,
    'ptflame.waker.process.pid': waker?.pid,
    'ptflame.waker.function': place.function?.name,
    'ptflame.waker.call': place.call?.name,
  };
}

/** Of work that was handed on. `errorNs`: how far its times may be off. */
function handOffValues({ by, isCandidate, sharedBy, startNs, handedOnNs, errorNs }: Part): SpanValues {
  return {
    'ptflame.handoff.by': by,
    'ptflame.handoff.is_candidate': by === null ? null : isCandidate,
    'ptflame.handoff.delay_ns': handedOnNs === null ? null : startNs - handedOnNs,
    'ptflame.shared_by': sharedBy > 1 ? sharedBy : null,
    'ptflame.clock.error_ns': errorNs === 0 ? null : errorNs,
    'ptflame.clock.error_unknown': errorNs === null ? true : null,
  };
}
