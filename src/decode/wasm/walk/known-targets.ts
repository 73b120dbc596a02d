/**
 * Where indirect branches went: a cache of the blocks and of the sites, by branch and address.
 */
import { Block, blockAt } from '../blocks';
import { image, siteOf } from '../events';
import { KIND_NO_CODE } from '../layout';
import { zeroed } from '../memory';
import { isEventTo, NO_EVENT } from './jumps';

@unmanaged
export class Target {
  private ip: u64 = 0;
  private branch: Block | null = null;
  private block: Block | null = null;
  /** Plus one, or NO_EVENT; 0: not known yet. */
  private knownSite: u32 = 0;

  @inline
  is(branch: Block, ip: u64): bool {
    return this.branch === branch && this.ip === ip && branch.image === image;
  }

  set(branch: Block, ip: u64): void {
    const block = blockAt(image, ip);
    const isLasting = branch.image === image && block.kind !== KIND_NO_CODE;
    this.branch = isLasting ? branch : null;
    this.ip = ip;
    this.block = block;
    this.knownSite = 0;
  }

  @inline
  get target(): Block {
    return changetype<Block>(this.block);
  }

  /** The site of the branch to the target, plus one; NO_EVENT for a jump that is none. */
  site(branch: Block): u32 {
    if (this.knownSite === 0)
      this.knownSite = isEventTo(branch, this.ip)
        ? siteOf(branch.from, this.ip, branch.image, branch.kind, 0) + 1
        : NO_EVENT;
    return this.knownSite;
  }
}

const ROW_BYTES: usize = 24;
const ROW_BITS: u32 = 13;
const rows: usize = zeroed(ROW_BYTES << ROW_BITS);

/** The target of a branch at an address of the image that runs. Valid until the next one is asked for. */
export function targetOf(branch: Block, ip: u64): Target {
  const mixed = (<u32>ip ^ ((<u32>changetype<usize>(branch)) << 8)) * 0x9e3779b1;
  const row = changetype<Target>(rows + ROW_BYTES * <usize>(mixed >> (32 - ROW_BITS)));
  if (!row.is(branch, ip)) row.set(branch, ip);
  return row;
}
