/**
 * The bytes of `writePageData`, joined → the data that the page works on.
 */
import type { FunctionDurations } from '../../../model/durations.js';
import { callerRows } from './caller-rows.js';
import { readColumns } from './columns.js';
import { readDurations } from './durations.js';
import { readHead, type ThreadHead } from './head.js';
import { NumberReader } from './number-reader.js';
import type { NodeColumns, PageData, PageThread } from './page-data.js';
import { readShape } from './shape.js';

/** @throws Error for bytes that were not written so */
export function readPageData(bytes: Uint8Array): PageData {
  const reader = new NumberReader(bytes);
  const { meta, symbols, quality, nodes, threads } = readHead(reader);
  const shape = readShape(reader, nodes, symbols.length);
  const node = threads.map(({ nodes }) => new Int32Array(reader.rows(nodes, shape.length)));
  const columns = readColumns(reader, callerRows(shape, node));
  const lengths = threads.map(({ durations }) => durations);
  const durations = readDurations(reader, lengths, symbols.length);
  reader.end();
  const threadOf = ({ nodes: _, ...head }: ThreadHead, row: number): PageThread => ({
    ...head,
    ...(columns[row] as NodeColumns),
    node: node[row] as Int32Array,
    durations: durations[row] as FunctionDurations | null,
  });
  return { meta, symbols, quality, shape, threads: threads.map(threadOf) };
}
