/**
 * What follows each opcode of an x86-64 instruction: ModRM, immediates, addresses (Intel SDM volume 2, appendix A).
 */
import { zeroed } from '../memory';

/** What follows an opcode. */
export const MODRM: u8 = 1;
export const IMM8: u8 = 2;
export const IMM16: u8 = 4;
/** 16 bits with an operand-size prefix, else 32. */
export const IMMZ: u8 = 8;
/** As IMMZ, 64 with REX.W. */
export const IMMV: u8 = 16;
/** An address: 64 bits, or 32 with an address-size prefix. */
export const MOFFS: u8 = 32;
/** 32 bits whatever the prefixes: near branches. */
export const REL32: u8 = 64;
/** An immediate only if ModRM.reg is 0 or 1 (TEST). */
export const TEST: u8 = 128;

export const oneByte = zeroed(256);
export const twoByte = zeroed(256);
/** Opcodes of VEX map 1 and EVEX map 1 with an immediate byte. */
export const vectorImm8 = zeroed(256);

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
