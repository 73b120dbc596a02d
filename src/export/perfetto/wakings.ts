/**
 * Turns wakings into instants on both threads, and flows between them: Perfetto draws them as arrows.
 */
import type { PbfWriter } from 'pbf';
import type { Timeline, Wakings } from '../../model/profile/timeline.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { EventType, TRACK_EVENT } from './fields.js';
import { Category, type EventNames, Mark, writeMark } from './names.js';
import type { PacketSequence } from './packets.js';
import { threadName } from './tracks.js';

/** One end of a waking, on the thread that it is about. */
export interface WakingEnd {
  /** In the profile's time. */
  readonly ns: Nanoseconds;
  readonly isWaiter: boolean;
  /** The other thread: "worker 1234". */
  readonly other: string;
  /** Of the flow that begins or ends here; 0: none. */
  readonly flow: number;
  /** An interrupt may have done it instead. */
  readonly isMaybe: boolean;
}

/** By thread of the profile, in the order of time. */
export type WakingEnds = ReadonlyMap<Tid, readonly WakingEnd[]>;

export function wakingEnds(timeline: Pick<Timeline, 'startNs' | 'wakings'> | null): WakingEnds {
  const ends = new Map<Tid, WakingEnd[]>();
  if (timeline === null || timeline.wakings === null) return ends;
  const { threads } = timeline.wakings;
  const add = (place: number, end: WakingEnd) => {
    const { tid, isTraced } = threads[place] as Wakings['threads'][number];
    if (!isTraced) return;
    const list = ends.get(tid);
    if (list === undefined) ends.set(tid, [end]);
    else list.push(end);
  };
  for (const { waker, waiter, ...both } of arrowsOf(timeline.wakings, timeline.startNs)) {
    const { wakeNs, runNs, flow, isMaybe } = both;
    add(waker, { ns: wakeNs, isWaiter: false, other: nameOf(threads, waiter), flow, isMaybe });
    add(waiter, { ns: runNs, isWaiter: true, other: nameOf(threads, waker), flow, isMaybe });
  }
  for (const list of ends.values()) list.sort((a, b) => a.ns - b.ns);
  return ends;
}

function nameOf(threads: Wakings['threads'], place: number): string {
  return threadName(threads[place] as Wakings['threads'][number]);
}

/** A flow leads to a later moment: of two events of the same moment, Perfetto would not know which is first. */
function* arrowsOf({ threads, rows }: Wakings, startNs: Nanoseconds) {
  for (let row = 0; row < rows.waiter.length; row++) {
    const [waker, waiter] = [rows.waker[row], rows.waiter[row]];
    const [wakeNs, runNs] = [rows.wakeNs[row], rows.runNs[row]].map((ns) => Math.round(startNs + ns)) as [
      number,
      number,
    ];
    const isArrow = wakeNs < runNs && [waker, waiter].every((place) => threads[place]?.isTraced);
    yield { waker, waiter, wakeNs, runNs, flow: isArrow ? row + 1 : 0, isMaybe: rows.isMaybe[row] === 1 };
  }
}

/** The ends of one thread, in the order in which they are written. Their names are known before any are written. */
export class ThreadWakings {
  private next = 0;
  private readonly names: EventNames;
  private readonly ends: readonly WakingEnd[];

  constructor(ends: readonly WakingEnd[], names: EventNames) {
    this.ends = ends;
    this.names = names;
    for (const end of ends) names.idOf(textOf(end));
  }

  /** Of the first one; Infinity if there is none. */
  get startNs(): Nanoseconds {
    return this.ends[0]?.ns ?? Number.POSITIVE_INFINITY;
  }

  /** Writes those before a moment that are not written yet. */
  writeBefore(ns: Nanoseconds, sequence: PacketSequence): void {
    for (let end = this.ends[this.next]; end !== undefined && end.ns < ns; end = this.ends[++this.next])
      sequence.event(end.ns, writeEnd, { ...end, name: this.names.idOf(textOf(end)) });
  }
}

/** Two wakings have the same name if they have the same threads. */
function textOf({ isWaiter, other }: WakingEnd): string {
  return isWaiter ? `woken by ${other}` : `wakes ${other}`;
}

function writeEnd({ isWaiter, flow, isMaybe, name }: WakingEnd & { readonly name: number }, writer: PbfWriter): void {
  writer.writeVarintField(TRACK_EVENT.category, Category.Waking);
  if (isMaybe) writer.writeMessage(TRACK_EVENT.annotation, writeMark, Mark.Maybe);
  writer.writeVarintField(TRACK_EVENT.type, EventType.Instant);
  writer.writeVarintField(TRACK_EVENT.name, name);
  if (flow > 0) writer.writeFixed64Field(isWaiter ? TRACK_EVENT.lastFlow : TRACK_EVENT.flow, flow);
}
