/**
 * Says for each wait for whom it was: the holder of its lock if that is known, else what ended it.
 */
import type { BlockerKind } from '../../model/profile/waits-by-path.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { TraceWaits } from '../../questions/waits/ask-waits.js';
import { EndedBy, WaitFacts } from '../../questions/waits/wait-facts.js';
import { HeldTime, wokenNs } from '../../waits/locks/held-time.js';
import { type LockWaits, lockWaitsOf } from '../../waits/locks/lock-waits.js';
import type { Waits } from '../../waits/waits.js';

export class WaitBlockers {
  readonly facts: WaitFacts;
  private readonly waits: Waits;
  private readonly locks: LockWaits;
  private readonly held: HeldTime;

  constructor(traceWaits: TraceWaits) {
    this.facts = new WaitFacts(traceWaits);
    this.waits = traceWaits.shown;
    this.locks = lockWaitsOf(traceWaits.waits, traceWaits.trace.samples);
    this.held = new HeldTime(traceWaits.waits, this.locks, traceWaits.window);
  }

  kindOf(wait: number): BlockerKind {
    return this.isForHolder(wait) ? 'holder' : KINDS[this.facts.endedBy(wait)];
  }

  /** The holder or waker; NONE: no thread. */
  tidOf(wait: number): Tid {
    return this.isForHolder(wait) ? this.locks.holder[wait] : this.wakerOf(wait);
  }

  /** Where the holder or waker was when it ended the wait; NONE: not known, or another thread ended it. */
  symbolOf(wait: number): SymbolId {
    const tid = this.tidOf(wait);
    return tid === NONE || tid !== this.wakerOf(wait) ? NONE : this.facts.wakerPlaceOf(wait).symbol;
  }

  /** Calls back with the threads that were waited for, when: each holder while it had the lock, or the waker. */
  forEachInterval(wait: number, found: (tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds) => void): void {
    if (!this.isForHolder(wait)) return found(this.wakerOf(wait), this.waits.outNs[wait], wokenNs(this.waits, wait));
    const { pieces } = this.held.of(wait);
    for (let piece = 0; piece < pieces.length; piece++)
      found(pieces.holder[piece], pieces.fromNs[piece], pieces.toNs[piece]);
  }

  private isForHolder(wait: number): boolean {
    return this.locks.holder[wait] !== NONE && this.facts.endedBy(wait) < EndedBy.Preempted;
  }

  private wakerOf(wait: number): Tid {
    return this.facts.endedBy(wait) < EndedBy.Preempted ? this.waits.waker[wait] : NONE;
  }
}

/** By EndedBy; `Unknown` time is no wait. */
const KINDS: readonly BlockerKind[] = Object.assign([], {
  [EndedBy.Thread]: 'waker',
  [EndedBy.MaybeThread]: 'maybe',
  [EndedBy.Interrupt]: 'interrupt',
  [EndedBy.NotSeen]: 'not seen',
  [EndedBy.Open]: 'open',
  [EndedBy.Preempted]: 'preempted',
});
