/**
 * Where the walk is: `ip` in the state, and its block as a cache.
 */
import { Block, blockAt, enterCode, isCodeOf } from '../blocks';
import { image, slotTick } from '../events';
import { state } from '../state';

/** The block that begins at `ip`, and the image that it was looked up for; null: not looked up. */
let current: Block = changetype<Block>(<usize>0);
let currentImage: u32 = 0;

export function moveTo(ip: u64): void {
  state.ip = ip;
  current = changetype<Block>(<usize>0);
}

export function stay(block: Block): void {
  current = block;
  currentImage = isCodeOf(block.image, image) ? image : block.image;
  state.ip = block.start;
}

/** Goes on to a block of the same image, without a look at it: `settle` must follow, before `ip` is read. */
export function goOnTo(block: Block): void {
  current = block;
}

export function settle(): void {
  if (changetype<usize>(current) !== 0) state.ip = current.start;
}

export function here(): Block {
  return changetype<usize>(current) !== 0 && currentImage === image ? current : lookUp();
}

function lookUp(): Block {
  settle();
  enterCode(slotTick);
  current = blockAt(image, state.ip);
  currentImage = image;
  return current;
}
