/**
 * Follows the program's control flow through its code, as far as packets say. Returns 0, or one of perf's errors.
 */
import { Block, blockAfter, blockAt, blockAtTarget, countTo } from './blocks';
import { emit, image, passTo, siteOf, siteOfBlock, siteTo } from './events';
import {
  EDGE_BEGIN,
  EDGE_BEGIN_AND_END,
  EDGE_END,
  EDGE_NONE,
  ERROR_MISMATCH,
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  KIND_ASYNC,
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_JUMP,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NO_CODE,
  KIND_NONE,
  KIND_RETURN,
} from './layout';
import { zeroed } from './memory';
import { PHASE_WALK, state } from './state';

/** Branches without a packet. */
const MAX_BRANCHES: u32 = 100_000;
const RETURNS: u32 = 64;

/** Blocks whose calls wait for a compressed return. */
const returns = zeroed(4 * RETURNS);
/** Where the walk stands: at the start of this block. */
let current: Block = changetype<Block>(<usize>0);
let currentImage: u32 = 0;
/** Whether branches within functions are events, too. */
let wantsJumps: bool = false;

export function wantAllBranches(all: bool): void {
  wantsJumps = all;
}

/** The walk goes on at an address. */
export function moveTo(ip: u64): void {
  state.ip = ip;
  current = changetype<Block>(<usize>0);
}

function here(): Block {
  if (changetype<usize>(current) === 0 || currentImage !== image) return lookUp();
  return current;
}

function lookUp(): Block {
  currentImage = image;
  return blockAt(image, state.ip);
}

function stay(block: Block): void {
  current = block;
  state.ip = block.start;
}

export function clearReturns(): void {
  state.returnCount = 0;
  state.returnTop = 0;
}

function pushCall(block: Block): void {
  if (block.kind === KIND_CALL && block.target === block.after) return;
  store<u32>(returns + 4 * (state.returnTop & (RETURNS - 1)), <u32>changetype<usize>(block));
  state.returnTop++;
  if (state.returnCount < RETURNS) state.returnCount++;
}

/** The block whose call returns; null: unknown. */
function popCall(): Block {
  if (state.returnCount === 0) return changetype<Block>(<usize>0);
  state.returnCount--;
  state.returnTop--;
  return changetype<Block>(<usize>load<u32>(returns + 4 * (state.returnTop & (RETURNS - 1))));
}

function now(): u64 {
  const time = state.sampleTime > state.lastEventTime ? state.sampleTime : state.lastEventTime;
  state.lastEventTime = time;
  return time;
}

/**
 * Finds cycles of direct branches that no packet ends: Brent's algorithm. Each branch is compared with an earlier one, which is
 * replaced at every power of two.
 */
let steps: u32 = 0;
let earlier: u64 = 0;

/** Instructions of blocks that ended without a branch, since the last one. */
let straight: u32 = 0;

function beginStretch(): void {
  steps = 0;
  straight = 0;
}

function isNeverEnding(ip: u64): bool {
  steps++;
  if (steps > MAX_BRANCHES || (steps > 1 && ip === earlier)) return true;
  if ((steps & (steps - 1)) === 0) earlier = ip;
  return false;
}

/** Over a direct jump or call, or on to the next block. */
function direct(block: Block): Block {
  state.instructions += block.count;
  straight = block.kind === KIND_NONE ? straight + block.count : 0;
  if (block.kind === KIND_CALL) {
    pushCall(block);
    emit(siteOfBlock(block), now());
  } else if (wantsJumps && block.kind === KIND_JUMP) emit(siteOfBlock(block), now());
  return blockAtTarget(block);
}

/** Taken and not taken branches. `bits`: the first one is the highest of `count`. Returns bits that are left above, error below. */
export let bitsLeft: i32 = 0;
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
        if (wantsJumps) emit(siteOfBlock(block), now());
        block = blockAtTarget(block);
      } else block = blockAfter(block);
      steps = 0;
      straight = 0;
    } else if (kind <= KIND_JUMP) {
      if (kind !== KIND_NONE && isNeverEnding(block.target)) return fail(block, block.target, ERROR_NEVER_ENDING);
      block = direct(block);
    } else if (kind === KIND_RETURN) {
      const call = popCall();
      if (changetype<usize>(call) === 0 || ((bits >> (left - 1)) & 1) === 0)
        return fail(block, block.from, ERROR_MISMATCH);
      left--;
      state.sampleTime = state.time;
      state.instructions += block.count;
      const to = blockAfter(call);
      emit(siteTo(block, to), now());
      block = to;
      steps = 0;
      straight = 0;
    } else if (kind === KIND_NO_CODE) return fail(block, block.from, ERROR_NO_CODE);
    else {
      stay(block);
      bitsLeft = left;
      return 0;
    }
  }
  stay(block);
  bitsLeft = 0;
  return 0;
}

function fail(block: Block, ip: u64, error: u32): u32 {
  if (error === ERROR_NO_CODE) state.instructions -= straight;
  else state.instructions += block.count;
  moveTo(ip);
  return error;
}

/** To the next branch whose target only a packet says. */
let stop: Block = changetype<Block>(<usize>0);
function walkToIndirect(): u32 {
  let block = here();
  beginStretch();
  for (;;) {
    const kind = block.kind;
    if (kind <= KIND_JUMP) {
      if (kind !== KIND_NONE && isNeverEnding(block.target)) return fail(block, block.target, ERROR_NEVER_ENDING);
      block = direct(block);
    } else if (kind === KIND_NO_CODE) return fail(block, block.from, ERROR_NO_CODE);
    else if (kind === KIND_JCC) return fail(block, block.from, ERROR_MISMATCH);
    else break;
  }
  stop = block;
  state.instructions += block.count;
  passReturns(block);
  return 0;
}

/** What an indirect branch does to the calls that wait. */
function passReturns(block: Block): void {
  if (block.kind === KIND_RETURN) popCall();
  else if (block.kind === KIND_CALL_INDIRECT || block.kind === KIND_FAR_CALL) pushCall(block);
}

/** The walk stands at an indirect branch, and no packet says where it goes. */
export function missTarget(): u32 {
  const block = here();
  passReturns(block);
  return fail(block, block.from, ERROR_MISMATCH);
}

/** TIP: the target of the next indirect branch. */
export function walkTo(isKnown: bool, ip: u64, isDeferred: bool): u32 {
  const error = walkToIndirect();
  if (error !== 0) return error;
  if (!isDeferred) state.sampleTime = state.time;
  const isEvent = wantsJumps || (stop.kind !== KIND_JUMP_INDIRECT && stop.kind !== KIND_FAR_JUMP);
  if (!isKnown) {
    if (isEvent) emit(siteOf(stop.from, 0, image, stop.kind, EDGE_NONE), now());
    moveTo(stop.from);
    return 0;
  }
  const to = blockAt(image, ip);
  if (isEvent) emit(siteTo(stop, to), now());
  stay(to);
  return 0;
}

/** TIP.PGD: tracing ends with the next branch. `ip`: where it goes, 0 if that is not said. */
export function walkToEnd(ip: u64): u32 {
  const error = walkToIndirect();
  if (error !== 0) return error;
  state.sampleTime = state.time;
  emit(siteOf(stop.from, ip, image, stop.kind, EDGE_END), now());
  moveTo(ip === 0 ? stop.from : ip);
  return 0;
}

/** FUP: to an address that no packet leads to. */
export function walkThrough(ip: u64): u32 {
  let block = here();
  beginStretch();
  for (;;) {
    if (ip >= block.start && ip <= block.from) {
      const count = countTo(block, ip);
      if (count >= 0) {
        state.instructions += count;
        moveTo(ip);
        return 0;
      }
    }
    const kind = block.kind;
    if (kind > KIND_JUMP) break;
    if (kind !== KIND_NONE && isNeverEnding(block.target)) return fail(block, block.target, ERROR_NEVER_ENDING);
    block = direct(block);
  }
  passReturns(block);
  return fail(block, block.from, block.kind === KIND_NO_CODE ? ERROR_NO_CODE : ERROR_MISMATCH);
}

/** FUP and TIP: control went elsewhere at `state.ip`. */
export function jumpAsync(isKnown: bool, ip: u64): void {
  if (!isKnown) return endAsync(0);
  state.sampleTime = state.time;
  emit(siteOf(state.ip, ip, image, KIND_ASYNC, EDGE_NONE), now());
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** FUP and TIP.PGE. */
export function beginAsync(ip: u64, tick: u64): void {
  state.lastEventTime = tick;
  passTo(tick);
  emit(siteOf(0, ip, image, KIND_ASYNC, EDGE_BEGIN), tick);
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** FUP and a TIP.PGE without an address: an event without any, as perf makes it. */
export function beginNowhere(): void {
  state.sampleTime = state.time;
  emit(siteOf(0, 0, image, KIND_NONE, EDGE_NONE), now());
  state.phase = PHASE_WALK;
}

/** FUP and TIP.PGD. */
export function endAsync(ip: u64): void {
  state.sampleTime = state.time;
  emit(siteOf(state.ip, ip, image, KIND_ASYNC, EDGE_END), now());
  if (ip !== 0) moveTo(ip);
  state.phase = PHASE_WALK;
}

/** Tracing begins, or goes on after a loss. */
export function begin(ip: u64, tick: u64): void {
  const time = <i64>ip < 0 ? now() : tick; // as perf does: not in the kernel
  state.lastEventTime = time;
  emit(siteOf(0, ip, image, KIND_NONE, EDGE_BEGIN), time);
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** A TIP.PGD after a loss. */
export function beginAndEnd(ip: u64, to: u64, tick: u64): void {
  state.lastEventTime = tick;
  passTo(tick);
  emit(siteOf(ip, to, image, KIND_NONE, EDGE_BEGIN_AND_END), tick);
  moveTo(to);
  state.phase = PHASE_WALK;
}
