/**
 * All that the decoder of one CPU's trace remembers between two packets, in one stretch of memory: two decoders with equal
 * bytes here decode the same packets to the same events. Times are ticks of the TSC.
 *
 * Everything else that a file of the module keeps is a setting, a cache, output, or used within one packet only.
 */

/** No PSB was found yet. */
export const PHASE_SEARCH: u32 = 0;
/** At an indirect branch, with bits of a TNT left for what follows it: a TIP must be next. */
export const PHASE_TARGET: u32 = 1;
/** Within the first PSB+. */
export const PHASE_FIRST: u32 = 2;
/** `ip` is known, or 0. */
export const PHASE_WALK: u32 = 3;
/** Control left `ip` asynchronously: a TIP or a TIP.PGD has the address. */
export const PHASE_ASYNC: u32 = 4;
/** Position unknown, as at the beginning and after errors and overflows: the next packet with an address has it. */
export const PHASE_LOST: u32 = 5;

/** The previous packet, PADs not counted: a CYC; an event whose address is in the FUP that follows; any other. */
export const BEFORE_OTHER: u8 = 0;
export const BEFORE_CYC: u8 = 1;
export const BEFORE_BOUND: u8 = 2;

/** Calls that a compressed return can return to. */
export const MAX_RETURNS: u32 = 64;

@unmanaged
export class State {
  time: u64 = 0;
  tscTime: u64 = 0;
  ctcTime: u64 = 0;
  ctcDelta: u64 = 0;
  cycleStart: u64 = 0;
  cycles: u64 = 0;
  /** Ticks per cycle, as measured between two MTC packets, and by the core's bus ratio; 0: unknown. */
  measuredRatio: f64 = 0;
  busRatio: f64 = 0;
  /** The tick that the first TSC of a buffer is near; 0: the buffer continues the one before. */
  firstReference: u64 = 0;
  sampleTime: u64 = 0;
  lastEventTime: u64 = 0;
  /** Instructions since a packet set the time. */
  instructions: u64 = 0;
  ip: u64 = 0;
  lastIp: u64 = 0;
  /** Within PSB+: its address; the last ip, the time and the core's bus ratio before the PSB, and at the address. */
  psbIp: u64 = 0;
  lastIpBeforePsb: u64 = 0;
  timeBeforePsb: u64 = 0;
  timeAtPsbIp: u64 = 0;
  cbrBeforePsb: u32 = 0;
  cbrAtPsbIp: u32 = 0;
  /** PHASE_TARGET: the bits that are left, the next one at `waitingCount` - 1. */
  waitingBits: u64 = 0;
  waitingCount: i32 = 0;
  lastMtc: u32 = 0;
  cbr: u32 = 0;
  phase: u32 = PHASE_SEARCH;
  /** The row of the schedule that runs. */
  slot: u32 = 0;
  /** How often the kernel's code has changed. */
  changes: u32 = 0;
  /** A ring of blocks whose calls have not returned, after this object; unused entries are 0. */
  returnTop: u32 = 0;
  returnCount: u32 = 0;
  hasLastIp: bool = false;
  hasTma: bool = false;
  /** `lastMtc` is from a TMA, which has 16 bits of the clock only: the upper bits are unknown. */
  lacksMtcBits: bool = false;
  isInPsb: bool = false;
  setsTimeInPsb: bool = false;
  setsTimeBeforePsbIp: bool = false;
  isPsbCut: bool = false;
  psbHasFup: bool = false;
  psbHasIp: bool = false;
  psbIpIsWhole: bool = false;
  hadLastIpBeforePsb: bool = false;
  /** BEFORE_… */
  before: u8 = BEFORE_OTHER;
  /** Since the last TIP.PGE; a FUP outside has the program's address, but is no interrupt. */
  isTracing: bool = false;
  /** The next FUP has the address where an overflow ended. */
  isBehindOverflow: bool = false;
  /** The kernel has switched stacks, but no record has told of it yet. */
  isSwitching: bool = false;
  /** The decoder began within a stream: `cycleStart` and `cycles` are unknown, and the time of the last event, as long as it is 0. */
  areCyclesUnsure: bool = false;
  isEventTimeUnsure: bool = false;
}

export const STATE_BYTES: usize = offsetof<State>() + 4 * MAX_RETURNS;
export const state = changetype<State>(memory.data(offsetof<State>() + 4 * MAX_RETURNS, 8));
/** The ring of returns. */
export const returns: usize = changetype<usize>(state) + offsetof<State>();

/** Forgets everything: a stream of trace begins. */
export function clearState(firstReference: u64): void {
  memory.fill(changetype<usize>(state), 0, STATE_BYTES);
  state.firstReference = firstReference;
}

/** The next stream of the same CPU begins: the clock of its core goes on. */
export function clearStream(firstReference: u64): void {
  const cbr = state.cbr;
  const busRatio = state.busRatio;
  const measuredRatio = state.measuredRatio;
  const cycleStart = state.cycleStart;
  const cycles = state.cycles;
  clearState(firstReference);
  state.cbr = cbr;
  state.busRatio = busRatio;
  state.measuredRatio = measuredRatio;
  state.cycleStart = cycleStart;
  state.cycles = cycles;
}
