/**
 * Has the kernel execute simple actions. It works on the tree and the stack in its memory; what else it reads and
 * changes is handed over before and taken back after.
 */
import type { CallLogBuilder } from '../model/calls/call-log.js';
import { NONE } from '../model/units.js';
import type { Head } from './host/head.js';
import type { ReplayKernel } from './host/replay-kernel.js';
import { addFrame } from './stack/open-frames.js';
import type { ReplayState } from './state.js';
import { setNow } from './time/charge.js';
import {
  FRAME_BYTES,
  HEAD_CERTAINTY,
  HEAD_DEPTH,
  HEAD_DURATION_COUNT,
  HEAD_HIDDEN_NS,
  HEAD_INDEX_LENGTH,
  HEAD_INFERRED_COUNT,
  HEAD_LOG_COUNT,
  HEAD_LOG_LENGTH,
  HEAD_NOW_NS,
  HEAD_RENAMES_COUNT,
  HEAD_RULES,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_TREE_LENGTH,
  LISTED_BYTES,
  LISTED_ID,
  LISTED_NS,
  RULE_DURATIONS,
  RULE_LOG,
  RULE_NO_JUMPS,
  RULE_NO_STOPS,
  RULE_REPLACE,
  STOP_FULL,
} from './wasm/layout.js';

/** An event adds up to three nodes, and two frames. */
const SPARE_NODES = 4;
const SPARE_FRAMES = 2;

/** Executes rows until one needs the general rules, and returns that row. */
export function executeInKernel(state: ReplayState, kernel: ReplayKernel, firstRow: number, endRow: number): number {
  const { head, calls } = kernel;
  handOver(state, head);
  let row = firstRow;
  let isDone = row >= endRow;
  while (!isDone) {
    const end = Math.min(endRow, kernel.loadEvents(state.events, row));
    const stoppedAt = calls.execute(row, end);
    countListed(state, kernel);
    if (state.log) writeLog(state.log, kernel);
    if (head.get(HEAD_STOP) === STOP_FULL) makeSpace(state, head);
    else isDone = stoppedAt < end || stoppedAt === endRow;
    row = stoppedAt;
  }
  takeBack(state, head);
  return row;
}

function handOver(state: ReplayState, head: Head): void {
  const { frames } = state;
  head.set(HEAD_DEPTH, state.depth);
  head.setNs(HEAD_NOW_NS, state.nowNs);
  head.set(HEAD_TREE_LENGTH, state.tree.length);
  head.set(HEAD_INDEX_LENGTH, state.frameIndex.length);
  head.set(HEAD_STACK_LIMIT, Math.floor(frames.ints.byteLength / FRAME_BYTES));
  head.set(HEAD_CERTAINTY, state.certainty.current);
  head.set(HEAD_RULES, rulesOf(state));
  head.setNs(HEAD_HIDDEN_NS, state.hiddenNs);
  head.set(HEAD_LOG_LENGTH, state.log?.length ?? 0);
}

function rulesOf({ tree, log, options, signalTail, switchedOut }: ReplayState): number {
  return (
    (tree.durations ? RULE_DURATIONS : 0) |
    (options.tailCalls === 'replace' ? RULE_REPLACE : 0) |
    (log ? RULE_LOG : 0) |
    (signalTail !== NONE ? RULE_NO_JUMPS : 0) |
    (switchedOut !== NONE ? RULE_NO_STOPS : 0)
  );
}

function takeBack(state: ReplayState, head: Head): void {
  state.depth = head.get(HEAD_DEPTH);
  setNow(state, head.getNs(HEAD_NOW_NS));
  state.tree.length = head.get(HEAD_TREE_LENGTH);
  state.frameIndex.length = head.get(HEAD_INDEX_LENGTH);
  state.hiddenNs = head.getNs(HEAD_HIDDEN_NS);
  while (state.stack.length < state.depth) addFrame(state);
}

/** Makes space for the nodes and the frame of at least one more event. */
function makeSpace(state: ReplayState, head: Head): void {
  takeBack(state, head);
  state.tree.reserve(SPARE_NODES);
  if (state.depth + SPARE_FRAMES > head.get(HEAD_STACK_LIMIT)) state.frames.grow();
  handOver(state, head);
}

/** Counts what the kernel has listed. */
function countListed({ tree, inferred: counters }: ReplayState, { head, durations, inferred }: ReplayKernel): void {
  tree.durations?.addPairs(durations, head.get(HEAD_DURATION_COUNT));
  const jumpedTo = head.get(HEAD_INFERRED_COUNT);
  for (let at = 0; at < LISTED_BYTES * jumpedTo; at += LISTED_BYTES)
    tree.countInferred(inferred.ints[(at + LISTED_ID) >> 2], inferred.floats[(at + LISTED_NS) >> 3]);
  counters.HiddenJump += jumpedTo;
}

/** Appends to the log what the kernel has listed for it. */
function writeLog(log: CallLogBuilder, { head, logRows, renames }: ReplayKernel): void {
  const rows = LISTED_BYTES * head.get(HEAD_LOG_COUNT);
  for (let at = 0; at < rows; at += LISTED_BYTES)
    log.append(logRows.floats[(at + LISTED_NS) >> 3], logRows.ints[(at + LISTED_ID) >> 2]);
  const renamed = LISTED_BYTES * head.get(HEAD_RENAMES_COUNT);
  for (let at = 0; at < renamed; at += LISTED_BYTES)
    log.rename(renames.floats[(at + LISTED_NS) >> 3], renames.ints[(at + LISTED_ID) >> 2]);
  head.set(HEAD_LOG_LENGTH, log.length);
}
