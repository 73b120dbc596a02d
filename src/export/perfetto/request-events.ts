/**
 * Turns work and hand-offs of requests into events of Perfetto.
 */

import { type Nanoseconds, NONE } from '../../model/units.js';
import { HAND_OFF_BY } from '../../questions/requests/request-part.js';
import type { PartSpan } from '../requests/part-spans.js';
import type { SpanValues } from '../requests/span-values.js';
import type { AnnotatedEvent } from './annotated-event.js';
import type { RequestClock } from './request-clock.js';
import { threadName } from './tracks.js';
import type { HandOff, Work } from './works.js';

/** A call or a stop that begins, or the work as a whole. */
export function beginning(work: Work, span: PartSpan, clock: RequestClock): AnnotatedEvent {
  const { call, name, parent } = span;
  const isWhole = parent === NONE;
  const values = isWhole ? { ...wholeValues(work), ...span.values } : span.values;
  const lastFlows = isWhole ? work.taken.filter(isTakenFirst).flatMap((handOff) => flowOf(handOff, clock)) : NO_FLOWS;
  const category = categoryOf(span);
  return { isInstant: false, name, category, srcline: call?.srcline, values, flows: NO_FLOWS, lastFlows };
}

const NO_FLOWS: readonly number[] = [];

function categoryOf({ call, isStop }: PartSpan): string | null {
  if (call === null) return 'work';
  return isStop ? 'stop' : call.dso;
}

function wholeValues({ details: { context }, part, requests }: Work): SpanValues {
  return { ...requestValues(requests), trace_id: HAND_OFF_BY[part.by] === null ? context?.traceId : null };
}

function requestValues(requests: readonly number[]): SpanValues {
  return requests.length === 1 ? { request: requests[0] } : { requests: requests.join(', ') };
}

export interface InstantAt {
  readonly ns: Nanoseconds;
  readonly event: AnnotatedEvent;
}

/** Returns where work was handed on, and where more was taken than at the beginning; by time. */
export function instantsOf({ taken, handedOn }: Work, clock: RequestClock): InstantAt[] {
  const later = taken.filter((handOff) => !isTakenFirst(handOff));
  return [
    ...handedOn.map((handOff) => {
      const name = `hands on to ${threadName(handOff.to.part.thread)}`;
      const event = { ...instantOf(handOff, name), flows: flowOf(handOff, clock), lastFlows: NO_FLOWS };
      return { ns: handedOnNs(handOff, clock), event };
    }),
    ...later.map((handOff) => {
      const name = `takes from ${threadName(handOff.from.part.thread)}`;
      const event = { ...instantOf(handOff, name), flows: NO_FLOWS, lastFlows: flowOf(handOff, clock) };
      return { ns: takenNs(handOff, clock), event };
    }),
  ].sort((a, b) => a.ns - b.ns);
}

function instantOf({ part: { by }, requests }: HandOff, name: string) {
  const values = { ...requestValues(requests), 'ptflame.handoff.by': HAND_OFF_BY[by] };
  return { isInstant: true, name, category: 'hand-off', values };
}

/** Its arrow leads to the beginning of the work. */
function isTakenFirst({ part, to }: HandOff): boolean {
  return part.ownStartNs === to.part.ownStartNs;
}

/** A flow leads to a later moment: of two events of the same moment, Perfetto would not know which is first. */
function flowOf(handOff: HandOff, clock: RequestClock): readonly number[] {
  return handedOnNs(handOff, clock) < takenNs(handOff, clock) ? [handOff.id] : NO_FLOWS;
}

export function handedOnNs({ details, part }: HandOff, clock: RequestClock): Nanoseconds {
  return clock.ns(details, part.handedOnNs);
}

function takenNs({ details, part }: HandOff, clock: RequestClock): Nanoseconds {
  return clock.ns(details, part.startNs);
}
