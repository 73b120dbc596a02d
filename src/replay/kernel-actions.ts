/**
 * Has the kernel execute simple actions. It works on the tree and the stack in its memory; what else it reads and
 * changes is handed over before and taken back after.
 */
import type { DurationsBuilder } from '../model/calls/durations.js';
import { NONE } from '../model/units.js';
import type { Head } from './host/head.js';
import type { ReplayKernel } from './host/replay-kernel.js';
import {
  DURATION_BYTES,
  DURATION_NS,
  DURATION_SYMBOL,
  FRAME_BYTES,
  HEAD_CERTAINTY,
  HEAD_DEPTH,
  HEAD_DURATION_COUNT,
  HEAD_HIDDEN_NS,
  HEAD_INDEX_LENGTH,
  HEAD_NOW_NS,
  HEAD_RULES,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_TREE_LENGTH,
  RULE_DURATIONS,
  RULE_NO_RETURNS,
  RULE_NO_STUBS,
  RULE_REPLACE,
  STOP_FULL,
} from './kernel/layout.js';
import { addFrame } from './stack/open-frames.js';
import type { ReplayState } from './state.js';
import { setNow } from './time/charge.js';

/** An event adds up to two nodes. */
const SPARE_NODES = 4;

/** Executes rows until one needs the general rules, and returns that row. */
export function executeInKernel(state: ReplayState, kernel: ReplayKernel, firstRow: number, endRow: number): number {
  const { head, calls } = kernel;
  handOver(state, head);
  let row = firstRow;
  let isDone = row >= endRow;
  while (!isDone) {
    const end = Math.min(endRow, kernel.loadEvents(state.events, row));
    const stoppedAt = calls.execute(row, end);
    if (state.tree.durations) addDurations(kernel, state.tree.durations);
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
}

function rulesOf({ tree, options, putBackLevels, signalTail }: ReplayState): number {
  return (
    (tree.durations ? RULE_DURATIONS : 0) |
    (options.tailCalls === 'replace' ? RULE_REPLACE : 0) |
    (putBackLevels.size > 0 ? RULE_NO_RETURNS : 0) |
    (signalTail !== NONE ? RULE_NO_STUBS : 0)
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
  if (state.depth >= head.get(HEAD_STACK_LIMIT)) state.frames.grow();
  handOver(state, head);
}

function addDurations({ head, durations }: ReplayKernel, to: DurationsBuilder): void {
  const { ints, floats } = durations;
  const count = head.get(HEAD_DURATION_COUNT);
  for (let at = 0; at < count * DURATION_BYTES; at += DURATION_BYTES)
    to.add(ints[(at + DURATION_SYMBOL) >> 2], floats[(at + DURATION_NS) >> 3]);
  head.set(HEAD_DURATION_COUNT, 0);
}
