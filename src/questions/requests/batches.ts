/**
 * Finds batches: work of several takes that a thread does together, as the leader of a group commit does.
 */

import type { ThreadAnswers, ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { isStop } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import { appendTo } from '../../model/groups.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { eachAlone } from '../../waits/join-requests.js';
import type { Moments } from '../../waits/moments.js';
import { Reason } from '../../waits/reason.js';
import type { CallsOfTrace } from '../waits/ask-waits.js';
import { type Places, placesOf } from '../waits/places.js';
import { type ProbedFunction, ThreadCalls, type WorkTimes } from './work-ends.js';

interface BatchedWork extends WorkTimes {
  /** By pop: the first pop of its batch. */
  readonly batch: Int32Array;
}

/** Work that is one call of a function is done alone. */
export async function batchedWork(
  pops: Moments,
  times: WorkTimes,
  functions: readonly ProbedFunction[],
  calls: CallsOfTrace,
  lastNs: Nanoseconds,
): Promise<BatchedWork> {
  const batch = eachAlone(pops.length);
  const endNs = times.endNs.slice();
  const mayCollect = functions.length > 0 && !functions.some(({ isEntry }) => isEntry);
  const threads = mayCollect ? stepsByThread(pops, functions, calls, lastNs) : new Map<Tid, TakingSteps>();
  const asked = new Map([...threads].map(([tid, steps]) => [tid, decidingSteps(steps)] as const));
  const questions = [...asked].filter(([, steps]) => steps.length > 0);
  if (questions.length === 0) return { ...times, batch };
  const answers = await calls.askable.ask(
    new Map(questions.map(([tid, steps]) => [tid, questionsAbout(threads.get(tid) as TakingSteps, steps)])),
  );
  const places = placesOf(answers.paths, calls.symbols);
  for (const [tid, asking] of questions) {
    const steps = threads.get(tid) as TakingSteps;
    const gaps = new Gaps(steps, asking, answers.threads.get(tid) ?? null, answers.paths, places);
    for (const { first, last, end } of collectedSteps(steps, gaps.isQuiet, gaps.workNs)) {
      for (let step = first; step <= last; step++) {
        batch[steps.pop[step]] = steps.pop[first];
        endNs[steps.pop[step]] = steps.nextNs[end];
      }
    }
  }
  return { startNs: times.startNs, endNs, batch };
}

function stepsByThread(
  pops: Moments,
  functions: readonly ProbedFunction[],
  calls: CallsOfTrace,
  lastNs: Nanoseconds,
): Map<Tid, TakingSteps> {
  const symbols = new Set(functions.map(({ symbol }) => symbol));
  const rows = new Map<Tid, number[]>();
  for (let pop = 0; pop < pops.length; pop++) {
    appendTo(rows, pops.tid[pop], pop);
  }
  return new Map(
    [...rows].map(([tid, own]) => [tid, takingSteps(pops, own, new ThreadCalls(calls, tid, symbols), lastNs)]),
  );
}

/** What was on the stack at the end of each step, and the time in the gap after it, whose key is its index. */
function questionsAbout({ toNs, nextNs }: TakingSteps, steps: readonly number[]): ThreadQuestions {
  const fromNs = Float64Array.from(steps, (step) => toNs[step]);
  const treesOver = {
    key: Int32Array.from(steps.keys()),
    fromNs,
    toNs: Float64Array.from(steps, (step) => nextNs[step]),
  };
  return { nodesAt: fromNs, treesOver, spans: null, spanTrees: null };
}

/** Waits for the next work, or for an answer. */
const IDLE: ReadonlySet<number> = new Set([
  ...[Reason.Condition, Reason.Semaphore, Reason.Barrier, Reason.Futex, Reason.Join],
  ...[Reason.Poll, Reason.Socket, Reason.NetworkWrite, Reason.Accept, Reason.Connect, Reason.Sleep],
  ...[Reason.Pipe, Reason.Event, Reason.Signal],
]);

/** What ran in the gaps between a thread's takes. */
class Gaps {
  private readonly noisy = new Set<number>();
  private readonly works = new Map<number, Nanoseconds>();

  constructor(
    { pop }: TakingSteps,
    asked: readonly number[],
    answers: ThreadAnswers | null,
    { parent, symbol }: Shape,
    { reason }: Places,
  ) {
    const { nodesAt, treesOver } = answers ?? {};
    if (!nodesAt || !treesOver) return;
    for (const step of asked) this.works.set(step, 0);
    let [row, takenAt] = [0, NONE]; // what was on the stack when it took
    asked.forEach((step, key) => {
      if (pop[step] !== NONE) takenAt = nodesAt.node[key];
      const onStack = new Set<number>();
      for (let node = takenAt; node !== NONE; node = parent[node]) onStack.add(node);
      for (; row < treesOver.key.length && treesOver.key[row] === key; row++) {
        let node = treesOver.node[row];
        const isIdle = isStop(symbol[node]) && IDLE.has(reason[node]);
        while (isStop(symbol[node])) node = parent[node];
        if (!onStack.has(node) && reason[node] !== Reason.Mutex) this.noisy.add(step);
        if (!isIdle) this.works.set(step, (this.works.get(step) ?? 0) + treesOver.ns[row]);
      }
    });
  }

  readonly isQuiet = (step: number): boolean => this.works.has(step) && !this.noisy.has(step);

  /** Negative: not known. */
  readonly workNs = (step: number): Nanoseconds => this.works.get(step) ?? -1;
}

/**
 * The calls of a thread in which it may take work, as steps: one for each take, and one for a call without.
 *
 * By time. Between the end of a step and the beginning of the next there is a gap, and one after the last.
 */
interface TakingSteps {
  readonly length: number;
  /** NONE: a call that took nothing. */
  readonly pop: readonly number[];
  /** When the call began, or the take before in the same call was; and when it took, or the call ended. */
  readonly fromNs: readonly Nanoseconds[];
  readonly toNs: readonly Nanoseconds[];
  /** When the gap after each ends. */
  readonly nextNs: readonly Nanoseconds[];
}

/** `pops`: rows of the moments, all of this thread. */
export function takingSteps(
  { timeNs }: Moments,
  pops: readonly number[],
  calls: ThreadCalls,
  lastNs: Nanoseconds,
): TakingSteps {
  const steps: { pop: number; fromNs: number; toNs: number }[] = [];
  let next = 0;
  for (let call = 0; call < calls.startNs.length; call++) {
    const untilNs = calls.startNs[call + 1] ?? Number.POSITIVE_INFINITY;
    const first = next;
    for (; next < pops.length && timeNs[pops[next]] < untilNs; next++) {
      const toNs = timeNs[pops[next]];
      steps.push({ pop: pops[next], fromNs: next === first ? Math.min(calls.startNs[call], toNs) : toNs, toNs });
    }
    if (first === next) steps.push({ pop: NONE, fromNs: calls.startNs[call], toNs: calls.endNs[call] });
  }
  const fromNs = steps.map((step) => step.fromNs);
  return {
    length: steps.length,
    pop: steps.map(({ pop }) => pop),
    fromNs,
    toNs: steps.map(({ toNs }) => toNs),
    nextNs: [...fromNs.slice(1), lastNs],
  };
}

interface Collected {
  /** The first and the last step that took. */
  readonly first: number;
  readonly last: number;
  /** The step after which the work begins: the last, or a call after it that found nothing left. */
  readonly end: number;
}

/**
 * A thread collects work if nothing else runs between its takes, and it then works at least twice as long as that took.
 *
 * @param isQuiet whether nothing else runs in the gap after a step
 * @param workNs how long the thread works in the gap after a step
 */
export function collectedSteps(
  { length, pop, toNs }: TakingSteps,
  isQuiet: (step: number) => boolean,
  workNs: (step: number) => Nanoseconds,
): Collected[] {
  const found: Collected[] = [];
  for (let first = 0; first < length; first++) {
    if (pop[first] === NONE) continue;
    let last = first;
    while (last + 1 < length && pop[last + 1] !== NONE && isQuiet(last)) last++;
    const end = last + 1 < length && pop[last + 1] === NONE && isQuiet(last) ? last + 1 : last;
    if (end > first && 2 * (toNs[end] - toNs[first]) <= workNs(end)) found.push({ first, last, end });
    first = last;
  }
  return found;
}

/** Returns the steps whose gaps decide: short ones before a longer one, and that. */
export function decidingSteps({ length, toNs, nextNs }: TakingSteps): number[] {
  const asked = new Set<number>();
  let work = length - 1;
  for (let step = length - 2; step >= 0; step--) {
    if (2 * (toNs[work] - toNs[step]) <= nextNs[work] - toNs[work]) asked.add(step).add(work);
    else work = step;
  }
  return [...asked].sort((a, b) => a - b);
}
