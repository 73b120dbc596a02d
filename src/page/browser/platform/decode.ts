/**
 * Decodes the data embedded in the page.
 */

import type { NumberReader } from '../../../codec/numbers.js';
import {
  CALL_RULES,
  pageReader,
  ROW_RULES,
  readTables,
  SPAN_RULES,
  TIME_RULES,
  WAKING_RULES,
} from '../../../codec/page-numbers.js';
import type { NodeColumns } from '../../../model/calls/call-tree.js';
import type { FunctionDurations } from '../../../model/calls/durations.js';
import type {
  ListedCalls,
  ListedTimes,
  SliceRows,
  Spans,
  Timeline,
  WakingRows,
} from '../../../model/profile/timeline.js';
import { ACTIVITIES, Activity, type Strip } from '../../../model/profile/timeline.js';
import type { SymbolTable } from '../../../model/symbol-table.js';
import { readColumns, readDurations, readShape } from '../../data/columns.js';
import type { PageData, PageThread } from '../../data/page-data.js';
import { callerRows, readHead, type ThreadHead } from '../../data/page-data.js';
import type { TimelineHead } from '../../data/timeline-write.js';
import { runningGuess } from '../../data/timeline-write.js';
import { bytesOf, inflated } from './inflate.js';

export async function decodeData(base64: string): Promise<PageData> {
  return openPageData(await inflated(bytesOf(base64)));
}

export async function decodeBlocked(base64: string, data: PageData): Promise<PageData> {
  return openBlockedData(await inflated(bytesOf(base64)), data);
}

export async function decodeTimeline(base64: string): Promise<Timeline> {
  return readTimeline(await inflated(bytesOf(base64)));
}

/**
 * Reads the page data from the joined bytes of `writePageData`. Durations are read and checked on first use: no graph needs
 * them. `shared`: of `blockedDataPieces`, the symbols of the page. @throws Error for invalid bytes
 */
export function openPageData(bytes: Uint8Array, shared: SymbolTable | null = null): PageData {
  const reader = pageReader(bytes);
  const { nodes, threads, waits = null, ...written } = readHead(reader);
  const head = { ...written, symbols: shared ?? written.symbols };
  const symbolCount = head.symbols.length;
  const shape = readShape(reader, nodes, symbolCount);
  const node = threads.map(({ nodes }) => new Int32Array(reader.rows(nodes, shape.length)));
  const columns = readColumns(reader, callerRows(shape, node));
  const lengths = threads.map(({ durations }) => durations);
  let known: (FunctionDurations | null)[] | null = null;
  const durations = () => {
    if (known === null) {
      known = readDurations(reader, lengths, symbolCount);
      reader.end();
    }
    return known;
  };
  const threadOf = ({ nodes: _, ...own }: ThreadHead, row: number): PageThread => ({
    ...own,
    ...(columns[row] as NodeColumns),
    node: node[row],
    get durations() {
      return durations()[row];
    },
  });
  return { ...head, shape, threads: threads.map(threadOf), waits };
}

/** Reads what `blockedDataPieces` wrote. `data`: of the page. @throws Error for invalid bytes, and if it was left out */
export function openBlockedData(bytes: Uint8Array, { symbols }: PageData): PageData {
  if (bytes.length > 0) return openPageData(bytes, symbols);
  throw blockedTooLarge();
}

export function blockedTooLarge(): Error {
  return new Error('it has too many call paths for a page; ptflame render --blocked-by -o blocked.html shows it alone');
}

/**
 * Reads the timeline of a page from the joined bytes of `timelinePieces`.
 *
 * @throws Error for invalid bytes
 */
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
