/**
 * Turns a part of a request, its calls and waits, into JSON.
 */
import type { SymbolTable } from '../../model/symbol-table.js';
import type { Nanoseconds } from '../../model/units.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import { finiteOrNull, named } from '../common.js';
import { EndedBy } from '../waits/wait-facts.js';
import { addressText, reasonName, waitPlace, waitThread } from '../waits/wait-names.js';
import type { RequestPart, RequestWait } from './found-requests.js';
import type * as schema from './schema.js';

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

/** `requestNs`: when the request began. */
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
