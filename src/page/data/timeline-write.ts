/**
 * Writes the timeline of a page, uncompressed: a block of its own, which the page reads when it is needed.
 */

import {
  CALL_RULES,
  pageWriter,
  ROW_RULES,
  SPAN_RULES,
  TIME_RULES,
  WAKING_RULES,
  writeTables,
} from '../../codec/page-numbers.js';
import type { ThreadSums, TimedThread, Timeline, Wakings } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity } from '../../model/profile/timeline.js';
import type { Tid } from '../../model/units.js';

/** Yields the data in parts. */
export function* timelinePieces(timeline: Timeline): Generator<Uint8Array> {
  const head = pageWriter();
  head.text(JSON.stringify(headOf(timeline)));
  yield head.view();
  yield stripBytes(timeline);
  const { threads, wakings } = timeline;
  const sums = threads.flatMap(({ sums }) => (sums === null ? [] : [sums]));
  yield tableBytes(
    ROW_RULES,
    sums.map(({ rows }) => rows),
  );
  yield tableBytes(
    CALL_RULES,
    sums.map(({ calls }) => calls),
  );
  yield tableBytes(
    TIME_RULES,
    sums.map(({ times }) => times),
  );
  yield tableBytes(
    SPAN_RULES,
    threads.flatMap(({ spans }) => spans.levels),
  );
  yield tableBytes(
    SPAN_RULES,
    threads.map(({ spans }) => spans.split),
  );
  yield tableBytes(WAKING_RULES, wakings === null ? [] : [wakings.rows]);
}

function headOf({ threads, wakings, ...timeline }: Timeline): TimelineHead {
  const named = wakings && { ...wakings, rows: wakings.rows.waiter.length };
  return { ...timeline, threads: threads.map(threadHead), wakings: named };
}

function threadHead({ tid, strip, sums, spans }: TimedThread): TimelineHead['threads'][number] {
  const { levels, split } = spans;
  return {
    tid,
    slices: strip.length / ACTIVITIES,
    sums: sums && sumRows(sums),
    levels: levels.map(({ node }) => node.length),
    split: split.node.length,
  };
}

function sumRows({ rows, calls, times }: ThreadSums): { rows: number; calls: number; times: number } {
  return { rows: rows.node.length, calls: calls.node.length, times: times.node.length };
}

/** A slice is guessed to be like the one before it, except for what is left of it: that is running. */
function stripBytes({ threads, stripSliceNs }: Timeline): Uint8Array {
  const writer = pageWriter();
  for (const { strip } of threads)
    for (let at = strip.length - 1; at >= 0; at--) {
      const activity = at % ACTIVITIES;
      writer.near(
        strip[at],
        activity === Activity.Running ? runningGuess(strip, at, stripSliceNs) : (strip[at + ACTIVITIES] ?? 0),
      );
    }
  return writer.view();
}

/** The rest of the slice; the other activities come before it, as strips are written backwards. */
export function runningGuess(strip: Float64Array, at: number, sliceNs: number): number {
  let rest = sliceNs;
  for (let other = 1; other < ACTIVITIES; other++) rest -= strip[at + other];
  return rest;
}

function tableBytes(rules: typeof ROW_RULES, tables: readonly object[]): Uint8Array {
  const writer = pageWriter();
  writeTables(writer, rules, tables);
  return writer.view();
}

/** The head of the timeline of a page: all but its columns, as JSON. */
export interface TimelineHead extends Omit<Timeline, 'threads' | 'wakings'> {
  readonly threads: readonly {
    readonly tid: Tid;
    readonly slices: number;
    /** Numbers of rows, as those below. */
    readonly sums: { readonly rows: number; readonly calls: number; readonly times: number } | null;
    readonly levels: readonly number[];
    readonly split: number;
  }[];
  /** `rows`: their number. */
  readonly wakings: (Omit<Wakings, 'rows'> & { readonly rows: number }) | null;
}
