/**
 * Packets, one after another (Intel SDM volume 3, "Intel Processor Trace", packet definitions), and what each means in each phase.
 */
import { forgetCode } from './blocks';
import {
  estimatedTime,
  ipBytes,
  isAddress,
  sizeOfExtended,
  takeCbr,
  takeCyc,
  takeMtc,
  takeTma,
  takeTsc,
} from './clock';
import { fault, passTo, schedule, startSchedule } from './events';
import {
  ERROR_BAD_PACKET,
  ERROR_MISMATCH,
  ERROR_NO_CODE,
  ERROR_OVERFLOW,
  RECORD_BYTES,
  RECORD_END,
  RECORD_REFERENCE,
} from './layout';
import { Column } from './memory';
import {
  BEFORE_BOUND,
  BEFORE_CYC,
  BEFORE_OTHER,
  PHASE_ASYNC,
  PHASE_FIRST,
  PHASE_LOST,
  PHASE_SEARCH,
  PHASE_WALK,
  State,
  state,
} from './state';
import {
  begin,
  beginAndEnd,
  beginAsync,
  beginNowhere,
  bitsLeft,
  clearReturns,
  endAsync,
  jumpAsync,
  missTarget,
  moveTo,
  walkBits,
  walkThrough,
  walkTo,
  walkToEnd,
} from './walk';

/** The longest packet; the longest look ahead behind PSBEND is six packets. */
const LONGEST: usize = 16;
const LOOK_AHEAD: usize = 6 * LONGEST;

/** Trace records, in their order: where each ends in the stream, and its reference. */
export const records = Column.make();
let record: usize = 0;

/** The record, as far as it is in the window; the window, and what offset in the stream its first byte has. */
let pos: usize = 0;
let end: usize = 0;
let isLast: bool = false;
let windowEnd: usize = 0;
let windowStart: usize = 0;
let windowOffset: u64 = 0;

/** Within PSB+: its address, if it has one. */
let psbIp: u64 = 0;
let psbHasIp: bool = false;
let psbIpIsWhole: bool = false;
let timeBeforePsb: u64 = 0;

/** Begins with a stream of trace: all records are there. */
export function startStream(reference: u64): void {
  memory.fill(changetype<usize>(state), 0, offsetof<State>());
  state.phase = PHASE_SEARCH;
  state.firstReference = reference;
  record = records.start;
  state.isInPsb = false;
  forgetCode();
  clearReturns();
  moveTo(0);
}

/** Decodes a window of the stream; returns how many bytes of it were used up. */
export function decodeWindow(start: usize, bytes: usize, offset: u64, last: bool): usize {
  windowStart = start;
  windowOffset = offset;
  windowEnd = start + bytes;
  pos = start;
  while (pos < windowEnd) {
    enterRecord(last);
    decodeRecord();
    if (pos < end) break;
  }
  if (last && pos >= windowEnd) endStream();
  return pos - start;
}

/** As perf does: no packet goes on in the next record. */
function enterRecord(last: bool): void {
  const offset = windowOffset + (pos - windowStart);
  while (record + RECORD_BYTES < records.start + records.used && load<u64>(record, RECORD_END) <= offset)
    record += RECORD_BYTES;
  const left = load<u64>(record, RECORD_END) - offset;
  const isWhole = left <= <u64>(windowEnd - pos);
  end = isWhole ? pos + <usize>left : windowEnd;
  isLast = isWhole || last;
}

function decodeRecord(): void {
  while (pos < end && (isLast || end - pos >= LOOK_AHEAD)) {
    if (state.phase === PHASE_SEARCH) {
      if (!searchPsb()) break;
    } else if (!takePacket()) break;
  }
}

/** The trace ends within PSB+. */
function endStream(): void {
  if (!state.isInPsb || state.phase !== PHASE_WALK) return;
  leavePsb();
}

const PSB_LOW: u64 = 0x8202820282028202;

function isPsb(at: usize): bool {
  return at + 16 <= windowEnd && load<u64>(at) === PSB_LOW && load<u64>(at, 8) === PSB_LOW;
}

/**
 * Goes to the last PSB of a run of pairs: `02 82` may stand before it by chance. As perf does: it may begin in one record and
 * end in the next.
 */
function searchPsb(): bool {
  while (pos < end) {
    if (load<u16>(pos) === 0x8202 && isPsb(pos)) {
      while (pos + 18 <= windowEnd && load<u16>(pos, 16) === 0x8202) pos += 2;
      state.phase = PHASE_FIRST;
      pos += 16;
      beginPsb();
      return true;
    }
    if (windowEnd - pos < 18 && !isLast) return false;
    pos++;
  }
  return false;
}

/** Returns whether to go on. */
function takePacket(): bool {
  const byte = load<u8>(pos);
  if (byte === 0) {
    pos++;
    return true;
  }
  if ((byte & 3) === 3) return takeCycPacket(byte);
  if ((byte & 1) === 0) {
    if (byte === 2) return takeExtended();
    pos++;
    state.before = BEFORE_OTHER;
    const bits = <u64>(byte >> 1);
    const count = 31 - clz<u32>(<u32>bits);
    takeTnt(bits, count);
    return true;
  }
  if (byte === 0x59) {
    if (pos + 2 > end) return cutOff();
    if (!takeMtc(load<u8>(pos + 1), pos + 2, end, isLast || pos === windowStart)) return false;
    pos += 2;
  } else if (byte === 0x19) {
    if (pos + 8 > end) return cutOff();
    breakAsync();
    takeTsc(load<u64>(pos) >> 8, load<u64>(record, RECORD_REFERENCE));
    pos += 8;
  } else if (byte === 0x99) {
    if (pos + 2 > end) return cutOff();
    const mode = load<u8>(pos + 1);
    if ((mode & 3) === 3 || mode >> 5 > 1) return badPacket();
    pos += 2;
    state.before = mode >> 5 !== 0 && state.isBehindOverflow ? BEFORE_OTHER : BEFORE_BOUND;
    return true;
  } else return takeAddress(byte);
  state.before = BEFORE_OTHER;
  return true;
}

/** The last packet is not all there: as perf does, a bad one at the end of the trace. */
function cutOff(): bool {
  return isLast ? badPacket() : false;
}

function takeCycPacket(byte: u8): bool {
  let value: u64 = byte >> 3;
  let size: usize = 1;
  if (byte & 4) {
    let bits: u64 = 5;
    for (;;) {
      if (pos + size >= end) return cutOff();
      const more = load<u8>(pos + size++);
      if (bits < 64) value |= (<u64>(more >> 1)) << bits;
      bits += 7;
      if ((more & 1) === 0) break;
      if (size > 10) return badPacket();
    }
  }
  pos += size;
  takeCyc(value);
  state.before = BEFORE_CYC;
  return true;
}

function badPacket(): bool {
  pos++;
  if (state.phase === PHASE_FIRST) return leaveFirstPsb();
  if (state.isInPsb) {
    if (state.phase === PHASE_WALK) leavePsb();
    else {
      if (state.setsTimeInPsb) state.instructions = 0;
      if (state.ip === 0) state.hasLastIp = false;
    }
  }
  state.hasTma = false;
  state.before = BEFORE_OTHER;
  state.sampleTime = state.time;
  fault(ERROR_BAD_PACKET, state.ip, estimatedTime());
  if (state.phase === PHASE_ASYNC) state.phase = PHASE_WALK;
  else if (state.phase === PHASE_LOST) state.isInPsb = false;
  return true;
}

function takeExtended(): bool {
  if (pos + 2 > end) return cutOff();
  const second = load<u8>(pos + 1);
  const size = <usize>sizeOfExtended(second);
  if (size === 0) return badPacket();
  if (pos + size > end) return cutOff();
  const at = pos;
  if (second === 0x82) {
    if (!isPsb(at)) return badPacket();
    pos += size;
    state.before = BEFORE_OTHER;
    breakAsync();
    beginPsb();
    return true;
  }
  pos += size;
  state.before = BEFORE_OTHER;
  switch (second) {
    case 0xa3: {
      const bits = load<u64>(at) >> 16;
      if (bits === 0) return badPacket();
      takeTnt(bits, 63 - <i32>clz<u64>(bits));
      return true;
    }
    case 0x03:
      if (takeCbr(load<u8>(at + 2)) && !state.isInPsb) {
        state.sampleTime = state.time;
        passTo(state.sampleTime);
      }
      return true;
    case 0x73:
      breakAsync();
      takeTma(load<u16>(at + 2), <u32>load<u16>(at + 5) & 0x1ff);
      return true;
    case 0x83:
      breakAsync();
      state.hasTma = false;
      state.isTracing = false;
      return true;
    case 0x23:
      breakAsync();
      endPsb();
      return true;
    case 0xf3:
      overflow();
      return true;
    default:
      takeEventPacket(at, second);
      return true;
  }
}

/** Power events, PTWRITE, PEBS and the like: only what they do to the walk. With an address, the next FUP has it. */
function takeEventPacket(at: usize, second: u8): void {
  if (second === 0x43 || second === 0xc8 || second === 0xc3) return;
  breakAsync();
  const hasIp =
    second === 0x13
      ? load<u8>(at + 2) >> 7
      : (second & 0x1f) === 0x12 || second === 0xe2 || second === 0xb3
        ? second >> 7
        : 0;
  if (hasIp !== 0) state.before = BEFORE_BOUND;
}

function overflow(): void {
  if (state.isInPsb && state.phase === PHASE_WALK) leavePsb();
  state.isInPsb = false;
  state.isBehindOverflow = true;
  if (state.phase === PHASE_FIRST) return;
  state.sampleTime = state.time;
  state.instructions = 0;
  fault(ERROR_OVERFLOW, state.ip, state.time);
  state.phase = PHASE_WALK;
  state.isTracing = false;
  state.hasLastIp = true;
  moveTo(0);
}

/** Between FUP and its TIP only few packets may come. */
function breakAsync(): void {
  if (state.phase === PHASE_ASYNC) lose(ERROR_MISMATCH);
}

/** The first PSB+ has packets that do not belong there, or behind it something else than an address: perf says nothing. */
function leaveFirstPsb(): bool {
  state.isInPsb = false;
  state.hasTma = false;
  return true;
}

/**
 * A packet within PSB+ that does not belong there. As perf does: the walk takes what came as ordinary packets; after a loss
 * it is a mismatch. Returns whether the packet is to be taken.
 */
function breakPsb(isTnt: bool): bool {
  state.isInPsb = false;
  if (state.phase === PHASE_FIRST) {
    leaveFirstPsb();
    if (!isTnt) state.phase = PHASE_WALK;
    state.lastIp = 0;
    return false;
  }
  if (state.phase === PHASE_LOST) {
    if (state.setsTimeInPsb) state.instructions = 0;
    lose(ERROR_MISMATCH);
    if (isTnt && state.ip !== 0) state.phase = PHASE_WALK;
    state.hasLastIp = isTnt;
    return false;
  }
  leavePsb();
  return !psbHasIp || state.phase === PHASE_WALK;
}

/** PSB+ without an end: as perf does, what came of it are ordinary packets. */
function leavePsb(): void {
  state.isInPsb = false;
  if (!psbHasIp) {
    if (state.setsTimeInPsb) state.instructions = 0;
    return;
  }
  const before = state.instructions;
  if (state.setsTimeInPsb) state.instructions = 0;
  const error = walkThrough(psbIp);
  if (error === 0) return lose(ERROR_MISMATCH);
  if (state.setsTimeInPsb) state.instructions += before;
  resumeInPsb(error);
}

/** As perf does: the FUP that the walk did not reach is read once more, and begins if its address needs no other. */
function resumeInPsb(error: u32): void {
  loseInPsb(error);
  if (state.setsTimeInPsb) state.instructions = 0;
  if (!psbIpIsWhole && error === ERROR_NO_CODE) return;
  state.lastIp = psbIp;
  state.hasLastIp = true;
  const wasTracing = state.isTracing;
  resume(true, psbIp);
  state.isTracing = wasTracing;
}

/** The walk did not reach the address: an error of the time before. */
function loseInPsb(code: u32): void {
  state.sampleTime = timeBeforePsb;
  loseAt(code);
}

/** An error: the walk goes on at the next address that a packet has. */
function lose(code: u32): void {
  state.sampleTime = state.time;
  loseAt(code);
}

function loseAt(code: u32): void {
  fault(code, state.ip, estimatedTime());
  state.phase = PHASE_LOST;
  state.isBehindOverflow = false;
  if (code === ERROR_NO_CODE) {
    moveTo(0);
    state.lastIp = 0;
    state.hasLastIp = false;
  }
}

function beginPsb(): void {
  state.lastIp = 0;
  state.hasLastIp = true;
  state.isInPsb = true;
  timeBeforePsb = state.time;
  state.setsTimeInPsb = false;
  psbHasIp = false;
}

function endPsb(): void {
  if (!state.isInPsb) return;
  state.isInPsb = false;
  let error: u32 = 0;
  if (psbHasIp && !beginsSoon()) {
    if (state.phase === PHASE_WALK) error = walkThrough(psbIp);
    else moveTo(psbIp);
    if (error === 0) state.isTracing = true;
  }
  if (error !== 0) return resumeInPsb(error);
  clearReturns();
  if (state.phase === PHASE_LOST && state.setsTimeInPsb) state.lastEventTime = 0;
  if (state.phase === PHASE_FIRST || state.ip !== 0) state.phase = PHASE_WALK;
  else if (state.phase === PHASE_LOST) state.hasLastIp = false;
  state.sampleTime = state.tscTime;
  if (state.setsTimeInPsb) state.instructions = 0;
  passTo(state.sampleTime);
}

/**
 * A TIP.PGE is one of the next six packets, before any other that says something of the program: tracing was off at the PSB,
 * and the address in it is not where the program was. As perf does.
 */
function beginsSoon(): bool {
  let at = pos;
  for (let packets = 0; packets < 6 && at < end; ) {
    const byte = load<u8>(at);
    if (byte === 0) {
      at++;
      continue;
    }
    packets++;
    if ((byte & 0x1f) === 0x11) return byte >> 5 !== 0;
    if ((byte & 3) === 3) {
      if (byte & 4) while (at + 1 < end && load<u8>(at + 1) & 1) at++;
      at += byte & 4 ? 2 : 1;
    } else if (byte === 2) {
      if (at + 2 > end) return false;
      const second = load<u8>(at + 1);
      const size = sizeOfExtended(second);
      if (size === 0 || second === 0xf3 || second === 0xa3) return false;
      at += size;
    } else if (byte === 0x59 || byte === 0x99) at += 2;
    else if (byte === 0x19) at += 8;
    else return false;
  }
  return false;
}

function takeTnt(bits: u64, count: i32): void {
  if (state.isInPsb && !breakPsb(true)) return;
  if (state.phase === PHASE_WALK) {
    const error = walkBits(bits, count);
    if (error !== 0) lose(error);
    else if (bitsLeft !== 0) takeTargets(bits);
  } else if (state.phase === PHASE_ASYNC) lose(ERROR_MISMATCH);
}

/** The walk stands at an indirect branch before the bits are used up: each time, a TIP must follow at once. */
function takeTargets(bits: u64): void {
  do {
    const left = bitsLeft;
    skipPads();
    if (pos >= windowEnd) return;
    if (isBadPacket()) {
      missTarget();
      badPacket();
      continue;
    }
    if (!takeDeferredTip()) return lose(missTarget());
    const error = walkBits(bits, left);
    if (error !== 0) return lose(error);
  } while (bitsLeft !== 0);
}

/** Also into the next record. */
function skipPads(): void {
  while (pos < windowEnd) {
    if (pos >= end) enterRecord(isLast);
    if (load<u8>(pos) !== 0) return;
    pos++;
  }
}

/** Or one that is cut off. */
function isBadPacket(): bool {
  const byte = load<u8>(pos);
  if (byte === 0x59) return pos + 2 > end;
  if (byte === 0x19) return pos + 8 > end;
  if (byte === 0x99) return pos + 2 > end || (load<u8>(pos + 1) & 3) === 3 || load<u8>(pos + 1) >> 5 > 1;
  if (byte === 2) {
    if (pos + 2 > end) return true;
    const second = load<u8>(pos + 1);
    const size = sizeOfExtended(second);
    return (
      size === 0 ||
      pos + size > end ||
      (second === 0x82 && !isPsb(pos)) ||
      (second === 0xa3 && load<u64>(pos) >> 16 === 0)
    );
  }
  if ((byte & 3) === 3) return isCycCut();
  if ((byte & 1) === 0) return false;
  const bytes = isAddress(byte) ? ipBytes(byte >> 5) : -1;
  return bytes < 0 || pos + 1 + bytes > end;
}

function isCycCut(): bool {
  if ((load<u8>(pos) & 4) === 0) return false;
  let at = pos + 1;
  while (at < end && load<u8>(at) & 1) at++;
  return at >= end;
}

/** An indirect branch within a TNT takes its target from the packet that follows at once. */
function takeDeferredTip(): bool {
  const byte = load<u8>(pos);
  if ((byte & 0x1f) !== 0x0d || byte >> 5 === 0) return false;
  isDeferred = true;
  takeAddress(byte);
  isDeferred = false;
  return state.phase === PHASE_WALK;
}

/** TIP, TIP.PGE, TIP.PGD, FUP: a kind and an address, compressed against the last one. */
function takeAddress(byte: u8): bool {
  const what = byte & 0x1f;
  const compression = byte >> 5;
  const bytes = ipBytes(compression);
  if (bytes < 0 || !isAddress(byte)) return badPacket();
  if (pos + 1 + bytes > end) return cutOff();
  const at = pos + 1;
  pos = at + bytes;
  const isBound = state.before === BEFORE_BOUND;
  state.before = BEFORE_OTHER;
  if (state.isInPsb && what !== 0x1d && !breakPsb(false)) return true;
  let isKnown = compression !== 0;
  let ip: u64 = 0;
  if (isKnown) {
    const last = state.lastIp;
    if (compression === 1) ip = (last & ~0xffff) | load<u16>(at);
    else if (compression === 2) ip = (last & ~0xffffffff) | load<u32>(at);
    else if (compression === 6) ip = load<u64>(at);
    else {
      const low = <u64>load<u32>(at) | ((<u64>load<u16>(at, 4)) << 32);
      ip = compression === 3 ? <u64>(((<i64>low) << 16) >> 16) : (last & ~0xffffffffffff) | low;
    }
    if (compression === 3 || compression === 6) state.hasLastIp = true;
    isKnown = state.hasLastIp;
    if (isKnown) state.lastIp = ip;
  }
  if (state.isInPsb) {
    if (what === 0x1d) {
      if (isKnown) {
        psbHasIp = true;
        psbIp = ip;
        psbIpIsWhole = compression === 3 || compression === 6;
        if (state.phase === PHASE_LOST) moveTo(ip);
      }
      return true;
    }
  }
  switch (what) {
    case 0x0d:
      takeTip(isKnown, ip);
      break;
    case 0x11:
      takeBegin(isKnown, ip);
      break;
    case 0x01:
      takeEnd(isKnown, ip);
      break;
    default:
      if (isBound && state.phase === PHASE_WALK) takeBoundFup(isKnown, ip);
      else takeFup(isKnown, ip);
  }
  return true;
}

let isDeferred: bool = false;

function takeTip(isKnown: bool, ip: u64): void {
  if (state.phase === PHASE_WALK) {
    const error = walkTo(isKnown, ip, isDeferred);
    if (error !== 0) lose(error);
  } else if (state.phase === PHASE_ASYNC) jumpAsync(isKnown, ip);
  else if (state.phase === PHASE_LOST) resume(isKnown, ip);
  else if (isKnown) {
    moveTo(ip);
    state.phase = PHASE_WALK;
  }
}

/** After an error: begins at the address of a packet, or where the walk was. */
function resume(isKnown: bool, ip: u64): void {
  const at = isKnown ? ip : state.ip;
  if (at === 0) return;
  state.isTracing = true;
  state.sampleTime = state.time;
  begin(at, estimatedTime());
}

function takeBegin(isKnown: bool, ip: u64): void {
  state.isBehindOverflow = false;
  if (state.phase === PHASE_LOST) return resume(isKnown, ip);
  state.isTracing = true;
  if (!isKnown) {
    if (state.phase === PHASE_ASYNC) beginNowhere();
    return;
  }
  state.sampleTime = state.time;
  if (state.phase === PHASE_ASYNC) beginAsync(ip, estimatedTime());
  else begin(ip, estimatedTime());
}

function takeEnd(isKnown: bool, ip: u64): void {
  const to = isKnown ? ip : 0;
  if (state.phase === PHASE_WALK) {
    const error = walkToEnd(to);
    if (error !== 0) return lose(error);
  } else if (state.phase === PHASE_ASYNC) endAsync(to);
  else if (state.phase === PHASE_LOST) {
    const at = isKnown ? ip : state.ip;
    if (at === 0) return;
    state.sampleTime = state.time;
    beginAndEnd(0, at, estimatedTime());
  }
  state.isTracing = false;
}

/** Right behind a packet of an event: where that was, not an interrupt. */
function takeBoundFup(isKnown: bool, ip: u64): void {
  if (!isKnown) return;
  state.isBehindOverflow = false;
  state.sampleTime = state.time;
  if (!state.isTracing) return moveTo(ip);
  const error = walkThrough(ip);
  if (error !== 0) lose(error);
}

function takeFup(isKnown: bool, ip: u64): void {
  breakAsync();
  if (state.phase === PHASE_LOST) return resume(isKnown, ip);
  if (!isKnown) return;
  if (state.phase === PHASE_FIRST) state.phase = PHASE_WALK;
  if (state.isBehindOverflow) {
    state.isBehindOverflow = false;
    resume(true, ip);
  } else if (!state.isTracing) moveTo(ip);
  else {
    const error = walkThrough(ip);
    if (error === 0) state.phase = PHASE_ASYNC;
    else lose(error);
  }
}

export function writeSchedule(bytes: usize): usize {
  schedule.used = 0;
  return schedule.extend(bytes);
}

export function writeRecords(bytes: usize): usize {
  records.used = 0;
  return records.extend(bytes);
}

export function beginSchedule(): void {
  startSchedule(0);
}
