/**
 * What kind of branch an x86-64 instruction is, by its opcode.
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
} from '../layout';

/** Of the instruction decoded last: KIND_…, and how far a direct branch goes from its end. */
export let kind: i32 = 0;
export let displacement: i64 = 0;

/** For checks of the decoder. */
export function instructionKind(): i32 {
  return kind;
}

/** The instruction is no branch, until its opcode shows one. */
export function forgetKind(): void {
  kind = KIND_NONE;
}

function direct(what: i32, far: i64): void {
  kind = what;
  displacement = far;
}

/** `end`: of the instruction. */
export function oneByteKind(opcode: u8, modrm: u8, end: usize): void {
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
export function twoByteKind(opcode: u8, modrm: u8, end: usize): void {
  if ((opcode & 0xf0) === 0x80) return direct(KIND_JCC, load<i32>(end - 4));
  if (opcode === 0x05 || opcode === 0x34) kind = KIND_SYSCALL;
  else if (opcode === 0x07 || opcode === 0x35) kind = KIND_SYSRET;
  else if (opcode === 0x01 && (modrm === 0xc2 || modrm === 0xc3)) kind = KIND_VMENTRY;
}
