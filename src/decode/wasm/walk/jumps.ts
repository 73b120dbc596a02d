/**
 * Jumps: none of them is an event, all are, or those that leave their function.
 */
import { Block } from '../blocks';
import { boundsAround, holds, isInFunctionOf } from '../code/functions';
import { Events, siteOfBlock } from '../events';
import { JUMPS_LEAVING, JUMPS_NONE, KIND_FAR_JUMP, KIND_JUMP_INDIRECT } from '../layout';

export let wantsJumps: bool = false;
let wantsOnlyLeaving: bool = false;

/** JUMPS_… of layout.ts. */
export function wantJumps(which: i32): void {
  wantsJumps = which !== JUMPS_NONE;
  wantsOnlyLeaving = which === JUMPS_LEAVING;
}

/** Instead of the site of a jump that is no event, plus one. */
export const NO_EVENT: u32 = u32.MAX_VALUE;

export class Jumps {
  /** The site of a direct jump, plus one, or NO_EVENT. */
  @inline
  static siteOf(block: Block): u32 {
    return block.site !== 0 ? block.site : newSiteOf(block);
  }

  /** Passes a direct jump. */
  @inline
  static pass(block: Block, tick: u64): void {
    const site = Jumps.siteOf(block);
    if (site !== NO_EVENT) Events.emit(site - 1, tick);
  }
}

function newSiteOf(block: Block): u32 {
  if (wantsOnlyLeaving && isInFunctionOf(block.image, block.from, block.target)) block.site = NO_EVENT;
  else siteOfBlock(block);
  return block.site;
}

/** Whether an indirect branch to an address is an event, if jumps are. */
export function isEventTo(branch: Block, ip: u64): bool {
  if (!wantsOnlyLeaving || (branch.kind !== KIND_JUMP_INDIRECT && branch.kind !== KIND_FAR_JUMP)) return true;
  if (branch.site === 0) branch.site = <u32>boundsAround(branch.image, branch.from);
  return !holds(branch.site, ip);
}
