/**
 * Time of which nothing was decoded. The thread's switches tell of it all the same: off its processor the thread waited, and only what it
 * did on its processor is lost.
 *
 * Traced code does not leave its processor unseen: the trace stops first. So of a thread that runs and is switched out, something
 * is lost before that.
 */
import { BranchKind, siteOfRecord } from '../../model/branch-sites.js';
import { Certainty } from '../../model/call-log.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import type { ThreadEvents } from '../../model/thread-events.js';
import { type Address, type Nanoseconds, NONE } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import type { Segment } from '../pairing/pairing.js';
import type { ReplayParts } from '../steps.js';

type Parts = Pick<ReplayParts, 'tree' | 'log' | 'events' | 'facts' | 'frames' | 'pause' | 'clock' | 'lost'>;

/** Why a stretch is lost: where the thread was last (NaN: it was never seen), and whether it is seen again. */
export interface LossPlace {
  readonly ip: Address;
  readonly isLast: boolean;
}

export class LostTime {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /**
   * The thread's switches in rows that hold records alone. A thread that they leave without a processor still waits behind them.
   * Returns the first row whose errors are not told yet: it is lost since then, if it runs.
   */
  follow(firstRow: number, endRow: number, place: LossPlace): number {
    const { events, facts } = this.parts;
    let row = firstRow;
    for (let at = firstRow; at < endRow; at++) {
      const step = facts.step[events.site[at]] as Step;
      if (step === Step.SwitchIn) this.endWait(events.timeNs[at]);
      if (!isSwitchOut(step)) continue;
      this.loseUntil(events.timeNs[at], row, at, place);
      row = at;
      this.beginWait(step);
    }
    return row;
  }

  /** Perf's errors about that stand in these rows, if there are any. A thread without a processor has waited until then. */
  loseUntil(untilNs: Nanoseconds, firstRow: number, endRow: number, { ip, isLast }: LossPlace): void {
    const { clock, pause, lost } = this.parts;
    if (pause.node !== NONE) this.endWait(untilNs);
    if (untilNs > clock.nowNs) lost.note(firstRow, endRow, clock.nowNs, untilNs, ip, isLast);
    else lost.noteErrors(firstRow, endRow, clock.nowNs);
    this.lose(untilNs);
  }

  /** Until then nothing is known. */
  lose(untilNs: Nanoseconds): void {
    const { tree, log, frames, clock } = this.parts;
    const ns = untilNs - clock.nowNs;
    if (ns <= 0) return;
    const node = tree.child(frames.stopNode, SpecialSymbol.Lost);
    tree.charge(node, ns, true);
    tree.countComplete(node, ns);
    log?.stop(node);
    log?.doubt(Certainty.Guess);
    clock.goOnAt(untilNs);
    log?.endStop(true);
    frames.logDoubt();
  }

  /** The thread has no processor from now on. */
  beginWait(step: typeof Step.SwitchOut | typeof Step.PreemptOut): void {
    const { pause, frames, clock, facts } = this.parts;
    const why = step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted;
    if (facts.scope === 'user') pause.begin(frames.stopNode, SpecialSymbol.Untraced, clock.nowNs);
    pause.switchOut(frames.stopNode, why, clock.nowNs);
  }

  private endWait(untilNs: Nanoseconds): void {
    const { pause, clock } = this.parts;
    if (pause.node !== NONE) clock.chargeUntil(untilNs);
    pause.end(clock.nowNs, true);
  }
}

export function isSwitchOut(step: Step): step is typeof Step.SwitchOut | typeof Step.PreemptOut {
  return step === Step.SwitchOut || step === Step.PreemptOut;
}

/** The first of some rows behind which there is no branch. */
export function rowBehindBranches(firstRow: number, endRow: number, { site }: ThreadEvents, facts: SiteFacts): number {
  let row = endRow;
  while (row > firstRow && facts.step[site[row - 1]] >= Step.Gap) row--;
  return row;
}

/**
 * Behind which row of a segment that something is lost behind the thread is not known: behind its last branch, if that leaves it
 * running. In the kernel threads are switched out as they run: there nothing but an error tells.
 */
export function knownEnd({ firstRow, endRow }: Segment, events: ThreadEvents, facts: SiteFacts): number {
  const row = rowBehindBranches(firstRow, endRow, events, facts);
  const isStopped = row > firstRow && facts.step[events.site[row - 1]] >= Step.End;
  return isStopped || facts.scope !== 'user' ? endRow : row;
}

/** Where the thread was behind the branch before a row. */
export function placeBefore(row: number, { site }: ThreadEvents, { to, from }: SiteFacts): Address {
  return row === 0 ? Number.NaN : to[site[row - 1]] || from[site[row - 1]];
}

/**
 * From which row on a thread that runs behind its last branch, in the row before `row`, is lost; NONE: it is not. A record shows
 * that something is missing, or nothing follows its trace start. In the kernel an error alone shows it.
 */
export function rowOfLostEnd(row: number, { site, length }: ThreadEvents, { step, scope }: SiteFacts): number {
  const gap = siteOfRecord(BranchKind.Gap);
  if (scope !== 'user' && row > 0) {
    const error = site.subarray(row, length).indexOf(gap);
    return error === -1 ? NONE : row + error;
  }
  const shows = (own: number) => own === gap || isSwitchOut(step[own] as Step);
  const isShown = site.subarray(row, length).some(shows) || (row > 0 && step[site[row - 1]] === Step.Start);
  return isShown ? row : NONE;
}
