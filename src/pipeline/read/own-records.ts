/**
 * Adds a recording's own records (switches, names, mappings) to a trace.
 */

import { isPossibleTime } from '../../model/limits.js';
import { noLines } from '../../model/profile/profile.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { ThreadName, TraceChunk } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { fromLatin1 } from '../../parser/intern.js';
import { FAR_TIME, lineFault } from '../../parser/lines/perf-line.js';
import { addSideband, ChunkBuilder, isBeforeRecording } from '../../parser/pieces/chunk-builder.js';
import { MAX_DAMAGED_SHOWN } from '../../parser/pieces/standalone-piece.js';
import type { RecordedEvent } from '../../perfdata/recording.js';
import type { TraceBuilder } from './trace-builder.js';

export function addOwnRecords(name: string, sideband: readonly RecordedEvent[], into: TraceBuilder): void {
  const { chunk, damaged } = sidebandChunk(sideband, (time) => into.context.timeOf(time));
  into.add(chunk, name);
  into.addAccount({
    counts: { ...noLines(), lines: damaged.length, damagedLines: damaged.length },
    damaged: damaged
      .slice(0, MAX_DAMAGED_SHOWN)
      .map(({ record, what, reason }) => ({ input: `${name}, record`, line: record, text: what, reason })),
  });
}

/**
 * Converts a recording's own records to a chunk, as the parser would build it from their text.
 *
 * The records of a recording, and those with impossible values.
 */
interface SidebandChunk {
  readonly chunk: TraceChunk;
  readonly damaged: readonly { readonly record: number; readonly what: string; readonly reason: string }[];
}

/** Converts records as the parser would convert their text. `timeOf`: nanoseconds since the trace's time 0. */
export function sidebandChunk(
  sideband: readonly RecordedEvent[],
  timeOf: (time: PerfTime) => Nanoseconds,
): SidebandChunk {
  const damaged: { record: number; what: string; reason: string }[] = [];
  const chunk = new ChunkBuilder();
  const sink = {
    addRecord: chunk.addRecord.bind(chunk),
    addMapping: chunk.addMapping.bind(chunk),
    addName: (name: ThreadName) => chunk.addName({ ...name, comm: name.comm === null ? null : fromLatin1(name.comm) }),
  };
  sideband.forEach(({ tid, pid, cpu, time, record }, index) => {
    if (time === null) return;
    const prefix = { comm: null, pid, tid, cpu: cpu === NONE ? null : cpu, time };
    const line = { type: 'sideband', prefix, record } as const;
    const isNear = isBeforeRecording(time) || isPossibleTime(timeOf(time));
    const reason = lineFault(line) ?? (isNear ? null : FAR_TIME);
    if (reason === null) addSideband(line, timeOf(time), sink);
    else damaged.push({ record: index + 1, what: record.what, reason });
  });
  return { chunk: chunk.build(), damaged };
}
