/**
 * Adds the samples of a recording, and those of its side recordings, to a trace.
 */
import { isPossibleTime } from '../../model/limits.js';
import type { LostSpan } from '../../model/samples/sample-account.js';
import type { SampleTable } from '../../model/samples/sample-table.js';
import type { Nanoseconds } from '../../model/units.js';
import type { SideRecording } from '../../perfdata/open-recording.js';
import type { RecordedEvent, RecordedSamples, Recording } from '../../perfdata/recording.js';
import { addOwnRecords } from './own-records.js';
import type { TraceBuilder } from './trace-builder.js';

export type Sampled = Pick<Recording, 'samples' | 'lostRecords' | 'losses' | 'bounds'>;

export function addRecordedSamples(
  input: string,
  recording: Sampled,
  sides: readonly SideRecording[],
  into: TraceBuilder,
): void {
  const { samples, lostRecords: lost, bounds } = recording;
  const { unreadable, damaged } = samples;
  const far = addTables(samples, EVER, into);
  const lostSpans = lostSpansOf(recording, into);
  into.addOtherSamples(samples.others);
  into.addSampleAccount({ lines: 0, unreadable, damaged: damaged + far, lost, lostSpans });
  for (const { name, recording } of sides) {
    if (recording === null) into.addSide({ input, side: name, isMissing: true, samples: 0, unreadable: 0, lost: 0 });
    else addSide({ input, side: name, recording, bounds }, into);
  }
}

interface Side {
  readonly input: string;
  readonly side: string;
  readonly recording: Recording;
  /** Of the recording that it belongs to. */
  readonly bounds: Recording['bounds'];
}

function addSide({ input, side, recording, bounds }: Side, into: TraceBuilder): void {
  const { samples, lostRecords: lost, sideband } = recording;
  const { unreadable, damaged } = samples;
  const times = bounds === null ? NEVER : [bounds.start, bounds.end].map((time) => into.context.timeOf(time));
  const far = addTables(samples, times, into);
  const lostSpans = lostSpansOf(recording, into);
  into.addSampleAccount({ lines: 0, unreadable: 0, damaged: damaged + far, lost: 0, lostSpans });
  const count = samples.tables.reduce((sum, { length }) => sum + length, 0) - far;
  into.addSide({ input, side, isMissing: false, samples: count, unreadable, lost });
  addOwnRecords(side, sideband.flatMap(nameOnly), into);
}

/** Where a moment is not known, the loss may have lasted from the beginning or until the end. */
function lostSpansOf({ losses, bounds }: Sampled, { context }: TraceBuilder): LostSpan[] {
  if (bounds === null) return [];
  return losses.map(({ after, before }) => ({
    fromNs: context.timeOf(after ?? bounds.start),
    toNs: context.timeOf(before ?? bounds.end),
  }));
}

/** Only names of threads are of use: everything else is about threads that are not in the trace, or in it already. */
function nameOnly(event: RecordedEvent): RecordedEvent[] {
  const { record } = event;
  return record.what === 'comm' ? [{ ...event, record: { ...record, exec: false } }] : [];
}

/**
 * Returns how many samples are left out, because their time is impossible. Those outside of an interval are left out, too:
 * a side recording is longer than the recording, and nothing else is known of that time.
 */
function addTables(
  { tables, originSeconds }: RecordedSamples,
  [fromNs = 0, toNs = 0]: readonly Nanoseconds[],
  into: TraceBuilder,
): number {
  const hasTimes = tables.some(({ length }) => length > 0); // without, nothing is known of the clock
  const offsetNs = hasTimes ? into.context.timeOf({ seconds: originSeconds, ns: 0 }) : 0;
  const near = tables.map((table) => rowsAt(timed(table, offsetNs), isPossibleTime));
  into.addSamples(near.map((table) => rowsAt(table, (timeNs) => timeNs >= fromNs && timeNs <= toNs)));
  const countOf = (some: readonly SampleTable[]) => some.reduce((sum, { length }) => sum + length, 0);
  return countOf(tables) - countOf(near);
}

const EVER = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
/** Nothing happened in the recording, so nothing of its side recordings belongs to it. */
const NEVER = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** Returns a table with times of the trace. */
function timed(table: SampleTable, offsetNs: number): SampleTable {
  return offsetNs === 0 ? table : { ...table, timeNs: table.timeNs.map((time) => time + offsetNs) };
}

/** Returns the rows between the first and the last one at a wanted time. */
function rowsAt(table: SampleTable, isWanted: (timeNs: number) => boolean): SampleTable {
  const start = Math.max(table.timeNs.findIndex(isWanted), 0);
  const end = table.timeNs.findLastIndex(isWanted) + 1;
  if (start === 0 && end === table.length) return table;
  return {
    ...table,
    length: end - start,
    timeNs: table.timeNs.subarray(start, end),
    tid: table.tid.subarray(start, end),
    pid: table.pid.subarray(start, end),
    cpu: table.cpu.subarray(start, end),
    context: table.context.subarray(start, end),
    fields: table.fields.map((field) =>
      field.texts === null
        ? { ...field, numbers: field.numbers.subarray(start, end) }
        : { ...field, texts: field.texts.slice(start, end) },
    ),
  };
}
