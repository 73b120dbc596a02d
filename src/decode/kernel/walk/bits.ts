/**
 * TNT: bits of taken and not taken branches, and of compressed returns.
 */
import { blockAfter, blockAtTarget } from '../blocks';
import { eventTime } from '../clock/clock';
import { emit, siteOfBlock, siteTo } from '../events';
import {
  ERROR_MISMATCH,
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  KIND_JCC,
  KIND_JUMP,
  KIND_NO_CODE,
  KIND_RETURN,
} from '../layout';
import { PHASE_TARGET, state } from '../state';
import { beginStretch, fail, isNeverEnding, passDirect, wantsJumps } from './direct';
import { here, stay } from './position';
import { popCall } from './returns';

/**
 * The first bit is the highest of `count`. At an indirect branch the bits that are left wait for its target. Returns 0, or one
 * of perf's errors.
 */
export function walkBits(bits: u64, count: i32): u32 {
  let block = here();
  let left = count;
  beginStretch();
  while (left > 0) {
    const kind = block.kind;
    if (kind === KIND_JCC) {
      state.sampleTime = state.time;
      state.instructions += block.count;
      left--;
      if ((bits >> left) & 1) {
        if (wantsJumps) emit(siteOfBlock(block), eventTime());
        block = blockAtTarget(block);
      } else block = blockAfter(block);
      beginStretch();
    } else if (kind <= KIND_JUMP) {
      if (isNeverEnding(block)) return fail(block, block.target, ERROR_NEVER_ENDING);
      block = passDirect(block);
    } else if (kind === KIND_RETURN) {
      const call = popCall();
      if (changetype<usize>(call) === 0 || ((bits >> (left - 1)) & 1) === 0)
        return fail(block, block.from, ERROR_MISMATCH);
      left--;
      state.sampleTime = state.time;
      state.instructions += block.count;
      const to = blockAfter(call);
      emit(siteTo(block, to), eventTime());
      block = to;
      beginStretch();
    } else if (kind === KIND_NO_CODE) return fail(block, block.from, ERROR_NO_CODE);
    else {
      state.phase = PHASE_TARGET;
      state.waitingBits = bits;
      state.waitingCount = left;
      break;
    }
  }
  stay(block);
  return 0;
}
