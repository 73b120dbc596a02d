/**
 * Reads the timeline of a page from the joined bytes of `timelinePieces`.
 */
import type { NumberReader } from '../../../codec/number-reader.js';
import { ACTIVITIES, Activity, type Strip } from '../../../model/timeline/activity.js';
import type { ListedCalls, ListedTimes, SliceRows, Spans, Timeline } from '../../../model/timeline/timeline.js';
import type { WakingRows } from '../../../model/timeline/wakings.js';
import { pageReader } from '../numbers.js';
import type { TimelineHead } from './head.js';
import { CALL_RULES, ROW_RULES, readTables, SPAN_RULES, TIME_RULES, WAKING_RULES } from './tables.js';
import { runningGuess } from './write.js';

/** @throws Error for invalid bytes */
export function readTimeline(bytes: Uint8Array): Timeline {
  const reader = pageReader(bytes);
  const { threads: heads, wakings, ...timeline } = JSON.parse(reader.text()) as TimelineHead;
  const strips = heads.map(({ slices }) => readStrip(reader, slices, timeline.stripSliceNs));
  const sums = heads.flatMap(({ sums }) => sums ?? []);
  const rowCounts = sums.map((own) => own.rows);
  const rows = readTables<SliceRows>(reader, ROW_RULES, rowCounts);
  const callCounts = sums.map((own) => own.calls);
  const calls = readTables<ListedCalls>(reader, CALL_RULES, callCounts);
  const timeCounts = sums.map((own) => own.times);
  const times = readTables<ListedTimes>(reader, TIME_RULES, timeCounts);
  const levelCounts = heads.flatMap((head) => head.levels);
  const levels = readTables<Spans>(reader, SPAN_RULES, levelCounts);
  const splitCounts = heads.map((head) => head.split);
  const split = readTables<Spans>(reader, SPAN_RULES, splitCounts);
  const wakingRows = readTables<WakingRows>(reader, WAKING_RULES, wakings === null ? [] : [wakings.rows]);
  reader.end();
  let [sum, level] = [0, 0];
  const threads = heads.map((head, at) => {
    const own = head.sums === null ? null : { rows: rows[sum], calls: calls[sum], times: times[sum] };
    if (own !== null) sum++;
    const spans = { levels: levels.slice(level, level + head.levels.length), split: split[at] };
    level += head.levels.length;
    return { tid: head.tid, strip: strips[at], sums: own, spans };
  });
  return { ...timeline, threads, wakings: wakings && { ...wakings, rows: wakingRows[0] } };
}

function readStrip(reader: NumberReader, slices: number, sliceNs: number): Strip {
  const length = slices * ACTIVITIES;
  reader.expectRows(length);
  const strip = new Float64Array(length);
  for (let at = length - 1; at >= 0; at--) {
    const isRunning = at % ACTIVITIES === Activity.Running;
    strip[at] = reader.near(isRunning ? runningGuess(strip, at, sliceNs) : (strip[at + ACTIVITIES] ?? 0));
  }
  return strip;
}
