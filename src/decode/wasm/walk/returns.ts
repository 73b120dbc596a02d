/**
 * The calls that a compressed return can return to: a ring in the state. Unused entries are 0, so that equal calls are
 * equal bytes.
 */
import { Block } from '../blocks';
import { KIND_CALL, KIND_CALL_INDIRECT, KIND_RETURN } from '../layout';
import { MAX_RETURNS, returns, state } from '../state';

/** Where the entry of a number is. */
export function returnAt(row: u32): usize {
  return returns + 4 * (row & (MAX_RETURNS - 1));
}

export function clearReturns(): void {
  memory.fill(returns, 0, 4 * MAX_RETURNS);
  state.returnCount = 0;
  state.returnTop = 0;
}

/** The call before the last `back` ones, if there are more than that; else 0. */
export function returnBefore(back: u32): u32 {
  return load<u32>(returnAt(state.returnTop - 1 - back));
}

/** As the CPU does: a call of the next instruction does not count, it only reads the address. */
export function isPushed(block: Block): bool {
  return block.kind !== KIND_CALL || block.target !== block.after;
}

export function pushCall(block: Block): void {
  if (!isPushed(block)) return;
  store<u32>(returnAt(state.returnTop), <u32>changetype<usize>(block));
  state.returnTop++;
  if (state.returnCount < MAX_RETURNS) state.returnCount++;
}

/** Returns the block whose call returns; null: unknown. */
export function popCall(): Block {
  if (state.returnCount === 0) return changetype<Block>(<usize>0);
  state.returnCount--;
  state.returnTop--;
  const at = returnAt(state.returnTop);
  const block = load<u32>(at);
  store<u32>(at, 0);
  return changetype<Block>(<usize>block);
}

/**
 * What an indirect branch does to the calls. Returns are compressed for near calls and near returns alone (Intel SDM
 * volume 3, "Indirect Transfer Compression for Returns (RET)"): far calls, far jumps and far returns leave the ring as
 * it is.
 */
export function passReturns(block: Block): void {
  if (block.kind === KIND_RETURN) popCall();
  else if (block.kind === KIND_CALL_INDIRECT) pushCall(block);
}
