/**
 * Says of the spans of a request what their times do not show: for whom they waited, and how work was handed on.
 */
import type { RequestPart, RequestSpan, RequestWait } from '../../questions/requests/schema.js';

/** null and undefined: not known. */
export type SpanValue = string | number | boolean | null | undefined;

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
export function handOffValues({ by, isCandidate, sharedBy, startNs, handedOnNs, errorNs }: RequestPart): SpanValues {
  return {
    'ptflame.handoff.by': by,
    'ptflame.handoff.is_candidate': by === null ? null : isCandidate,
    'ptflame.handoff.delay_ns': handedOnNs === null ? null : startNs - handedOnNs,
    'ptflame.shared_by': sharedBy > 1 ? sharedBy : null,
    'ptflame.clock.error_ns': errorNs === 0 ? null : errorNs,
    'ptflame.clock.error_unknown': errorNs === null ? true : null,
  };
}
