/**
 * Builds the events of a thread's calls, and leaves out the shortest ones while it grows: memory is bounded by how many
 * calls are wanted.
 */
import { CallEvent } from '../../model/calls/call-events.js';
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import type { Nanoseconds, NodeId } from '../../model/units.js';
import { overlaps } from '../log/filter-thread.js';
import { longestBound, type TimedEvents, withoutShorter } from './longest.js';
import type { EventsQuestion, ThreadEventsOfCalls } from './question.js';

/** A call, or a part of it, that has not ended. Callers own these objects; the builder keeps `eventRow` up to date. */
export interface OpenPart {
  /** Of its beginning. */
  eventRow: number;
}

const MIN_EVENTS = 1024;
/** Of a call that was too short. */
const LEFT_OUT = -1;

export class EventsBuilder {
  private columns = newColumns();
  private minNs: Nanoseconds;
  private leftOut = 0;
  private nextCheck: number;
  private readonly question: EventsQuestion;

  constructor(question: EventsQuestion) {
    this.question = question;
    this.minNs = question.minNs;
    this.nextCheck = Math.max(MIN_EVENTS, 4 * question.maxCalls);
  }

  /** `open`: all that have not ended, in the order of their beginnings. */
  begin(part: OpenPart, isResumed: boolean, node: NodeId, ns: Nanoseconds, open: readonly OpenPart[]): void {
    if (this.length >= this.nextCheck) this.dropShortest(open);
    part.eventRow = this.length;
    this.push(isResumed ? CallEvent.Resume : CallEvent.Begin, node, ns, Number.POSITIVE_INFINITY);
  }

  /** `kind`: how it ended. */
  end({ eventRow: row }: OpenPart, kind: CallEvent, node: NodeId, ns: Nanoseconds): void {
    const { timeNs, durationNs } = this.columns;
    const startNs = timeNs.values[row];
    const ownNs = ns - startNs;
    const isCounted = overlaps(this.question.window, startNs, ns) && !this.isEmptyPart(row, kind, ownNs);
    if (isCounted && ownNs >= this.minNs) {
      durationNs.values[row] = ownNs;
      this.push(kind, node, ns, ownNs);
      return;
    }
    if (isCounted) this.leftOut++;
    if (row === this.length - 1) this.pop();
    else durationNs.values[row] = LEFT_OUT;
  }

  build(): ThreadEventsOfCalls {
    this.dropShortest([]);
    const { minNs, leftOut } = this;
    const { timeNs, node, kind, durationNs } = this.events();
    // columns have room for more, which would be copied with them
    const events = { timeNs: timeNs.slice(), node: node.slice(), kind: kind.slice(), durationNs: durationNs.slice() };
    return { events, minNs, leftOut };
  }

  private get length(): number {
    return this.columns.kind.length;
  }

  /** A stack that is switched away from at once, or frames that change below a stop several times. */
  private isEmptyPart(row: number, kind: CallEvent, ns: Nanoseconds): boolean {
    return ns === 0 && kind === CallEvent.Leave && this.columns.kind.values[row] === CallEvent.Resume;
  }

  private dropShortest(open: readonly OpenPart[]): void {
    const { maxCalls } = this.question;
    const all = withoutShorter(this.events(), 0);
    this.minNs = Math.max(this.minNs, longestBound([all], maxCalls + open.length));
    const kept = withoutShorter(all, this.minNs);
    this.leftOut += (all.kind.length - kept.kind.length) / 2;
    this.columns = newColumns();
    for (const name of COLUMNS) this.columns[name].append(kept[name]);
    this.nextCheck = Math.max(MIN_EVENTS, 4 * maxCalls, 2 * this.length);
    let at = 0;
    kept.durationNs.forEach((ns, row) => {
      if (ns === Number.POSITIVE_INFINITY) (open[at++] as OpenPart).eventRow = row;
    });
  }

  private events(): TimedEvents {
    const { timeNs, node, kind, durationNs } = this.columns;
    return { timeNs: timeNs.view(), node: node.view(), kind: kind.view(), durationNs: durationNs.view() };
  }

  private push(kind: CallEvent, node: NodeId, ns: Nanoseconds, durationNs: Nanoseconds): void {
    const { columns } = this;
    columns.kind.push(kind);
    columns.node.push(node);
    columns.timeNs.push(ns);
    columns.durationNs.push(durationNs);
  }

  private pop(): void {
    for (const name of COLUMNS) this.columns[name].length--;
  }
}

const COLUMNS = ['timeNs', 'node', 'kind', 'durationNs'] as const;

function newColumns() {
  return { timeNs: float64Column(), node: int32Column(), kind: uint8Column(), durationNs: float64Column() };
}
