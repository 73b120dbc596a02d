/**
 * Why and where each wait was, and who ended it where: what groups of waits have in common.
 */
import { NONE, type SymbolId } from '../../model/units.js';
import { WakerKind } from '../../waits/find-wakers.js';
import { lockWordsOf } from '../../waits/locks/lock-words.js';
import { objectAddress, Reason, reasonByFutex } from '../../waits/reason.js';
import { OffState } from '../../waits/schedule.js';
import type { Waits } from '../../waits/waits.js';
import type { CallsOfWaits, TraceWaits } from './ask-waits.js';
import { type Places, placesOf } from './places.js';

export { isOfWaits } from '../../waits/reason.js';

/** A function, and what it called; NONE: not known, or nothing. */
export interface Place {
  readonly symbol: SymbolId;
  readonly call: SymbolId;
}

/** Who or what ended a wait. */
export const EndedBy = {
  Thread: 0,
  MaybeThread: 1,
  Interrupt: 2,
  NotSeen: 3,
  Preempted: 4,
  Unknown: 5,
  Open: 6,
} as const;
export type EndedBy = (typeof EndedBy)[keyof typeof EndedBy];

/** What the kernel says of a wait leaves open what it was for. */
const OPEN_TO_OTHERS: ReadonlySet<Reason> = new Set([Reason.Unknown, Reason.Other, Reason.Futex]);

export const UNKNOWN_PLACE: Place = { symbol: NONE, call: NONE };

export class WaitFacts {
  /** By wait: Reason. */
  readonly reason: Uint8Array;
  private readonly waits: Waits;
  private readonly calls: CallsOfWaits | null;
  private readonly places: Places | null;

  constructor({ waits, calls }: Pick<TraceWaits, 'waits' | 'calls'>) {
    this.waits = waits;
    this.calls = calls;
    this.places = calls && placesOf(calls.paths, calls.symbols);
    const { lockOf } = lockWordsOf(waits.calls);
    this.reason = new Uint8Array(waits.length);
    for (let wait = 0; wait < waits.length; wait++) {
      if (waits.state[wait] !== OffState.Blocked) continue;
      const call = waits.waitCall[wait];
      this.reason[wait] = this.reasonOf(wait, call !== NONE && lockOf[call] !== NONE);
    }
  }

  /** Where the thread waited. */
  placeOf(wait: number): Place {
    return this.calls === null ? UNKNOWN_PLACE : this.placeAt(this.calls.waiterNode[wait]);
  }

  /** Where the waker was when it woke the thread. */
  wakerPlaceOf(wait: number): Place {
    return this.calls === null || this.waits.waker[wait] === NONE
      ? UNKNOWN_PLACE
      : this.placeAt(this.calls.wakerNode[wait]);
  }

  /** Equal for waits at equal places. */
  placeNumber(wait: number): number {
    return this.calls === null ? 0 : this.numberAt(this.calls.waiterNode[wait]);
  }

  wakerPlaceNumber(wait: number): number {
    return this.calls === null || this.waits.waker[wait] === NONE ? 0 : this.numberAt(this.calls.wakerNode[wait]);
  }

  private numberAt(node: number): number {
    return node === NONE || this.places === null ? 0 : this.places.number[node];
  }

  /** `node`: of the call paths. */
  placeAt(node: number): Place {
    if (node === NONE || this.places === null) return UNKNOWN_PLACE;
    return { symbol: this.places.symbol[node], call: this.places.call[node] };
  }

  endedBy(wait: number): EndedBy {
    return endedBy(this.waits, wait);
  }

  /** The object that the thread waited for, such as a lock; null: not known. */
  addressOf(wait: number): number | null {
    const call = this.waits.waitCall[wait];
    if (call === NONE) return null;
    return objectAddress(this.reason[wait] as Reason, this.waits.calls.address[call]);
  }

  /** The reason was concluded from other waits. */
  isInferred(wait: number): boolean {
    const { isReasonInferred, kernelReason, waitCall } = this.waits;
    return isReasonInferred[wait] === 1 && this.reason[wait] === kernelReason[wait] && waitCall[wait] === NONE;
  }

  /**
   * What the kernel did is certain, unless it was concluded; but of futexes it knows words in memory only. Functions say more
   * than these words; but within a condition's functions, a thread waits for its lock, too.
   */
  private reasonOf(wait: number, isLock: boolean): Reason {
    const byKernel = this.waits.kernelReason[wait] as Reason;
    const isConcluded = this.waits.isReasonInferred[wait] === 1 && this.waits.waitCall[wait] !== NONE;
    if (!OPEN_TO_OTHERS.has(byKernel) && !isConcluded) return byKernel;
    const byFutex = reasonByFutex(this.waits, wait, isLock);
    const node = this.calls === null ? NONE : this.calls.waiterNode[wait];
    const byNames = node === NONE || this.places === null ? Reason.Unknown : (this.places.reason[node] as Reason);
    const isLockOfCondition = byNames === Reason.Condition && byFutex === Reason.Mutex;
    return (isLockOfCondition ? byFutex : byNames || byFutex) || byKernel;
  }
}

export function endedBy({ state, isOpen, wakerKind }: Waits, wait: number): EndedBy {
  if (state[wait] === OffState.Unknown) return EndedBy.Unknown;
  if (isOpen[wait]) return EndedBy.Open;
  if (state[wait] === OffState.Preempted) return EndedBy.Preempted;
  return ENDED_BY[wakerKind[wait]];
}

const ENDED_BY: readonly EndedBy[] = Object.assign([], {
  [WakerKind.NotSeen]: EndedBy.NotSeen,
  [WakerKind.Thread]: EndedBy.Thread,
  [WakerKind.MaybeThread]: EndedBy.MaybeThread,
  [WakerKind.Interrupt]: EndedBy.Interrupt,
});
