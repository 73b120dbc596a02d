/**
 * Where the walk is: `ip` in the state, and its block as a cache.
 */
import { Block, blockAt, enterCode } from '../blocks';
import { image, slotTick } from '../events';
import { state } from '../state';

/** The block that begins at `ip`; null: not looked up. */
let current: Block = changetype<Block>(<usize>0);

export function moveTo(ip: u64): void {
  state.ip = ip;
  current = changetype<Block>(<usize>0);
}

export function stay(block: Block): void {
  current = block;
  state.ip = block.start;
}

export function here(): Block {
  if (changetype<usize>(current) === 0 || current.start !== state.ip || current.image !== image) {
    enterCode(slotTick);
    current = blockAt(image, state.ip);
  }
  return current;
}
