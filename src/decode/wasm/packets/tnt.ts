/**
 * TNT packets, and the TIP packets that belong between their bits.
 */
import { ERROR_MISMATCH } from '../layout';
import { BEFORE_OTHER, PHASE_ASYNC, PHASE_WALK, state } from '../state';
import { walkBits } from '../walk/bits';
import { settle } from '../walk/position';
import { missTarget, walkToWithinBits } from '../walk/targets';
import { readAddress } from './addresses';
import { badPacket } from './bad';
import { BAD, sizeOf, TIP } from './format';
import { end, pos } from './input';
import { lose } from './losses';
import { breakPsb } from './psb';

/** `bits`: the branches, the first one highest, below a bit that is set. */
export function takeTnt(bits: u64): void {
  if (bits === 0) return; // as perf does: a long one without any
  state.before = BEFORE_OTHER;
  if (state.isInPsb && !breakPsb(true)) return;
  if (state.phase === PHASE_WALK) walkOn(bits, 63 - <i32>clz<u64>(bits));
  else if (state.phase === PHASE_ASYNC) lose(ERROR_MISMATCH);
}

function walkOn(bits: u64, count: i32): void {
  const error = walkBits(bits, count);
  if (error !== 0) lose(error);
}

/**
 * Bits are left and the walk is at an indirect branch: the next packet must be a TIP with an address. After a bad packet, as
 * perf does, they wait on.
 */
export function takeTarget(): bool {
  if (sizeOf(pos, end) <= BAD) {
    missTarget();
    return badPacket();
  }
  const bits = state.waitingBits;
  const count = state.waitingCount;
  state.waitingBits = 0;
  state.waitingCount = 0;
  state.phase = PHASE_WALK;
  const byte = load<u8>(pos);
  if ((byte & 0x1f) !== TIP || byte >> 5 === 0) {
    lose(missTarget());
    return true;
  }
  const isKnown = readAddress(byte);
  const error = walkToWithinBits(isKnown, state.lastIp);
  settle();
  if (error !== 0) lose(error);
  else walkOn(bits, count);
  return true;
}
