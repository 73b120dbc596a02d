/**
 * Reads ahead the packets that most of a trace is made of: short TNT, TIP with part of an address, and CYC of one or two bytes.
 * What they are is hard to predict, so there are hardly any branches.
 */
import { cacheAge, zeroed } from '../memory';
import { state } from '../state';
import { Keys, TNT_BITS } from '../walk/keys';
import { ipBytes, isCyc, isLongCyc, isTnt, shortCyc, shortCycBytes, TIP } from './format';

/** A TNT, a TIP, or both, with the CYC packets before them. */
@unmanaged
export class Step {
  /** The last address: of a TIP, its own. */
  ip: u64 = 0;
  /** What of the instructions since the last CYC is kept: all, or 0 if there is one before the packet. */
  kept: u64 = 0;
  /** walk/keys.ts; 0: of a TIP that leads to a block that is unknown. */
  key: u32 = 0;
  /** Of all CYC packets since reading began, plus one; 0: there is none. */
  cycles: u32 = 0;
  /** Where its last packet is, and the address after it. */
  start: usize = 0;
  end: usize = 0;
}

/** What is read at once, beyond the first byte. */
const MIN_BYTES: usize = 16;
/** Up to the next MTC; and where that does not matter: after an error all is read again. */
const MAX_STEPS: usize = 1024;
export const FEW_STEPS: usize = 32;

/** By the first byte of a TIP: its size, and 16 times the row of `masks`; 0: of other packets. */
const packets: usize = zeroed(256);
/** The bits of an address that a packet has. */
const masks: usize = zeroed(8 * 5);

for (let byte: u32 = 0; byte < 256; byte++) {
  const compression = <u8>(byte >> 5);
  if ((byte & 0x1f) === TIP && compression >= 1 && compression <= 4)
    store<u8>(packets + byte, <u8>(1 + ipBytes(compression)) | (compression << 4));
}
store<u64>(masks, 0xffff, 8);
store<u64>(masks, 0xffffffff, 16);
store<u64>(masks, u64.MAX_VALUE, 24);
store<u64>(masks, 0xffffffffffff, 32);

export class Ahead {
  private static steps: usize = zeroed(offsetof<Step>() * MAX_STEPS);
  /** The next step. */
  static next: usize = 0;
  static stepsEnd: usize = 0;
  /** Where the packets of the next step begin, and where reading ended; 0: nothing was read. */
  private static start: usize = 0;
  static end: usize = 0;
  /** Of all CYC packets, and of those before the next step. */
  static cycles: u32 = 0;
  static taken: u32 = 0;
  /** Reading ended for want of space, not at any other packet. */
  static hasMore: bool = false;
  /** There are CYC packets; they came last. */
  static hasCycles: u32 = 0;
  static isBehindCyc: u32 = 0;
  /** The last address before the next step. */
  private static ip: u64 = 0;
  /** Of the caches, whose blocks the keys are of. */
  private static age: u32 = 0;

  /** Whether the packets from an address on are read. */
  static reaches(from: usize): bool {
    return Ahead.start === from && Ahead.ip === state.lastIp && Ahead.age === cacheAge;
  }

  /** Nothing is read of what is in memory now. */
  static forget(): void {
    Ahead.start = 0;
  }

  /** Up to a step. */
  static take(step: Step): void {
    Ahead.start = step.end;
    Ahead.ip = step.ip;
    Ahead.taken = max(step.cycles, 1) - 1;
    Ahead.next = changetype<usize>(step) + offsetof<Step>();
  }

  /** Up to any other packet. */
  static read(from: usize, end: usize, most: usize = MAX_STEPS): void {
    const last = end - MIN_BYTES;
    const stepsEnd = Ahead.steps + offsetof<Step>() * (most - 1);
    let at = from;
    let next = Ahead.steps;
    let ip = state.lastIp;
    let cycles: u32 = 0;
    let hasCycles: u32 = 0;
    let isBehindCyc: u32 = 0;
    while (at <= last && next < stepsEnd) {
      if (isCyc(load<u8>(at))) {
        if (isLongCyc(at)) break;
        cycles += shortCyc(at);
        at += shortCycBytes(load<u8>(at));
        isBehindCyc = hasCycles = 1;
      }
      const byte = load<u8>(at);
      const step = changetype<Step>(next);
      step.kept = <u64>isBehindCyc - 1;
      step.cycles = cycles + hasCycles;
      step.start = at;
      let bits: u32 = 0;
      if (isTnt(byte)) {
        at++;
        step.key = byte;
        step.ip = ip;
        step.end = at;
        if (byte > 2 * TNT_BITS || load<u8>(packets + load<u8>(at)) === 0) {
          next += offsetof<Step>();
          isBehindCyc = 0;
          continue;
        }
        bits = byte >> 1;
      }
      const packet: u32 = load<u8>(packets + load<u8>(at));
      if (packet === 0) {
        if (isBehindCyc !== 0 && isCyc(byte)) continue;
        break;
      }
      const mask = load<u64>(masks + ((packet >> 4) << 3));
      ip = (ip & ~mask) | (((load<i64>(at, 1) << 16) >> 16) & mask);
      const target = Keys.ofTip(ip);
      let joined = step;
      if (target === 0 && bits !== 0) {
        next += offsetof<Step>();
        joined = changetype<Step>(next);
        joined.kept = u64.MAX_VALUE;
        joined.cycles = cycles + hasCycles;
        bits = 0;
      }
      joined.key = target | bits;
      joined.ip = ip;
      joined.start = at;
      at += packet & 15;
      joined.end = at;
      next += offsetof<Step>();
      isBehindCyc = 0;
    }
    Ahead.start = from;
    Ahead.end = at;
    Ahead.next = Ahead.steps;
    Ahead.stepsEnd = next;
    Ahead.hasMore = next >= stepsEnd;
    Ahead.cycles = cycles;
    Ahead.taken = 0;
    Ahead.hasCycles = hasCycles;
    Ahead.isBehindCyc = isBehindCyc;
    Ahead.ip = state.lastIp;
    Ahead.age = cacheAge;
  }
}
