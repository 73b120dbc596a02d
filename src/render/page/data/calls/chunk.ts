/**
 * A chunk of a thread's calls ↔ bytes, uncompressed: written into a levels file, read by a page that is served.
 */
import { CHUNK_CALLS } from '../../../../model/timeline/call-chunks.js';
import type { Spans } from '../../../../model/timeline/timeline.js';
import { pageReader, pageWriter } from '../numbers.js';
import { readTables, SPAN_RULES, writeTables } from '../timeline/tables.js';

export function chunkBytes(calls: Spans): Uint8Array {
  const writer = pageWriter();
  writer.count(calls.node.length);
  writeTables(writer, SPAN_RULES, [calls]);
  return writer.view();
}

/** @throws Error for invalid bytes */
export function readChunk(bytes: Uint8Array): Spans {
  const reader = pageReader(bytes);
  const [calls] = readTables<Spans>(reader, SPAN_RULES, [reader.countWithin(0, CHUNK_CALLS)]);
  reader.end();
  return calls;
}
