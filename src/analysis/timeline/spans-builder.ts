/**
 * Collects the calls of a thread by duration, and leaves out the shortest while there are too many. Reused for the next
 * thread.
 */
import { countBelow, float64Column, int32Column, rowNumbers, valuesOf } from '../../model/columns.js';
import { NO_SPANS, PIECE, type Spans, type ThreadSpans } from '../../model/profile/timeline.js';
import type { Nanoseconds, NodeId } from '../../model/units.js';

/** Measured on pages: what a call takes there. */
export const SPAN_BYTES = 4;

/** When a call was on its thread's stack. */
export interface Stay {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly node: NodeId;
}

export class SpansBuilder {
  /** Calls of lower steps are left out: those that last less than `minNs`. */
  firstStep = 0;
  minNs: Nanoseconds = 0;
  private maxCount = 0;
  private count = 0;
  /** By step. */
  private readonly counts = new Int32Array(SPAN_STEPS);
  private readonly levels: SpanRows[] = [];
  private readonly split = new SpanRows();

  clear(firstStep: number, maxBytes: number): void {
    this.beginAt(firstStep);
    this.maxCount = maxBytes / SPAN_BYTES;
    this.count = 0;
    this.counts.fill(0);
    for (const rows of this.levels) rows.length = 0;
    this.split.length = 0;
  }

  add(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number): void {
    if (endNs - startNs < this.minNs) return;
    const step = spanStep(endNs - startNs);
    const level = levelOfStep(step);
    while (this.levels.length <= level) this.levels.push(new SpanRows());
    this.addTo(this.levels[level], step, node, startNs, endNs, ending);
  }

  /** Adds a call whose stack was switched away from. */
  addSplit(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number, stays: readonly Stay[]): void {
    for (const stay of stays) this.add(stay.node, stay.startNs, stay.endNs, PIECE);
    if (endNs - startNs < this.minNs) return;
    this.addTo(this.split, spanStep(endNs - startNs), node, startNs, endNs, ending);
  }

  /** Leaves out calls below this step. */
  beginFrom(step: number): void {
    if (step <= this.firstStep) return;
    for (let below = this.firstStep; below < step; below++) this.count -= this.counts[below];
    this.removeBelow(step);
  }

  /** Gives nodes other numbers. */
  renumber(nodeOf: Int32Array): void {
    for (const rows of [...this.levels, this.split]) rows.renumber(nodeOf);
  }

  /** Returns a copy, without calls below this step. */
  build(firstStep: number): ThreadSpans {
    this.beginFrom(firstStep);
    return { levels: used(this.levels.map((rows) => rows.byStart())), split: this.split.build() };
  }

  /** Returns by step how many calls and pieces are kept. */
  stepCounts(): Int32Array {
    return this.counts.slice().fill(0, 0, this.firstStep);
  }

  private addTo(
    rows: SpanRows,
    step: number,
    node: NodeId,
    startNs: Nanoseconds,
    endNs: Nanoseconds,
    ending: number,
  ): void {
    rows.push(node, startNs, endNs, ending);
    this.counts[step]++;
    if (++this.count > this.maxCount) this.limit();
  }

  private limit(): void {
    let step = this.firstStep;
    for (let { count } = this; count > this.maxCount; step++) count -= this.counts[step];
    this.beginFrom(step);
  }

  private removeBelow(step: number): void {
    this.beginAt(step);
    for (const rows of this.levels.slice(0, levelOfStep(step) + 1)) rows.removeShorter(this.minNs);
    this.split.removeShorter(this.minNs);
  }

  private beginAt(step: number): void {
    this.firstStep = step;
    this.minNs = minSpanNs(step);
  }
}

class SpanRows {
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly node = int32Column();
  private readonly ending = int32Column();

  get length(): number {
    return this.node.length;
  }

  set length(length: number) {
    const { startNs, endNs, node, ending } = this;
    for (const column of [startNs, endNs, node, ending]) column.length = length;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number): void {
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.node.push(node);
    this.ending.push(ending);
  }

  renumber(nodeOf: Int32Array): void {
    const { values, length } = this.node;
    for (let row = 0; row < length; row++) values[row] = nodeOf[values[row]];
  }

  removeShorter(minNs: Nanoseconds): void {
    const [startNs, endNs, node, ending] = [
      this.startNs.values,
      this.endNs.values,
      this.node.values,
      this.ending.values,
    ];
    let kept = 0;
    for (let row = 0; row < this.length; row++) {
      if (endNs[row] - startNs[row] < minNs) continue;
      startNs[kept] = startNs[row];
      endNs[kept] = endNs[row];
      node[kept] = node[row];
      ending[kept++] = ending[row];
    }
    this.length = kept;
  }

  /** Returns them in the order in which they were added. */
  build(): Spans {
    return spansAt(this.view(), rowNumbers(this.length));
  }

  /** Returns them by start. Of two that start together, the outer one ends later, or its node is one above the other's. */
  byStart(): Spans {
    const rows = this.view();
    const order = rowNumbers(this.length);
    if (!sortNearby(order, rows)) order.sort((a, b) => compare(rows, a, b));
    return spansAt(rows, order);
  }

  private view(): Spans {
    const { startNs, endNs, node, ending } = this;
    return { startNs: startNs.view(), endNs: endNs.view(), node: node.view(), ending: ending.view() };
  }
}

function compare({ startNs, endNs, node }: Spans, a: number, b: number): number {
  return startNs[a] - startNs[b] || endNs[b] - endNs[a] || node[a] - node[b];
}

/** Moves that a row may take on average: deep recursion would take many. */
const MAX_MOVES = 16;

/**
 * Sorts rows, and returns false if that would take too many moves. In the order of ends, calls of similar duration are
 * nearly in the order of starts.
 */
function sortNearby(order: Int32Array, rows: Spans): boolean {
  const maxMoves = MAX_MOVES * order.length;
  let moves = 0;
  for (let at = 1; at < order.length && moves <= maxMoves; at++) moves += at - sortedIn(order, at, rows);
  return moves <= maxMoves;
}

/** Moves a row to its place among those before it, and returns where that is. */
function sortedIn(order: Int32Array, at: number, rows: Spans): number {
  const row = order[at];
  let to = at;
  for (; to > 0 && compare(rows, order[to - 1], row) > 0; to--) order[to] = order[to - 1];
  order[to] = row;
  return to;
}

const STEPS_PER_LEVEL = 8;
/** A level is a factor of 4, so two powers of 2. */
const STEPS_PER_POWER = STEPS_PER_LEVEL / 2;
/** Beyond 2^53 ns, which is 104 days. */
const SPAN_LEVELS = 27;
/**
 * The durations below which calls may be left out: eight in each level of calls, so that as many are kept as fit.
 */
export const SPAN_STEPS = STEPS_PER_LEVEL * SPAN_LEVELS;

/** The first level also has what lasted less than 4 ns: its steps are one. */
const MIN_NS = Float64Array.from({ length: SPAN_STEPS }, (_, step) =>
  step === 0 ? 0 : Math.ceil(4 ** Math.max(1, step / STEPS_PER_LEVEL)),
);

/** Returns the shortest duration of calls of a step. */
export function minSpanNs(step: number): Nanoseconds {
  return step < SPAN_STEPS ? MIN_NS[step] : Number.POSITIVE_INFINITY;
}

/** Returns the highest step that a duration reaches. */
export function spanStep(durationNs: Nanoseconds): number {
  if (durationNs < 4) return 0;
  const power = durationNs < 2 ** 31 ? 31 - Math.clz32(durationNs) : Math.floor(Math.log2(durationNs));
  let step = STEPS_PER_POWER * power;
  while (durationNs >= MIN_NS[step + 1]) step++;
  return step;
}

/** Returns the level of calls (`spanLevel`) that has those of a step. */
function levelOfStep(step: number): number {
  return Math.floor(step / STEPS_PER_LEVEL);
}

// The calls of a thread by when they were, to draw them: each once, by duration. What of them is seen in a window of a
// width of pixels is found without looking at the others.

/** Calls by when they were: where `levels[k]` has rows that a window may show. */
export interface LevelRows {
  readonly level: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the rows of each level that may overlap a window, from level `lowest` on; some of them may end before it. */
export function rowsInWindow(
  { levels }: ThreadSpans,
  lowest: number,
  startNs: Nanoseconds,
  endNs: Nanoseconds,
): LevelRows[] {
  const found: LevelRows[] = [];
  for (let level = Math.max(0, lowest); level < levels.length; level++) {
    const { startNs: starts } = levels[level];
    const from = countBelow(starts, startNs - 4 ** (level + 1));
    const to = countBelow(starts, endNs);
    if (from < to) found.push({ level, from, to });
  }
  return found;
}

/** Returns the calls that last at least so long. */
export function withoutShorter({ levels, split }: ThreadSpans, minNs: Nanoseconds): ThreadSpans {
  return { levels: used(levels.map((spans) => longSpans(spans, minNs))), split: longSpans(split, minNs) };
}

/** Returns the levels up to the last one with calls, whenever those of others were left out. */
function used(levels: readonly Spans[]): readonly Spans[] {
  return levels.slice(0, 1 + levels.findLastIndex(({ node }) => node.length > 0));
}

function longSpans(spans: Spans, minNs: Nanoseconds): Spans {
  const rows = longRows(spans.startNs, spans.endNs, minNs);
  return rows.length === spans.node.length ? spans : spansAt(spans, rows);
}

function longRows(startNs: Float64Array, endNs: Float64Array, minNs: Nanoseconds): Int32Array {
  const rows = new Int32Array(startNs.length);
  let count = 0;
  for (let row = 0; row < startNs.length; row++) if (endNs[row] - startNs[row] >= minNs) rows[count++] = row;
  return rows.subarray(0, count);
}

/** Returns a copy of these rows. */
export function spansAt({ startNs, endNs, node, ending }: Spans, rows: Int32Array): Spans {
  if (rows.length === 0) return NO_SPANS;
  return {
    startNs: valuesOf(startNs, rows),
    endNs: valuesOf(endNs, rows),
    node: valuesOf(node, rows),
    ending: valuesOf(ending, rows),
  };
}
