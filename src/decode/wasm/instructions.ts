/**
 * The length of one x86-64 instruction (Intel SDM volume 2, chapter 2 and appendix A).
 *
 * Opcodes that are invalid in 64-bit mode have the length that they had in 32-bit mode: perf walks on over them, and so does this.
 */

import {
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_JUMP,
  KIND_FAR_RETURN,
  KIND_INTERRUPT,
  KIND_IRET,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NONE,
  KIND_RETURN,
  KIND_SYSCALL,
  KIND_SYSRET,
  KIND_VMENTRY,
} from './layout';
import { zeroed } from './memory';
import { EVEX_OPCODES, isIn, UNKNOWN_OPCODES, VECTOR_ONLY_OPCODES, VEX_OPCODES } from './opcodes';

/** Decodes the instruction at an address of the module, of at most `left` bytes. Returns its length; 0 if it is not all there. */
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

// What kind of branch an x86-64 instruction is, by its opcode.

/** Of the instruction decoded last: KIND_…, and how far a direct branch goes from its end. */
export let kind: i32 = 0;
export let displacement: i64 = 0;

/** For checks of the decoder. */
export function instructionKind(): i32 {
  return kind;
}

/** The instruction is no branch, until its opcode shows one. */
function forgetKind(): void {
  kind = KIND_NONE;
}

function direct(what: i32, far: i64): void {
  kind = what;
  displacement = far;
}

/** `end`: of the instruction. */
function oneByteKind(opcode: u8, modrm: u8, end: usize): void {
  if ((opcode & 0xf0) === 0x70 || (opcode >= 0xe0 && opcode <= 0xe3)) return direct(KIND_JCC, load<i8>(end - 1));
  switch (opcode) {
    case 0xe8:
      return direct(KIND_CALL, load<i32>(end - 4));
    case 0xe9:
      return direct(KIND_JUMP, load<i32>(end - 4));
    case 0xeb:
      return direct(KIND_JUMP, load<i8>(end - 1));
    case 0xc2:
    case 0xc3:
      kind = KIND_RETURN;
      return;
    case 0xca:
    case 0xcb:
      kind = KIND_FAR_RETURN;
      return;
    case 0x9a:
      kind = KIND_FAR_CALL;
      return;
    case 0xea:
      kind = KIND_FAR_JUMP;
      return;
    case 0xcc:
    case 0xcd:
    case 0xce:
      kind = KIND_INTERRUPT;
      return;
    case 0xcf:
      kind = KIND_IRET;
      return;
    case 0xff: {
      const reg = (modrm >> 3) & 7;
      if (reg === 2) kind = KIND_CALL_INDIRECT;
      else if (reg === 3) kind = KIND_FAR_CALL;
      else if (reg === 4) kind = KIND_JUMP_INDIRECT;
      else if (reg === 5) kind = KIND_FAR_JUMP;
      return;
    }
    default:
  }
}

/** Of an opcode after 0F. */
function twoByteKind(opcode: u8, modrm: u8, end: usize): void {
  if ((opcode & 0xf0) === 0x80) return direct(KIND_JCC, load<i32>(end - 4));
  if (opcode === 0x05 || opcode === 0x34) kind = KIND_SYSCALL;
  else if (opcode === 0x07 || opcode === 0x35) kind = KIND_SYSRET;
  else if (opcode === 0x01 && (modrm === 0xc2 || modrm === 0xc3)) kind = KIND_VMENTRY;
}

// What follows each opcode of an x86-64 instruction: ModRM, immediates, addresses (Intel SDM volume 2, appendix A).

/** What follows an opcode. */
const MODRM: u8 = 1;
const IMM8: u8 = 2;
const IMM16: u8 = 4;
/** 16 bits with an operand-size prefix, else 32. */
const IMMZ: u8 = 8;
/** As IMMZ, 64 with REX.W. */
const IMMV: u8 = 16;
/** An address: 64 bits, or 32 with an address-size prefix. */
const MOFFS: u8 = 32;
/** 32 bits whatever the prefixes: near branches. */
const REL32: u8 = 64;
/** An immediate only if ModRM.reg is 0 or 1 (TEST). */
const TEST: u8 = 128;

const oneByte = zeroed(256);
const twoByte = zeroed(256);
/** Opcodes of VEX map 1 and EVEX map 1 with an immediate byte. */
const vectorImm8 = zeroed(256);

function set(table: usize, first: i32, last: i32, what: u8): void {
  memory.fill(table + first, what, last - first + 1);
}

function fill(): void {
  for (let row = 0; row < 0x40; row += 8) {
    set(oneByte, row, row + 3, MODRM);
    set(oneByte, row + 4, row + 4, IMM8);
    set(oneByte, row + 5, row + 5, IMMZ);
  }
  set(oneByte, 0x62, 0x63, MODRM);
  set(oneByte, 0x68, 0x68, IMMZ);
  set(oneByte, 0x69, 0x69, MODRM | IMMZ);
  set(oneByte, 0x6a, 0x6a, IMM8);
  set(oneByte, 0x6b, 0x6b, MODRM | IMM8);
  set(oneByte, 0x70, 0x7f, IMM8);
  set(oneByte, 0x80, 0x80, MODRM | IMM8);
  set(oneByte, 0x81, 0x81, MODRM | IMMZ);
  set(oneByte, 0x82, 0x83, MODRM | IMM8);
  set(oneByte, 0x84, 0x8f, MODRM);
  set(oneByte, 0x9a, 0x9a, IMMZ | IMM16);
  set(oneByte, 0xa0, 0xa3, MOFFS);
  set(oneByte, 0xa8, 0xa8, IMM8);
  set(oneByte, 0xa9, 0xa9, IMMZ);
  set(oneByte, 0xb0, 0xb7, IMM8);
  set(oneByte, 0xb8, 0xbf, IMMV);
  set(oneByte, 0xc0, 0xc1, MODRM | IMM8);
  set(oneByte, 0xc2, 0xc2, IMM16);
  set(oneByte, 0xc4, 0xc5, MODRM);
  set(oneByte, 0xc6, 0xc6, MODRM | IMM8);
  set(oneByte, 0xc7, 0xc7, MODRM | IMMZ);
  set(oneByte, 0xc8, 0xc8, IMM16 | IMM8);
  set(oneByte, 0xca, 0xca, IMM16);
  set(oneByte, 0xcd, 0xcd, IMM8);
  set(oneByte, 0xd0, 0xd3, MODRM);
  set(oneByte, 0xd4, 0xd5, IMM8);
  set(oneByte, 0xd8, 0xdf, MODRM);
  set(oneByte, 0xe0, 0xe7, IMM8);
  set(oneByte, 0xe8, 0xe9, REL32);
  set(oneByte, 0xea, 0xea, IMMZ | IMM16);
  set(oneByte, 0xeb, 0xeb, IMM8);
  set(oneByte, 0xf6, 0xf6, MODRM | IMM8 | TEST);
  set(oneByte, 0xf7, 0xf7, MODRM | IMMZ | TEST);
  set(oneByte, 0xfe, 0xff, MODRM);

  set(twoByte, 0x00, 0x03, MODRM);
  set(twoByte, 0x0d, 0x0d, MODRM);
  set(twoByte, 0x0f, 0x0f, MODRM | IMM8);
  set(twoByte, 0x10, 0x23, MODRM);
  set(twoByte, 0x28, 0x2f, MODRM);
  set(twoByte, 0x40, 0x6f, MODRM);
  set(twoByte, 0x70, 0x73, MODRM | IMM8);
  set(twoByte, 0x74, 0x76, MODRM);
  set(twoByte, 0x78, 0x7f, MODRM);
  set(twoByte, 0x80, 0x8f, REL32);
  set(twoByte, 0x90, 0x9f, MODRM);
  set(twoByte, 0xa3, 0xa3, MODRM);
  set(twoByte, 0xa4, 0xa4, MODRM | IMM8);
  set(twoByte, 0xa5, 0xa7, MODRM);
  set(twoByte, 0xab, 0xab, MODRM);
  set(twoByte, 0xac, 0xac, MODRM | IMM8);
  set(twoByte, 0xad, 0xb9, MODRM);
  set(twoByte, 0xba, 0xba, MODRM | IMM8);
  set(twoByte, 0xbb, 0xc1, MODRM);
  set(twoByte, 0xc2, 0xc2, MODRM | IMM8);
  set(twoByte, 0xc3, 0xc3, MODRM);
  set(twoByte, 0xc4, 0xc6, MODRM | IMM8);
  set(twoByte, 0xc7, 0xc7, MODRM);
  set(twoByte, 0xd0, 0xff, MODRM);

  set(vectorImm8, 0x70, 0x73, IMM8);
  set(vectorImm8, 0xc2, 0xc2, IMM8);
  set(vectorImm8, 0xc4, 0xc6, IMM8);
}
fill();
