/**
 * A thread before its first branch: it was made while the recording ran, or has been waiting since that began. Where its switches show
 * that it ran meanwhile, and something was not decoded, that is lost.
 */
import { SpecialSymbol } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { comesOutOfSyscall, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { Segment } from '../pairing/pairing.js';
import type { ReplayOptions } from '../replay.js';
import type { ReplayParts } from '../steps.js';
import { isSwitchOut, type LostTime } from './lost-time.js';

type Parts = Pick<ReplayParts, 'events' | 'facts' | 'frames' | 'pause' | 'clock' | 'lost'> & {
  readonly lostTime: LostTime;
};

const UNSEEN = { ip: Number.NaN, isLast: false } as const;

export class Beginning {
  /** The thread was made while the recording ran: it has no past, neither time nor callers. */
  readonly isBornHere: boolean;
  private readonly parts: Parts;
  private readonly extendTo: ReplayOptions['extendTo'];
  private readonly firstRow: number;
  /** Rows of switches and errors before this one tell of a part that is lost. */
  private readonly lostEnd: number;

  constructor(
    parts: Parts,
    { isCreatedInside, extendTo, mayBeUndecoded = false }: ReplayOptions,
    first: Segment | undefined,
  ) {
    this.parts = parts;
    this.extendTo = extendTo;
    this.firstRow = first?.firstRow ?? NONE;
    const isAtBirthplace = first !== undefined && this.isAtBirthplace();
    this.isBornHere = isCreatedInside || isAtBirthplace;
    this.lostEnd = first === undefined || isAtBirthplace ? 0 : this.endOfLost(mayBeUndecoded);
  }

  /** When it is first known of: whose first event is the way out of a stop was waiting since the recording began. */
  get startNs(): Nanoseconds {
    const { extendTo, isBornHere, firstRow, lostEnd } = this;
    const { events } = this.parts;
    if (lostEnd === 0) return extendTo && this.isStart && !isBornHere ? extendTo.startNs : events.timeNs[firstRow];
    return extendTo && !isBornHere ? extendTo.startNs : events.timeNs[0];
  }

  /** Before the first stack is laid down: what is lost of the time before it. Where the thread was then, nobody knows. */
  loseFirst(): void {
    const { firstRow, lostEnd } = this;
    const { events, lostTime, lost } = this.parts;
    if (lostEnd > 0) {
      this.beginLost();
      const untold = lostTime.follow(0, lostEnd, UNSEEN);
      lostTime.loseUntil(events.timeNs[lostEnd], untold, lostEnd, UNSEEN);
    }
    lost.noteErrors(lostEnd, firstRow, events.timeNs[firstRow]);
  }

  /** Until its first switch in it had no processor; what it did before its first error is not known. */
  private beginLost(): void {
    const { events, facts, lostTime, frames, pause, clock } = this.parts;
    const first = facts.step[events.site[0]];
    if (first === Step.SwitchIn) lostTime.beginWait(Step.SwitchOut);
    if (first !== Step.Gap || events.timeNs[0] === clock.nowNs) return;
    pause.begin(frames.stopNode, SpecialSymbol.Untraced, clock.nowNs);
    clock.chargeUntil(events.timeNs[0]);
    pause.end(clock.nowNs, true);
  }

  /** The first stack waits until the first event. */
  wait(): void {
    const { events, facts, frames, pause, clock } = this.parts;
    const inSyscall = comesOutOfSyscall(facts, events.site[this.firstRow]);
    const firstNs = events.timeNs[this.firstRow];
    pause.begin(frames.stopNode, inSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced, clock.nowNs);
    if (this.lostEnd === 0) this.followSwitches();
    clock.chargeUntil(firstNs);
    pause.end(firstNs, false);
  }

  /** Meanwhile it may have had a processor now and then; it had none before its first switch, if that is one in. */
  private followSwitches(): void {
    const { events, facts, pause, clock } = this.parts;
    let isFirst = true;
    for (let row = 0; row < this.firstRow; row++) {
      const step = facts.step[events.site[row]] as Step;
      if (step === Step.Exec && isFirst) return;
      if (step !== Step.SwitchIn && !isSwitchOut(step)) continue;
      const ns = events.timeNs[row];
      if (isFirst && step === Step.SwitchIn && ns > clock.nowNs)
        pause.switchOut(NONE, SpecialSymbol.OffCpu, clock.nowNs);
      clock.chargeUntil(ns);
      if (step === Step.SwitchIn) pause.switchIn(ns, !isFirst);
      else pause.switchOut(NONE, step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted, ns);
      isFirst = false;
    }
  }

  /**
   * Up to which row something is lost before the first branch; 0: nothing. A stay on a processor without a branch is lost, and so
   * is what follows an error, and the stay that the first branch lies in, unless that is a trace start: until then it may have
   * been in the kernel.
   */
  private endOfLost(mayBeUndecoded: boolean): number {
    const { events, facts } = this.parts;
    if (!mayBeUndecoded) return 0;
    const steps = Array.from(events.site.subarray(0, this.firstRow), (site) => facts.step[site] as Step);
    const lastIn = steps.lastIndexOf(Step.SwitchIn);
    const lastOut = steps.findLastIndex(isSwitchOut);
    const hasError = steps.lastIndexOf(Step.Gap) > Math.max(lastIn, lastOut);
    const isInUserSpace = facts.scope === 'user' && !this.isStart; // who gets a processor goes on in the kernel
    if (hasError || (isInUserSpace && Math.max(lastIn, lastOut) >= 0)) return this.firstRow;
    if (lastOut === -1) return 0;
    return lastIn > lastOut ? lastIn : this.firstRow;
  }

  private get isStart(): boolean {
    const { events, facts } = this.parts;
    return facts.step[events.site[this.firstRow]] === Step.Start;
  }

  private isAtBirthplace(): boolean {
    const { events, facts } = this.parts;
    const { step, toFunction, fromFunction, functions } = facts;
    const site = events.site[this.firstRow];
    const fn = step[site] === Step.Start ? toFunction[site] : fromFunction[site];
    return (functions.traits[fn === NONE ? functions.nameless : fn] & Trait.Birthplace) !== 0;
  }
}
