/**
 * TNT: bits of taken and not taken branches, and of compressed returns.
 *
 * Most branches of a trace pass here, so the loop keeps the time and the number of instructions in locals.
 */

import { nextEventTime, sampleTime } from '../clock';
import { Counted } from '../counts';
import { Events, isSlotOver, isSwitch, passSwitch, passTo } from '../events';
import {
  ERROR_MISMATCH,
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  KIND_CALL,
  KIND_JCC,
  KIND_JUMP,
  KIND_NO_CODE,
  KIND_NONE,
  KIND_RETURN,
} from '../layout';
import { PHASE_TARGET, state } from '../state';
import { fail, Jumps, popCall, pushCall, Stretch, wantsJumps } from './direct';
import { here, stay } from './position';

/** A return takes a bit if it is 1; never if returns are not compressed. */
export let returnBit: u64 = 1;

export function compressReturns(compressed: bool): void {
  returnBit = compressed ? 1 : 0;
}

/**
 * The first bit is the highest of `count`. Returns 0, or one of perf's errors. If another thread runs at the time of the packet, its
 * code follows after the first branch that is taken.
 */
export function walkBits(bits: u64, count: i32): u32 {
  if (!isSlotOver(state.time)) return walkBitsOfSlot(bits, count);
  for (let left = count; left > 0; left--) {
    const error = walkBitsOfSlot(bits >> (left - 1), 1);
    if (error !== 0) return error;
    if (state.phase === PHASE_TARGET) {
      state.waitingBits = bits;
      state.waitingCount = left;
      break;
    }
    passTo(state.lastEventTime);
  }
  return 0;
}

/**
 * At an indirect branch the bits that are left wait for its target.
 */
function walkBitsOfSlot(bits: u64, count: i32): u32 {
  let block = here();
  let left = count;
  let time = nextEventTime();
  let lastTaken = state.lastEventTime;
  let instructions: u64 = 0;
  let error: u32 = 0;
  Stretch.begin();
  while (left > 0) {
    const kind = block.kind;
    if (kind === KIND_JCC) {
      if (left === count) time = firstBitTime();
      left--;
      instructions += block.count;
      if ((bits >> left) & 1) {
        lastTaken = time;
        Counted.ahead = instructions;
        if (wantsJumps) Jumps.pass(block, time);
        block = block.taken;
      } else block = block.next;
      Stretch.begin();
    } else if (kind === KIND_RETURN) {
      const call = popCall();
      if (changetype<usize>(call) === 0 || ((bits >> (left - 1)) & returnBit) === 0) {
        error = ERROR_MISMATCH;
        break;
      }
      if (left === count) time = firstBitTime();
      left--;
      instructions += block.count;
      Counted.ahead = instructions;
      const to = call.next;
      lastTaken = time;
      Events.emit(Events.siteOfReturn(block, call, to), time);
      block = to;
      Stretch.begin();
    } else if (kind <= KIND_JUMP) {
      if (Stretch.isNeverEnding(block)) {
        error = ERROR_NEVER_ENDING;
        break;
      }
      instructions += block.count;
      Counted.ahead = instructions;
      if (kind !== KIND_NONE) lastTaken = time;
      if (kind === KIND_CALL) pushCall(block);
      if (kind === KIND_CALL) Events.emit(Events.siteOfBlock(block), time);
      else if (wantsJumps && kind === KIND_JUMP) Jumps.pass(block, time);
      if (isSwitch(block)) passSwitch(time);
      block = block.taken;
    } else {
      if (kind === KIND_NO_CODE) error = ERROR_NO_CODE;
      break;
    }
  }
  state.instructions += instructions;
  Counted.instructions += instructions;
  Counted.ahead = 0;
  state.lastEventTime = lastTaken;
  if (error !== 0) return fail(block, error === ERROR_NEVER_ENDING ? block.target : block.from, error);
  if (left > 0) {
    state.phase = PHASE_TARGET;
    state.waitingBits = bits;
    state.waitingCount = left;
  }
  stay(block);
  return 0;
}

/** Branches before the first bit keep the time before. */
export function firstBitTime(): u64 {
  sampleTime();
  return nextEventTime();
}
