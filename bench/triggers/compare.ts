/**
 * Compares triggers with what the program knows of its calls.
 */

/** A line of triggers.jsonl, as far as it is compared. */
export interface Trigger {
  readonly thread: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly seenAfterNs: number;
  readonly file: string | null;
}

/** On the program's clock. Inner: taken within the call; outer: by its caller. A probe lies between. */
export interface TrueCall {
  readonly tid: number;
  readonly innerStartNs: number;
  readonly innerEndNs: number;
  readonly outerStartNs: number;
  readonly outerEndNs: number;
  readonly hasThrown: boolean;
  /** What its thread's own clock says that it took. */
  readonly cpuNs: number;
}

export interface Comparison {
  readonly calls: number;
  /** Calls that returned and were slow by the inner times. */
  readonly slow: number;
  readonly triggers: number;
  /** Slow calls without a trigger. */
  readonly missed: number;
  /** Triggers of calls that were fast by the outer times, that threw, or that never were. */
  readonly none: number;
  /** Median and 99th percentile. */
  readonly seenAfterMs: readonly [number, number];
}

/** perf's clock and the program's drift apart by less between two triggers. A call ends between its inner and its outer end. */
const TOLERANCE_NS = 1e6;

export function compare(calls: readonly TrueCall[], triggers: readonly Trigger[], limitNs: number): Comparison {
  const slow = calls.filter((call) => !call.hasThrown && call.innerEndNs - call.innerStartNs >= limitNs);
  const may = calls.filter((call) => !call.hasThrown && call.outerEndNs - call.outerStartNs >= limitNs);
  const matched = new Set<TrueCall>();
  let offsetNs = firstOffset(slow, triggers);
  let none = 0;
  for (const { thread, endNs } of [...triggers].sort((a, b) => a.endNs - b.endNs)) {
    const distance = ({ innerEndNs, outerEndNs }: TrueCall) =>
      Math.max(innerEndNs - endNs - offsetNs, endNs + offsetNs - outerEndNs, 0);
    const near = may.filter((call) => call.tid === thread && !matched.has(call) && distance(call) < TOLERANCE_NS);
    const [nearest] = near.sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) none++;
    else {
      matched.add(nearest);
      offsetNs = Math.min(Math.max(offsetNs, nearest.innerEndNs - endNs), nearest.outerEndNs - endNs);
    }
  }
  const missed = slow.filter((call) => !matched.has(call)).length;
  const counts = { calls: calls.length, slow: slow.length, triggers: triggers.length };
  return { ...counts, missed, none, seenAfterMs: summed(triggers.map(({ seenAfterNs }) => seenAfterNs / 1e6)) };
}

/**
 * How long after the ends of calls their buffers were frozen.
 *
 * `frozenNs`: when buffers were, ascending, on the clock of triggers.
 */
export function frozenAfterMs(triggers: readonly Trigger[], frozenNs: readonly number[]): number[] {
  return triggers.flatMap(({ endNs, file }) => {
    const next = file === null ? undefined : frozenNs.find((ns) => ns >= endNs);
    return next === undefined ? [] : [(next - endNs) / 1e6];
  });
}

/** Returns the median and the 99th percentile. */
export function summed(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [at(0.5), at(0.99)];
}

/** What most of the first triggers and calls have as the difference of their ends. */
function firstOffset(slow: readonly TrueCall[], triggers: readonly Trigger[]): number {
  const some = triggers.slice(0, 20);
  const differences = some.flatMap(({ thread, endNs }) =>
    slow.filter(({ tid }) => tid === thread).map(({ innerEndNs }) => innerEndNs - endNs),
  );
  const votes = (offset: number) => differences.filter((each) => Math.abs(each - offset) < TOLERANCE_NS).length;
  return differences.reduce((best, each) => (votes(each) > votes(best) ? each : best), differences[0] ?? 0);
}
