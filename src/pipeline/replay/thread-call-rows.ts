/**
 * All calls of a replayed thread as row groups of a Parquet file. Loaded only if they are requested.
 */
import { callRows } from '../../analysis/call-rows/call-rows.js';
import type { Bounds } from '../../analysis/questions.js';
import { type CallGroups, CallGroupsWriter, type CallsContext } from '../../export/parquet/call-groups.js';
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { Tid } from '../../model/units.js';

/** A question about all calls. */
export interface CallRowsQuestion extends CallsContext {
  /** Calls outside of it are left out. */
  readonly window: Bounds;
}

/** `tree`: the log's own. */
export function threadCallRows(tid: Tid, log: CallLog, tree: CallTree, question: CallRowsQuestion): CallGroups {
  const writer = new CallGroupsWriter(tid, tree, question);
  callRows(log, tree, question.window, (rows) => writer.add(rows));
  return writer.build();
}
