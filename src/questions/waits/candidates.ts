/**
 * Finds who may have ended waits where no wakings were recorded: by the calls that wake threads.
 */

import type { ThreadAnswers, ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { functionSet } from '../../analysis/questions.js';
import { isStop } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import { rowNumbers, valuesOf } from '../../model/columns.js';
import { tableOf } from '../../model/sample-table.js';
import { SpecialSymbol, type SymbolTable } from '../../model/symbol-table.js';
import { NONE, type Tid, UNBOUNDED } from '../../model/units.js';
import { candidateCalls, endsWaits, type WakeCalls } from '../../waits/wake-calls.js';
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
