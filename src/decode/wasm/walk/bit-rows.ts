/**
 * Rows of what the walk does with the bits of a short TNT packet at a block, as far as it does not depend on time.
 */
import { Block } from '../blocks';
import { zeroed } from '../memory';

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
const rows: usize = (zeroed(2 * TABLE_BYTES + ROW_BYTES) + ROW_BYTES - 1) & ~(ROW_BYTES - 1);

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
