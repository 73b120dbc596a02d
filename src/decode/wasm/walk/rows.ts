/**
 * Repeats what the walk did with a packet at a block, without a look at the blocks: rows of what the bits of a short TNT do
 * (bits.ts), and of what a TIP does (targets.ts), as far as it does not depend on time. A walk that comes for the second time
 * is learned; from then on it is repeated.
 */

import { Block } from '../blocks';
import { Events, isSwitch } from '../events';
import {
  KERNEL_IMAGE,
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NO_CODE,
  KIND_NONE,
  KIND_RETURN,
} from '../layout';
import { cacheOf } from '../memory';
import { MAX_RETURNS, state } from '../state';
import { returnBit } from './bits';
import { isEventTo, isPushed, Jumps, NO_EVENT, returnAt, returnBefore, Stretch, wantsJumps } from './direct';
import { Keys } from './keys';
import { siteOfTarget } from './targets';

/** Of a row, in the lower bits of the address of its block: for certain calls only; met once; cannot be known. */
const BY_CALL: u32 = 1;
const NEW: u32 = 2;
const NOT_KNOWN: u32 = 4;

/** The time of the last branch: as it was, of what is before the first bit, or of the packet. */
const TIME_KEPT: u8 = 0;
export const TIME_BEFORE: u8 = 1;
export const TIME_OF_PACKET: u8 = 2;

/** What a row lists: sites of events, then calls that return but the first one, then calls that are new but the first one. */
export const MAX_ITEMS: u32 = 16;
/** Of these, in the row itself, which is a line of the processor's cache. */
const ROW_ITEMS: u32 = 8;
const ROW_BYTES: usize = 64;
const FAR_BYTES: usize = 4 * <usize>(MAX_ITEMS - ROW_ITEMS);
const ROW_BITS: u32 = 14;
const rows: usize =
  (cacheOf(((ROW_BYTES + FAR_BYTES) << ROW_BITS) + 2 * ROW_BYTES) + 2 * ROW_BYTES - 1) & ~(2 * ROW_BYTES - 1);
const allFarItems: usize = rows + (ROW_BYTES << ROW_BITS);

/** Calls and returns: none; the first ones of each, or calls that return at once; more. */
const CALLS_NONE: u8 = 0;
const CALLS_FEW: u8 = 1;
const CALLS_MORE: u8 = 2;
/** Instead of a call that returns: there must be none. */
const NO_CALL: u32 = 1;

@unmanaged
export class Row {
  /** The address of the block where it begins. */
  block: u32 = 0;
  key: u32 = 0;
  end: Block | null = null;
  instructions: u16 = 0;
  /** Events before the first bit, and all of them. */
  early: u8 = 0;
  events: u8 = 0;
  /** The call that the first return returns to, NO_CALL, or 0 if there is none; and the first new call. */
  returned: u32 = 0;
  called: u32 = 0;
  /** How many calls return, and how many are new. */
  pops: u8 = 0;
  pushes: u8 = 0;
  /** TIME_… */
  time: u8 = TIME_KEPT;
  /** CALLS_… */
  calls: u8 = CALLS_NONE;
  unused: u32 = 0;

  begin(block: Block, key: u32, by: u32): void {
    this.block = <u32>changetype<usize>(block) | NEW | by;
    this.key = key;
  }

  /** Whether it is that of a block and a key, known or not. */
  is(block: Block, key: u32, by: u32): bool {
    return this.key === key && (this.block & ~(NEW | NOT_KNOWN)) === (<u32>changetype<usize>(block) | by);
  }

  get isKnown(): bool {
    return this.block !== 0 && (this.block & (NEW | NOT_KNOWN)) === 0;
  }

  /** The row of the other place that it may be in. */
  get other(): Row {
    return changetype<Row>(changetype<usize>(this) ^ ROW_BYTES);
  }

  /** The address of an item. */
  @inline
  item(row: u32): usize {
    return row < ROW_ITEMS ? this.items + 4 * <usize>row : this.farItems + 4 * <usize>(row - ROW_ITEMS);
  }

  @inline
  get items(): usize {
    return changetype<usize>(this) + offsetof<Row>();
  }

  /** The address of those that are not in the row. */
  @inline
  get farItems(): usize {
    return allFarItems + (changetype<usize>(this) - rows) / (ROW_BYTES / FAR_BYTES);
  }
}

const UNKNOWN = changetype<Row>(<usize>0);

/** Inlined where it runs for each packet: the compiler does so with methods only. */
export class Rows {
  /** Where a row is, or next to there. `calls`: those that return, if they matter. */
  @inline
  static of(block: Block, key: u32, calls: u32): Row {
    const mixed = (<u32>changetype<usize>(block) ^ rotl<u32>(key, 12) ^ (calls * 0x85ebca6b)) * 0x9e3779b1;
    return changetype<Row>(rows + ROW_BYTES * <usize>(mixed >> (32 - ROW_BITS)));
  }

  /** The row of what a packet does now; null: unknown. */
  @inline
  static find(block: Block, key: u32): Row {
    const row = Rows.of(block, key, 0);
    if (load<u64>(changetype<usize>(row)) !== (((<u64>key) << 32) | <u64>changetype<usize>(block)))
      return findElse(block, key);
    const returned = row.returned;
    const isOther = <i32>(returned !== 0) & <i32>((returned & ~NO_CALL) !== returnBefore(0));
    if ((isOther | <i32>(row.calls === CALLS_MORE)) === 0) return row;
    return hasReturns(row) ? row : findByCall(block, key, row.pops);
  }

  /** Returns false, and does nothing, if the ring may not have space. */
  @inline
  static passCalls(row: Row): bool {
    if (state.returnCount > MAX_RETURNS - MAX_ITEMS) return false;
    if (row.calls === CALLS_MORE) passMoreCalls(row);
    else {
      const returns = <u32>(row.returned > NO_CALL);
      const calls = <u32>(row.called !== 0);
      store<u32>(returnAt(state.returnTop - returns), row.called); // 0 where nothing is
      state.returnTop += calls - returns;
      state.returnCount += calls - returns;
    }
    return true;
  }
}

/** Of rows that are not where they are looked for first. Returns null, too, if what a packet does is met for the first time. */
function findElse(block: Block, key: u32): Row {
  if (key === 0) return UNKNOWN;
  const row = knownRow(block, key, 0, 0);
  return changetype<usize>(row) === 0 || hasReturns(row) ? row : findByCall(block, key, row.pops);
}

/** What happens depends on where calls return to, and not to the same place as the first time. */
function findByCall(block: Block, key: u32, pops: u32): Row {
  let calls = returnBefore(0);
  for (let back: u32 = 1; back < pops; back++) calls = rotl<u32>(calls, 5) ^ returnBefore(back);
  const row = knownRow(block, key, BY_CALL, calls);
  if (changetype<usize>(row) === 0 || hasReturns(row)) return row;
  row.begin(block, key, BY_CALL);
  return UNKNOWN;
}

/** Each row may be in two places. */
function knownRow(block: Block, key: u32, by: u32, calls: u32): Row {
  const first = Rows.of(block, key, calls);
  const row = first.is(block, key, by) ? first : first.other;
  if (row.is(block, key, by)) return isKnown(row, block) ? row : UNKNOWN;
  const isOld = (++begun & 7) === 0;
  if (isOld || !first.isKnown) first.begin(block, key, by);
  else row.begin(block, key, by);
  return UNKNOWN;
}

/** The first place is the faster one: it is kept by what is known there, though not for ever. */
let begun: u32 = 0;

/** Learns a row that was met once. */
function isKnown(row: Row, block: Block): bool {
  if ((row.block & NEW) !== 0) row.block ^= learn(row, block, row.key) ? NEW : NEW | NOT_KNOWN;
  return (row.block & NOT_KNOWN) === 0;
}

/** Whether the calls that returned then are those that return now. */
function hasReturns(row: Row): bool {
  if (row.returned !== 0 && returnBefore(0) !== (row.returned & ~NO_CALL)) return false;
  const first: u32 = row.events;
  for (let back: u32 = 1; back < row.pops; back++)
    if (returnBefore(back) !== load<u32>(row.item(first + back - 1))) return false;
  return true;
}

function passMoreCalls(row: Row): void {
  const pops: u32 = row.pops;
  const pushes: u32 = row.pushes;
  for (let back: u32 = 0; back < pops; back++) store<u32>(returnAt(state.returnTop - 1 - back), 0);
  state.returnTop -= pops;
  if (pushes !== 0) store<u32>(returnAt(state.returnTop), row.called);
  let item: u32 = row.events;
  if (pops !== 0) item += pops - 1;
  for (let next: u32 = 1; next < pushes; next++)
    store<u32>(returnAt(state.returnTop + next), load<u32>(row.item(item++)));
  state.returnTop += pushes;
  state.returnCount += pushes - pops;
}

/** Calls from before that returned, and new ones that did not. */
const pops = memory.data(4 * MAX_ITEMS, 4);
const pushes = memory.data(4 * MAX_ITEMS, 4);
let popCount: u32 = 0;
let pushCount: u32 = 0;

// Fills in a row: follows the links between blocks as the walk does, but changes nothing.

/**
 * Returns false if it cannot be known: links are missing, or it leads to anything but direct branches, those that the bits
 * decide, and the indirect one that a TIP decides.
 */
function learn(row: Row, block: Block, key: u32): bool {
  row.early = row.events = 0;
  row.returned = 0;
  row.time = TIME_KEPT;
  row.calls = CALLS_NONE;
  row.end = block;
  popCount = pushCount = 0;
  Stretch.begin();
  instructions = 0;
  const bits = Keys.bitsOf(key);
  const target = Keys.targetOf(key);
  if (bits !== 0 && !learnBits(row, block, bits)) return false;
  if (changetype<usize>(target) !== 0 && !learnTarget(row, block.image, target, bits === 0)) return false;
  row.instructions = <u16>instructions;
  return instructions <= u16.MAX_VALUE && keepItems(row);
}

let instructions: u32 = 0;

/** Each returns false if it cannot be known. */
function learnBits(row: Row, first: Block, bits: u32): bool {
  const count = 31 - <i32>clz<u32>(bits);
  let left = count;
  let block = first;
  while (left > 0) {
    const kind = block.kind;
    const isFirst = left === count;
    instructions += block.count;
    let to: Block | null = null;
    if (kind === KIND_JCC) {
      const isTaken = ((bits >> --left) & 1) !== 0;
      if (isTaken) row.time = TIME_OF_PACKET;
      if (isTaken && wantsJumps && !addJump(row, block)) return false;
      to = isTaken ? block.taken : block.next;
      Stretch.begin();
    } else if (kind === KIND_RETURN) {
      to = ((<u64>bits >> --left) & returnBit) !== 0 ? learnReturn(row, block) : null;
      row.time = TIME_OF_PACKET;
      Stretch.begin();
    } else if (kind <= KIND_JUMP && !Stretch.isNeverEnding(block)) {
      if (kind !== KIND_NONE) row.time = isFirst ? TIME_BEFORE : TIME_OF_PACKET;
      to = learnDirect(row, block);
      if (isFirst) row.early = row.events;
    }
    if (to === null || to.kind === KIND_NO_CODE) return false;
    if (to.image !== first.image) return false; // a call of another process: the walk goes on in the code of its own
    block = to;
  }
  row.end = block;
  return true;
}

function learnTarget(row: Row, image: u32, target: Block, isFirst: bool): bool {
  let block = changetype<Block>(row.end);
  while (block.kind <= KIND_JUMP) {
    if (Stretch.isNeverEnding(block)) return false;
    instructions += block.count;
    const to = learnDirect(row, block);
    if (to === null) return false;
    block = to;
  }
  const kind = block.kind;
  if (kind < KIND_RETURN || kind > KIND_JUMP_INDIRECT || block.image !== image) return false;
  // what another process has there; what leads from the kernel to the program, which has a time of its own
  if (target.image !== (<i64>target.start < 0 ? KERNEL_IMAGE : image)) return false;
  instructions += block.count;
  if (isFirst) row.early = row.events;
  row.time = TIME_OF_PACKET;
  row.end = target;
  if (kind === KIND_RETURN && takeCall(row) === 0 && popCount > 1) return false;
  const isEvent = (wantsJumps || kind !== KIND_JUMP_INDIRECT) && isEventTo(block, target.start);
  if (isEvent && !addEvent(row, siteOfTarget(block, target))) return false;
  if (kind === KIND_CALL_INDIRECT) addCall(row, block);
  return true;
}

/** Each returns the next block, null if it is unknown. */
function learnDirect(row: Row, block: Block): Block | null {
  if (isSwitch(block)) return null;
  if (block.kind === KIND_CALL) {
    if (!addEvent(row, Events.siteOfBlock(block))) return null;
    if (isPushed(block)) addCall(row, block);
  } else if (wantsJumps && block.kind === KIND_JUMP && !addJump(row, block)) return null;
  return block.taken;
}

function learnReturn(row: Row, block: Block): Block | null {
  const call = changetype<Block>(<usize>takeCall(row));
  if (changetype<usize>(call) === 0) return null;
  const to = call.next;
  return addEvent(row, Events.siteOfReturn(block, call, to)) ? to : null;
}

/** Its event was added: there is space. */
function addCall(row: Row, block: Block): void {
  row.calls = CALLS_FEW;
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

/** The call that a return returns to: one of this walk, or from before; 0: there is none. */
function takeCall(row: Row): u32 {
  row.calls = CALLS_FEW;
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
  row.returned = popCount !== 0 ? load<u32>(pops) : 0;
  row.called = pushCount !== 0 ? load<u32>(pushes) : 0;
  if (popCount !== 0 && row.returned === 0) row.returned = NO_CALL;
  row.pops = <u8>popCount;
  row.pushes = <u8>pushCount;
  if (popCount > 1 || pushCount > 1) row.calls = CALLS_MORE;
  let item: u32 = row.events;
  if (item + max(popCount, 1) + max(pushCount, 1) - 2 > MAX_ITEMS) return false;
  for (let next: u32 = 1; next < popCount; next++) store<u32>(row.item(item++), load<u32>(pops + 4 * <usize>next));
  for (let next: u32 = 1; next < pushCount; next++) store<u32>(row.item(item++), load<u32>(pushes + 4 * <usize>next));
  return true;
}
