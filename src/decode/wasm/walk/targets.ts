/**
 * TIP, TIP.PGD, FUP: addresses that the walk goes to. Each function returns 0, or one of perf's errors.
 */
import { Block, blockAt, countTo, isCodeOf } from '../blocks';
import { estimatedTime, eventTime, sampleTime } from '../clock';
import { passInstructions } from '../counts';
import { emit, image, passTo, siteOf } from '../events';
import { endsTrace } from '../host';
import {
  EDGE_BEGIN,
  EDGE_BEGIN_AND_END,
  EDGE_END,
  EDGE_NONE,
  ERROR_MISMATCH,
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  KERNEL_IMAGE,
  KIND_ASYNC,
  KIND_CALL,
  KIND_FAR_JUMP,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NO_CODE,
  KIND_NONE,
} from '../layout';
import { PHASE_WALK, state } from '../state';
import { fail, isEventTo, passDirect, passReturns, pushCall, Stretch, wantsJumps } from './direct';
import { Keys } from './keys';
import { goOnTo, here, moveTo, stay } from './position';

/** The indirect branch that the walk went to. */
export let branch: Block = changetype<Block>(<usize>0);

/** Walks to the next branch that needs an address. */
export function walkToIndirect(): u32 {
  let block = here();
  Stretch.begin();
  for (;;) {
    const kind = block.kind;
    if (kind <= KIND_JUMP) {
      if (Stretch.isNeverEnding(block)) return fail(block, block.target, ERROR_NEVER_ENDING);
      block = passDirect(block);
    } else if (kind === KIND_NO_CODE) return fail(block, block.from, ERROR_NO_CODE);
    else if (kind === KIND_JCC) return fail(block, block.from, ERROR_MISMATCH);
    else break;
  }
  branch = block;
  passInstructions(block.count);
  passReturns(block);
  return 0;
}

/** The walk is at an indirect branch, and no packet has its target. */
export function missTarget(): u32 {
  const block = here();
  passReturns(block);
  return fail(block, block.from, ERROR_MISMATCH);
}

/** TIP: the target of the next indirect branch. `isWithinBits`: among those of a TNT, whose time stays. `settle` must follow. */
export function walkTo(isKnown: bool, ip: u64, isWithinBits: bool = false): u32 {
  const error = walkToIndirect();
  if (error !== 0) return error;
  if (!isWithinBits) sampleTime();
  passBranch(isKnown, ip);
  return 0;
}

function passBranch(isKnown: bool, ip: u64): void {
  const isEvent = wantsJumps || (branch.kind !== KIND_JUMP_INDIRECT && branch.kind !== KIND_FAR_JUMP);
  const time = branchTime(ip); // no event before it is later, also if it is none itself
  if (!isKnown) {
    if (isEvent) emit(siteOf(branch.from, 0, image, branch.kind, EDGE_NONE), time);
    else passTo(time);
    return moveTo(branch.from);
  }
  const to = targetAt(ip);
  if (isEvent && isEventTo(branch, ip)) emit(siteOfTarget(branch, to), time);
  else passTo(time);
  if (isCodeOf(branch.image, image)) goOnTo(to);
  else stay(to);
}

/** As perf does: a branch from the kernel to the program has the estimated time. */
function branchTime(ip: u64): u64 {
  if (branch.image !== KERNEL_IMAGE || <i64>ip <= 0) return eventTime();
  return (state.lastEventTime = estimatedTime());
}

/** FUP: an address on the way, which no packet leads to. */
export function walkThrough(ip: u64): u32 {
  let block = here();
  Stretch.begin();
  for (;;) {
    if (ip >= block.start && ip <= block.from) {
      const count = countTo(block, ip);
      if (count >= 0) {
        passInstructions(count);
        moveTo(ip);
        return 0;
      }
    }
    if (block.kind > KIND_JUMP) break;
    if (Stretch.isNeverEnding(block)) return fail(block, block.target, ERROR_NEVER_ENDING);
    block = passDirect(block);
  }
  passReturns(block);
  return fail(block, block.from, block.kind === KIND_NO_CODE ? ERROR_NO_CODE : ERROR_MISMATCH);
}

/** The site of an indirect branch to a block. */
export function siteOfTarget(branch: Block, to: Block): u32 {
  // the image that names both is that of the program, if one of them is in the kernel
  const image = branch.image === KERNEL_IMAGE ? to.image : branch.image;
  return siteOf(branch.from, to.start, image, branch.kind, 0);
}

/** The block at an address of the image that runs. */
function targetAt(ip: u64): Block {
  const known = changetype<Block>(<usize>Keys.ofTip(ip));
  if (changetype<usize>(known) !== 0 && known.image === (<i64>ip < 0 ? KERNEL_IMAGE : image)) return known;
  const block = blockAt(image, ip);
  if (block.kind !== KIND_NO_CODE) Keys.keep(block);
  return block;
}

let isFiltered: bool = false;

// TIP.PGD: where tracing ends. Each function returns 0, or one of perf's errors.

/** The recording has filters of addresses: direct branches may end the trace, too. */
export function setFiltered(filtered: bool): void {
  isFiltered = filtered;
}

/** Tracing ends with the next branch that leaves what is traced. `ip`: its target, 0 if unknown. */
export function walkToEnd(ip: u64): u32 {
  if (isFiltered) {
    const edge = walkToEdge();
    if (changetype<usize>(edge) === 0) return edgeError;
    if (edge.kind <= KIND_JCC) return endAtDirect(edge);
  }
  const error = walkToIndirect();
  if (error !== 0) return error;
  end(branch.from, ip, branch.kind);
  moveTo(ip === 0 ? branch.from : ip);
  return 0;
}

let edgeError: u32 = 0;

/** Goes to the first branch that leaves the filtered code or needs an address; null: `edgeError`. */
function walkToEdge(): Block {
  let block = here();
  Stretch.begin();
  for (;;) {
    const kind = block.kind;
    if (kind === KIND_JCC || kind === KIND_JUMP || kind === KIND_CALL) {
      if (endsTrace(block.image, block.target)) return block;
    }
    if (kind === KIND_JCC) return missEdge(block, block.from, ERROR_MISMATCH);
    if (kind === KIND_NO_CODE) return missEdge(block, block.from, ERROR_NO_CODE);
    if (kind > KIND_JUMP) break;
    if (Stretch.isNeverEnding(block)) return missEdge(block, block.target, ERROR_NEVER_ENDING);
    block = passDirect(block);
  }
  stay(block);
  return block;
}

function missEdge(block: Block, ip: u64, error: u32): Block {
  edgeError = fail(block, ip, error);
  return changetype<Block>(<usize>0);
}

/** As perf does: a conditional jump has its target as both of its addresses. */
function endAtDirect(block: Block): u32 {
  passInstructions(block.count);
  if (block.kind === KIND_CALL) pushCall(block);
  end(block.kind === KIND_JCC ? block.target : block.from, block.target, block.kind);
  moveTo(block.target);
  return 0;
}

function end(from: u64, to: u64, kind: i32): void {
  sampleTime();
  emit(siteOf(from, to, image, kind, EDGE_END), eventTime());
}

// Events without a branch in the code: where tracing begins and ends, and interrupts.

/** Tracing begins, or continues after a loss. */
export function begin(ip: u64, tick: u64): void {
  beginAt(ip, tick, KIND_NONE);
}

/** As perf does: it may be before the last event, but not in the kernel. */
function beginTime(ip: u64, tick: u64): u64 {
  return <i64>ip > 0 ? tick : eventTime();
}

/** A TIP.PGD after a loss. */
export function beginAndEnd(ip: u64, to: u64, tick: u64): void {
  const time = beginTime(to, tick);
  passTo(time);
  emit(siteOf(ip, to, image, KIND_NONE, EDGE_BEGIN_AND_END), time);
  moveTo(to);
  state.phase = PHASE_WALK;
}

/** FUP and TIP.PGE. */
export function beginAsync(ip: u64, tick: u64): void {
  beginAt(ip, tick, KIND_ASYNC);
}

function beginAt(ip: u64, tick: u64, kind: i32): void {
  const time = beginTime(ip, tick);
  passTo(time);
  emit(siteOf(0, ip, image, kind, EDGE_BEGIN), time);
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** FUP and a TIP.PGE without an address: an event without any, as perf makes it. */
export function beginNowhere(): void {
  sampleTime();
  emit(siteOf(0, 0, image, KIND_NONE, EDGE_NONE), eventTime());
  state.phase = PHASE_WALK;
}

/** FUP and TIP: an interrupt, a fault or a signal at `state.ip`. */
export function jumpAsync(isKnown: bool, ip: u64): void {
  if (!isKnown) return endAsync(0);
  sampleTime();
  emit(siteOf(state.ip, ip, image, KIND_ASYNC, EDGE_NONE), eventTime());
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** FUP and TIP.PGD. */
export function endAsync(ip: u64): void {
  sampleTime();
  emit(siteOf(state.ip, ip, image, KIND_ASYNC, EDGE_END), eventTime());
  if (ip !== 0) moveTo(ip);
  state.phase = PHASE_WALK;
}
