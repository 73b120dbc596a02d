/**
 * All calls of a replayed thread as row groups of a Parquet file. Loaded only if they are requested.
 */
import { callRows, type RowsQuestion } from '../../analysis/call-rows/call-rows.js';
import { type CallGroups, CallGroupsWriter, type CallsContext } from '../../export/parquet/call-groups.js';
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { Tid } from '../../model/units.js';

/** A question about all calls. */
export type CallRowsQuestion = CallsContext & RowsQuestion;

/** `tree`: the log's own. */
export function threadCallRows(tid: Tid, log: CallLog, tree: CallTree, question: CallRowsQuestion): CallGroups {
  const writer = new CallGroupsWriter(tid, tree, question);
  callRows(log, tree, question, (rows) => writer.add(rows));
  return writer.build();
}
