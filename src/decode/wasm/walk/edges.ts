/**
 * Events without a branch in the code: where tracing begins and ends, and interrupts.
 */
import { eventTime } from '../clock/clock';
import { emit, image, passTo, siteOf } from '../events';
import { EDGE_BEGIN, EDGE_BEGIN_AND_END, EDGE_END, EDGE_NONE, KIND_ASYNC, KIND_NONE } from '../layout';
import { PHASE_WALK, state } from '../state';
import { moveTo } from './position';

/** Tracing begins, or continues after a loss. */
export function begin(ip: u64, tick: u64): void {
  beginAt(ip, tick, KIND_NONE);
}

/** As perf does: it may be before the last event, but not in the kernel. */
function beginTime(ip: u64, tick: u64): u64 {
  return <i64>ip > 0 ? tick : eventTime();
}

/** A TIP.PGD after a loss. */
export function beginAndEnd(ip: u64, to: u64, tick: u64): void {
  const time = beginTime(to, tick);
  passTo(time);
  emit(siteOf(ip, to, image, KIND_NONE, EDGE_BEGIN_AND_END), time);
  moveTo(to);
  state.phase = PHASE_WALK;
}

/** FUP and TIP.PGE. */
export function beginAsync(ip: u64, tick: u64): void {
  beginAt(ip, tick, KIND_ASYNC);
}

function beginAt(ip: u64, tick: u64, kind: i32): void {
  const time = beginTime(ip, tick);
  passTo(time);
  emit(siteOf(0, ip, image, kind, EDGE_BEGIN), time);
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** FUP and a TIP.PGE without an address: an event without any, as perf makes it. */
export function beginNowhere(): void {
  state.sampleTime = state.time;
  emit(siteOf(0, 0, image, KIND_NONE, EDGE_NONE), eventTime());
  state.phase = PHASE_WALK;
}

/** FUP and TIP: an interrupt, a fault or a signal at `state.ip`. */
export function jumpAsync(isKnown: bool, ip: u64): void {
  if (!isKnown) return endAsync(0);
  state.sampleTime = state.time;
  emit(siteOf(state.ip, ip, image, KIND_ASYNC, EDGE_NONE), eventTime());
  moveTo(ip);
  state.phase = PHASE_WALK;
}

/** FUP and TIP.PGD. */
export function endAsync(ip: u64): void {
  state.sampleTime = state.time;
  emit(siteOf(state.ip, ip, image, KIND_ASYNC, EDGE_END), eventTime());
  if (ip !== 0) moveTo(ip);
  state.phase = PHASE_WALK;
}
