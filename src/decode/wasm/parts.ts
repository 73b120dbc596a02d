/**
 * Where a part of the trace ends, and where its decoder may take over from the one before or hand over to the next: marks,
 * which are states at positions after a PSB. src/decode/parts.ts compares them.
 */
import { Block, blockAt, enterCode, forgetCode } from './blocks';
import { endRun, events, faults, reserveEvents, resumeSchedule, runs, slotTick, startSchedule } from './events';
import {
  FAULT_BYTES,
  MARK_EVENT_BYTES,
  MARK_FAULTS,
  MARK_OFFSET,
  MARK_RUNS,
  MARK_STATE,
  RUN_BYTES,
  STATE_CYCLE_START,
  STATE_CYCLES,
  STATE_EVENT_TIME,
  STATE_OWN,
  STATE_UNSURE_CYCLES,
  STATE_UNSURE_EVENT_TIME,
} from './layout';
import { Column, isFull, limitMemory, zeroed } from './memory';
import { enterStream } from './packets/format';
import { clearState, clearStream, MAX_RETURNS, PHASE_SEARCH, returns, STATE_BYTES, State, state } from './state';
import { moveTo } from './walk/position';

/** The recording has no MTC packets. */
let isWithoutMtc: bool = false;

export function setMarks(atAddresses: bool): void {
  isWithoutMtc = atAddresses;
}

/** Marks after a PSB. */
const MAX_MARKS: u32 = 16;

export const marks = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** The PSB after which marks begin: the first one from this offset on. */
let nextMarks: u64 = u64.MAX_VALUE;
/** Where the next part begins. */
let cut: u64 = u64.MAX_VALUE;
let marksLeft: u32 = 0;
/** The marks of the next part's begin are there. */
export let isAtCut: bool = false;

/** A state as it is handed over: what a decoder that begins within a stream may not know, the rest, and the returns, oldest first. */
const RETURN_BYTES: usize = 16;
const RETURNS_START: usize = STATE_OWN + offsetof<State>();
const SAVED_BYTES: usize = RETURNS_START + <usize>MAX_RETURNS * RETURN_BYTES;
const saved: usize = zeroed(SAVED_BYTES);

/**
 * Begins within a stream, or with it: `isWithin`. Its records and the schedule of its CPU are there. `follows`: the stream
 * before has been decoded; as perf does, what is known of cycles stays.
 */
export function startStream(reference: u64, isWithin: bool, follows: bool): void {
  if (follows) clearStream(reference);
  else clearState(reference);
  state.areCyclesUnsure = isWithin;
  state.isEventTimeUnsure = isWithin;
  startSchedule();
  enterStream();
  forgetCode();
  moveTo(0);
}

/** Marks are to be made after the first PSB from `first` on, and after the first one from `next` on, where the next part begins. */
export function expectMarks(first: u64, next: u64): void {
  nextMarks = first;
  cut = next;
  marksLeft = 0;
  isAtCut = false;
}

/** A PSB was read that began before an offset. */
export function passPsb(offset: u64): void {
  if (offset < nextMarks) return;
  nextMarks = offset < cut ? cut : u64.MAX_VALUE;
  marksLeft = MAX_MARKS;
}

/** The decoder is where another one may be in the same state: behind an MTC, which sets the clock. */
export function markMtc(offset: u64): void {
  if (marksLeft !== 0 && !isWithoutMtc) mark(offset);
}

/** Likewise behind a packet with an address, where only PSB+ sets the clock. */
export function markAddress(offset: u64): void {
  if (marksLeft !== 0 && isWithoutMtc) mark(offset);
}

/** Marks are being made. */
export function isMarking(): bool {
  return marksLeft !== 0;
}

function mark(offset: u64): void {
  if (state.isInPsb) return;
  if (--marksLeft === 0) isAtCut = nextMarks === u64.MAX_VALUE && cut !== u64.MAX_VALUE;
  endRun();
  const row = marks.extend(<usize>MARK_STATE + SAVED_BYTES);
  store<u64>(row, offset, MARK_OFFSET);
  store<u32>(row, <u32>events.used, MARK_EVENT_BYTES);
  store<u32>(row, <u32>(runs.used / RUN_BYTES), MARK_RUNS);
  store<u32>(row, <u32>(faults.used / FAULT_BYTES), MARK_FAULTS);
  writeState(row + MARK_STATE);
}

/** A packet was taken that ends at an offset: returns whether decoding must stop. */
export function mustStop(offset: u64): bool {
  if (state.phase === PHASE_SEARCH && offset >= cut) isAtCut = true; // the part has no PSB
  return hasStopped();
}

/** The next part has begun, or space is short. */
export function hasStopped(): bool {
  return isAtCut || events.used >= maxEventBytes || isFull();
}

/** How many bytes of events are enough. */
let maxEventBytes: usize = usize.MAX_VALUE;

/** `codeBytes`: for what is not there yet. */
export function limit(eventBytes: usize, codeBytes: usize): void {
  maxEventBytes = eventBytes;
  reserveEvents(eventBytes);
  limitMemory(codeBytes);
}

export function stateBytes(): usize {
  return SAVED_BYTES;
}

/** Returns where the state is. */
export function saveState(): usize {
  writeState(saved);
  return saved;
}

export function stateSpace(): usize {
  return saved;
}

function writeState(to: usize): void {
  memory.fill(to, 0, SAVED_BYTES);
  store<u64>(to, state.cycleStart, STATE_CYCLE_START);
  store<u64>(to, state.cycles, STATE_CYCLES);
  store<u64>(to, state.lastEventTime, STATE_EVENT_TIME);
  store<u8>(to, state.areCyclesUnsure ? 1 : 0, STATE_UNSURE_CYCLES);
  store<u8>(to, state.isEventTimeUnsure && state.lastEventTime === 0 ? 1 : 0, STATE_UNSURE_EVENT_TIME);
  memory.copy(to + STATE_OWN, changetype<usize>(state), offsetof<State>());
  const own = changetype<State>(to + STATE_OWN);
  own.cycleStart = 0;
  own.cycles = 0;
  own.lastEventTime = 0;
  own.areCyclesUnsure = false;
  own.isEventTimeUnsure = false;
  own.returnTop = 0;
  if (!state.isInPsb) forgetPsb(own);
  for (let row: u32 = 0; row < state.returnCount; row++) {
    const at = (state.returnTop - state.returnCount + row) & (MAX_RETURNS - 1);
    const block = changetype<Block>(<usize>load<u32>(returns + 4 * at));
    store<u64>(to + RETURNS_START + RETURN_BYTES * row, block.start);
    store<u32>(to + RETURNS_START + RETURN_BYTES * row, block.image, 8);
  }
}

/** What only PSB+ needs. */
function forgetPsb(own: State): void {
  own.psbIp = 0;
  own.lastIpBeforePsb = 0;
  own.timeBeforePsb = 0;
  own.timeAtPsbIp = 0;
  own.cbrBeforePsb = 0;
  own.cbrAtPsbIp = 0;
  own.isPsbCut = false;
  own.psbHasFup = false;
  own.psbHasIp = false;
  own.psbIpIsWhole = false;
  own.hadLastIpBeforePsb = false;
  own.setsTimeInPsb = false;
  own.setsTimeBeforePsbIp = false;
}

/** The state in the space for it is that of a decoder that stopped: goes on there. */
export function loadState(): void {
  memory.fill(changetype<usize>(state), 0, STATE_BYTES);
  memory.copy(changetype<usize>(state), saved + STATE_OWN, offsetof<State>());
  state.cycleStart = load<u64>(saved, STATE_CYCLE_START);
  state.cycles = load<u64>(saved, STATE_CYCLES);
  state.lastEventTime = load<u64>(saved, STATE_EVENT_TIME);
  state.areCyclesUnsure = load<u8>(saved, STATE_UNSURE_CYCLES) !== 0;
  state.isEventTimeUnsure = load<u8>(saved, STATE_UNSURE_EVENT_TIME) !== 0;
  state.returnTop = state.returnCount;
  enterStream();
  forgetCode();
  resumeSchedule();
  enterCode(slotTick);
  for (let row: u32 = 0; row < state.returnCount; row++) {
    const at = saved + RETURNS_START + RETURN_BYTES * row;
    const block = blockAt(load<u32>(at, 8), load<u64>(at));
    store<u32>(returns + 4 * (row & (MAX_RETURNS - 1)), <u32>changetype<usize>(block));
  }
  moveTo(state.ip);
}
