/**
 * A filled store in, what its file holds out; and back.
 */
import type { RecordedWhere } from '../../model/profile.js';

import type { Nanoseconds } from '../../model/units.js';
import { expectedSites } from '../../store/event-code.js';
import type { PackingTerms } from '../../store/pack-events.js';
import type { SideRecords, TraceContents } from '../../trace-file/contents.js';
import type { InputReader } from '../read/inputs.js';
import { orderedSites, orderedSymbols } from './file-order.js';

export interface PackableTrace {
  readonly contents: TraceContents;
  readonly terms: PackingTerms;
}

/** `reader` has read all, and knows which threads are wanted. */
export function packable(reader: InputReader, recorded: RecordedWhere | null): PackableTrace {
  const { words, store, counts } = reader;
  const symbols = orderedSymbols(words.interner.symbols.build());
  const sites = orderedSites(words.interner.sites.build(), symbols.rankOf);
  const side = store.sideRecords();
  const originNs = originOf(reader, side);
  const { words: flagWords, lines } = words.unknownFlags;
  const meta = {
    originSeconds: words.originSeconds === null ? null : words.originSeconds + originNs / 1e9,
    startNs: store.startNs - originNs,
    endNs: store.endNs - originNs,
    counts: { ...counts },
    unwanted: store.unwanted,
    timed: words.timed,
    timeless: words.timeless,
    damaged: reader.firstDamaged(),
    broken: reader.broken.toSorted((a, b) => compareTexts(a.input, b.input) || compareTexts(a.reason, b.reason)),
    unknownFlags: { words: [...flagWords], lines },
    recorded: recorded && { ...recorded, command: recorded.command && [...recorded.command] },
  };
  return {
    contents: { meta, symbols: symbols.table, sites: sites.table, side: since(originNs, side) },
    terms: { rankOf: sites.rankOf, expected: expectedSites(sites.table), originNs },
  };
}

/** The second in which the trace begins: what the reader counts from, the order of the inputs decided. */
function originOf({ words, store }: InputReader, { records, names, mappings }: SideRecords): Nanoseconds {
  const originNs = Math.floor(store.startNs / 1e9) * 1e9;
  const isExact = (timeNs: Nanoseconds) => Number.isSafeInteger(timeNs) && Number.isSafeInteger(timeNs - originNs);
  const canMove =
    words.originSeconds !== null &&
    words.originSeconds + originNs / 1e9 >= 0 &&
    [store.startNs, store.endNs].every(isExact) &&
    [records, names, mappings].every((rows) =>
      rows.every(({ timeNs }) => timeNs === Number.NEGATIVE_INFINITY || isExact(timeNs)),
    );
  return canMove ? originNs : 0; // garbled times are not exact: moved they would be others
}

function since(originNs: Nanoseconds, { records, names, mappings }: SideRecords): SideRecords {
  const moved = <Row extends { readonly timeNs: Nanoseconds }>(row: Row): Row => ({
    ...row,
    timeNs: row.timeNs - originNs,
  });
  return { records: records.map(moved), names: names.map(moved), mappings: mappings.map(moved) };
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
