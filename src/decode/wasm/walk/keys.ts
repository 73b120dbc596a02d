/**
 * Keys of packets, by which it is found what they do (rows.ts). Of a short TNT, its byte. Of a TIP, the address of the block
 * that it leads to; of a TNT and a TIP, its lower bits, which are 0 otherwise, are those of the TNT.
 */
import { Block } from '../blocks';
import { cacheOf } from '../memory';

/** No block is at an address as low; nor do addresses of blocks have these bits. */
const TNT_KEYS: u32 = 256;
export const TNT_BITS: u32 = 63;

/** Blocks at targets of indirect branches, by address: a cache. They may be those of another image. */
const TARGET_BYTES: usize = 16;
const TARGET_BLOCK: usize = 8;
const TARGET_BITS: u32 = 12;
const targets: usize = cacheOf(TARGET_BYTES << TARGET_BITS);

export class Keys {
  @inline
  private static rowOf(ip: u64): usize {
    return targets + TARGET_BYTES * <usize>((<u32>ip * 0x9e3779b1) >> (32 - TARGET_BITS));
  }

  /** The bits of the TNT, the first one below a bit that is set; 0: there is none. */
  @inline
  static bitsOf(key: u32): u32 {
    return key < TNT_KEYS ? key >> 1 : key & TNT_BITS;
  }

  static hasTip(key: u32): bool {
    return key === 0 || key >= TNT_KEYS;
  }

  /** The block that the TIP leads to; null: there is none, or it is unknown. */
  @inline
  static targetOf(key: u32): Block {
    return changetype<Block>(<usize>(key < TNT_KEYS ? 0 : key & ~TNT_BITS));
  }

  /** Of a TIP with an address; 0: unknown. */
  @inline
  static ofTip(ip: u64): u32 {
    const row = Keys.rowOf(ip);
    return load<u64>(row) === ip ? load<u32>(row, TARGET_BLOCK) : 0;
  }

  /** A TIP led to a block. */
  static keep(block: Block): void {
    const row = Keys.rowOf(block.start);
    store<u64>(row, block.start);
    store<u32>(row, <u32>changetype<usize>(block), TARGET_BLOCK);
  }
}
