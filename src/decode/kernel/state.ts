/**
 * All that a decoder of one CPU's trace remembers between two packets, in memory: two decoders whose states are equal byte for
 * byte go on alike. Times are ticks of the TSC.
 */
import { zeroed } from './memory';

/** No PSB was found yet. */
export const PHASE_SEARCH = 0;
/** Within the first PSB+. */
export const PHASE_FIRST = 1;
/** `ip` is known, or 0. */
export const PHASE_WALK = 2;
/** Control left `ip` asynchronously: a TIP or a TIP.PGD says where to. */
export const PHASE_ASYNC = 3;
/** Where it goes on is not known, as at the beginning and after errors and overflows: the next packet with an address says where it goes on. */
export const PHASE_LOST = 4;

/** The packet before was a CYC; one whose address a FUP says that follows at once. */
export const BEFORE_OTHER: u8 = 0;
export const BEFORE_CYC: u8 = 1;
export const BEFORE_BOUND: u8 = 2;

@unmanaged
export class State {
  time: u64 = 0;
  tscTime: u64 = 0;
  ctcTime: u64 = 0;
  ctcDelta: u64 = 0;
  cycleStart: u64 = 0;
  cycles: u64 = 0;
  /** Ticks a cycle, as measured between two MTC packets, and by the core's bus ratio; 0: not known. */
  measuredRatio: f64 = 0;
  busRatio: f64 = 0;
  /** Of the first TSC of a buffer: what it is near to; 0: it follows the buffer before. */
  firstReference: u64 = 0;
  sampleTime: u64 = 0;
  lastEventTime: u64 = 0;
  /** Instructions since a packet set the time. */
  instructions: u64 = 0;
  ip: u64 = 0;
  lastIp: u64 = 0;
  lastMtc: u32 = 0;
  cbr: u32 = 0;
  phase: u32 = PHASE_SEARCH;
  hasLastIp: bool = false;
  hasTma: bool = false;
  isInPsb: bool = false;
  setsTimeInPsb: bool = false;
  /** What the packet before was: BEFORE_… */
  before: u8 = 0;
  /** Since the last TIP.PGE; a FUP outside says where the program is, not that it was interrupted. */
  isTracing: bool = false;
  /** The next FUP says where an overflow ended. */
  isBehindOverflow: bool = false;
  /** Calls that may return by a compressed return: a ring. */
  returnTop: u32 = 0;
  returnCount: u32 = 0;
}

export const state = changetype<State>(zeroed(offsetof<State>()));
