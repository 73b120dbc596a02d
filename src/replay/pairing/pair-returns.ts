/**
 * The pass before replay: pairs each return with its call, as brackets are paired, by addresses alone.
 *
 * It says for every call which event ended it, and for every return where it landed; and it finds the returns that
 * leave the segment's beginning: their targets are the callers that nobody saw calling. With that, replay never
 * has to guess ahead. Cost is linear: what a return passes over on its way down is popped or, if nothing matches,
 * dropped.
 */
import type { ThreadEvents } from '../../model/thread-events.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../functions/site-facts.js';
import { LONGEST_CALL_BYTES, Trait } from '../functions/traits.js';
import { AlikeStacks } from './alike-stacks.js';
import { lookAcrossLosses } from './look-across.js';
import { CallKind, endsAt, type OpenCalls } from './open-calls.js';
import { Outcome, type Pairing, PairingMemory, type Segment } from './pairing.js';
import { pairPlain } from './plain-pairs.js';
import { SkippedCalls } from './skipped-calls.js';
import { Stacks } from './stacks.js';

/** A program has not more slots that lead to functions that go to other stacks. */
const MOST_SWITCHER_SLOTS = 4;
/** Events of stubs, the linker and the switcher itself, without what they call. */
const MOST_ON_THE_WAY = 64;

export function pairReturns(events: ThreadEvents, facts: SiteFacts, memory = new PairingMemory()): Pairing {
  const slots = new Set<Address>();
  for (;;) {
    const known = slots.size;
    const pairing = pairAll(events, facts, memory, slots);
    if (slots.size === known || known >= MOST_SWITCHER_SLOTS) return pairing;
  }
}

/** `slots`: linkage slots that are known to lead to another stack, though they have no name that says so; gets new ones. */
function pairAll(events: ThreadEvents, facts: SiteFacts, memory: PairingMemory, slots: Set<Address>): Pairing {
  const segments: Segment[] = [];
  const { outcome, link } = memory.take(events.length);
  const skipped = new SkippedCalls();
  const pairing = {
    segments,
    outcome,
    link,
    skipped,
    leftCalls: new Map(),
    switches: [],
    stacks: [],
    unseen: new Map(),
    aborts: [],
    replaces: new Map(),
  };
  let row = 0;
  while (row < events.length) {
    if (facts.step[events.site[row]] < Step.Gap) {
      const segment = new SegmentPass(events, facts, pairing, slots).run(row);
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
  private readonly stacks: Stacks;
  private readonly open: OpenCalls;
  /** Where the trace stopped; NaN while it runs. */
  private stoppedAt: Address = RUNNING;
  /** The trace stopped at a call into code that is not traced. */
  private stoppedInCall = false;
  /** It stopped because the lowest function that was traced returned. */
  private isOutside = false;
  /** How far behind it the trace may go on. */
  private resumeReach = SYSCALL_BYTES;
  /** A signal handler has returned: what its signal interrupted goes on here. */
  private interruptedAt: Address = Number.NaN;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly pairing: Pairing;
  private readonly slots: Set<Address>;

  constructor(events: ThreadEvents, facts: SiteFacts, pairing: Pairing, slots: Set<Address>) {
    this.slots = slots;
    this.events = events;
    this.facts = facts;
    this.pairing = pairing;
    const calledIn = (row: number) => this.calledIn(row);
    const isRaiser = (row: number) => this.hasTrait(calledIn(row), Trait.Raiser);
    this.stacks = new Stacks(pairing, calledIn, isRaiser, facts.hasAborts, new AlikeStacks(events, facts));
    this.open = this.stacks.open;
  }

  run(firstRow: number): Segment {
    let row = this.takePlain(firstRow);
    while (row < this.events.length && this.take(row)) row = this.takePlain(row + 1);
    const { leavingRows, open } = this.stacks;
    return { firstRow, endRow: row, leavingRows, openRows: open.allRows(), stoppedAt: this.stoppedAt };
  }

  /** Takes what needs no thought; returns the first row that does. */
  private takePlain(firstRow: number): number {
    if (!Number.isNaN(this.stoppedAt) || this.facts.hasAborts) return firstRow;
    const row = pairPlain(this.open, this.events, this.facts, this.pairing, firstRow);
    if (row > firstRow) {
      this.hasBegun = true;
      this.interruptedAt = Number.NaN;
    }
    return row;
  }

  /** False if the event does not follow from those before it: something was lost between, or a program begins. */
  private take(row: number): boolean {
    const site = this.events.site[row];
    const step = this.facts.step[site] as Step;
    if (step === Step.Gap && !Number.isNaN(this.stoppedAt)) return (this.hasLostWhileStopped = true);
    if (isBreak(step)) return false;
    if (step >= Step.SwitchOut) return true;
    if (step === Step.Start) {
      if (this.hasBegun && !this.start(row, site)) return false;
    } else if (Number.isNaN(this.stoppedAt)) this.branch(row, site, step);
    else return false;
    this.hasBegun = true;
    return true;
  }

  private branch(row: number, site: number, step: Step): void {
    const from = this.facts.from[site];
    if (step < Step.End) this.interruptedAt = Number.NaN;
    if (step === Step.Call) this.open.push(row, from, CallKind.Call);
    else if (step === Step.KernelEntry) this.open.push(row, from, CallKind.KernelEntry);
    else if (step === Step.Return) this.return(row, site);
    else if (step === Step.Jump) this.jump(row, site);
    else if (step >= Step.End) this.stop(row, step, from, this.facts.to[site]);
  }

  private stop(row: number, step: Step, from: Address, to: Address): void {
    this.stoppedAt = from;
    this.stoppedInCall = step === Step.EndCall && to !== 0;
    this.isOutside = false;
    this.resumeReach = step === Step.EndCall ? LONGEST_CALL_BYTES : SYSCALL_BYTES;
    if (this.stoppedInCall) this.open.push(row, from, CallKind.Call);
    else if (step === Step.EndReturn) this.returnOut(row, to);
  }

  /** A return out of what is traced; address filters end every call so. The target may not be known. */
  private returnOut(row: number, to: Address): void {
    if (to === 0) return this.returnToUnknown(row);
    const caller = this.open.findCaller(to, false);
    const landing = caller === NONE ? this.open.findInterrupted(to) : caller;
    if (landing !== NONE) this.stacks.pop(row, landing);
    else if (this.entryFromOutside() !== NONE) this.stacks.enteredFromOutside(this.entryFromOutside(), row);
    else this.stacks.leave(row);
    this.isOutside = this.open.length === 0;
    this.stoppedAt = to;
  }

  private returnToUnknown(row: number): void {
    const top = this.open.length - 1;
    if (top === NONE) return;
    const { address, kind } = this.open.at(top);
    this.stoppedAt = kind >= CallKind.Signal ? RUNNING : address;
    this.resumeReach = LONGEST_CALL_BYTES;
    this.stacks.pop(row, top);
  }

  /** The row in which the lowest open function was entered from code that is not traced, or NONE. */
  private entryFromOutside(): number {
    const lowest = this.open.length > 0 ? this.open.at(0) : null;
    return lowest?.kind === CallKind.SignalFromOutside ? lowest.row : NONE;
  }

  private return(row: number, site: number): void {
    const to = this.facts.to[site];
    const toEntry = this.facts.toEntry[site] === 1;
    const isFromSwitcher = this.hasTrait(this.facts.fromFunction[site], Trait.Switcher);
    if (!isFromSwitcher && this.endsTop(to)) return this.stacks.pop(row, this.open.length - 1);
    if (!isFromSwitcher) this.findUnseenSwitch(row, to);
    const isSwitch = this.isInSwitcher() || isFromSwitcher;
    if (isSwitch && toEntry) return this.stacks.goToOther(row); // whatever call may lie before its first byte
    const landing = this.open.findCaller(to, toEntry || isSwitch);
    const isOwn = isSwitch && landing !== NONE && landing === this.open.length - 1;
    if (isOwn && this.stacks.switchToAlike(row, to)) return;
    if (landing !== NONE) return this.stacks.pop(row, landing);
    if (!toEntry && this.stacks.switchBack(row, to, isSwitch)) return;
    const isRetpoline = this.hasTrait(this.facts.fromFunction[site], Trait.Retpoline);
    const signal = this.open.innermostSignal();
    if (signal !== NONE && !isRetpoline && this.isHandlerReturn(signal, site, toEntry))
      return this.returnFromSignal(row, signal);
    if (isRetpoline && this.isJumpInCaller(site, toEntry)) return this.stacks.pop(row, this.open.length - 1);
    if (isSwitch) this.stacks.goToOther(row);
    else if (isRetpoline || (toEntry && !this.open.isAtBase())) this.stacks.jump(row);
    else if (!this.returnsToRunning(row, site)) this.stacks.leave(row);
  }

  /**
   * What was called last was to go to another stack, and did so by a jump that was not shown: this return is made there, and
   * tells which it is.
   */
  private findUnseenSwitch(row: number, to: Address): void {
    const callRow = this.open.topOfStack();
    if (callRow === NONE) return;
    const behind = (switchRow: number) => this.firstRowBehind(switchRow, row);
    const isToSwitcher = (switchRow: number) => this.isToSwitcher(switchRow);
    if (this.isToSwitcher(callRow)) this.stacks.goUnseen(behind(callRow), row, to, { isToSwitcher, behind });
    else if (this.hasTrait(this.calledIn(callRow), Trait.Stub | Trait.Unknown)) this.findSlot(callRow, row, to);
  }

  /**
   * Two calls through one slot, neither of which returns by itself: behind one of them goes on, at once, the function that
   * waits at the other. So it leads to another stack.
   */
  private findSlot(callRow: number, row: number, to: Address): void {
    const { site } = this.events;
    const slot = this.facts.to[site[callRow]];
    const first = this.firstRowBehind(callRow, row);
    const isToSlot = (other: number) => this.facts.to[site[other]] === slot;
    const goesOn = (other: number) => first === row || this.facts.fromFunction[site[first]] === this.calledIn(other);
    if (this.stacks.isLeftBy(to, isToSlot, goesOn)) this.slots.add(slot);
  }

  /** The first event that is not of the code on the way to the function called in a row. */
  private firstRowBehind(callRow: number, lastRow: number): number {
    const { link } = this.pairing;
    const onTheWay = Trait.Stub | Trait.Resolver | Trait.Switcher;
    let row = callRow + 1;
    for (let n = 0; n < MOST_ON_THE_WAY && row < lastRow; n++) {
      if (!this.hasTrait(this.facts.fromFunction[this.events.site[row]], onTheWay)) break;
      row = Math.max(row, link[row]) + 1;
    }
    return row;
  }

  /** The function that the running stack called last returns from there. */
  private endsTop(to: Address): boolean {
    return this.open.topOfStack() !== NONE && endsAt(this.open.at(this.open.length - 1), to);
  }

  /** Nobody saw the call that this return ends, but the function that it returns to is open: it made it. */
  private returnsToRunning(row: number, site: number): boolean {
    const fn = this.facts.toFunction[site];
    const isCallOf = (call: number) => this.facts.toFunction[this.events.site[call]] === fn;
    const place = this.open.findNear(isCallOf);
    if (place !== NONE) this.stacks.returnTo(row, place);
    return place !== NONE;
  }

  /** A jump that was shown. Most concern nobody here; one may go to another stack, or undo a transaction. */
  private jump(row: number, site: number): void {
    const { facts, stacks } = this;
    if (facts.abortsTransaction[site]) return stacks.reopen(row, facts.toFunction[site]);
    if (!this.hasTrait(facts.fromFunction[site], Trait.Switcher)) return;
    if (this.hasTrait(facts.fromFunction[site], Trait.Stub)) return; // it is on its way there
    if (this.hasTrait(facts.toFunction[site], Trait.Switcher)) return;
    if (facts.toEntry[site] === 1) return stacks.goToOther(row);
    const landing = this.open.findCaller(facts.to[site], true);
    const isOwn = landing !== NONE && landing === this.open.length - 1;
    if (isOwn && stacks.switchToAlike(row, facts.to[site])) return;
    if (landing !== NONE) stacks.pop(row, landing);
    else if (!stacks.switchBack(row, facts.to[site], true) && !this.recovers(row, site)) stacks.goToOther(row);
  }

  /** Go's `recover`: the runtime, which the panic called, goes back to the function that deferred the call of it. */
  private recovers(row: number, site: number): boolean {
    const { events, facts, open } = this;
    const isCallOf = (fn: FunctionId) => (call: number) => facts.toFunction[events.site[call]] === fn;
    const panic = open.findNear((call) => this.hasTrait(facts.toFunction[events.site[call]], Trait.Panic));
    const place = open.findNear(isCallOf(facts.toFunction[site]));
    return place !== NONE && place < panic && this.returnsToRunning(row, site);
  }

  /** What was called last on this stack was to go to another one. */
  private isInSwitcher(): boolean {
    if (!this.facts.functions.hasSwitchers && this.slots.size === 0) return false;
    const top = this.open.topOfStack();
    return top !== NONE && this.isToSwitcher(top);
  }

  private isToSwitcher(callRow: number): boolean {
    return (
      this.hasTrait(this.calledIn(callRow), Trait.Switcher) || this.slots.has(this.facts.to[this.events.site[callRow]])
    );
  }

  private calledIn(callRow: number): FunctionId {
    return this.facts.toFunction[this.events.site[callRow]];
  }

  private hasTrait(fn: FunctionId, trait: number): boolean {
    return fn !== NONE && (this.facts.functions.traits[fn] & trait) !== 0;
  }

  // A computed goto through a retpoline ends in the function that called the retpoline.
  private isJumpInCaller(site: number, toEntry: boolean): boolean {
    const top = this.open.topOfStack();
    if (toEntry || top === NONE) return false;
    return this.facts.fromFunction[this.events.site[top]] === this.facts.toFunction[site];
  }

  /**
   * A handler returns to the first byte of `__restore_rt`, or to nameless code. Whatever it called may have been left by a
   * longjmp or an exception; it may have jumped on, too, and then only the target tells.
   */
  private isHandlerReturn(signal: number, site: number, toEntry: boolean): boolean {
    const handler = this.facts.toFunction[this.events.site[this.open.rowAt(signal)]];
    const isTop = signal === this.open.length - 1;
    const isOwn = handler === this.facts.fromFunction[site];
    return toEntry ? isTop || isOwn : isTop && isOwn;
  }

  private returnFromSignal(row: number, signal: number): void {
    this.interruptedAt = this.open.at(signal).address;
    this.stacks.pop(row, signal);
    this.pairing.outcome[row] = Outcome.SignalReturn;
  }

  /** A trace start: back where it stopped, out of a signal or of the kernel, or into a signal handler. */
  private start(row: number, site: number): boolean {
    const { to, toEntry, leavesGuest } = this.facts;
    const goesOn = this.goesOn(row, to[site]) || (leavesGuest[site] === 1 && this.resume(row));
    if (!goesOn && !this.comesBack(row, to[site]) && !this.enterSignal(row, toEntry[site] === 1)) return false;
    this.hasLostWhileStopped = false;
    this.stoppedAt = RUNNING;
    return true;
  }

  private goesOn(row: number, to: Address): boolean {
    const isAt = (at: Address, reach: number) => at <= to && to <= at + reach;
    const isWhereStopped = isAt(this.stoppedAt, this.resumeReach);
    if (!isWhereStopped && !isAt(this.interruptedAt, SYSCALL_BYTES)) return false;
    if (!isWhereStopped) this.interruptedAt = Number.NaN;
    this.resume(row);
    if (isWhereStopped && this.stoppedInCall) this.stacks.pop(row, this.open.length - 1);
    return true;
  }

  private resume(row: number): boolean {
    this.pairing.outcome[row] = Outcome.Resume;
    return true;
  }

  private comesBack(row: number, to: Address): boolean {
    const interrupted = this.open.findInterrupted(to);
    if (interrupted !== NONE) this.stacks.pop(row, interrupted);
    return interrupted !== NONE;
  }

  private enterSignal(row: number, toEntry: boolean): boolean {
    if (Number.isNaN(this.stoppedAt) || !toEntry || this.hasLostWhileStopped) return false;
    if (this.hasTrait(this.facts.toFunction[this.events.site[row]], Trait.ProgramStart)) return false;
    const interrupted = Number.isNaN(this.interruptedAt) ? this.stoppedAt : this.interruptedAt;
    this.pairing.outcome[row] = Outcome.SignalEntry;
    this.interruptedAt = Number.NaN;
    this.open.push(row, interrupted, this.isOutside ? CallKind.SignalFromOutside : CallKind.Signal);
    return true;
  }
}
