/**
 * Turns a thread's call log into the list of its calls, for what the reference replay leaves out. Another test checks
 * the log: its sums are the call tree.
 */
import { argumentOf, type CallLog, CallOp, opOf } from '../../../src/model/calls/call-log.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { Doubt } from '../../../src/model/calls/doubts.js';
import { Inference, type InferenceName, UNWOUND } from '../../../src/model/profile/profile.js';
import { timesOf } from '../traces/for-logs.js';
import type { NameOf } from './asked-answers.js';
import { CallList, type ReferenceCall, type ReferenceThread } from './reference-calls.js';

const certaintyOf = (doubt: Doubt) =>
  doubt === Doubt.None ? 'certain' : doubt === Doubt.HiddenJump ? 'hidden' : 'unconfirmed';
const REASONS = Object.keys(Inference) as InferenceName[];

export function referenceLog(tid: number, log: CallLog, tree: CallTree, nameOf: NameOf): ReferenceThread {
  const { length, code } = log;
  const timeNs = timesOf(log);
  const list = new CallList();
  const ofRow = new Map<number, ReferenceCall>();
  let frames: ReferenceCall[] = [];
  const parked = new Map<ReferenceCall, ReferenceCall[]>();
  let stops: ReferenceCall[] = [];
  let nowNs = 0;
  let doubt: Doubt = Doubt.None;
  const pathOf = (node: number): string[] =>
    node === 0 ? [] : [...pathOf(tree.parent[node]), nameOf(tree.symbol[node])];
  const put = (call: ReferenceCall, under: readonly ReferenceCall[], node: number) => {
    call.stack = [...under, call];
    call.below = pathOf(node).slice(0, -1);
  };
  const reasonOf = (argument: number) => (argument - 1 === UNWOUND ? 'unwound' : (REASONS[argument - 1] ?? null));
  const close = (call: ReferenceCall, endNs: number, why: ReferenceCall['why'] | 'unwound', next: number) => {
    const isTold = next < length && opOf(code[next]) === CallOp.KnownTime;
    list.close(call, endNs, why, isTold ? timeNs[next] : endNs - call.startNs);
  };
  for (let row = 0; row < length; row++) {
    const [op, argument, atNs] = [opOf(code[row]), argumentOf(code[row]), timeNs[row]];
    if (op === CallOp.KnownTime) continue;
    const open = stops.at(-1)?.stack ?? frames;
    if (op !== CallOp.Begin) list.spend([...open], nowNs, atNs, certaintyOf(doubt));
    nowNs = atNs;
    if (op === CallOp.SetDoubt) doubt = argument as Doubt;
    else if (op === CallOp.Open || op === CallOp.Stop) {
      const call = list.open(nameOf(tree.symbol[argument]), atNs, open, op === CallOp.Stop);
      put(call, open, argument);
      if (op === CallOp.Stop) stops = [...stops, call];
      else frames = [...frames, call];
      ofRow.set(row, call);
    } else if (op === CallOp.Close) close(frames.pop() as ReferenceCall, atNs, reasonOf(argument), row + 1);
    else if (op === CallOp.EndStop) close(stops.pop() as ReferenceCall, atNs, argument === 0 ? null : 'stop', row + 1);
    else if (op === CallOp.SetAside) {
      const stack = frames.slice(-argument);
      frames = frames.slice(0, -argument);
      parked.set(stack.at(-1) as ReferenceCall, stack);
    } else if (op === CallOp.PutBack) {
      const stack = parked.get(ofRow.get(argument) as ReferenceCall) as ReferenceCall[];
      for (const [index, call] of stack.entries()) {
        const moved = code[row + 1 + index] ?? 0;
        if (opOf(code[row + 1] ?? 0) === CallOp.Renode) put(call, frames, argumentOf(moved));
        else call.stack = [...frames, call];
        frames = [...frames, call];
      }
    }
  }
  return { tid, calls: list.calls, intervals: list.intervals };
}
