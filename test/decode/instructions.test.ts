/**
 * Instructions in, length and kind of branch out. Lengths are those of iced-x86 and objdump; where perf walks differently, its
 * length is right here, and a comment says so.
 */
import { expect, test } from 'vitest';
import { compareWithIced } from '../../fuzz/instructions/compare-iced.js';
import { OwnInstructions } from '../../fuzz/instructions/own-instructions.js';
import * as layout from '../../src/decode/wasm/layout.js';

const KINDS = { ...layout };

const own = new OwnInstructions();
const decode = (hex: string) => {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  own.load(bytes);
  const { length, kind } = own.decodeAt(0, bytes.length);
  return [length, kind];
};

test.each([
  ['90', 1, 'NOP'],
  ['48 89 e5', 3, 'REX.W'],
  ['0f 1f 84 00 00 00 00 00', 8, 'SIB and 32 bits of displacement'],
  ['66 0f 1f 84 00 00 00 00 00', 9, 'a long NOP'],
  ['48 8b 05 11 22 33 44', 7, 'relative to RIP'],
  ['8b 04 25 11 22 33 44', 7, 'SIB without a base'],
  ['48 b8 11 22 33 44 55 66 77 88', 10, 'a 64-bit immediate'],
  ['66 b8 11 22', 4, 'a 16-bit immediate'],
  ['66 48 05 11 22 33 44', 7, 'REX.W is stronger than 66'],
  ['66 81 c0 11 22', 5, '66 and ModRM'],
  ['48 a1 11 22 33 44 55 66 77 88', 10, 'an address of 64 bits'],
  ['67 a1 11 22 33 44', 6, 'an address of 32 bits'],
  ['f6 c0 11', 3, 'TEST'],
  ['f6 d0', 2, 'NOT'],
  ['66 f7 c0 11 22', 5, 'TEST of 16 bits'],
  ['f7 00 11 22 33 44', 6, 'TEST of memory'],
  ['c8 11 22 33', 4, 'ENTER'],
  ['fe c0', 2, 'INC'],
  ['ff c0', 2, 'INC, not a branch'],
  ['0f a4 c0 11', 4, 'SHLD'],
  ['66 0f 3a 0f c1 04', 6, 'map 0F3A'],
  ['0f 38 f6 c0', 4, 'map 0F38'],
  ['0f 0f c1 9e', 4, '3DNow!'],
  ['c5 f8 77', 3, 'VZEROUPPER'],
  ['c4 e2 7d 18 07', 5, 'VEX of three bytes'],
  ['c4 e3 7d 19 07 01', 6, 'VEX with an immediate'],
  ['c5 f9 71 d0 01', 5, 'VEX with a group'],
  ['62 f1 7c 48 10 00', 6, 'EVEX'],
  ['62 f1 7d 48 70 c0 11', 7, 'EVEX with an immediate'],
  ['62 f5 7c 48 58 c0', 6, 'EVEX map 5'],
  ['f3 0f 1e fa', 4, 'ENDBR64'],
  ['f0 48 0f b1 0a', 5, 'LOCK'],
  ['c6 f8 11', 3, 'XABORT'],
  ['0f 0b', 2, 'UD2'],
  ['8f c0', 2, 'POP'],
  ['0f 05', 2, 'SYSCALL'],
])('%s has %d bytes: %s', (hex, length) => {
  expect(decode(hex)[0]).toBe(length);
  expect(decode(hex.slice(0, hex.length - 2).trimEnd())[0]).toBeLessThan(length); // one byte less is not enough
});

test.each([
  ['e8 11 22 33 44', 5, 'KIND_CALL'],
  ['f2 e8 11 22 33 44', 6, 'KIND_CALL'], // BND
  ['66 e8 11 22 33 44', 6, 'KIND_CALL'], // on Intel 66 changes nothing
  ['e9 11 22 33 44', 5, 'KIND_JUMP'],
  ['eb 10', 2, 'KIND_JUMP'],
  ['74 10', 2, 'KIND_JCC'],
  ['2e 74 10', 3, 'KIND_JCC'],
  ['0f 84 11 22 33 44', 6, 'KIND_JCC'],
  ['66 0f 84 11 22 33 44', 7, 'KIND_JCC'],
  ['e0 10', 2, 'KIND_JCC'],
  ['67 e3 10', 3, 'KIND_JCC'],
  ['c3', 1, 'KIND_RETURN'],
  ['f3 c3', 2, 'KIND_RETURN'],
  ['c2 08 00', 3, 'KIND_RETURN'],
  ['48 cb', 2, 'KIND_FAR_RETURN'],
  ['ca 08 00', 3, 'KIND_FAR_RETURN'],
  ['ff d0', 2, 'KIND_CALL_INDIRECT'],
  ['41 ff 54 24 08', 5, 'KIND_CALL_INDIRECT'],
  ['ff 15 11 22 33 44', 6, 'KIND_CALL_INDIRECT'],
  ['3e ff e2', 3, 'KIND_JUMP_INDIRECT'], // NOTRACK
  ['f2 ff 25 11 22 33 44', 7, 'KIND_JUMP_INDIRECT'],
  ['ff 18', 2, 'KIND_FAR_CALL'],
  ['48 ff 28', 3, 'KIND_FAR_JUMP'],
  ['0f 05', 2, 'KIND_SYSCALL'],
  ['0f 34', 2, 'KIND_SYSCALL'],
  ['48 0f 07', 3, 'KIND_SYSRET'],
  ['0f 35', 2, 'KIND_SYSRET'],
  ['48 cf', 2, 'KIND_IRET'],
  ['cc', 1, 'KIND_INTERRUPT'],
  ['cd 80', 2, 'KIND_INTERRUPT'],
  ['0f 01 c2', 3, 'KIND_VMENTRY'],
  ['0f 01 c3', 3, 'KIND_VMENTRY'],
  ['ff 30', 2, 'KIND_NONE'],
  ['0f 01 c1', 3, 'KIND_NONE'],
  ['c7 f8 11 22 33 44', 6, 'KIND_NONE'], // XBEGIN: no packet tells of it
] as const)('%s has %d bytes and is %s', (hex, length, kind) => {
  expect(decode(hex)).toEqual([length, KINDS[kind]]);
});

test.each([
  ['06', 1, 'an opcode that is invalid in 64-bit mode has the length of 32-bit mode'],
  ['d4 0a', 2, 'AAM, too'],
  ['82 c0 01', 3, 'and group 82'],
  ['9a 11 22 33 44 55 66', 7, 'and a far call'],
  ['48 48 89 e5', 2, 'a REX after REX is an opcode'],
  ['48 66 90', 2, 'and so is a prefix after REX'],
  ['64 65 26 3e 66 90', 5, 'the fifth different prefix is an opcode'],
  ['66 66 66 66 66 90', 6, 'a repeated prefix counts once'],
  ['0f ff c0', 2, 'UD0 has no ModRM'],
  ['0f 22 42 11', 4, 'MOV of a control register may have a displacement'],
  ['f3 66 0f 38 dd 11', 6, 'the last prefix selects the opcode'],
  ['c4 00 00 00', 0, 'VEX without a map is refused'],
  ['c4 e3 15 5d e3 39', 0, 'an opcode of AMD (FMA4) is refused'],
  ['c5 f9 71 c0 01', 0, 'a group of VEX that does not exist is refused'],
  ['62 f2 7d 48 c6 00', 0, 'and one of EVEX'],
])('as for perf, %s has %d bytes: %s', (hex, length) => expect(decode(`${hex}${'00'.repeat(9)}`)[0]).toBe(length));

test('random instructions are those of iced-x86, except where perf is known to walk differently', () => {
  const { instructions, known, unknown } = compareWithIced({ seed: 1, amount: 90_000 });
  expect(unknown).toEqual([]);
  expect(instructions).toBeGreaterThan(25_000);
  expect(known.size).toBeGreaterThan(5);
});
