/**
 * Errors, and how decoding continues after them.
 */
import { estimatedTime } from '../clock/clock';
import { fault } from '../events';
import { ERROR_MISMATCH, ERROR_NO_CODE } from '../layout';
import { PHASE_ASYNC, PHASE_LOST, state } from '../state';
import { begin } from '../walk/edges';
import { moveTo } from '../walk/position';

/** An error: the walk continues at the next address that a packet has. */
export function lose(code: u32): void {
  state.sampleTime = state.time;
  loseAt(code);
}

/** An error at the sample time. */
export function loseAt(code: u32): void {
  fault(code, state.ip, estimatedTime());
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
  if (state.phase === PHASE_ASYNC) lose(ERROR_MISMATCH);
}

/** After an error: begins at the address of a packet, or where the walk was. */
export function resume(isKnown: bool, ip: u64): void {
  const at = isKnown ? ip : state.ip;
  if (at === 0) return;
  state.isTracing = true;
  state.sampleTime = state.time;
  begin(at, estimatedTime());
}
