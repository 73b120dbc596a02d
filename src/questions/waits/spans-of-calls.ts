/**
 * Lists the calls of functions in threads, to tell which waits are inside of them.
 */

import type { ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { Spans } from '../../analysis/log/spans.js';
import type { CallSelection, FunctionSet } from '../../analysis/questions.js';
import { countAtOrBelow, markedRows } from '../../model/columns.js';
import { appendTo } from '../../model/groups.js';
import { isComplete } from '../../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type Tid, UNBOUNDED } from '../../model/units.js';
import type { AskableTrace } from '../../pipeline/ask-threads.js';
import { noTrace } from '../../pipeline/read/refusals.js';
import type { Trace } from '../../pipeline/read/trace.js';
import type { FunctionPattern } from '../../pipeline/replay/find-functions.js';
import { boundsOf, type CallPattern } from '../../pipeline/replay/selection.js';
import { eachWaitWithin } from '../../waits/summary/wait-sums.js';
import { overlaps } from '../../waits/summary/window.js';
import type { Waits } from '../../waits/waits.js';
import { type CallsOfWaits, type TraceWaits, tracedTids } from './ask-waits.js';
import type { InsideCalls } from './schema.js';

/** Columns; by thread, then in the order in which they began. */
export interface ThreadCalls {
  readonly length: number;
  readonly tid: Int32Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly symbol: Int32Array;
  /** 0: its start or its end was not seen. */
  readonly isComplete: Uint8Array;
  /** 1: it is inside another one of these calls. */
  readonly isNested: Uint8Array;
}

/**
 * Lists the calls that a user asks to look inside of, as far as they are in the window.
 *
 * @throws PtflameError NO_SUCH_FUNCTION; NO_BRANCHES for a recording without calls
 */
export async function callsAsked(
  { askable, trace, tids, window }: AskedInside,
  inside: CallPattern | FunctionPattern,
): Promise<ThreadCalls> {
  const pattern = typeof inside === 'string' || inside instanceof RegExp ? { functions: inside } : inside;
  if (askable === null) throw noTrace(trace.account.withoutTrace[0] ?? 'the input');
  const selected = { functions: askable.functions(pattern.functions), durations: boundsOf(pattern) };
  return callsWithin(await selectedCalls({ askable }, selected, tids), window);
}

/** Where they are looked for. `askable`: null: there are no calls. */
export interface AskedInside {
  readonly askable: AskableTrace | null;
  readonly trace: Trace;
  readonly tids: readonly Tid[];
  readonly window: Bounds;
}

/** Those of the threads that are selected. */
export function askedInside(traceWaits: TraceWaits): AskedInside {
  const { calls, trace, window } = traceWaits;
  return { askable: calls?.askable ?? null, trace, tids: tracedTids(traceWaits), window };
}

/** The calls as answers have them. */
export function insideCalls(calls: ThreadCalls): InsideCalls {
  const rows = Array.from({ length: calls.length }, (_, row) => row).filter((row) => calls.isNested[row] === 0);
  return {
    calls: rows.length,
    inferred: rows.filter((row) => calls.isComplete[row] === 0).length,
    totalNs: rows.reduce((sum, row) => sum + calls.endNs[row] - calls.startNs[row], 0),
  };
}

/** Returns a function that tells whether a thread was in one of the calls at a moment. */
export function momentsInside({
  length,
  tid,
  startNs,
  endNs,
  isNested,
}: ThreadCalls): (tid: Tid, ns: Nanoseconds) => boolean {
  const threads = new Map<Tid, number[]>();
  for (let row = 0; row < length; row++) {
    if (isNested[row] === 1) continue;
    appendTo(threads, tid[row], row);
  }
  const begins = new Map(
    [...threads].map(([thread, rows]) => [thread, Float64Array.from(rows, (row) => startNs[row])]),
  );
  return (thread, ns) => {
    const row = threads.get(thread)?.[countAtOrBelow(begins.get(thread) ?? NO_TIMES, ns) - 1];
    return row !== undefined && ns <= endNs[row];
  };
}

const NO_TIMES = new Float64Array();

export function callsOfFunctions(
  calls: CallsOfWaits,
  functions: FunctionSet,
  tids: readonly Tid[],
): Promise<ThreadCalls> {
  return selectedCalls(calls, { functions, durations: null }, tids);
}

export async function selectedCalls(
  { askable }: Pick<CallsOfWaits, 'askable'>,
  calls: CallSelection,
  tids: readonly Tid[],
): Promise<ThreadCalls> {
  const spans = { calls, window: UNBOUNDED };
  const question: ThreadQuestions = { nodesAt: null, treesOver: null, spans, spanTrees: null };
  const answers = await askable.ask(new Map(tids.map((tid) => [tid, question])));
  const rows: { tid: Tid; spans: Spans; row: number }[] = [];
  for (const tid of tids) {
    const own = answers.threads.get(tid)?.spans;
    own?.outer.forEach((_, row) => {
      rows.push({ tid, spans: own, row });
    });
  }
  return {
    length: rows.length,
    tid: Int32Array.from(rows, ({ tid }) => tid),
    startNs: Float64Array.from(rows, ({ spans: { startNs }, row }) => startNs[row]),
    endNs: Float64Array.from(rows, ({ spans: { endNs }, row }) => endNs[row]),
    symbol: Int32Array.from(rows, ({ spans: { node }, row }) => answers.paths.symbol[node[row]]),
    isComplete: Uint8Array.from(rows, ({ spans: { ending }, row }) => Number(isComplete(ending[row]))),
    isNested: Uint8Array.from(rows, ({ spans: { outer }, row }) => Number(outer[row] !== NONE)),
  };
}

/** Returns the calls that overlap a window, as far as they are in it; those that it cuts are not complete. */
export function callsWithin(calls: ThreadCalls, window: Bounds): ThreadCalls {
  const { startNs, endNs, isComplete } = calls;
  const isCut = (row: number) => startNs[row] < window.startNs || endNs[row] > window.endNs;
  const all = {
    ...calls,
    startNs: startNs.map((ns) => Math.max(ns, window.startNs)),
    endNs: endNs.map((ns) => Math.min(ns, window.endNs)),
    isComplete: isComplete.map((own, row) => (isCut(row) ? 0 : own)),
  };
  return callsAt(all, (row) => overlaps(window, startNs[row], endNs[row]));
}

export function callsBegunWithin(calls: ThreadCalls, { startNs, endNs }: Bounds): ThreadCalls {
  return callsAt(calls, (row) => calls.startNs[row] >= startNs && calls.startNs[row] < endNs);
}

function callsAt(
  { length, tid, startNs, endNs, symbol, isComplete, isNested }: ThreadCalls,
  isWanted: (row: number) => boolean,
): ThreadCalls {
  const rows = Uint32Array.from({ length }, (_, row) => row).filter(isWanted);
  return {
    length: rows.length,
    tid: Int32Array.from(rows, (row) => tid[row]),
    startNs: Float64Array.from(rows, (row) => startNs[row]),
    endNs: Float64Array.from(rows, (row) => endNs[row]),
    symbol: Int32Array.from(rows, (row) => symbol[row]),
    isComplete: Uint8Array.from(rows, (row) => isComplete[row]),
    isNested: Uint8Array.from(rows, (row) => isNested[row]),
  };
}

/** Returns the waits that overlap calls, each once. */
export function waitsInside(waits: Waits, { length, tid, startNs, endNs }: ThreadCalls): Uint32Array {
  const isInside = new Uint8Array(waits.length);
  for (let row = 0; row < length; row++)
    eachWaitWithin(waits, tid[row], startNs[row], endNs[row], (wait) => {
      isInside[wait] = 1;
    });
  return markedRows(isInside);
}

/** Returns the longest complete calls that are not nested, longest first; ties by their order. */
export function longestCalls(calls: ThreadCalls, count: number): number[] {
  const { length, startNs, endNs, isComplete, isNested } = calls;
  const ns = (row: number): Nanoseconds => endNs[row] - startNs[row];
  const rows = Array.from({ length }, (_, row) => row).filter((row) => isComplete[row] === 1 && isNested[row] === 0);
  return rows.sort((a, b) => ns(b) - ns(a) || a - b).slice(0, count);
}
