/**
 * Basic blocks: straight code up to a branch, decoded once for each image and address, and linked to the blocks that follow.
 */

import { loadCode } from './host';
import { decodeInstruction, displacement, kind } from './instructions';
import {
  CHANGE_BYTES,
  CHANGE_END,
  CHANGE_START,
  CHANGE_TICK,
  KERNEL_IMAGE,
  KIND_JCC,
  KIND_NO_CODE,
  KIND_NONE,
} from './layout';
import { Column, forgetCaches, zeroed } from './memory';

@unmanaged
export class Block {
  start: u64 = 0;
  /** Address of the branch. */
  from: u64 = 0;
  /** Address after the branch. */
  after: u64 = 0;
  /** Of a direct branch. */
  target: u64 = 0;
  /** The blocks at `after` and at `target`; null: not looked up yet, or no code. */
  afterBlock: Block | null = null;
  targetBlock: Block | null = null;
  /**
   * Of a direct branch: its site, plus one; a jump may be no event instead (walk/direct.ts). Of an indirect jump: where the
   * bounds of its function are. 0: not known yet.
   */
  site: u32 = 0;
  image: u32 = 0;
  /** Instructions, the branch included. */
  count: u16 = 0;
  /** Its code changes while the recording runs, or did when it was longer: it is one of `changing`. */
  isChanging: bool = false;
  kind: i32 = 0;
  /** Of an indirect branch: where it went last, and the site of that. Of a direct call: which return came back last. */
  lastBlock: Block | null = null;
  lastSite: u32 = 0;

  /** The block at `after`. */
  @inline
  get next(): Block {
    const known = this.afterBlock;
    return known !== null ? known : findAfter(this);
  }

  /** The block at `target`. */
  @inline
  get taken(): Block {
    const known = this.targetBlock;
    return known !== null ? known : findTarget(this);
  }
}

/** A longer stretch without a branch is several blocks. */
const MAX_INSTRUCTIONS: u32 = 512;
const MIN_SLOTS: u32 = 1 << 14;

/** Code that was used last: addresses, and where its bytes are. */
let codeStart: u64 = 1;
let codeEnd: u64 = 0;
/** Up to here, instructions are all there. */
let codeUntil: u64 = 0;
let codeBytes: usize = 0;
let codeImage: u32 = 0;

/** Code that was used before, by image and region of addresses: rows of an image and a description (host.ts). */
const REGION_SHIFT: u64 = 14;
const DESCRIPTION_BYTES: usize = 40;
const KNOWN_CODE_BYTES: usize = 8 + DESCRIPTION_BYTES;
const KNOWN_CODE_BITS: u32 = 9;
const knownCode: usize = zeroed(KNOWN_CODE_BYTES << KNOWN_CODE_BITS);

let slots: usize = zeroed(4 * MIN_SLOTS);
let mask: u32 = MIN_SLOTS - 1;
let count: u32 = 0;

/** The latest tick from which on code of a block is mapped. The kernel's is from the start. */
let newestCode: u64 = 0;

/** The code of images changed: what was loaded is asked for again. */
export function forgetCode(): void {
  codeUntil = 0;
  codeStart = 1;
  memory.fill(knownCode, 0, KNOWN_CODE_BYTES << KNOWN_CODE_BITS);
}

/**
 * The walk begins at a tick. If later code is known, as of a later part or of another CPU, programs are forgotten: what is
 * found must not depend on what was decoded before.
 */
export function enterCode(tick: u64): void {
  if (tick >= newestCode) return;
  newestCode = 0;
  forgetCode();
  forgetPrograms();
}

function forgetPrograms(): void {
  forgetCaches();
  kept.used = 0;
  for (let slot: u32 = 0; slot <= mask; slot++) {
    const at = load<u32>(slots + 4 * slot);
    if (at !== 0 && changetype<Block>(<usize>at).image === KERNEL_IMAGE) store<u32>(kept.extend(4), at);
  }
  memory.fill(slots, 0, 4 * (<usize>mask + 1));
  count = <u32>(kept.used / 4);
  for (let row: usize = 0; row < kept.used; row += 4) insert(load<u32>(kept.start + row));
}

const kept = changetype<Column>(memory.data(offsetof<Column>(), 8));

function forgetBlocks(): void {
  memory.fill(slots, 0, 4 * (<usize>mask + 1));
  count = 0;
  changing.used = 0;
}

/** Changes of the kernel's code, in order: rows as layout.ts has them. */
export const changes = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** How many of them the blocks have. */
let changed: u32 = 0;
/** More are not looked for one by one. */
const MAX_CHANGES: u32 = 64;

/** The blocks that changes are to be looked for in. */
const changing = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** Bits of regions of addresses, several of which have the same: whether there is a change. 0: not asked for yet. */
let regions: usize = 0;
const CHANGE_SHIFT: u64 = 4;
const REGION_BITS: u64 = 1 << 17;

/** When the kernel's code changes next, if it has so often. */
export function tickOfChange(count: u32): u64 {
  const row = <usize>count * CHANGE_BYTES;
  return row < changes.used ? load<u64>(changes.start + row, CHANGE_TICK) : u64.MAX_VALUE;
}

/** The kernel's code has changed so often where the walk is now: the blocks that differ are decoded anew. */
export function enterChanges(count: u32): void {
  if (count === changed) return;
  const first = min(count, changed);
  const last = max(count, changed);
  changed = count;
  forgetCode();
  if (last - first > MAX_CHANGES) {
    forgetCaches();
    return forgetBlocks();
  }
  let isFirst = true;
  for (let at: usize = 0; at < changing.used; at += 4) {
    const block = changetype<Block>(<usize>load<u32>(changing.start + at));
    if (!isChanged(block, first, last)) continue;
    if (isFirst) forgetCaches();
    isFirst = false;
    readAnew(block);
  }
}

function isChanged(block: Block, first: u32, last: u32): bool {
  for (let row = first; row < last; row++) {
    const change = changes.start + <usize>row * CHANGE_BYTES;
    if (block.start < load<u64>(change, CHANGE_END) && load<u64>(change, CHANGE_START) < endOf(block)) return true;
  }
  return false;
}

function endOf(block: Block): u64 {
  return block.kind === KIND_NO_CODE ? block.from + 1 : block.after;
}

/** Whether code of the kernel changes at some tick; true for some that does not. */
function mayChange(start: u64, end: u64): bool {
  if (regions === 0) markChanges();
  for (let region = start >> CHANGE_SHIFT; region <= (end - 1) >> CHANGE_SHIFT; region++)
    if ((load<u8>(byteOf(region)) & bitOf(region)) !== 0) return true;
  return false;
}

function markChanges(): void {
  regions = zeroed(<usize>(REGION_BITS >> 3));
  for (let row: usize = 0; row < changes.used; row += CHANGE_BYTES) {
    const change = changes.start + row;
    const last = (load<u64>(change, CHANGE_END) - 1) >> CHANGE_SHIFT;
    for (let region = load<u64>(change, CHANGE_START) >> CHANGE_SHIFT; region <= last; region++)
      store<u8>(byteOf(region), load<u8>(byteOf(region)) | bitOf(region));
  }
}

function byteOf(region: u64): usize {
  return regions + <usize>((region & (REGION_BITS - 1)) >> 3);
}

function bitOf(region: u64): u8 {
  return (<u8>1) << (<u8>(region & 7));
}

/** What leads to the block stays. */
function readAnew(block: Block): void {
  block.afterBlock = null;
  block.targetBlock = null;
  block.lastBlock = null;
  block.site = 0;
  read(block);
}

function hasCode(image: u32, ip: u64): bool {
  if (ip >= codeStart && ip < codeUntil && image === codeImage) return true;
  const found = findCode(image, ip);
  if (found === 0) return false;
  codeStart = load<u64>(found);
  codeEnd = load<u64>(found, 8);
  codeUntil = load<u64>(found, 16);
  codeBytes = <usize>load<u64>(found, 24);
  codeImage = image;
  newestCode = max(newestCode, load<u64>(found, 32));
  return ip >= codeStart && ip < codeUntil;
}

/** The description of the code at an address; 0: there is none. The host is only asked for what is not known. */
function findCode(image: u32, ip: u64): usize {
  const row = knownCode + KNOWN_CODE_BYTES * <usize>(hashOf(image, ip >> REGION_SHIFT) >> (32 - KNOWN_CODE_BITS));
  const known = row + 8;
  if (load<u32>(row) === image && ip >= load<u64>(known) && ip < load<u64>(known, 16)) return known;
  const found = loadCode(image, ip);
  if (found === 0) return 0;
  store<u32>(row, image);
  memory.copy(known, found, DESCRIPTION_BYTES);
  return known;
}

function hashOf(image: u32, ip: u64): u32 {
  const mixed = (ip ^ ((<u64>image) << 48)) * 0x9e3779b97f4a7c15;
  return <u32>(mixed >> 32);
}

/** Whether code of an image is the same in another one. */
export function isCodeOf(image: u32, other: u32): bool {
  return image === other || image === KERNEL_IMAGE;
}

/** The block that begins at an address; one without code is made anew each time. */
export function blockAt(own: u32, ip: u64): Block {
  const image = <i64>ip < 0 ? KERNEL_IMAGE : own;
  let slot = hashOf(image, ip) & mask;
  for (;;) {
    const block = changetype<Block>(<usize>load<u32>(slots + 4 * slot));
    if (changetype<usize>(block) === 0) break;
    if (block.start === ip && block.image === image) {
      if (block.kind !== KIND_NO_CODE) return block;
      read(block);
      return block;
    }
    slot = (slot + 1) & mask;
  }
  const block = newBlock();
  block.start = ip;
  block.image = image;
  read(block);
  store<u32>(slots + 4 * slot, <u32>changetype<usize>(block));
  if (++count * 2 > mask) grow();
  return block;
}

/** Each is a line of the processor's cache. */
const BLOCKS_AT_ONCE: usize = 64;
let nextBlock: usize = 0;
let lastBlock: usize = 0;

function newBlock(): Block {
  if (nextBlock === lastBlock) {
    nextBlock = (zeroed((BLOCKS_AT_ONCE + 1) * offsetof<Block>()) + offsetof<Block>() - 1) & ~(offsetof<Block>() - 1);
    lastBlock = nextBlock + BLOCKS_AT_ONCE * offsetof<Block>();
  }
  const block = changetype<Block>(nextBlock);
  nextBlock += offsetof<Block>();
  return block;
}

function read(block: Block): void {
  readCode(block);
  if (changes.used === 0 || block.image !== KERNEL_IMAGE || block.isChanging) return;
  if (!mayChange(block.start, endOf(block))) return;
  block.isChanging = true;
  store<u32>(changing.extend(4), <u32>changetype<usize>(block));
}

function readCode(block: Block): void {
  let ip = block.start;
  let instructions: u32 = 0;
  block.kind = KIND_NO_CODE;
  for (;;) {
    block.from = ip;
    block.count = <u16>instructions;
    if (!hasCode(block.image, ip)) return;
    const left = codeEnd - ip;
    const length = decodeInstruction(codeBytes + <usize>(ip - codeStart), left > 15 ? 15 : <i32>left);
    if (length === 0) return;
    ip += length;
    instructions++;
    if (kind !== KIND_NONE || instructions === MAX_INSTRUCTIONS) break;
  }
  block.kind = kind;
  block.count = <u16>instructions;
  block.after = ip;
  if (kind === KIND_NONE) block.target = ip;
  else if (kind <= KIND_JCC) block.target = ip + displacement;
}

/** How many instructions are between two addresses of straight code; -1: the second one is none of it. */
export function countTo(block: Block, stop: u64): i32 {
  let ip = block.start;
  let instructions = 0;
  while (ip < stop) {
    if (!hasCode(block.image, ip)) return -1;
    const left = codeEnd - ip;
    const length = decodeInstruction(codeBytes + <usize>(ip - codeStart), left > 15 ? 15 : <i32>left);
    if (length === 0) return -1;
    ip += length;
    instructions++;
  }
  return ip === stop ? instructions : -1;
}

function findAfter(block: Block): Block {
  const found = blockAt(block.image, block.after);
  if (found.kind !== KIND_NO_CODE) block.afterBlock = found;
  return found;
}

function findTarget(block: Block): Block {
  const found = blockAt(block.image, block.target);
  if (found.kind !== KIND_NO_CODE) block.targetBlock = found;
  return found;
}

function grow(): void {
  const old = slots;
  const length = mask + 1;
  mask = 2 * length - 1;
  slots = zeroed(4 * (<usize>mask + 1));
  for (let row: u32 = 0; row < length; row++) {
    const at = load<u32>(old + 4 * row);
    if (at !== 0) insert(at);
  }
}

function insert(at: u32): void {
  const block = changetype<Block>(<usize>at);
  let slot = hashOf(block.image, block.start) & mask;
  while (load<u32>(slots + 4 * slot) !== 0) slot = (slot + 1) & mask;
  store<u32>(slots + 4 * slot, at);
}
