/**
 * Compares triggers with what the program knows of its calls.
 */

/** A line of triggers.jsonl, as far as it is compared. */
export interface Trigger {
  readonly thread: number;
  readonly endNs: number;
  readonly seenAfterNs: number;
}

/** On the program's clock. Inner: taken within the call; outer: by its caller. A probe lies between. */
export interface TrueCall {
  readonly tid: number;
  readonly innerStartNs: number;
  readonly innerEndNs: number;
  readonly outerStartNs: number;
  readonly outerEndNs: number;
  readonly hasThrown: boolean;
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

/** perf's clock and the program's drift apart by less between two triggers. */
const TOLERANCE_NS = 1e6;

export function compare(calls: readonly TrueCall[], triggers: readonly Trigger[], limitNs: number): Comparison {
  const slow = calls.filter((call) => !call.hasThrown && call.innerEndNs - call.innerStartNs >= limitNs);
  const may = calls.filter((call) => !call.hasThrown && call.outerEndNs - call.outerStartNs >= limitNs);
  const matched = new Set<TrueCall>();
  let offsetNs = firstOffset(slow, triggers);
  let none = 0;
  for (const { thread, endNs } of [...triggers].sort((a, b) => a.endNs - b.endNs)) {
    const distance = (call: TrueCall) => Math.abs(call.innerEndNs - endNs - offsetNs);
    const near = may.filter((call) => call.tid === thread && !matched.has(call) && distance(call) < TOLERANCE_NS);
    const [nearest] = near.sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) none++;
    else {
      matched.add(nearest);
      offsetNs = nearest.innerEndNs - endNs;
    }
  }
  const seen = triggers.map(({ seenAfterNs }) => seenAfterNs / 1e6).sort((a, b) => a - b);
  const at = (share: number) => seen[Math.floor(seen.length * share)] ?? 0;
  const missed = slow.filter((call) => !matched.has(call)).length;
  const counts = { calls: calls.length, slow: slow.length, triggers: triggers.length };
  return { ...counts, missed, none, seenAfterMs: [at(0.5), at(0.99)] };
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
