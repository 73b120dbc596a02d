/**
 * TNT: bits of taken and not taken branches, and of compressed returns.
 *
 * Most branches of a trace pass here, so the loop keeps the time and the number of instructions in locals.
 */

import { Block } from '../blocks';
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
import { cacheOf } from '../memory';
import { MAX_RETURNS, PHASE_TARGET, state } from '../state';
import {
  fail,
  isPushed,
  Jumps,
  NO_EVENT,
  popCall,
  pushCall,
  returnAt,
  returnBefore,
  Stretch,
  wantsJumps,
} from './direct';
import { goOnTo, here, Position, stay } from './position';

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

// Rows of what the walk does with the bits of a short TNT packet at a block, as far as it does not depend on time.

/** The time of the last branch: of what is before the first bit, of the bits, or as it was. */
export const TIME_KEPT: u8 = 0;
export const TIME_BEFORE: u8 = 1;
export const TIME_OF_BITS: u8 = 2;

/** What a row lists: sites of events, then calls that return, the last one first, then calls that are new. */
export const MAX_ITEMS: u32 = 12;
/** Of these, in the row itself: it is half of a line of the processor's cache, which decides how fast this is. */
const ROW_ITEMS: u32 = 4;
const ROW_BYTES: usize = 32;
const ROW_BITS: u32 = 14;
const TABLE_BYTES: usize = ROW_BYTES << ROW_BITS;
const rows: usize = (cacheOf(2 * TABLE_BYTES + ROW_BYTES) + ROW_BYTES - 1) & ~(ROW_BYTES - 1);

/** Of a row: met once; known; known if calls return to the same places; cannot be known. */
export const NEW: u8 = 0;
export const KNOWN: u8 = 1;
export const KNOWN_BY_CALL: u8 = 2;
export const NOT_KNOWN: u8 = 3;

@unmanaged
export class Row {
  block: Block | null = null;
  end: Block | null = null;
  instructions: u16 = 0;
  /** The packet's byte; plus one if it is known for certain calls. */
  key: u8 = 0;
  status: u8 = NEW;
  /** TIME_… */
  time: u8 = 0;
  /** Events before the first bit, and all of them. */
  early: u8 = 0;
  events: u8 = 0;
  /** Calls that return, and above, 16 times those that do not. */
  calls: u8 = 0;

  begin(block: Block, key: u8): void {
    this.block = block;
    this.key = key;
    this.status = NEW;
  }

  /** The address of an item. */
  @inline
  item(row: u32): usize {
    const far = row < ROW_ITEMS ? 0 : TABLE_BYTES - 4 * <usize>ROW_ITEMS;
    return changetype<usize>(this) + (row < ROW_ITEMS ? offsetof<Row>() : 0) + far + 4 * <usize>row;
  }
}

/** `call`: the one that the first return returns to, if that matters. */
export function rowOf(block: Block, key: u8, call: u32): Row {
  const mixed = (<u32>changetype<usize>(block) ^ ((<u32>key) << 20) ^ (call * 0x85ebca6b)) * 0x9e3779b1;
  return changetype<Row>(rows + ROW_BYTES * <usize>(mixed >> (32 - ROW_BITS)));
}

// Repeats what the walk did with the bits of a TNT packet at a block, without a look at the blocks. walkBits (bits.ts) says
// what happens. A walk that comes for the second time is learned; from then on it is repeated.

/**
 * Walks on by the bits of a short TNT if it is known what they do. Returns false if not: then nothing has happened.
 */
export function repeatBits(byte: u8): bool {
  if (state.returnCount > MAX_RETURNS - MAX_ITEMS || isSlotOver(state.time)) return false;
  const block = Position.here();
  let row = rowOf(block, byte, 0);
  if (row.block !== block || row.key !== byte) {
    row.begin(block, byte);
    return false;
  }
  if (row.status !== KNOWN) {
    if (row.status === NEW) row.status = learn(row, block, byte >> 1);
    if (row.status === NOT_KNOWN) return false;
    if (row.status === KNOWN_BY_CALL && !hasReturns(row)) {
      row = rowByCall(block, byte);
      if (changetype<usize>(row) === 0) return false;
    }
  }
  repeat(row);
  return true;
}

/** What happens depends on where calls return to, and not to the same place as the first time; null: unknown. */
function rowByCall(block: Block, byte: u8): Row {
  const key = byte | 1; // no TNT
  const row = rowOf(block, key, returnBefore(0));
  if (row.block === block && row.key === key) {
    if (row.status === NEW) row.status = learn(row, block, byte >> 1);
    if (row.status === KNOWN_BY_CALL && hasReturns(row)) return row;
  }
  row.begin(block, key);
  return changetype<Row>(<usize>0);
}

/** Whether the calls that returned then are those that return now. */
function hasReturns(row: Row): bool {
  const first: u32 = row.events;
  const pops: u32 = row.calls & 15;
  for (let back: u32 = 0; back < pops; back++)
    if (returnBefore(back) !== load<u32>(row.item(first + back))) return false;
  return true;
}

function repeat(row: Row): void {
  const before = nextEventTime();
  let next: u32 = 0;
  for (; next < row.early; next++) Events.emit(load<u32>(row.item(next)), before);
  const time = firstBitTime();
  for (; next < row.events; next++) Events.emit(load<u32>(row.item(next)), time);
  if (row.time === TIME_OF_BITS) state.lastEventTime = time;
  else if (row.time === TIME_BEFORE) state.lastEventTime = before;
  state.instructions += row.instructions;
  if (row.calls !== 0) repeatCalls(row);
  goOnTo(changetype<Block>(row.end));
}

function repeatCalls(row: Row): void {
  const pops: u32 = row.calls & 15;
  const pushes: u32 = row.calls >> 4;
  for (let back: u32 = 0; back < pops; back++) store<u32>(returnAt(state.returnTop - 1 - back), 0);
  state.returnTop -= pops;
  const first = <u32>row.events + pops;
  for (let next: u32 = 0; next < pushes; next++)
    store<u32>(returnAt(state.returnTop + next), load<u32>(row.item(first + next)));
  state.returnTop += pushes;
  state.returnCount += pushes - pops;
}

/** Calls from before that returned, and new ones that did not. */
const pops = memory.data(4 * MAX_ITEMS, 4);
const pushes = memory.data(4 * MAX_ITEMS, 4);
let popCount: u32 = 0;
let pushCount: u32 = 0;

// Fills in a row: follows the links between blocks as walkBits (bits.ts) does, but changes nothing.

/**
 * Returns the status: what is not known are links that are missing, and what leads to anything but branches that the bits
 * decide and direct ones.
 */
function learn(row: Row, first: Block, bits: u32): u8 {
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
  if (isSwitch(block)) return null;
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
