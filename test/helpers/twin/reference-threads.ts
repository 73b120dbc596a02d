/**
 * Lists the calls of a trace file's threads, as the reference replay finds them.
 */
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { SiteFacts } from '../../../src/replay/functions/site-facts.js';
import { pairThread } from '../../../src/replay/pairing/pair-thread.js';
import { Action, actionOf } from '../../../src/replay/pairing/pairing.js';
import { Replayer } from '../../../src/replay/replayer.js';
import type { TailCalls } from '../../../src/replay/stack/frame.js';
import type { ReplayOptions } from '../../../src/replay/thread-replay.js';
import type { LoadedThread } from '../../../src/trace/load-thread.js';
import { type TraceThreads, threadsOfBeginning } from '../traces/threads-of.js';
import type { ReferenceThread } from './reference-calls.js';
import { symbolKey } from './reference-events.js';
import { referenceLog } from './reference-log.js';
import { referenceReplay } from './reference-replay.js';

export interface ListedThread {
  readonly reference: ReferenceThread;
  readonly thread: LoadedThread;
  readonly options: ReplayOptions;
}

/** By the reference replay where it handles the thread, else from the call log. */
export async function referenceThreads(
  file: string,
  tailCalls: TailCalls,
): Promise<{ trace: TraceThreads; threads: ListedThread[] }> {
  const trace = await threadsOfBeginning(file);
  return { trace, threads: referenceThreadsOf(trace, tailCalls) };
}

/** `by`: the reference replay cannot handle everything that damage makes of a trace. */
export function referenceThreadsOf(
  trace: TraceThreads,
  tailCalls: TailCalls,
  by: 'replay' | 'log' = 'replay',
): ListedThread[] {
  const replayer = new Replayer(trace.facts);
  return trace.threads.map((thread) => {
    const { createdInside } = thread;
    const options = { tailCalls, extendTo: trace.bounds, createdInside, knownPaths: null };
    return { reference: listOf(thread, trace, replayer, options, by), thread, options };
  });
}

function listOf(
  { events }: LoadedThread,
  { facts, symbols }: TraceThreads,
  replayer: Replayer,
  options: ReplayOptions,
  by: 'replay' | 'log',
): ReferenceThread {
  if (by === 'replay' && isInTwin(events, facts)) return referenceReplay(events, facts, symbols, options).thread;
  const { log, tree } = replayer.replay(events, { ...options, wantsLog: true });
  if (log === null) throw new Error('there is no log');
  return referenceLog(events.tid, log, tree, (symbol) => symbolKey(symbols, symbol));
}

/** Actions of what the reference replay leaves out: transactions, stacks of Go's scheduler, programs that are not traced. */
const LEFT_OUT: readonly number[] = [
  Action.Reopen,
  Action.CallOnOther,
  Action.LeaveKernel,
  Action.NewProgram,
  Action.KernelStart,
];

/** The reference replay handles the thread. */
export function isInTwin(events: ThreadEvents, facts: SiteFacts): boolean {
  const { rows } = pairThread(events, facts);
  const allRows = Array.from({ length: events.length }, (_, row) => row);
  return !allRows.some((row) => LEFT_OUT.includes(actionOf(rows.actionAt(row))));
}
