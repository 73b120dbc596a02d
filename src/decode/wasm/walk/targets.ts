/**
 * TIP, TIP.PGD, FUP: addresses that the walk goes to. Each function returns 0, or one of perf's errors.
 */
import { Block, countTo } from '../blocks';
import { eventTime } from '../clock/clock';
import { emit, image, passTo, siteOf } from '../events';
import {
  EDGE_NONE,
  ERROR_MISMATCH,
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  KIND_FAR_JUMP,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NO_CODE,
} from '../layout';
import { state } from '../state';
import { fail, passDirect, Stretch } from './direct';
import { NO_EVENT, wantsJumps } from './jumps';
import { targetOf } from './known-targets';
import { goOnTo, here, moveTo, stay } from './position';
import { passReturns } from './returns';

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
  state.instructions += block.count;
  passReturns(block);
  return 0;
}

/** The walk is at an indirect branch, and no packet has its target. */
export function missTarget(): u32 {
  const block = here();
  passReturns(block);
  return fail(block, block.from, ERROR_MISMATCH);
}

/** TIP: the target of the next indirect branch. `settle` must follow. */
export function walkTo(isKnown: bool, ip: u64): u32 {
  const error = walkToIndirect();
  if (error !== 0) return error;
  state.sampleTime = state.time;
  passBranch(isKnown, ip);
  return 0;
}

/** The target of the indirect branch that the walk is at: among the bits of a TNT, the time stays theirs. `settle` must follow. */
export function walkToWithinBits(isKnown: bool, ip: u64): u32 {
  const error = walkToIndirect();
  if (error !== 0) return error;
  passBranch(isKnown, ip);
  return 0;
}

function passBranch(isKnown: bool, ip: u64): void {
  const isEvent = wantsJumps || (branch.kind !== KIND_JUMP_INDIRECT && branch.kind !== KIND_FAR_JUMP);
  const time = eventTime(); // no event before it is later, also if it is none itself
  if (!isKnown) {
    if (isEvent) emit(siteOf(branch.from, 0, image, branch.kind, EDGE_NONE), time);
    else passTo(time);
    return moveTo(branch.from);
  }
  const known = targetOf(branch, ip);
  const to = known.target;
  const site = isEvent ? known.site(branch) : NO_EVENT;
  if (site !== NO_EVENT) emit(site - 1, time);
  else passTo(time);
  if (branch.image === image) goOnTo(to);
  else stay(to);
}

/** FUP: an address on the way, which no packet leads to. */
export function walkThrough(ip: u64): u32 {
  let block = here();
  Stretch.begin();
  for (;;) {
    if (ip >= block.start && ip <= block.from) {
      const count = countTo(block, ip);
      if (count >= 0) {
        state.instructions += count;
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
