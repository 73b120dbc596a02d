/**
 * Turns the switches of one thread into its times off the CPU.
 *
 * A switch is noted twice, microseconds apart: by `sched:sched_switch`, then by a switch record. The first one counts.
 * The same one noted again by the same means is another switch, so what came between is missing: time unknown.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { ThreadSpan } from '../input/wait-input.js';
import { OffState } from './off-state.js';
import { Became, NotedBy, type Switch } from './thread-switches.js';

export interface Off {
  readonly outNs: Nanoseconds;
  readonly inNs: Nanoseconds;
  readonly state: OffState;
  readonly isOpen: boolean;
}

/** Two notes of one switch are this close: the kernel writes them in one go, but a virtual CPU may be halted. */
const MAX_NOTE_DISTANCE_NS = 1_000_000;

export class OffReader {
  private last: Note | null = null;
  private lastOut: Note | null = null;
  private startNs: Nanoseconds | null = null;
  private readonly span: ThreadSpan | null;
  private readonly found: (off: Off) => void;

  constructor(span: ThreadSpan | null, found: (off: Off) => void) {
    this.span = span;
    this.found = found;
  }

  add(event: Switch): void {
    const { last } = this;
    if (last === null) this.begin(event);
    else if (isSecondNote(event, last)) this.last = merged(last, event);
    else if (this.isLateNote(event)) return;
    else if (isRunning(event) && !isRunning(last)) this.emit(last.timeNs, event.timeNs, stateOf(last.became));
    else if (isRunning(event) === isRunning(last)) this.emit(last.timeNs, event.timeNs, OffState.Unknown);
    if (this.last === last) this.last = noteOf(event);
    if (this.last && !isRunning(this.last)) this.lastOut = this.last;
  }

  /** `lastNs`: the end of the recording. Returns the time in which the thread is known. */
  end(lastNs: Nanoseconds): { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } {
    const { last, span } = this;
    const startNs = this.startNs ?? 0;
    if (last === null) return { startNs, endNs: startNs };
    const isGone = last.became === Became.Dead;
    const endNs = Math.max(
      last.timeNs,
      isGone || isRunning(last) ? (span?.endNs ?? last.timeNs) : (span?.endNs ?? lastNs),
    );
    if (!isRunning(last) && !isGone && endNs > last.timeNs) {
      this.found({ outNs: last.timeNs, inNs: endNs, state: stateOf(last.became), isOpen: true });
    }
    return { startNs, endNs: isGone ? last.timeNs : endNs };
  }

  private begin(event: Switch): void {
    this.startNs = Math.min(this.span?.startNs ?? event.timeNs, event.timeNs);
    if (isRunning(event)) this.emit(this.startNs, event.timeNs, OffState.Unknown);
  }

  /** A record of the switch out that comes when the thread runs on another CPU, whose clock is behind. */
  private isLateNote(event: Switch): boolean {
    const { last, lastOut } = this;
    if (last === null || lastOut === null || isRunning(event) || !isRunning(last)) return false;
    return last.cpu !== event.cpu && isSecondNote(event, lastOut);
  }

  private emit(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState): void {
    if (inNs > outNs) this.found({ outNs, inNs, state, isOpen: false });
  }
}

function isRunning({ became }: Switch): boolean {
  return became === Became.Running;
}

function stateOf(became: Became): OffState {
  if (became === Became.Blocked) return OffState.Blocked;
  return became === Became.Preempted ? OffState.Preempted : OffState.Unknown;
}

/** A switch that counted, and when each means noted it; NaN: not yet. */
interface Note extends Switch {
  readonly recordNs: Nanoseconds;
  readonly sampleNs: Nanoseconds;
}

function noteOf(event: Switch): Note {
  const { timeNs } = event;
  return isSample(event)
    ? { ...event, recordNs: Number.NaN, sampleNs: timeNs }
    : { ...event, recordNs: timeNs, sampleNs: Number.NaN };
}

function isSample({ notedBy }: Switch): boolean {
  return notedBy === NotedBy.Sample;
}

function isSecondNote(event: Switch, first: Note): boolean {
  if (isRunning(event) !== isRunning(first) || event.cpu !== first.cpu) return false;
  const notedNs = isSample(event) ? first.sampleNs : first.recordNs;
  if (!Number.isNaN(notedNs)) return event.timeNs === notedNs; // the same recording, read twice
  return event.timeNs - first.timeNs <= MAX_NOTE_DISTANCE_NS;
}

/** The sample knows the thread's state better. */
function merged(first: Note, second: Switch): Note {
  if (isSample(second)) return { ...first, became: second.became, sampleNs: second.timeNs };
  return { ...first, recordNs: second.timeNs };
}
