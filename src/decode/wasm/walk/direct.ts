/**
 * What needs no packet: jumps, calls and straight code, and the calls that returns end. Of jumps, none is an event, all are,
 * or those that leave their function.
 */
import { Block } from '../blocks';
import { eventTime } from '../clock';
import { passInstructions } from '../counts';
import { Events, emit, isSwitch, passSwitch, siteOfBlock } from '../events';
import { functionAround } from '../host';
import {
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  JUMPS_LEAVING,
  JUMPS_NONE,
  KERNEL_IMAGE,
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_JUMP,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NONE,
  KIND_RETURN,
} from '../layout';
import { allocate } from '../memory';
import { MAX_RETURNS, returns, state } from '../state';
import { moveTo } from './position';

export let wantsJumps: bool = false;
let wantsOnlyLeaving: bool = false;

/** JUMPS_… of layout.ts. */
export function wantJumps(which: i32): void {
  wantsJumps = which !== JUMPS_NONE;
  wantsOnlyLeaving = which === JUMPS_LEAVING;
}

/** Instead of the site of a jump that is no event, plus one. */
export const NO_EVENT: u32 = u32.MAX_VALUE;

export class Jumps {
  /** The site of a direct jump, plus one, or NO_EVENT. */
  @inline
  static siteOf(block: Block): u32 {
    return block.site !== 0 ? block.site : newSiteOf(block);
  }

  /** Passes a direct jump. */
  @inline
  static pass(block: Block, tick: u64): void {
    const site = Jumps.siteOf(block);
    if (site !== NO_EVENT) Events.emit(site - 1, tick);
  }
}

function newSiteOf(block: Block): u32 {
  if (wantsOnlyLeaving && isInFunctionOf(block.image, block.from, block.target)) block.site = NO_EVENT;
  else siteOfBlock(block);
  return block.site;
}

/** Whether an indirect branch to an address is an event, if jumps are. */
export function isEventTo(branch: Block, ip: u64): bool {
  if (!wantsOnlyLeaving || (branch.kind !== KIND_JUMP_INDIRECT && branch.kind !== KIND_FAR_JUMP)) return true;
  if (branch.site === 0) branch.site = <u32>boundsAround(branch.image, branch.from);
  return !holds(branch.site, ip);
}

/** The function that was asked for last; one that is unknown holds no address. */
let start: u64 = 1;
let end: u64 = 0;
let image: u32 = 0;

const BOUNDS_BYTES: usize = 16;

function enter(image_: u32, ip: u64): void {
  if (image_ === image && ip >= start && ip < end) return;
  const found = functionAround(image_, ip);
  image = image_;
  start = found === 0 ? 1 : load<u64>(found);
  end = found === 0 ? 0 : load<u64>(found, 8);
}

// Where functions begin and end, as far as the host knows.

/** Whether an address is in the function of another one. */
function isInFunctionOf(image: u32, from: u64, to: u64): bool {
  enter(image, from);
  return to >= start && to < end;
}

/** Returns where the bounds of the function are that holds an address. */
function boundsAround(image: u32, ip: u64): usize {
  enter(image, ip);
  const bounds = allocate(BOUNDS_BYTES);
  store<u64>(bounds, start);
  store<u64>(bounds, end, 8);
  return bounds;
}

/** Whether an address is within bounds. */
function holds(bounds: usize, ip: u64): bool {
  return ip >= load<u64>(bounds) && ip < load<u64>(bounds, 8);
}

// The calls that a compressed return can return to: a ring in the state. Unused entries are 0, so that equal calls are
// equal bytes.

/** Where the entry of a number is. */
export function returnAt(row: u32): usize {
  return returns + 4 * (row & (MAX_RETURNS - 1));
}

export function clearReturns(): void {
  memory.fill(returns, 0, 4 * MAX_RETURNS);
  state.returnCount = 0;
  state.returnTop = 0;
}

/** The call before the last `back` ones, if there are more than that; else 0. */
export function returnBefore(back: u32): u32 {
  return load<u32>(returnAt(state.returnTop - 1 - back));
}

/** As the CPU does: a call of the next instruction does not count, it only reads the address. */
export function isPushed(block: Block): bool {
  return block.kind !== KIND_CALL || block.target !== block.after;
}

export function pushCall(block: Block): void {
  if (!isPushed(block)) return;
  store<u32>(returnAt(state.returnTop), <u32>changetype<usize>(block));
  state.returnTop++;
  if (state.returnCount < MAX_RETURNS) state.returnCount++;
}

/** Returns the block whose call returns; null: unknown. */
export function popCall(): Block {
  if (state.returnCount === 0) return changetype<Block>(<usize>0);
  state.returnCount--;
  state.returnTop--;
  const at = returnAt(state.returnTop);
  const block = load<u32>(at);
  store<u32>(at, 0);
  return changetype<Block>(<usize>block);
}

/**
 * What an indirect branch does to the calls. Returns are compressed for near calls and near returns alone (Intel SDM
 * volume 3, "Indirect Transfer Compression for Returns (RET)"): far calls, far jumps and far returns leave the ring as
 * it is.
 */
export function passReturns(block: Block): void {
  if (block.kind === KIND_RETURN) popCall();
  else if (block.kind === KIND_CALL_INDIRECT) pushCall(block);
}

/** Branches without a packet. */
const MAX_BRANCHES: u32 = 100_000;

/** Direct branches since the last packet; the target that later ones are compared with, and when it is replaced. */
let steps: u32 = 0;
let earlier: u64 = 0;
let replacedAt: u32 = 0;
let keptFor: u32 = 0;
/** Instructions of blocks that ended without a branch, since the last one. */
let straight: u32 = 0;

// What needs no packet: straight code, direct jumps and calls; and the two ways in which that fails.

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
  passInstructions(block.count);
  if (block.kind === KIND_CALL) {
    pushCall(block);
    emit(siteOfBlock(block), eventTime());
  } else if (block.kind === KIND_JUMP) passJump(block);
  if (isSwitch(block)) passSwitch(state.lastEventTime);
  return block.taken;
}

/** No event before it is later, also if it is none itself. */
function passJump(block: Block): void {
  const time = eventTime();
  if (wantsJumps) Jumps.pass(block, time);
}

/** Leaves the walk at an address. Returns the error. */
export function fail(block: Block, ip: u64, error: u32): u32 {
  if (error === ERROR_NO_CODE) passInstructions(-(<u64>straight));
  else passInstructions(block.count);
  if (error === ERROR_NEVER_ENDING && block.kind === KIND_CALL) pushCall(block); // as perf does: without an event
  if (error === ERROR_NO_CODE && block.image === KERNEL_IMAGE) clearReturns(); // what it calls returns to it
  moveTo(ip);
  return error;
}
