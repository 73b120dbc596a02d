/**
 * Adds a recording's own records (switches, names, mappings) to a trace.
 */
import { noLines } from '../../model/profile/quality.js';
import { MAX_DAMAGED_SHOWN } from '../../parser/pieces/standalone-piece.js';
import type { RecordedEvent } from '../../perfdata/recording.js';
import { sidebandChunk } from './sideband-chunk.js';
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
