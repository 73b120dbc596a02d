/**
 * Finds who may have ended waits where no wakings were recorded: by the calls that wake threads.
 */
import type { ThreadAnswers, ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { functionSet } from '../../analysis/questions.js';
import { isStop } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import { countAtOrBelow, countBelow, rowNumbers, valuesOf } from '../../model/columns.js';
import { tableOf } from '../../model/sample-table.js';
import { SpecialSymbol, type SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type Tid, UNBOUNDED } from '../../model/units.js';
import { WakerKind, type Wakers } from '../../waits/find-wakers.js';
import { Reason } from '../../waits/reason.js';
import { OffState, type Schedule } from '../../waits/schedule.js';
import type { TraceWaits } from './ask-waits.js';
import { placesOf } from './places.js';
import { type Place, UNKNOWN_PLACE, type WaitFacts } from './wait-facts.js';

/** Who may have ended a wait. */
export interface Candidates {
  /** By wait: NONE, if there is no candidate. */
  readonly waker: Int32Array;
  placeOf(wait: number): Place;
  /** Equal for equal places. */
  placeNumber(wait: number): number;
}

/** null: wakings were recorded, or no calls. */
export async function candidatesOf({ trace, waits, calls }: TraceWaits, facts: WaitFacts): Promise<Candidates | null> {
  if (calls === null || tableOf(trace.samples, 'sched:sched_waking') !== null) return null;
  const functions = functionSet([SpecialSymbol.Syscall], calls.symbols.length);
  const spans = { calls: { functions, durations: null }, window: UNBOUNDED };
  const question: ThreadQuestions = { nodesAt: null, treesOver: null, spanTrees: null, spans };
  const answers = await calls.askable.ask(new Map(trace.store.tids.map((tid) => [tid, question])));
  const wakes = wakeCalls(answers.threads, answers.paths, calls.symbols);
  const found = candidateCalls(waits, facts.reason, wakes);
  const places = placesOf(answers.paths, calls.symbols);
  return {
    waker: found.map((call) => (call === NONE ? NONE : wakes.tid[call])),
    placeOf(wait) {
      if (found[wait] === NONE) return UNKNOWN_PLACE;
      const node = wakes.node[found[wait]];
      return { symbol: places.symbol[node], call: places.call[node] };
    },
    placeNumber: (wait) => (found[wait] === NONE ? 0 : places.number[wakes.node[found[wait]]]),
  };
}

/** Selects the system calls that may wake threads. */
function wakeCalls(
  threads: ReadonlyMap<Tid, ThreadAnswers>,
  paths: Shape,
  symbols: SymbolTable,
): WakeCalls & { readonly node: Int32Array } {
  const ends = endsByNode(paths, symbols);
  const rows = [...threads].flatMap(([tid, { spans }]) => {
    const own = spans ? rowNumbers(spans.node.length).filter((row) => ends[spans.node[row]] !== 0) : [];
    return Array.from(own, (row) => ({ tid, timeNs: spans?.startNs[row] ?? 0, node: spans?.node[row] ?? NONE }));
  });
  rows.sort((a, b) => a.timeNs - b.timeNs || a.tid - b.tid);
  const node = Int32Array.from(rows, (row) => row.node);
  return {
    length: rows.length,
    timeNs: Float64Array.from(rows, ({ timeNs }) => timeNs),
    tid: Int32Array.from(rows, ({ tid }) => tid),
    ends: valuesOf(ends, node),
    node,
  };
}

/** By node of a stop: the waits that may end there, by the innermost function that says so, within the same library. */
function endsByNode({ length, parent, symbol }: Shape, symbols: SymbolTable): Int32Array {
  const byName = new Map<number, number>();
  const ends = new Int32Array(length);
  for (let node = 1; node < length; node++) {
    const own = symbol[node];
    const caller = parent[node];
    let bits = byName.get(own) ?? endsWaits(symbols.name[own]);
    byName.set(own, bits);
    const isSameFile = isStop(own) || isStop(symbol[caller]) || symbols.dso[symbol[caller]] === symbols.dso[own];
    if (bits === 0 && caller > 0 && isSameFile) bits = ends[caller];
    ends[node] = bits;
  }
  return ends;
}

/** Functions of glibc and Rust that make a system call to wake, and the waits that this ends. The first decides. */
const ENDS: readonly (readonly [RegExp, readonly Reason[]])[] = [
  [/lll_(lock_wake|unlock)|mutex_unlock|mtx_unlock|futex::Mutex::wake/i, [Reason.Mutex]],
  [/cond_(signal|broadcast)|cnd_(signal|broadcast)|Condvar::notify/, [Reason.Condition]],
  [/rwlock_unlock/, [Reason.RwLock]],
  [/\bsem_post|new_sem_post/, [Reason.Semaphore]],
  [/pthread_barrier_wait/, [Reason.Barrier]],
  [
    /eventfd_write|^(__)?(GI_+)?(libc_)?(pwrite|write|writev|send|sendto|sendmsg|sendmmsg)(64)?$/,
    [Reason.Poll, Reason.Socket],
  ],
];

/** Returns the waits that a system call in a function may end, as bits by reason; 0: none is known. */
export function endsWaits(name: string): number {
  const bare = name.replace(/@plt$|@@?[\w.]+$/, '');
  const reasons = ENDS.find(([pattern]) => pattern.test(bare))?.[1] ?? [];
  return reasons.reduce<number>((bits, reason) => bits | (1 << reason), 0);
}

/** By time. */
interface WakeCalls {
  readonly length: number;
  readonly timeNs: Float64Array;
  readonly tid: Int32Array;
  /** The waits that it may end: bits by reason. */
  readonly ends: Int32Array;
}

/** A woken thread runs soon, if a CPU is idle. */
const MAX_NS_TO_RUN: Nanoseconds = 100_000;

/** If another thread leaves a CPU this shortly before, the woken one may have waited for it much longer. */
const MAX_NS_OF_SWITCH: Nanoseconds = 5_000;

/**
 * Returns by wait the last call that may have ended it, if only one thread made such calls shortly before the thread ran
 * again, and no thread left a CPU for it; NONE. Calls do not show what they wake, so this is a candidate only.
 */
export function candidateCalls(waits: Schedule & Wakers, reason: Uint8Array, calls: WakeCalls): Int32Array {
  const found = new Int32Array(waits.length).fill(NONE);
  const outs = waits.outNs.toSorted();
  const hadIdleCpu = (wait: number) =>
    countBelow(outs, waits.inNs[wait]) ===
    countAtOrBelow(outs, Math.max(waits.outNs[wait], waits.inNs[wait] - MAX_NS_OF_SWITCH));
  for (let wait = 0; wait < waits.length; wait++) {
    const isBlocked = waits.state[wait] === OffState.Blocked && !waits.isOpen[wait];
    if (isBlocked && waits.wakerKind[wait] === WakerKind.NotSeen && hadIdleCpu(wait))
      found[wait] = onlyCall(waits, wait, reason[wait], calls);
  }
  return found;
}

function onlyCall({ tid, outNs, inNs }: Schedule, wait: number, reason: number, calls: WakeCalls): number {
  const sinceNs = Math.max(outNs[wait], inNs[wait] - MAX_NS_TO_RUN);
  let found = NONE;
  for (let call = countBelow(calls.timeNs, inNs[wait]) - 1; call >= 0 && calls.timeNs[call] >= sinceNs; call--) {
    if (calls.tid[call] === tid[wait] || (calls.ends[call] & (1 << reason)) === 0) continue;
    if (found !== NONE && calls.tid[call] !== calls.tid[found]) return NONE;
    if (found === NONE) found = call;
  }
  return found;
}
