/**
 * What needs no packet: straight code, direct jumps and calls; and the two ways in which that fails.
 */
import { Block } from '../blocks';
import { eventTime } from '../clock/clock';
import { emit, siteOfBlock } from '../events';
import { ERROR_NO_CODE, KIND_CALL, KIND_JUMP, KIND_NONE } from '../layout';
import { state } from '../state';
import { moveTo } from './position';
import { pushCall } from './returns';

/** Branches without a packet. */
const MAX_BRANCHES: u32 = 100_000;

/** Whether branches within functions are events, too. */
export let wantsJumps: bool = false;

export function wantAllBranches(all: bool): void {
  wantsJumps = all;
}

/** Direct branches since the last packet; the one that later ones are compared with. */
let steps: u32 = 0;
let earlier: u64 = 0;
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
   * Whether a branch, which the walk passes next, closes a cycle, by Brent's algorithm: the branch that later ones are
   * compared with is replaced at each power of two.
   */
  @inline
  static isNeverEnding(block: Block): bool {
    if (block.kind === KIND_NONE) {
      straight += block.count;
      return false;
    }
    straight = 0;
    steps++;
    if (steps > MAX_BRANCHES || (steps > 1 && block.target === earlier)) return true;
    if ((steps & (steps - 1)) === 0) earlier = block.target;
    return false;
  }
}

/** Passes a direct jump or call, or on to the next block. */
export function passDirect(block: Block): Block {
  state.instructions += block.count;
  if (block.kind === KIND_CALL) {
    pushCall(block);
    emit(siteOfBlock(block), eventTime());
  } else if (wantsJumps && block.kind === KIND_JUMP) emit(siteOfBlock(block), eventTime());
  return block.taken;
}

/** Leaves the walk at an address. Returns the error. */
export function fail(block: Block, ip: u64, error: u32): u32 {
  if (error === ERROR_NO_CODE) state.instructions -= straight;
  else state.instructions += block.count;
  moveTo(ip);
  return error;
}
