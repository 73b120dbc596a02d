/**
 * A trace file in, the calls of its threads out, as the plain replay lists them.
 */
import type { ThreadEvents } from '../../src/model/thread-events.js';
import type { TailCalls } from '../../src/replay/frame.js';
import { pairReturns } from '../../src/replay/pair-returns.js';
import { Outcome } from '../../src/replay/pairing.js';
import type { ReplayOptions } from '../../src/replay/replay.js';
import { type SiteFacts, Step } from '../../src/replay/site-facts.js';
import type { LoadedThread } from '../../src/store/thread-source.js';
import type { PlainThread } from './plain-calls.js';
import { plainReplay } from './plain-replay.js';
import { type TraceThreads, threadsOf } from './threads-of.js';

export interface ListedThread {
  readonly plain: PlainThread;
  readonly thread: LoadedThread;
  readonly options: ReplayOptions;
}

/** Of the threads that the plain replay knows: those without losses and fibers. */
export async function plainThreads(
  file: string,
  tailCalls: TailCalls,
): Promise<{ trace: TraceThreads; threads: ListedThread[] }> {
  const trace = await threadsOf(file);
  const whole = trace.threads.filter(({ events }) => isWhole(events, trace.facts));
  const threads = whole.map((thread) => {
    const { isCreatedInside, events } = thread;
    const options = { tailCalls, extendTo: trace.bounds, isCreatedInside, contexts: null };
    return { plain: plainReplay(events, trace.facts, trace.symbols, options).thread, thread, options };
  });
  return { trace, threads };
}

/** One segment, or one for each program that the thread ran; one stack. */
export function isWhole(events: ThreadEvents, facts: SiteFacts): boolean {
  const { segments, switches, stacks, outcome } = pairReturns(events, facts);
  const hasStackJumps = outcome.some(
    (what, row) => what !== Outcome.Plain && facts.step[events.site[row]] === Step.Jump,
  );
  if (stacks.length > 0 || hasStackJumps) return false;
  const stepsBetween = segments
    .slice(1)
    .map(({ firstRow }, index) =>
      Array.from(events.site.subarray(segments[index]?.endRow, firstRow), (site) => facts.step[site]),
    );
  return switches.length === 0 && stepsBetween.every((steps) => steps.includes(Step.Exec) && !steps.includes(Step.Gap));
}
