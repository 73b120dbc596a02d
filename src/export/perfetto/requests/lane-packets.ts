/**
 * Writes the packets of one lane: a slice for each span, from begin to end, with instants in between.
 */
import { isChunkFull, takeChunk } from '../../proto-writer.js';
import type { NewNames } from '../interned.js';
import type { PacketSequence } from '../packets.js';
import { type AnnotatedEvent, numbered, writeEnd, writeNumbered } from './annotated-event.js';
import type { Lane } from './lanes.js';
import type { RequestClock } from './request-clock.js';
import { beginning, type InstantAt } from './request-events.js';

export interface PacketContext {
  readonly sequence: PacketSequence;
  readonly names: NewNames;
  readonly clock: RequestClock;
}

/**
 * Yields full chunks; the rest stays in the writer. `instants`: by time. Two clocks differ by less and less, or more and
 * more, so work that follows other work may seem to begin a little before its end: it is written as beginning then.
 */
export function* lanePackets(
  { events }: Lane,
  instants: readonly InstantAt[],
  { sequence, names, clock }: PacketContext,
): Generator<Uint8Array> {
  let [nowNs, next] = [Number.NEGATIVE_INFINITY, 0];
  const begin = (event: AnnotatedEvent) => {
    const own = numbered(event, names);
    names.write(sequence);
    sequence.event(nowNs, writeNumbered, own);
  };
  const writeInstantsBefore = (ns: number) => {
    for (; next < instants.length && instants[next].ns < ns; next++) {
      nowNs = Math.max(nowNs, instants[next].ns);
      begin(instants[next].event);
    }
  };
  for (const { ns, work, span } of events) {
    const atNs = clock.ns(work.details, ns - work.part.ownStartNs + work.part.startNs);
    writeInstantsBefore(atNs);
    nowNs = Math.max(nowNs, atNs);
    if (span === null) sequence.event(nowNs, writeEnd, null);
    else begin(beginning(work, span, clock));
    if (isChunkFull(sequence.writer)) yield takeChunk(sequence.writer);
  }
  writeInstantsBefore(Number.POSITIVE_INFINITY);
}
