/**
 * Reads the page data from the joined bytes of `writePageData`.
 */

import type { FunctionDurations } from '../../model/calls/durations.js';
import type { NodeColumns } from '../../model/calls/node-columns.js';
import { callerRows } from './caller-rows.js';
import { readColumns } from './columns.js';
import { readDurations } from './durations.js';
import { readHead, type ThreadHead } from './head.js';
import { pageReader } from './numbers.js';
import type { PageData, PageThread } from './page-data.js';
import { readShape } from './shape.js';

/** Reads and checks everything. @throws Error for invalid bytes */
export function readPageData(bytes: Uint8Array): PageData {
  const data = openPageData(bytes);
  for (const { durations: _ } of data.threads); // reading a lazy field forces it
  return data;
}

/** Reads the page data. Durations are read and checked on first use: no graph needs them. */
export function openPageData(bytes: Uint8Array): PageData {
  const reader = pageReader(bytes);
  const { meta, symbols, quality, nodes, threads, waits = null } = readHead(reader);
  const shape = readShape(reader, nodes, symbols.length);
  const node = threads.map(({ nodes }) => new Int32Array(reader.rows(nodes, shape.length)));
  const columns = readColumns(reader, callerRows(shape, node));
  const lengths = threads.map(({ durations }) => durations);
  let known: (FunctionDurations | null)[] | null = null;
  const durations = () => {
    if (known === null) {
      known = readDurations(reader, lengths, symbols.length);
      reader.end();
    }
    return known;
  };
  const threadOf = ({ nodes: _, ...head }: ThreadHead, row: number): PageThread => ({
    ...head,
    ...(columns[row] as NodeColumns),
    node: node[row],
    get durations() {
      return durations()[row];
    },
  });
  return { meta, symbols, quality, shape, threads: threads.map(threadOf), waits };
}
