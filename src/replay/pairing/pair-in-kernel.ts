/**
 * Has the kernel pair calls and returns as long as nothing else happens, which is nearly always: each return ends the
 * call on top, with no other stack, signal or kernel entry above it. Has the same effect as `pairEvent`.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import type { ReplayKernel } from '../host/replay-kernel.js';
import { CALL_BYTES, HEAD_DEPTH, HEAD_LOWEST, HEAD_STACK_LIMIT, HEAD_STOP, STOP_FULL } from '../wasm/layout.js';
import type { OpenCalls } from './open-calls.js';

/** Pairs rows until one needs the general rules, and returns that row. */
export function pairInKernel(open: OpenCalls, events: ThreadEvents, kernel: ReplayKernel, firstRow: number): number {
  const { head, calls } = kernel;
  head.set(HEAD_DEPTH, open.length);
  head.set(HEAD_LOWEST, open.firstSimple);
  for (let row = firstRow; ; ) {
    const end = kernel.loadSites(events, row);
    head.set(HEAD_STACK_LIMIT, Math.floor(kernel.memory.stack.ints.byteLength / CALL_BYTES));
    const stoppedAt = calls.pair(row, end);
    open.length = head.get(HEAD_DEPTH);
    if (head.get(HEAD_STOP) === STOP_FULL) kernel.memory.stack.grow();
    else if (stoppedAt < end || stoppedAt === events.length) return stoppedAt;
    row = stoppedAt;
  }
}
