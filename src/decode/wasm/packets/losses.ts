/**
 * Errors, and how decoding continues after them.
 */
import { estimatedTime } from '../clock/clock';
import { fault } from '../events';
import { ERROR_MISMATCH, ERROR_NO_CODE } from '../layout';
import { BEFORE_OTHER, PHASE_ASYNC, PHASE_LOST, state } from '../state';
import { begin } from '../walk/edges';
import { moveTo } from '../walk/position';

/** An error: the walk continues at the next address that a packet has. */
export function lose(code: u32): void {
  state.sampleTime = state.time;
  loseAt(code, estimatedTime());
}

export function loseAt(code: u32, tick: u64): void {
  fault(code, state.ip, tick);
  state.phase = PHASE_LOST;
  state.isBehindOverflow = false;
  if (code === ERROR_NO_CODE) {
    moveTo(0);
    state.lastIp = 0;
    state.hasLastIp = false;
  }
}

/** Between a FUP and its TIP only few packets may come. */
export function breakAsync(): void {
  if (state.phase !== PHASE_ASYNC) return;
  lose(ERROR_MISMATCH);
  state.before = BEFORE_OTHER;
}

/** After an error: begins at the address of a packet, or where the walk was. */
export function resume(isKnown: bool, ip: u64): void {
  const at = isKnown ? ip : state.ip;
  if (at === 0) return;
  state.sampleTime = state.time;
  begin(at, estimatedTime());
}
