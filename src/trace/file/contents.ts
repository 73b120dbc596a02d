/**
 * The contents of a trace file except the events, and its metadata, which are JSON. It is checked by hand, so that the library does not load zod.
 */

import { utf8Bytes, utf8Text } from '../../codec/bytes.js';
import { FileFault } from '../../codec/file-fault.js';
import { type DamagedLine, type LineCounts, noLines, type RecordingEnvironment } from '../../model/profile/profile.js';
import {
  MAX_OTHER_EVENTS,
  type OtherSamples,
  type SampleAccount,
  type SampleTable,
  type SideAccount,
} from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import type { Mapping, ThreadName, TraceRecord } from '../../model/trace/trace-chunk.js';

/**
 * The contents of a trace file except the events: all that was read, independent of which worker read it and in which order.
 */
export interface TraceContents {
  readonly meta: TraceFileMeta;
  readonly symbols: SymbolTable;
  /** The sites of records first, then by source address. */
  readonly sites: BranchSites;
  readonly side: SideRecords;
  readonly samples: StoredSamples;
}

/** Samples, a table per event, and what is missing of them; times likewise. */
export interface StoredSamples {
  readonly tables: readonly SampleTable[];
  readonly account: SampleAccount;
  readonly sides: readonly SideAccount[];
}

/** Records other than branches; their times are relative to the same time 0 as those of events. */
export interface SideRecords {
  readonly records: readonly TraceRecord[];
  readonly names: readonly ThreadName[];
  readonly mappings: readonly Mapping[];
}

export interface TraceFileMeta {
  /** perf's clock at time 0 of the file; null if the trace has no times. */
  readonly originSeconds: number | null;
  /** Over all threads that were read, selected or not. */
  readonly startNs: number;
  readonly endNs: number;
  readonly counts: Readonly<LineCounts>;
  /** Events in `counts` that are not in the file, as their threads or CPUs were not selected. */
  readonly unwanted: number;
  readonly timed: number;
  readonly timeless: number;
  readonly damaged: readonly DamagedLine[];
  readonly broken: readonly { readonly input: string; readonly reason: string }[];
  readonly unknownFlags: { readonly words: readonly string[]; readonly lines: number };
  readonly recorded: RecordingEnvironment | null;
  /** Absent: none. */
  readonly otherSamples?: readonly OtherSamples[] | undefined;
}

export function metaBytes(meta: TraceFileMeta): Uint8Array {
  return utf8Bytes(JSON.stringify(meta));
}

export function readMeta(bytes: Uint8Array): TraceFileMeta {
  const meta = parsed(bytes);
  const wrong = Object.entries(SHAPE).find(([key, fits]) => !fits(fieldOf(meta, key)));
  if (wrong !== undefined) throw new FileFault('damaged', `its metadata have no valid ${wrong[0]}`);
  const known = meta as TraceFileMeta;
  const { counts, unwanted, startNs, endNs } = known;
  const { lines, events, gapLines, ignoredLines, damagedLines } = counts;
  if (lines !== events + gapLines + ignoredLines + damagedLines || unwanted > events)
    throw new FileFault('damaged', 'its line counts do not add up');
  if (!Number.isSafeInteger(endNs - startNs)) throw new FileFault('damaged', 'its time is too long');
  if (startNs > endNs) throw new FileFault('damaged', 'it ends before it begins');
  return known;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(bytes));
  } catch {
    throw new FileFault('damaged', 'its metadata are not JSON');
  }
}

type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === 'string';
const isCount: Fits = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime: Fits = (value) => Number.isSafeInteger(value);
const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null || fits(value);
const listOf =
  (fits: Fits, most = Number.POSITIVE_INFINITY): Fits =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(fits);
const objectOf =
  (shape: Readonly<Record<string, Fits>>): Fits =>
  (value) =>
    Object.entries(shape).every(([key, fits]) => fits(fieldOf(value, key)));

/** Returns undefined, which passes no check, if the field is missing. */
function fieldOf(value: unknown, key: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  return isThere ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Of a field that older files lack. */
const orAbsent =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value);

const MAX_DAMAGED = 10;
const MAX_WORDS = 100;

const SHAPE: Readonly<Record<keyof Required<TraceFileMeta>, Fits>> = {
  originSeconds: orNull(isCount),
  startNs: isTime,
  endNs: isTime,
  counts: objectOf(Object.fromEntries(Object.keys(noLines()).map((kind) => [kind, isCount]))),
  unwanted: isCount,
  timed: isCount,
  timeless: isCount,
  damaged: listOf(objectOf({ input: isText, line: isCount, text: isText, reason: isText }), MAX_DAMAGED),
  broken: listOf(objectOf({ input: isText, reason: isText })),
  unknownFlags: objectOf({ words: listOf(isText, MAX_WORDS), lines: isCount }),
  recorded: orNull(
    objectOf({
      host: orNull(isText),
      kernel: orNull(isText),
      cpu: orNull(isText),
      perf: orNull(isText),
      command: orNull(listOf(isText)),
      startedAt: orNull(isText),
      withoutBuildId: orAbsent(listOf(isText)),
    }),
  ),
  otherSamples: orAbsent(listOf(objectOf({ event: orNull(isText), samples: isCount }), MAX_OTHER_EVENTS + 1)),
};
