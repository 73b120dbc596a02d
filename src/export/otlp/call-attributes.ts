/**
 * Says of a span which code it is, in which thread, and for whom it waited.
 */
import type { RequestPart, RequestSpan, RequestWait } from '../../answers/requests/schema.js';
import type { AttributeValue } from './attributes.js';

type Values = Readonly<Record<string, AttributeValue>>;

export function threadValues({ thread }: RequestPart): Values {
  return { 'thread.id': thread.tid, 'thread.name': thread.comm };
}

/** `isStop`: it is no function, but time outside traced code. */
export function callValues({ name, dso, srcline, isInferred, wait }: RequestSpan, isStop: boolean): Values {
  return {
    'code.function.name': isStop ? null : name,
    'code.file.path': srcline?.file,
    'code.line.number': srcline?.line,
    'ptflame.binary': dso,
    'ptflame.inferred': isInferred ? true : null,
    ...(wait && waitValues(wait)),
  };
}

function waitValues({ reason, address, endedBy, isCandidate, waker, wakeUpNs, ...place }: RequestWait): Values {
  return {
    'ptflame.wait.reason': reason,
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
export function handOffValues({ by, isCandidate, sharedBy, startNs, handedOnNs, errorNs }: RequestPart): Values {
  return {
    'ptflame.handoff.by': by,
    'ptflame.handoff.is_candidate': by === null ? null : isCandidate,
    'ptflame.handoff.delay_ns': handedOnNs === null ? null : startNs - handedOnNs,
    'ptflame.shared_by': sharedBy > 1 ? sharedBy : null,
    'ptflame.clock.error_ns': errorNs === 0 ? null : errorNs,
    'ptflame.clock.error_unknown': errorNs === null ? true : null,
  };
}
