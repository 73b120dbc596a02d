/**
 * All calls of a replayed thread, as row groups of a Parquet file and as chunks of a levels file. Loaded only if they are
 * requested.
 */
import { CallRowsBuilder, callRows, type RowsQuestion } from '../../analysis/call-rows.js';
import { chunkCalls, chunkFunctions, type ShownNodes } from '../../analysis/chunk-calls.js';
import { ChunkDeflater } from '../../levels/write.js';
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { ThreadChunks } from '../../model/profile/timeline.js';
import type { Bounds, Tid } from '../../model/units.js';
import { CallGroupsWriter, type CallsContext } from '../../parquet/call-groups.js';
import { GroupMemory, type RowGroups } from '../../parquet/parquet-file.js';
import { appendShared, type Place, type SharedFile } from '../workers/shared-file.js';

/** A question about all calls. */
export interface CallRowsQuestion extends CallsContext, RowsQuestion {
  /** Receives the row groups of all threads. */
  readonly file: SharedFile;
}

/** The row groups of a thread, in the file of the question. Plain data. */
export interface KeptCallGroups extends RowGroups {
  /** Of the bytes of the groups, in order. */
  readonly places: readonly Place[];
  /** The system error because of which some are missing; null: none is. */
  readonly failure: { readonly code: string | undefined; readonly message: string } | null;
}

/** Writes the calls of one thread after the other, in the same memory. */
export class ThreadCallRows {
  private readonly rows = new CallRowsBuilder();
  private readonly memory = new GroupMemory();

  /** `tree`: the log's own. */
  write(tid: Tid, log: CallLog, tree: CallTree, question: CallRowsQuestion): KeptCallGroups {
    const places: Place[] = [];
    const writer = new CallGroupsWriter(tid, tree, question, this.memory);
    try {
      callRows(log, tree, question, this.rows, (rows) => places.push(appendShared(question.file, writer.write(rows))));
    } catch (error) {
      return { ...writer.build(), places, failure: systemError(error) };
    }
    return { ...writer.build(), places, failure: null };
  }
}

/** @throws the error if it is not of the system */
function systemError(error: unknown): NonNullable<KeptCallGroups['failure']> {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) throw error;
  return { code, message };
}

/** All calls of a replayed thread as chunks of a levels file. Loaded only if they are requested. */
export function threadChunks(log: CallLog, window: Bounds, shown: ShownNodes): ThreadChunks {
  const deflater = new ChunkDeflater();
  chunkCalls(log, window, (list, calls) => {
    deflater.add(list, { ...calls, node: calls.node.map((node) => shown.nodeOf[node]) });
  });
  chunkFunctions(log, window, shown, (...chunk) => deflater.addFunctions(...chunk));
  return deflater.build();
}
