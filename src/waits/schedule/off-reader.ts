/**
 * Turns the switches of one thread into its times off the CPU.
 *
 * A switch is noted twice, microseconds apart: by `sched:sched_switch`, then by a switch record. The first one counts.
 * The same one noted again by the same means is another switch, so what came between is missing: time unknown.
 */
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { ThreadSpan } from '../input/wait-input.js';
import { OffState } from './off-state.js';
import { Became, NotedBy } from './thread-switches.js';

/** Receives times off the CPU; there are millions, so they are not objects. */
export interface OffSink {
  addOff(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState, isOpen: boolean): void;
}

/** Two notes of one switch are this close: the kernel writes them in one go, but a virtual CPU may be halted. */
const MAX_NOTE_DISTANCE_NS = 1_000_000;

/** A switch that counted, and when each means noted it; NaN: not yet. */
class Note {
  timeNs = Number.NaN;
  cpu = 0;
  became: Became = Became.Running;
  recordNs = Number.NaN;
  sampleNs = Number.NaN;

  set(timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy): void {
    this.timeNs = timeNs;
    this.cpu = cpu;
    this.became = became;
    this.recordNs = notedBy === NotedBy.Record ? timeNs : Number.NaN;
    this.sampleNs = notedBy === NotedBy.Sample ? timeNs : Number.NaN;
  }

  get exists(): boolean {
    return !Number.isNaN(this.timeNs);
  }

  get isRunning(): boolean {
    return this.became === Became.Running;
  }

  isNotedAgain(timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy): boolean {
    if (!this.exists || this.isRunning !== (became === Became.Running) || isOther(this.cpu, cpu)) return false;
    const notedNs = notedBy === NotedBy.Sample ? this.sampleNs : this.recordNs;
    if (!Number.isNaN(notedNs)) return timeNs === notedNs; // the same recording, read twice
    return timeNs - this.timeNs <= MAX_NOTE_DISTANCE_NS;
  }

  /** The sample knows the thread's state better. */
  merge(timeNs: Nanoseconds, became: Became, notedBy: NotedBy): void {
    if (notedBy === NotedBy.Record) this.recordNs = timeNs;
    else {
      this.became = became;
      this.sampleNs = timeNs;
    }
  }
}

/** Its work is done millions of times, so switches are numbers, not objects. */
export class OffReader {
  /** The last switch in, and the last one out; one of them is the last. */
  private readonly ins = new Note();
  private readonly outs = new Note();
  private last: Note | null = null;
  private startNs: Nanoseconds | null = null;
  /** How many switches in were noted, and how many must have been between two switches out. */
  notedIns = 0;
  missingIns = 0;
  private readonly span: ThreadSpan | null;
  private readonly wokenNs: Nanoseconds | null;
  private readonly into: OffSink;

  /** `wokenNs`: when it was woken first; null: not known, or samples were lost. */
  constructor(span: ThreadSpan | null, wokenNs: Nanoseconds | null, into: OffSink) {
    this.span = span;
    this.wokenNs = wokenNs;
    this.into = into;
  }

  add(timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy): void {
    const { last, ins, outs } = this;
    const isIn = became === Became.Running;
    if (last === null) this.begin(timeNs, isIn);
    else if (last.isNotedAgain(timeNs, cpu, became, notedBy)) return last.merge(timeNs, became, notedBy);
    // A record of the switch out that comes when the thread runs on another CPU, whose clock is behind.
    else if (last === ins && isOther(ins.cpu, cpu) && outs.isNotedAgain(timeNs, cpu, became, notedBy)) return;
    else if (isIn && last === outs) this.emit(last.timeNs, timeNs, stateOf(last.became));
    else if (isIn === (last === ins)) this.emit(last.timeNs, timeNs, OffState.Unknown);
    if (isIn) this.notedIns++;
    else if (last === outs) this.missingIns++;
    this.last = isIn ? ins : outs;
    this.last.set(timeNs, cpu, became, notedBy);
  }

  /** `lastNs`: the end of the recording. Returns the time in which the thread is known. */
  end(lastNs: Nanoseconds): { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } {
    const { last, span } = this;
    const startNs = this.startNs ?? 0;
    if (last === null) return { startNs, endNs: startNs };
    if (last.became === Became.Dead) return { startNs, endNs: last.timeNs };
    const endNs = Math.max(last.timeNs, span?.endNs ?? (last.isRunning ? last.timeNs : lastNs));
    if (!last.isRunning && endNs > last.timeNs) {
      this.into.addOff(last.timeNs, endNs, stateOf(last.became), true);
    }
    return { startNs, endNs };
  }

  private begin(timeNs: Nanoseconds, isIn: boolean): void {
    this.startNs = Math.min(this.span?.startNs ?? timeNs, timeNs);
    if (!isIn) return;
    // Only blocked threads are woken: it was one since the recording began.
    const isWoken = this.wokenNs !== null && this.wokenNs > this.startNs && this.wokenNs <= timeNs;
    this.emit(this.startNs, timeNs, isWoken ? OffState.Blocked : OffState.Unknown);
  }

  private emit(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState): void {
    if (inNs > outNs) this.into.addOff(outNs, inNs, state, false);
  }
}

/** perf may leave the CPU out of the records of a process, though not out of its samples. */
function isOther(one: number, other: number): boolean {
  return one !== other && one !== NONE && other !== NONE;
}

function stateOf(became: Became): OffState {
  if (became === Became.Blocked) return OffState.Blocked;
  return became === Became.Preempted ? OffState.Preempted : OffState.Unknown;
}
