/**
 * All calls of a replayed thread as chunks of a levels file. Loaded only if they are requested.
 */
import { chunkCalls } from '../../analysis/chunk-calls.js';
import { chunkFunctions, type ShownNodes } from '../../analysis/chunk-functions.js';
import type { Bounds } from '../../analysis/questions.js';
import type { CallLog } from '../../model/calls/call-log.js';
import type { ThreadChunks } from '../../model/timeline/call-chunks.js';
import { ChunkDeflater } from '../../levels/write.js';

export function threadChunks(log: CallLog, window: Bounds, shown: ShownNodes): ThreadChunks {
  const deflater = new ChunkDeflater();
  chunkCalls(log, window, (list, calls) => {
    deflater.add(list, { ...calls, node: calls.node.map((node) => shown.nodeOf[node]) });
  });
  chunkFunctions(log, window, shown, (...chunk) => deflater.addFunctions(...chunk));
  return deflater.build();
}
