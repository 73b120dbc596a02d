/**
 * A chunk of a thread's calls ↔ bytes, uncompressed: written into a levels file, read by a page that is served.
 */

import type { Spans } from '../../model/profile/timeline.js';
import { CHUNK_CALLS, FUNCTION_CHUNK_CALLS, type FunctionCalls } from '../../model/profile/timeline.js';
import { pageReader, pageWriter } from './numbers.js';
import { FUNCTION_CALL_RULES, readTables, SPAN_RULES, writeTables } from './tables.js';

export function chunkBytes(calls: Spans): Uint8Array {
  return bytesOf(calls, SPAN_RULES);
}

/** @throws Error for invalid bytes */
export function readChunk(bytes: Uint8Array): Spans {
  return read<Spans>(bytes, SPAN_RULES, CHUNK_CALLS);
}

/** The same of a chunk of calls by function. */
export function functionChunkBytes(calls: FunctionCalls): Uint8Array {
  return bytesOf(calls, FUNCTION_CALL_RULES);
}

/** @throws Error for invalid bytes */
export function readFunctionChunk(bytes: Uint8Array): FunctionCalls {
  return read<FunctionCalls>(bytes, FUNCTION_CALL_RULES, FUNCTION_CHUNK_CALLS);
}

type Rules = Parameters<typeof writeTables>[1];

function bytesOf(calls: Spans, rules: Rules): Uint8Array {
  const writer = pageWriter();
  writer.count(calls.node.length);
  writeTables(writer, rules, [calls]);
  return writer.view();
}

function read<Calls>(bytes: Uint8Array, rules: Rules, maxCalls: number): Calls {
  const reader = pageReader(bytes);
  const [calls] = readTables<Calls>(reader, rules, [reader.countWithin(0, maxCalls)]);
  reader.end();
  return calls;
}
