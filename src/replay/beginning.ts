/**
 * A thread before its first event: it was made while the recording ran, or has been waiting since that began.
 */
import { SpecialSymbol } from '../model/symbol-table.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import type { Segment } from './pairing.js';
import type { ReplayOptions } from './replay.js';
import { comesOutOfSyscall, Step } from './site-facts.js';
import type { ReplayParts } from './steps.js';
import { Trait } from './traits.js';

type Parts = Pick<ReplayParts, 'events' | 'facts' | 'frames' | 'pause' | 'clock'>;

export class Beginning {
  /** The thread was made while the recording ran: it has no past, neither time nor callers. */
  readonly isBornHere: boolean;
  private readonly parts: Parts;
  private readonly extendTo: ReplayOptions['extendTo'];
  private readonly firstRow: number;

  constructor(parts: Parts, { isCreatedInside, extendTo }: ReplayOptions, first: Segment | undefined) {
    this.parts = parts;
    this.extendTo = extendTo;
    this.firstRow = first?.firstRow ?? NONE;
    this.isBornHere = isCreatedInside || (first !== undefined && this.isAtBirthplace());
  }

  /** When it is first known of: whose first event is the way out of a stop was waiting since the recording began. */
  get startNs(): Nanoseconds {
    const { extendTo, isBornHere, firstRow } = this;
    const { facts, events } = this.parts;
    const isStart = facts.step[events.site[firstRow]] === Step.Start;
    return extendTo && isStart && !isBornHere ? extendTo.startNs : events.timeNs[firstRow];
  }

  /** The first stack waits until the first event. */
  wait(): void {
    const { events, facts, frames, pause, clock } = this.parts;
    const inSyscall = comesOutOfSyscall(facts, events.site[this.firstRow]);
    const firstNs = events.timeNs[this.firstRow];
    pause.begin(frames.stopNode, inSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced, clock.nowNs);
    this.waitForSwitchIn();
    clock.chargeUntil(firstNs);
    pause.end(firstNs, false);
  }

  /** If the first that is known of a thread is that it got a processor, it had none until then. */
  private waitForSwitchIn(): void {
    const { events, facts, pause, clock } = this.parts;
    const row = events.site.findIndex((site) => facts.step[site] >= Step.SwitchOut);
    if (row === -1 || row >= this.firstRow || facts.step[events.site[row]] !== Step.SwitchIn) return;
    if (events.timeNs[row] <= clock.nowNs) return;
    pause.switchOut(NONE, SpecialSymbol.OffCpu, clock.nowNs);
    clock.chargeUntil(events.timeNs[row]);
    pause.switchIn(clock.nowNs, false);
  }

  private isAtBirthplace(): boolean {
    const { events, facts } = this.parts;
    const { step, toFunction, fromFunction, functions } = facts;
    const site = events.site[this.firstRow];
    const fn = step[site] === Step.Start ? toFunction[site] : fromFunction[site];
    return (functions.traits[fn === NONE ? functions.nameless : fn] & Trait.Birthplace) !== 0;
  }
}
