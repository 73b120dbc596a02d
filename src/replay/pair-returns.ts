/**
 * The pass before replay: pairs each return with its call, as brackets are paired, by addresses alone.
 *
 * It says for every call which event ended it, and for every return where it landed; and it finds the returns that
 * leave the segment's beginning: their targets are the callers that nobody saw calling. With that, replay never
 * has to guess ahead. Cost is linear: what a return passes over on its way down is popped or, if nothing matches,
 * dropped.
 */
import type { ThreadEvents } from '../model/thread-events.js';
import { type Address, NONE } from '../model/units.js';
import { LONGEST_CALL_BYTES, Trait } from './functions.js';
import { lookAcrossLosses } from './look-across.js';
import { OpenCalls } from './open-calls.js';
import { ParkedStacks, type StackSwitch } from './parked-stacks.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from './site-facts.js';

/** What an event turned out to be; where `Plain`, the step itself says all. */
export const Outcome = {
  Plain: 0,
  /** A return, or the end of a signal: everything from the call in `link` upwards is over. */
  Pop: 1,
  /** A return to a caller never seen calling: the `link`-th of its segment, from 1. */
  Leave: 2,
  /** A "return" to the start of a function: it only jumps there, as retpolines do. */
  JumpByReturn: 3,
  /** A trace start where the trace had stopped. */
  Resume: 4,
  /** A trace start in another function: a signal handler was entered. */
  SignalEntry: 5,
  /** A return out of a signal handler, into the code that ends the signal. */
  SignalReturn: 6,
  /** A return to a stack that was left before: the `link`-th of `switches`. */
  StackSwitch: 7,
} as const;

/** A stretch of events without a loss. */
export interface Segment {
  readonly firstRow: number;
  /** Behind the last row. */
  readonly endRow: number;
  /**
   * Rows of the returns that leave what was running when the segment began, in their order; those of later segments,
   * if the same levels are seen to be left there, behind its own.
   */
  readonly leavingRows: readonly number[];
  /** Rows of the calls that are still open at the end, lowest first. */
  readonly openRows: readonly number[];
  /** Where the trace was stopped at the end; NaN if it ran. */
  readonly stoppedAt: Address;
}

export interface Pairing {
  readonly segments: Segment[];
  readonly outcome: Uint8Array; // by row
  /**
   * For a call, signal or kernel entry: the row that ended it, or NONE; its own row if it is left by its own return
   * behind a loss. For a Pop: the row of the call.
   */
  readonly link: Int32Array;
  readonly switches: StackSwitch[];
}

export function pairReturns(events: ThreadEvents, facts: SiteFacts): Pairing {
  const segments: Segment[] = [];
  const outcome = new Uint8Array(events.length);
  const link = new Int32Array(events.length).fill(NONE);
  const pairing = { segments, outcome, link, switches: [] };
  let row = 0;
  while (row < events.length) {
    if (facts.step[events.site[row]] < Step.Gap) {
      const segment = new SegmentPass(events, facts, pairing).run(row);
      segments.push(segment);
      row = segment.endRow;
    }
    while (row < events.length && facts.step[events.site[row]] >= Step.Gap) row++;
  }
  lookAcrossLosses(pairing, events, facts);
  return pairing;
}

/** Nothing goes on behind these as it was before. */
function isBreak(step: number): boolean {
  return step === Step.Gap || step === Step.Exec;
}

const RUNNING = Number.NaN;

class SegmentPass {
  private hasBegun = false;
  /** Something was lost while the trace was stopped: it goes on only where it stopped. */
  private hasLostWhileStopped = false;
  private readonly open = new OpenCalls();
  private readonly parked = new ParkedStacks();
  private readonly leavingRows: number[] = [];
  /** Where the trace stopped; NaN while it runs. */
  private stoppedAt: Address = RUNNING;
  /** The trace stopped at a call into code that is not traced. */
  private stoppedInCall = false;
  /** How far behind it the trace may go on. */
  private resumeReach = SYSCALL_BYTES;
  /** A signal handler has returned: what its signal interrupted goes on here. */
  private interruptedAt: Address = Number.NaN;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly outcome: Uint8Array;
  private readonly link: Int32Array;
  private readonly switches: StackSwitch[];

  constructor(events: ThreadEvents, facts: SiteFacts, { outcome, link, switches }: Pairing) {
    this.switches = switches;
    this.events = events;
    this.facts = facts;
    this.outcome = outcome;
    this.link = link;
  }

  run(firstRow: number): Segment {
    let row = firstRow;
    while (row < this.events.length && this.take(row)) row++;
    const openRows = this.open.rows();
    return { firstRow, endRow: row, leavingRows: this.leavingRows, openRows, stoppedAt: this.stoppedAt };
  }

  /** False if the event does not follow from those before it: something was lost between. */
  private take(row: number): boolean {
    const site = this.events.site[row];
    const step = this.facts.step[site] as Step;
    if (step === Step.Gap && !Number.isNaN(this.stoppedAt)) return (this.hasLostWhileStopped = true);
    if (isBreak(step)) return false;
    if (step >= Step.SwitchOut) return true;
    if (step === Step.Start) {
      if (this.hasBegun && !this.start(row, this.facts.to[site], this.facts.toEntry[site] === 1)) return false;
    } else if (Number.isNaN(this.stoppedAt)) this.branch(row, site, step);
    else return false;
    this.hasBegun = true;
    return true;
  }

  private branch(row: number, site: number, step: Step): void {
    const from = this.facts.from[site];
    const to = this.facts.to[site];
    if (step < Step.End) this.interruptedAt = Number.NaN;
    if (step === Step.Call) this.open.push({ row, step, from, interrupted: Number.NaN });
    else if (step === Step.KernelEntry) this.open.push({ row, step, from, interrupted: from });
    else if (step === Step.Return) this.return(row, site, to);
    else if (step >= Step.End) this.stop(row, step, from, to);
  }

  private stop(row: number, step: Step, from: Address, to: Address): void {
    this.stoppedAt = from;
    this.stoppedInCall = step === Step.EndCall && to !== 0;
    this.resumeReach = step === Step.EndCall ? LONGEST_CALL_BYTES : SYSCALL_BYTES;
    if (this.stoppedInCall) this.open.push({ row, step, from, interrupted: Number.NaN });
    else if (step === Step.EndReturn) this.returnOut(row, to);
  }

  /** A return out of what is traced; address filters end every call so. The target may not be known. */
  private returnOut(row: number, to: Address): void {
    if (to === 0) {
      if (this.open.length > 0) this.pop(row, this.open.length - 1);
      return;
    }
    const caller = this.open.findCaller(to, false);
    const landing = caller === NONE ? this.open.findInterrupted(to) : caller;
    if (landing === NONE) this.leave(row);
    else this.pop(row, landing);
    this.stoppedAt = to;
  }

  private return(row: number, site: number, to: Address): void {
    const toEntry = this.facts.toEntry[site] === 1;
    const landing = this.open.findCaller(to, toEntry);
    if (landing !== NONE) return this.pop(row, landing);
    if (!toEntry && this.switchBack(row, to)) return;
    const signal = this.open.innermostSignal();
    const isHandlerReturn = signal !== NONE && this.isHandlerReturn(signal, site, toEntry);
    if (!toEntry && !isHandlerReturn && !this.isStub(site)) return this.leave(row);
    if (!isHandlerReturn) {
      this.outcome[row] = Outcome.JumpByReturn;
      this.open.switchStack(row); // to a new stack, if it is left without a return
      return;
    }
    this.interruptedAt = this.open.at(signal).interrupted;
    this.pop(row, signal);
    this.outcome[row] = Outcome.SignalReturn;
  }

  /** Back to a stack that was left: its calls stand on whatever went there. */
  private switchBack(row: number, to: Address): boolean {
    const back = this.parked.takeBack(to, row);
    if (back === null) return false;
    this.outcome[row] = Outcome.StackSwitch;
    this.link[row] = this.switches.push(back.change) - 1;
    this.open.switchStack(row);
    for (const call of back.calls) this.link[call.row] = NONE;
    for (const call of back.calls.slice(0, -1)) this.open.push(call);
    this.link[(back.calls.at(-1) as { row: number }).row] = row;
    return true;
  }

  // A retpoline "returns" to where it was told to jump.
  private isStub(site: number): boolean {
    const { functions, fromFunction } = this.facts;
    return ((functions.traits[fromFunction[site]] as number) & Trait.Stub) !== 0;
  }

  /**
   * A handler returns to the first byte of `__restore_rt`, or to nameless code. Whatever it called may have been left by a
   * longjmp or an exception; it may have jumped on, too, and then only the target tells.
   */
  private isHandlerReturn(signal: number, site: number, toEntry: boolean): boolean {
    const handler = this.facts.toFunction[this.events.site[this.open.at(signal).row]];
    const isTop = signal === this.open.length - 1;
    const isOwn = handler === this.facts.fromFunction[site];
    return toEntry ? isTop || isOwn : isTop && isOwn;
  }

  /** A trace start: back where it stopped, out of a signal or of the kernel, or into a signal handler. */
  private start(row: number, to: Address, toEntry: boolean): boolean {
    if (!this.goesOn(row, to) && !this.comesBack(row, to) && !this.enterSignal(row, toEntry)) return false;
    this.hasLostWhileStopped = false;
    this.stoppedAt = RUNNING;
    return true;
  }

  private goesOn(row: number, to: Address): boolean {
    const isAt = (at: Address, reach: number) => at <= to && to <= at + reach;
    const isWhereStopped = isAt(this.stoppedAt, this.resumeReach);
    if (!isWhereStopped && !isAt(this.interruptedAt, SYSCALL_BYTES)) return false;
    if (!isWhereStopped) this.interruptedAt = Number.NaN;
    this.outcome[row] = Outcome.Resume;
    if (isWhereStopped && this.stoppedInCall) this.pop(row, this.open.length - 1);
    return true;
  }

  private comesBack(row: number, to: Address): boolean {
    const interrupted = this.open.findInterrupted(to);
    if (interrupted !== NONE) this.pop(row, interrupted);
    return interrupted !== NONE;
  }

  private enterSignal(row: number, toEntry: boolean): boolean {
    if (Number.isNaN(this.stoppedAt) || !toEntry || this.hasLostWhileStopped) return false;
    const interrupted = Number.isNaN(this.interruptedAt) ? this.stoppedAt : this.interruptedAt;
    this.outcome[row] = Outcome.SignalEntry;
    this.interruptedAt = Number.NaN;
    this.open.push({ row, step: Step.Start, from: Number.NaN, interrupted });
    return true;
  }

  private pop(row: number, landing: number): void {
    this.outcome[row] = Outcome.Pop;
    this.link[row] = this.open.at(landing).row;
    this.end(row, landing);
  }

  private leave(row: number): void {
    this.leavingRows.push(row);
    this.outcome[row] = Outcome.Leave;
    this.link[row] = this.leavingRows.length;
    this.end(row, NONE);
  }

  /** The event in `row` ends every open call from `place` upwards; NONE: all of them. */
  private end(row: number, place: number): void {
    const left = this.open.cut(place, (call) => {
      this.link[call.row] = row;
    });
    this.parked.park(left, row);
  }
}
