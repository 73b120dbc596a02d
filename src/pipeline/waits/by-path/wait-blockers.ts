/**
 * Says for each wait for whom it was and why: the holder of its lock if that is known, else what ended it.
 */
import { isOffCpu, isStop } from '../../../analysis/tree/outside.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import type { Shape } from '../../../model/calls/overlay.js';
import type { SymbolTable } from '../../../model/names/symbol-table.js';
import { NONE, type SymbolId, type Tid } from '../../../model/units.js';
import { type LockWaits, lockWaitsOf } from '../../../waits/locks/lock-waits.js';
import { Reason, reasonByFutex, reasonByNames } from '../../../waits/reasons/reason.js';
import { OffState } from '../../../waits/schedule/off-state.js';
import type { Waits } from '../../../waits/waits.js';
import { WakerKind } from '../../../waits/wakers/find-wakers.js';
import type { CallsOfWaits, TraceWaits } from '../ask-waits.js';
import { placeSymbols } from './place-symbols.js';

export const Who = {
  Holder: 0,
  Waker: 1,
  Maybe: 2,
  Interrupt: 3,
  NotSeen: 4,
  Open: 5,
  Preempted: 6,
  Unknown: 7,
} as const;
export type Who = (typeof Who)[keyof typeof Who];

export class WaitBlockers {
  /** By node of the call paths: the path without time off the CPU on its end. */
  readonly placeNode: Int32Array;
  private readonly placeSymbol: Int32Array;
  private readonly waits: Waits;
  private readonly calls: CallsOfWaits;
  private readonly locks: LockWaits;
  /** By node: Reason. */
  private readonly reasonOfNode: Uint8Array;

  constructor({ waits, trace }: TraceWaits, calls: CallsOfWaits) {
    this.waits = waits;
    this.calls = calls;
    this.locks = lockWaitsOf(waits, trace.samples);
    this.placeNode = withoutOffCpu(calls.paths);
    this.placeSymbol = placeSymbols(calls.paths, calls.symbols);
    this.reasonOfNode = reasonsOf(calls.paths, calls.symbols);
  }

  whoOf(wait: number): Who {
    const { isOpen, state, wakerKind } = this.waits;
    if (isOpen[wait]) return Who.Open;
    if (state[wait] !== OffState.Blocked) return state[wait] === OffState.Preempted ? Who.Preempted : Who.Unknown;
    return this.locks.holder[wait] === NONE ? WHO_BY_WAKER[wakerKind[wait]] : Who.Holder;
  }

  /** The holder or waker; NONE: no thread. */
  tidOf(wait: number): Tid {
    const who = this.whoOf(wait);
    if (who === Who.Holder) return this.locks.holder[wait];
    return who === Who.Waker || who === Who.Maybe ? this.waits.waker[wait] : NONE;
  }

  /** Where the holder or waker was when it ended the wait; NONE: not known, or another thread ended it. */
  symbolOf(wait: number): SymbolId {
    const node = this.calls.wakerNode[wait];
    const tid = this.tidOf(wait);
    return node === NONE || tid === NONE || tid !== this.waits.waker[wait] ? NONE : this.placeSymbol[node];
  }

  /** Functions say more than words in memory; but within a condition's functions a thread waits for its lock, too. */
  reasonOf(wait: number): Reason {
    if (this.waits.state[wait] !== OffState.Blocked) return Reason.Unknown;
    const byFutex = reasonByFutex(this.waits, wait, this.locks.lock[wait] !== NONE);
    const node = this.calls.waiterNode[wait];
    const byNames = node === NONE ? Reason.Unknown : (this.reasonOfNode[node] as Reason);
    const isLockOfCondition = byNames === Reason.Condition && byFutex === Reason.Mutex;
    return byNames === Reason.Unknown || isLockOfCondition ? byFutex : byNames;
  }
}

const WHO_BY_WAKER = {
  [WakerKind.NotSeen]: Who.NotSeen,
  [WakerKind.Thread]: Who.Waker,
  [WakerKind.MaybeThread]: Who.Maybe,
  [WakerKind.Interrupt]: Who.Interrupt,
} as Record<number, Who>;

function withoutOffCpu({ length, parent, symbol }: Shape): Int32Array {
  const nodes = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) nodes[node] = isOffCpu(symbol[node]) ? nodes[parent[node]] : node;
  return nodes;
}

function reasonsOf({ length, parent, symbol }: Shape, symbols: SymbolTable): Uint8Array {
  const ofSymbol = symbols.name.map((name, row) => (isStop(row) ? Reason.Unknown : reasonByNames([name])));
  const reasons = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) reasons[node] = ofSymbol[symbol[node]] || reasons[parent[node]];
  return reasons;
}
