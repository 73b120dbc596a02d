/**
 * Fills in a row: follows the links between blocks as walkBits (bits.ts) does, but changes nothing.
 */
import { Block } from '../blocks';
import { Events } from '../events';
import { KIND_CALL, KIND_JCC, KIND_JUMP, KIND_NONE, KIND_RETURN } from '../layout';
import { KNOWN, KNOWN_BY_CALL, MAX_ITEMS, NOT_KNOWN, Row, TIME_BEFORE, TIME_KEPT, TIME_OF_BITS } from './bit-rows';
import { returnBit } from './bits';
import { Stretch } from './direct';
import { Jumps, NO_EVENT, wantsJumps } from './jumps';
import { isPushed, returnBefore } from './returns';

/** Calls from before that returned, and new ones that did not. */
const pops = memory.data(4 * MAX_ITEMS, 4);
const pushes = memory.data(4 * MAX_ITEMS, 4);
let popCount: u32 = 0;
let pushCount: u32 = 0;

/**
 * Returns the status: what is not known are links that are missing, and what leads to anything but branches that the bits
 * decide and direct ones.
 */
export function learn(row: Row, first: Block, bits: u32): u8 {
  const count = 31 - <i32>clz<u32>(bits);
  let left = count;
  let block = first;
  let instructions: u32 = 0;
  row.time = TIME_KEPT;
  row.early = row.events = 0;
  popCount = pushCount = 0;
  Stretch.begin();
  while (left > 0) {
    const kind = block.kind;
    const isFirst = left === count;
    instructions += block.count;
    let to: Block | null = null;
    if (kind === KIND_JCC) {
      const isTaken = ((bits >> --left) & 1) !== 0;
      if (isTaken) row.time = TIME_OF_BITS;
      if (isTaken && wantsJumps && !addJump(row, block)) return NOT_KNOWN;
      to = isTaken ? block.targetBlock : block.afterBlock;
      Stretch.begin();
    } else if (kind === KIND_RETURN) {
      to = ((<u64>bits >> --left) & returnBit) !== 0 ? learnReturn(row, block) : null;
      row.time = TIME_OF_BITS;
      Stretch.begin();
    } else if (kind <= KIND_JUMP && !Stretch.isNeverEnding(block)) {
      if (kind !== KIND_NONE) row.time = isFirst ? TIME_BEFORE : TIME_OF_BITS;
      to = learnDirect(row, block);
      if (isFirst) row.early = row.events;
    }
    if (to === null) return NOT_KNOWN;
    block = to;
  }
  row.end = block;
  row.instructions = <u16>instructions;
  if (instructions > u16.MAX_VALUE || !keepItems(row)) return NOT_KNOWN;
  return popCount === 0 ? KNOWN : KNOWN_BY_CALL;
}

/** Each returns the next block, null if it is unknown. */
function learnDirect(row: Row, block: Block): Block | null {
  if (block.kind === KIND_CALL) {
    if (!addEvent(row, Events.siteOfBlock(block))) return null;
    if (isPushed(block)) addCall(block);
  } else if (wantsJumps && block.kind === KIND_JUMP && !addJump(row, block)) return null;
  return block.targetBlock;
}

function learnReturn(row: Row, block: Block): Block | null {
  const call = changetype<Block>(<usize>takeCall());
  if (changetype<usize>(call) === 0) return null;
  const to = call.afterBlock;
  return to !== null && addEvent(row, Events.siteOfReturn(block, call, to)) ? to : null;
}

function addCall(block: Block): void {
  store<u32>(pushes + 4 * <usize>pushCount, <u32>changetype<usize>(block));
  pushCount++;
}

/** Each returns false if there is no space. */
function addJump(row: Row, block: Block): bool {
  const site = Jumps.siteOf(block);
  return site === NO_EVENT || addEvent(row, site - 1);
}

function addEvent(row: Row, site: u32): bool {
  if (row.events === MAX_ITEMS) return false;
  store<u32>(row.item(row.events), site);
  row.events++;
  return true;
}

/** The call that a return returns to: one of this walk, or from before. */
function takeCall(): u32 {
  if (pushCount !== 0) {
    pushCount--;
    return load<u32>(pushes + 4 * <usize>pushCount);
  }
  const call = returnBefore(popCount);
  store<u32>(pops + 4 * <usize>popCount, call);
  popCount++;
  return call;
}

/** Likewise. */
function keepItems(row: Row): bool {
  if (row.events + popCount + pushCount > MAX_ITEMS) return false;
  let item: u32 = row.events;
  for (let next: u32 = 0; next < popCount; next++) store<u32>(row.item(item++), load<u32>(pops + 4 * <usize>next));
  for (let next: u32 = 0; next < pushCount; next++) store<u32>(row.item(item++), load<u32>(pushes + 4 * <usize>next));
  row.calls = <u8>(popCount | (pushCount << 4));
  return true;
}
