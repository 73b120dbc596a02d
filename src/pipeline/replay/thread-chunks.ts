/**
 * All calls of a replayed thread as chunks of a levels file. Loaded only if they are requested.
 */

import { chunkCalls, chunkFunctions, type ShownNodes } from '../../analysis/chunk-calls.js';
import type { CallLog } from '../../model/calls/call-log.js';
import type { ThreadChunks } from '../../model/profile/timeline.js';
import type { Bounds } from '../../model/units.js';
import { ChunkDeflater } from '../../page/levels/deflate-chunks.js';

export function threadChunks(log: CallLog, window: Bounds, shown: ShownNodes): ThreadChunks {
  const deflater = new ChunkDeflater();
  chunkCalls(log, window, (list, calls) => {
    deflater.add(list, { ...calls, node: calls.node.map((node) => shown.nodeOf[node]) });
  });
  chunkFunctions(log, window, shown, (...chunk) => deflater.addFunctions(...chunk));
  return deflater.build();
}
