/**
 * The length of one x86-64 instruction (Intel SDM volume 2, chapter 2 and appendix A).
 *
 * Opcodes that are invalid in 64-bit mode have the length that they had in 32-bit mode: perf walks on over them, and so does this.
 */
import { forgetKind, oneByteKind, twoByteKind } from './kinds';
import { EVEX_OPCODES, isIn, UNKNOWN_OPCODES, VECTOR_ONLY_OPCODES, VEX_OPCODES } from './opcodes';
import { IMM8, IMM16, IMMV, IMMZ, MODRM, MOFFS, oneByte, REL32, TEST, twoByte, vectorImm8 } from './operands';

/** Decodes the instruction at an address of the kernel, of at most `left` bytes. Returns its length; 0 if it is not all there. */
export function decodeInstruction(at: usize, left: i32): i32 {
  forgetKind();
  return lengthOf(at, left > 15 ? 15 : left);
}

/** For perf, a prefix after this many different ones is an opcode. */
const MAX_PREFIXES = 4;

function isPrefix(byte: u8): bool {
  return (
    (byte & 0xfe) === 0x66 ||
    byte === 0xf0 ||
    (byte & 0xfe) === 0xf2 ||
    (byte & 0xe7) === 0x26 ||
    (byte & 0xfe) === 0x64
  );
}

/** Whether one of four bytes, of which 0 is none, is this one. */
function hasByte(bytes: u32, byte: u8): bool {
  for (let rest = bytes; rest !== 0; rest >>= 8) if (<u8>rest === byte) return true;
  return false;
}

function lengthOf(at: usize, left: i32): i32 {
  let next = 0;
  let operandSize = false;
  let addressSize = false;
  let wide = false;
  /** The mandatory prefix: none, 66, F3, F2. As perf does: the last prefix, if it is one of these. */
  let mandatory = 0;
  let prefixes: u32 = 0;
  let count = 0;
  let opcode: u8 = 0;
  for (; ; next++) {
    if (next >= left) return 0;
    opcode = load<u8>(at + next);
    if (!isPrefix(opcode)) break;
    if (!hasByte(prefixes, opcode)) {
      if (count++ === MAX_PREFIXES) break;
      prefixes = (prefixes << 8) | opcode;
    }
    if (opcode === 0x66) operandSize = true;
    else if (opcode === 0x67) addressSize = true;
    mandatory = opcode === 0x66 ? 1 : opcode === 0xf3 ? 2 : opcode === 0xf2 ? 3 : 0;
  }
  if ((opcode & 0xf0) === 0x40) {
    wide = (opcode & 8) !== 0;
    if (++next >= left) return 0;
    opcode = load<u8>(at + next);
  }
  next++;
  let follows: u8 = 0;
  let map = 0;
  if (opcode === 0x0f) {
    if (next >= left) return 0;
    opcode = load<u8>(at + next++);
    if (opcode === 0x38 || opcode === 0x3a) {
      map = opcode === 0x38 ? 2 : 3;
      if (next >= left) return 0;
      opcode = load<u8>(at + next++);
      follows = map === 2 ? MODRM : MODRM | IMM8;
    } else {
      map = 1;
      follows = load<u8>(twoByte + opcode);
    }
    const row = 4 * (map - 1) + mandatory;
    if (isIn(VECTOR_ONLY_OPCODES, row, opcode)) return 0;
    if (isIn(UNKNOWN_OPCODES, row, opcode)) follows = 0;
  } else if (opcode === 0xc5 || opcode === 0xc4 || opcode === 0x62) {
    return vectorLength(at, next, left, opcode, addressSize);
  } else follows = load<u8>(oneByte + opcode);
  return rest(at, next, left, opcode, map, mandatory, follows, operandSize, addressSize, wide);
}

/** Which values of ModRM.reg a VEX or EVEX opcode exists with, as perf answered for each: a bit each. */
function vectorGroup(map: i32, opcode: u8): i32 {
  if (map === 1) {
    if (opcode === 0x71) return 0x54;
    if (opcode === 0x72) return 0x57;
    if (opcode === 0x73) return 0xcc;
    if (opcode === 0xae) return 0x0c;
  } else if (map === 2) {
    if (opcode === 0xf3) return 0x0e;
    if (opcode === 0xc6 || opcode === 0xc7) return 0x66;
  }
  return 0xff;
}

/** VEX (C4, C5) and EVEX (62): the map is in the prefix. */
function vectorLength(at: usize, first: i32, left: i32, prefix: u8, addressSize: bool): i32 {
  const payload = prefix === 0xc5 ? 1 : prefix === 0xc4 ? 2 : 3;
  let next = first + payload;
  if (next >= left) return 0;
  const map = prefix === 0xc5 ? 1 : load<u8>(at + first) & (prefix === 0xc4 ? 0x1f : 7);
  if (map === 0 || (map > 3 && (prefix !== 0x62 || map === 4 || map === 7))) return 0;
  const opcode = load<u8>(at + next++);
  const row = 4 * (map > 3 ? map - 2 : map - 1) + (load<u8>(at + first + (prefix === 0x62 ? 1 : payload - 1)) & 3);
  if (!isIn(prefix === 0x62 ? EVEX_OPCODES : VEX_OPCODES, row, opcode)) return 0;
  if (next < left && (vectorGroup(map, opcode) & (1 << ((load<u8>(at + next) >> 3) & 7))) === 0) return 0;
  let follows: u8 = MODRM;
  if (map === 3) follows |= IMM8;
  else if (map === 1) {
    follows |= load<u8>(vectorImm8 + opcode);
    if (opcode === 0x77) follows = 0;
  }
  return rest(at, next, left, 0, 9, 0, follows, false, addressSize, false);
}

/** ModRM, SIB, displacement and immediate; then what kind it is. */
function rest(
  at: usize,
  first: i32,
  left: i32,
  opcode: u8,
  map: i32,
  mandatory: i32,
  follows: u8,
  operandSize: bool,
  addressSize: bool,
  wide: bool,
): i32 {
  let next = first;
  let modrm: u8 = 0;
  let what = follows;
  if (what & MODRM) {
    if (next >= left) return 0;
    modrm = load<u8>(at + next++);
    const mod = modrm >> 6;
    if (mod !== 3) {
      let base = modrm & 7;
      if (base === 4) {
        if (next >= left) return 0;
        base = load<u8>(at + next++) & 7;
        if (mod === 0 && base === 5) next += 4;
      } else if (mod === 0 && base === 5) next += 4;
      if (mod === 1) next += 1;
      else if (mod === 2) next += 4;
    }
    if (
      map === 1 &&
      opcode >= 0x71 &&
      opcode <= 0x73 &&
      (shiftGroup(opcode, mandatory) & (1 << ((modrm >> 3) & 7))) === 0
    )
      what &= ~IMM8;
    if (what & TEST && (modrm & 0x38) > 8) what &= ~(IMM8 | IMMZ);
  }
  if (what & IMM8) next += 1;
  if (what & IMM16) next += 2;
  if (what & IMMZ) next += operandSize && !wide ? 2 : 4;
  if (what & REL32) next += 4;
  if (what & IMMV) next += wide ? 8 : operandSize ? 2 : 4;
  if (what & MOFFS) next += addressSize ? 4 : 8;
  if (next > left) return 0;
  if (map === 0) oneByteKind(opcode, modrm, at + next);
  else if (map === 1) twoByteKind(opcode, modrm, at + next);
  return next;
}

/** Which values of ModRM.reg a shift of MMX or SSE registers (0F 71, 72, 73) exists with; the others have no immediate. */
function shiftGroup(opcode: u8, mandatory: i32): i32 {
  if (mandatory > 1) return 0;
  if (opcode !== 0x73) return 0x54;
  return mandatory === 1 ? 0xcc : 0x44;
}
