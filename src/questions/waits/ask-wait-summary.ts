/**
 * Answers `ptflame waits`: for whom threads waited, the critical paths of the slowest, and stages between points.
 */
import { markedRows } from '../../model/columns.js';
import type { Tid } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { TraceSource } from '../../pipeline/open-sources.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import type { FunctionPattern } from '../../pipeline/replay/find-functions.js';
import { type CallPattern, partText } from '../../pipeline/replay/selection.js';
import { threadOf } from '../../waits/schedule.js';
import type { Waits } from '../../waits/waits.js';
import { type Found, headOf, qualityOf } from '../common.js';
import { type TraceWaits, withWaits } from './ask-waits.js';
import { candidatesOf } from './candidates.js';
import { describeSlowest, type SlowInterval } from './described-paths.js';
import { waitsHead } from './missing.js';
import { askStages } from './points.js';
import type { WaitsAnswer } from './schema.js';
import { askedInside, callsAsked, insideCalls, longestCalls, type ThreadCalls, waitsInside } from './spans-of-calls.js';
import { summarizeWaits } from './summarize-waits.js';
import { WaitFacts } from './wait-facts.js';

export interface WaitsQuestion {
  /** Only waits inside these calls. */
  readonly inside?: CallPattern | FunctionPattern;
  /** What begins the stages, in this order: calls of functions, or events, as in `queue_push` or `probe:queue_push`. */
  readonly points?: readonly FunctionPattern[];
  /** How many of the longest waits are described; with `inside`, of the longest calls. Default: none. */
  readonly slowest?: number;
}

export type WaitsResult = Found<WaitsAnswer>;

/** @throws PtflameError as `analyze`; NO_SUCH_FUNCTION, NOT_RECORDED; NO_BRANCHES for `inside` of a recording without calls */
export function askWaits(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  question: WaitsQuestion,
  options: AnalyzeOptions = {},
): Promise<WaitsResult> {
  return withWaits(inputs, options, async (traceWaits) => {
    const { shown, threads, calls } = traceWaits;
    const facts = new WaitFacts(traceWaits);
    const inside = question.inside === undefined ? null : await callsAsked(askedInside(traceWaits), question.inside);
    const rows = rowsInQuestion(traceWaits, inside);
    const count = question.slowest ?? 0;
    const slowest = inside ? slowestCalls(inside, count) : slowestWaits(shown, rows, count);
    const described = await describeSlowest(traceWaits, facts, slowest);
    const tables = summarizeWaits(traceWaits, facts, rows, await candidatesOf(traceWaits, facts));
    const head = waitsHead(traceWaits, {
      part: partText(options),
      isSeen: (tid) => threads.of(tid).isSelected,
      isOfLocks: false,
      hasUnseenWakers: tables.wakers.some(({ kind }) => kind === 'not-seen'),
    });
    return {
      ...head,
      inside: inside && { ...insideCalls(inside), offNs: tables.stats.totalNs },
      ...tables,
      slowest: described,
      stages: question.points === undefined ? null : await askStages(traceWaits, question.points),
      profile: calls?.profile ?? null,
    };
  });
}

/** The answer that `ptflame waits` prints. */
export function waitsAnswer({ profile, ...found }: WaitsResult): WaitsAnswer {
  return { ...headOf('ptflame-waits'), ...found, quality: profile && qualityOf(profile) };
}

/** `inside`: null, for the waits of all threads that are shown. */
function rowsInQuestion(traceWaits: TraceWaits, inside: ThreadCalls | null): Uint32Array {
  const { waits, shown } = traceWaits;
  const rows = inside ? waitsInside(waits, inside) : rowsOfThreads(waits, shownTids(traceWaits));
  return rows.filter((wait) => shown.isWithin[wait] === 1);
}

/** Threads whose waits are shown. */
function shownTids({ waits, threads }: TraceWaits): Tid[] {
  return [...waits.tids].filter((tid) => threads.of(tid).isSelected);
}

function rowsOfThreads(waits: Waits, tids: readonly Tid[]): Uint32Array {
  const isShown = new Uint8Array(waits.length);
  for (const tid of tids) {
    const thread = threadOf(waits, tid);
    isShown.fill(1, waits.starts[thread], waits.starts[thread + 1]);
  }
  return markedRows(isShown);
}

function slowestCalls(calls: ThreadCalls, count: number): SlowInterval[] {
  const { tid, startNs, endNs } = calls;
  return longestCalls(calls, count).map((row) => {
    return { wait: null, tid: tid[row], fromNs: startNs[row], toNs: endNs[row] };
  });
}

/** Waits that did not end have no path. */
function slowestWaits({ tid, outNs, inNs, isOpen }: Waits, rows: Uint32Array, count: number): SlowInterval[] {
  const ended = count === 0 ? [] : [...rows].filter((wait) => !isOpen[wait]);
  ended.sort((a, b) => inNs[b] - outNs[b] - (inNs[a] - outNs[a]) || a - b);
  return ended.slice(0, count).map((wait) => ({ wait, tid: tid[wait], fromNs: outNs[wait], toNs: inNs[wait] }));
}
