/**
 * How long a packet is, from its bytes alone (Intel SDM volume 3, "Intel Processor Trace", packet definitions).
 */
import { MAX_LOOK_AHEAD, RECORD_BYTES, RECORD_END, RECORD_REFERENCE } from '../layout';
import { Column } from '../memory';

export const PSB: u8 = 0x82;
const PSB_BYTES: usize = 16;
const PSB_HALF: u64 = 0x8202820282028202;
export const TSC: u8 = 0x19;
const TSC_BYTES: usize = 8;
export const MTC: u8 = 0x59;
export const MODE: u8 = 0x99;
/** After 02. */
export const LONG_TNT: u8 = 0xa3;
export const CBR: u8 = 0x03;
export const TMA: u8 = 0x73;
export const TRACE_STOP: u8 = 0x83;
export const PSBEND: u8 = 0x23;
export const OVF: u8 = 0xf3;
export const PIP: u8 = 0x43;
export const VMCS: u8 = 0xc8;
export const MNT: u8 = 0xc3;
export const CFE: u8 = 0x13;
export const EVD: u8 = 0x53;
export const PWRE: u8 = 0x22;
export const PWRX: u8 = 0xa2;
export const MWAIT: u8 = 0xc2;
export const EXSTOP_IP: u8 = 0xe2;
export const BEP_IP: u8 = 0xb3;
/** The low five bits of packets with an address. */
export const TIP: u8 = 0x0d;
export const TIP_PGE: u8 = 0x11;
export const TIP_PGD: u8 = 0x01;
export const FUP: u8 = 0x1d;

/** Of `sizeOf`: no such packet; not all there. */
export const BAD: i32 = 0;
export const CUT: i32 = -1;

export function isPsb(at: usize, end: usize): bool {
  return at + PSB_BYTES <= end && load<u64>(at) === PSB_HALF && load<u64>(at, 8) === PSB_HALF;
}

export function isCyc(byte: u8): bool {
  return (byte & 3) === 3;
}

/** Whether a CYC has more than two bytes; two are there. */
export function isLongCyc(at: usize): bool {
  return (load<u16>(at) & 0x104) === 0x104;
}

/** The number of any other CYC. Most are short, but of which length is hard to predict: so there is no branch. */
export function shortCyc(at: usize): u32 {
  const bytes: u32 = load<u16>(at);
  const hasSecond = (bytes >> 2) & 1;
  return ((bytes & 0xff) >> 3) | (((bytes >> 9) << 5) & -hasSecond);
}

export function shortCycBytes(byte: u8): u32 {
  return 1 + ((byte >> 2) & 1);
}

/** Short TNT. */
export function isTnt(byte: u8): bool {
  return (byte & 1) === 0 && byte > 2;
}

/** The leaf is one that exists, with bits of its own only. */
export function isMode(payload: u8): bool {
  return (payload & 3) !== 3 && payload >> 5 <= 1;
}

/** The bytes of the packet at an address before `end`. */
export function sizeOf(at: usize, end: usize): i32 {
  const size = sizeAlone(at, end);
  return size > 0 && at + size > end ? CUT : size;
}

function sizeAlone(at: usize, end: usize): i32 {
  const byte = load<u8>(at);
  if (isCyc(byte)) return sizeOfCyc(at, end);
  if (byte === 2) return sizeOfExtendedAt(at, end);
  if (isTnt(byte)) return 1;
  if (byte === MTC) return 2;
  if (byte === TSC) return 8;
  if (byte === MODE) return at + 2 <= end && !isMode(load<u8>(at + 1)) ? BAD : 2;
  const bytes = isAddress(byte) ? ipBytes(byte >> 5) : -1;
  return bytes < 0 ? BAD : 1 + bytes;
}

function sizeOfCyc(at: usize, end: usize): i32 {
  readCyc(at, end);
  if (cycBytes === 0) return CUT;
  return cycBytes > MAX_CYC_BYTES ? BAD : <i32>cycBytes;
}

function sizeOfExtendedAt(at: usize, end: usize): i32 {
  if (at + 2 > end) return CUT;
  const second = load<u8>(at + 1);
  const size = sizeOfExtended(second);
  if (size === BAD || at + size > end) return size;
  if (second === MNT) return load<u8>(at + 2) === 0x88 ? size : BAD;
  return second === PSB && !isPsb(at, end) ? BAD : size;
}

/** A CYC with more bytes is none, for perf. */
export const MAX_CYC_BYTES: usize = 10;
/** The number of a CYC, and its bytes; 0 bytes: it is not all there. */
export let cycBytes: usize = 0;
export function readCyc(at: usize, end: usize): u64 {
  const byte = load<u8>(at);
  let value: u64 = byte >> 3;
  cycBytes = 1;
  if ((byte & 4) === 0) return value;
  for (let bits: u64 = 5; ; bits += 7) {
    if (at + cycBytes >= end) break;
    const more = load<u8>(at + cycBytes++);
    if (bits < 64) value |= (<u64>(more >> 1)) << bits;
    if ((more & 1) === 0 || cycBytes > MAX_CYC_BYTES) return value;
  }
  cycBytes = 0;
  return 0;
}

/** TIP, TIP.PGE, TIP.PGD or FUP. */
export function isAddress(byte: u8): bool {
  const what = byte & 0x1f;
  return what === TIP || what === TIP_PGE || what === TIP_PGD || what === FUP;
}

/** Bytes of an address, by the upper bits of its packet; −1: no such packet. */
export function ipBytes(compression: u8): i32 {
  const bytes = (IP_BYTES >> (4 * compression)) & 15;
  return bytes === 15 ? -1 : bytes;
}

/** Four bits for each compression. */
const IP_BYTES: u32 = 0xf8f66420;

/** Bytes of a packet that begins with 02, by its second byte. */
export function sizeOfExtended(second: u8): i32 {
  switch (second) {
    case PSB:
      return 16;
    case PSBEND:
    case OVF:
    case TRACE_STOP:
    case 0x62: // EXSTOP
    case EXSTOP_IP:
    case 0x33: // BEP
    case BEP_IP:
      return 2;
    case 0x63: // BBP
      return 3;
    case CBR:
    case PWRE:
    case CFE:
      return 4;
    case TMA:
    case PWRX:
    case VMCS:
      return 7;
    case LONG_TNT:
    case PIP:
      return 8;
    case MWAIT:
      return 10;
    case MNT:
    case EVD:
      return 11;
    default:
      if (isPtwrite(second)) return second & 0x20 ? 10 : 6;
      return BAD;
  }
}

export function isPtwrite(second: u8): bool {
  return (second & 0x5f) === 0x12;
}

// The bytes of a stream: trace records one after another, of which a window is in memory.

/** Trace records in order: where each ends in the stream, and its reference tick. */
export const records = changetype<Column>(memory.data(offsetof<Column>(), 8));
let record: usize = 0;

/** The next byte; the end of the record, or of what is there of it. */
export let pos: usize = 0;
export let end: usize = 0;
/** The record ends at `end`. */
export let isWhole: bool = false;
export let windowEnd: usize = 0;
let windowStart: usize = 0;
let windowOffset: u64 = 0;
/** The stream ends at `windowEnd`. */
let isLastWindow: bool = false;

/** Before the first window of a stream. */
export function enterStream(): void {
  record = records.start;
  clearFrom = 0;
  clearTo = 0;
}

/** `offset`: that of the window's first byte in the stream. */
export function enterWindow(start: usize, bytes: usize, offset: u64, last: bool): void {
  windowStart = start;
  windowEnd = start + bytes;
  windowOffset = offset;
  isLastWindow = last;
  pos = start;
}

/** Goes to the record that holds `pos`. As perf does: no packet continues in the next record. */
export function enterRecord(): void {
  const offset = offsetAt(pos);
  while (record + RECORD_BYTES < records.start + records.used && load<u64>(record, RECORD_END) <= offset)
    record += RECORD_BYTES;
  const left = load<u64>(record, RECORD_END) - offset;
  const fits = left <= <u64>(windowEnd - pos);
  end = fits ? pos + <usize>left : windowEnd;
  isWhole = fits || isLastWindow;
}

/** The offset in the stream of a byte of the window. */
export function offsetAt(at: usize): u64 {
  return windowOffset + (at - windowStart);
}

export function recordReference(): u64 {
  return load<u64>(record, RECORD_REFERENCE);
}

export function skip(bytes: usize): void {
  pos += bytes;
}

export function bytesConsumed(): usize {
  return pos - windowStart;
}

export function isStreamEnd(): bool {
  return isLastWindow && pos >= windowEnd;
}

/** Bytes after the window may decide what is looked for: a window that begins here, or a larger one, would have them. */
export function canSeeMore(): bool {
  return !isWhole && (pos !== windowStart || windowEnd - windowStart < <usize>MAX_LOOK_AHEAD);
}

export function hasWholeStream(): bool {
  return isLastWindow;
}

// The next PSB+, looked up ahead.

/** So far. */
const PSB_AHEAD: usize = MAX_LOOK_AHEAD / 8;
/** Of `nextTsc`: there is none; more bytes are needed. */
export const NO_TSC: u64 = 0;
export const UNDECIDED_TSC: u64 = u64.MAX_VALUE;
/** Between these offsets no PSB begins. */
let clearFrom: u64 = 0;
let clearTo: u64 = 0;

/** The TSC of the next PSB+, after CYCs and padding at most. */
export function nextTsc(first: usize): u64 {
  const limit = first + PSB_AHEAD;
  let at = first;
  if (offsetAt(first) >= clearFrom && offsetAt(first) < clearTo) at += <usize>(clearTo - offsetAt(first));
  else clearFrom = offsetAt(first);
  while (at < limit && at + PSB_BYTES <= windowEnd && load<u64>(at) !== PSB_HALF) at++;
  clearTo = offsetAt(at);
  if (at >= limit) return NO_TSC;
  const after = at + PSB_BYTES <= windowEnd ? behindPsb(at + PSB_BYTES) : windowEnd;
  if (after + TSC_BYTES <= windowEnd) return load<u8>(after) === TSC ? load<u64>(after) >> 8 : NO_TSC;
  const seesMore = !isLastWindow && (pos !== windowStart || windowEnd - windowStart < <usize>MAX_LOOK_AHEAD);
  return seesMore ? UNDECIDED_TSC : NO_TSC;
}

/** Skips the rest of a PSB, of which other packets may look like the beginning, padding and CYCs. */
function behindPsb(from: usize): usize {
  let at = from;
  while (at + 2 <= windowEnd && load<u16>(at) === 0x8202) at += 2;
  while (at < windowEnd && (load<u8>(at) === 0 || isCyc(load<u8>(at)))) {
    const isPad = load<u8>(at) === 0;
    if (!isPad) readCyc(at, windowEnd);
    if (!isPad && cycBytes === 0) return windowEnd;
    at += isPad ? 1 : cycBytes;
  }
  return at;
}
