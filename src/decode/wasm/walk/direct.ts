/**
 * What needs no packet: straight code, direct jumps and calls; and the two ways in which that fails.
 */
import { Block } from '../blocks';
import { eventTime } from '../clock/clock';
import { emit, siteOfBlock } from '../events';
import { ERROR_NEVER_ENDING, ERROR_NO_CODE, KIND_CALL, KIND_JUMP, KIND_NONE } from '../layout';
import { state } from '../state';
import { Jumps, wantsJumps } from './jumps';
import { moveTo } from './position';
import { pushCall } from './returns';

/** Branches without a packet. */
const MAX_BRANCHES: u32 = 100_000;

/** Direct branches since the last packet; the target that later ones are compared with, and when it is replaced. */
let steps: u32 = 0;
let earlier: u64 = 0;
let replacedAt: u32 = 0;
let keptFor: u32 = 0;
/** Instructions of blocks that ended without a branch, since the last one. */
let straight: u32 = 0;

/** Branches that need no packet. */
export class Stretch {
  /** A packet decides the next branch, or did. */
  @inline
  static begin(): void {
    steps = 0;
    straight = 0;
  }

  /**
   * Whether a branch, which the walk passes next, closes a cycle, where perf gives up. That was measured with cycles of 1 to 24
   * branches after 0 to 23 others: the targets compared with are those of branches 2, 3, 5, 8, 12 …, each kept for one branch
   * more than the one before.
   */
  @inline
  static isNeverEnding(block: Block): bool {
    if (block.kind === KIND_NONE) {
      straight += block.count;
      return false;
    }
    straight = 0;
    if (++steps === 1) {
      replacedAt = 2;
      keptFor = 0;
    }
    if (steps > MAX_BRANCHES || (steps > 2 && block.target === earlier)) return true;
    if (steps === replacedAt) {
      earlier = block.target;
      replacedAt += ++keptFor;
    }
    return false;
  }
}

/** Passes a direct jump or call, or on to the next block. */
export function passDirect(block: Block): Block {
  state.instructions += block.count;
  if (block.kind === KIND_CALL) {
    pushCall(block);
    emit(siteOfBlock(block), eventTime());
  } else if (block.kind === KIND_JUMP) passJump(block);
  return block.taken;
}

/** No event before it is later, also if it is none itself. */
export function passJump(block: Block): void {
  const time = eventTime();
  if (wantsJumps) Jumps.pass(block, time);
}

/** Leaves the walk at an address. Returns the error. */
export function fail(block: Block, ip: u64, error: u32): u32 {
  if (error === ERROR_NO_CODE) state.instructions -= straight;
  else state.instructions += block.count;
  if (error === ERROR_NEVER_ENDING && block.kind === KIND_CALL) pushCall(block); // as perf does: without an event
  moveTo(ip);
  return error;
}
