/**
 * Tables of packets, by topic: bytes in, events out (Intel SDM volume 3, "Intel Processor Trace"; what perf makes of them).
 */
import {
  at,
  type Bytes,
  begun,
  cbr,
  cyc,
  FUP,
  longTnt,
  MODE_EXEC_64,
  mtc,
  none,
  OVF,
  PAD,
  PGD,
  PGE,
  PSB,
  PSBEND,
  psb,
  type Row,
  SETTINGS,
  START,
  TAKEN,
  TIP,
  TRACE_STOP,
  type TraceSettings,
  tick,
  tma,
  tnt,
  tsc,
} from './rows.js';

export interface Table {
  readonly topic: string;
  readonly settings: TraceSettings;
  readonly rows: readonly Row[];
  /** Jumps within functions are no events. */
  readonly callsOnly?: boolean;
  /** What perf does instead, if it is wrong. */
  readonly perf?: string;
}

const on = '0 tr strt 0 080';
const ctc = tma(0x4000, 0);
const mismatches = [2, 4, 6, 8, 10].map((time) => `${time} error 6 080`);
const bad = [0x0d | (5 << 5)];
/** Above 2^47. */
const kernel = [PGE | (6 << 5), 0, 0, 0, 0, 0, 0x80, 0xff, 0xff];
const zeroFup = [FUP | (6 << 5), 0, 0, 0, 0, 0, 0, 0, 0];
const kernelEnd = [PGD | (6 << 5), ...kernel.slice(1)];
const zero = [PGE | (6 << 5), 0, 0, 0, 0, 0, 0, 0, 0];
/** PSB+ without a TSC. */
const timeless = (...inside: Bytes[]) => [PSB, cbr(30), ...inside, PSBEND];

const time: readonly Row[] = [
  ['a TSC sets the time', [...begun(), tsc(START + 500n), tick], [on, `500 ${TAKEN}`]],
  ['a TSC a little back is noise', [...begun(), tsc(START + 500n), tsc(START + 100n), tick], [on, `500 ${TAKEN}`]],
  ['a branch has the time of its packet, not of later ones', [...begun(), tick, tsc(START + 9n)], [on, `0 ${TAKEN}`]],
  ['without a time there are no events', [PSB, PSBEND, at(PGE, 0x80), tick], []],
  ['cycles count at the core bus ratio', [...begun(), cyc(70), tick], [on, `70 ${TAKEN}`]],
  ['cycles of several bytes', [...begun(), cyc(5000), tick], [on, `5000 ${TAKEN}`]],
  ['cycles add up', [...begun(), cyc(70), cyc(30), tick], [on, `100 ${TAKEN}`]],
  ['half the ratio: a cycle takes twice as long', [...begun(), cbr(15), cyc(70), tick], [on, `140 ${TAKEN}`]],
  ['another ratio counts from its packet on', [...begun(), cyc(70), cbr(15), cyc(10), tick], [on, `90 ${TAKEN}`]],
  ['the same ratio changes nothing', [...begun(), cyc(70), cbr(30), cyc(10), tick], [on, `80 ${TAKEN}`]],
  ['an unknown ratio: cycles stand still', [...begun(), cbr(0), cyc(70), tick], [on, `0 ${TAKEN}`]],
  ['a CYC of ten bytes', [...begun(), [0x2f, 1, 1, 1, 1, 1, 1, 1, 1, 0], tick], [on, `5 ${TAKEN}`]],
  [
    'a longer one is none',
    [...begun(), [0x2f, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]],
    [on, ...[2, 4, 6, 8].map((time) => `${time} tr strt tr end 0 080`), '0 error 3 080', ...mismatches],
  ],
  ['PADs are no packets', [...begun(), PAD, cyc(70), PAD, PAD, tick, PAD], [on, `70 ${TAKEN}`]],
];

const crystal: readonly Row[] = [
  ['an MTC counts from the TMA', [...begun(0x80, ctc), mtc(1), tick], [on, `1000 ${TAKEN}`]],
  ['MTCs that are missing count, too', [...begun(0x80, ctc), mtc(3), tick], [on, `3000 ${TAKEN}`]],
  [
    'the fast counter is the time since the CTC tick',
    [...begun(0x80, tma(0x4000, 40)), mtc(1), tick],
    [on, `960 ${TAKEN}`],
  ],
  ['a TMA between MTCs', [...begun(0x80, tma(0x4004, 0)), mtc(1), tick], [on, `500 ${TAKEN}`]],
  ['MTCs wrap', [...begun(0x80, tma(0x47f8, 0)), mtc(0), mtc(1), tick], [on, `2000 ${TAKEN}`]],
  ['an equal MTC is a whole turn', [...begun(0x80, ctc), mtc(0), tick], [on, `256000 ${TAKEN}`]],
  ['without a TMA an MTC says nothing', [...begun(), mtc(1), tick], [on, `0 ${TAKEN}`]],
  ['a TSC ends the TMA', [...begun(0x80, ctc), tsc(START + 1n), mtc(9), tick], [on, `1 ${TAKEN}`]],
  ['time does not go back at an MTC', [...begun(0x80, ctc), cyc(1500), mtc(1), tick], [on, `1500 ${TAKEN}`]],
  [
    'between MTCs behind cycles the length of a cycle is measured',
    [...begun(0x80, ctc), cyc(1), mtc(1), cyc(1000), tick, cyc(1000), mtc(2), tick],
    [on, `1500 ${TAKEN}`, `2000 ${TAKEN}`],
  ],
  [
    'a measured cycle of more than 1.25 times the ratio is not believed',
    [...begun(0x80, ctc), cyc(1), mtc(1), cyc(300), tick, cyc(300), mtc(2), tick],
    [on, `1300 ${TAKEN}`, `2000 ${TAKEN}`],
  ],
  [
    'no measurement over a TSC',
    [...begun(0x80, ctc), cyc(1), mtc(1), cyc(100), tick, tsc(START + 1900n), cyc(1900), mtc(2)],
    [on, `1100 ${TAKEN}`],
  ],
  [
    'no measurement over a TIP.PGD',
    [...begun(0x60, ctc), cyc(1), mtc(1), cyc(100), none(PGD), cyc(1900), mtc(2)],
    ['0 tr strt 0 060', '1100 tr end syscall 060 0'],
  ],
  [
    'no time from MTC to MTC: cycles take none',
    [...begun(0x80, ctc), cyc(2000), mtc(1), cyc(100), tick, cyc(100), mtc(2), tick],
    [on, `2000 ${TAKEN}`, `2000 ${TAKEN}`],
  ],
  [
    'no measurement if a later MTC is back',
    [...begun(0x80, ctc), cyc(2500), mtc(1), cyc(100), tick, mtc(2), cyc(1000), mtc(9)],
    [on, `2600 ${TAKEN}`],
  ],
];

const addresses: readonly Row[] = [
  [
    '2 bytes',
    [...begun(0x90), at(TIP, 0xa0, 1), none(PGD)],
    ['0 tr strt 0 090', '0 jmp 090 0a0', '0 tr end call 0a0 0'],
  ],
  [
    '4 bytes',
    [...begun(0x90), at(TIP, 0xa0, 2), none(PGD)],
    ['0 tr strt 0 090', '0 jmp 090 0a0', '0 tr end call 0a0 0'],
  ],
  [
    '6 bytes',
    [...begun(0x90), at(TIP, 0xa0, 4), none(PGD)],
    ['0 tr strt 0 090', '0 jmp 090 0a0', '0 tr end call 0a0 0'],
  ],
  [
    '8 bytes',
    [...begun(0x90), at(TIP, 0xa0, 6), none(PGD)],
    ['0 tr strt 0 090', '0 jmp 090 0a0', '0 tr end call 0a0 0'],
  ],
  [
    '6 bytes are sign-extended',
    [...begun(0x60), [0x01 | (3 << 5), 0, 0, 0, 0, 0, 0x80]],
    ['0 tr strt 0 060', '0 tr end syscall 060 ffff800000000000'],
  ],
  [
    'each address is relative to the last one, of whatever packet',
    [...begun(0x60), at(PGD, 0x90, 1), at(PGE, 0xa0, 1), at(TIP, 0x80, 1), tick],
    ['0 tr strt 0 060', '0 tr end syscall 060 090', '2 tr strt 0 0a0', '2 call 0a0 080', `2 ${TAKEN}`],
  ],
  [
    'a PSB begins with 0 as the last one',
    [...begun(0x60), none(PGD), ...psb(START), at(PGE, 0x80, 1)],
    ['0 tr strt 0 060', '0 tr end syscall 060 0', '0 tr strt 0 80'],
  ],
  ['an overflow keeps it', [...begun(), OVF, at(FUP, 0x80, 1), tick], [on, on, `0 ${TAKEN}`, '0 error 7 080']],
  ['a TIP without an address', [...begun(0xa0), none(TIP)], ['0 tr strt 0 0a0', '0 call 0a0 0']],
  ['an unknown compression is no packet', [...begun(), [0x0d | (5 << 5)]], [on, '0 error 3 080']],
];

const bits: readonly Row[] = [
  [
    'not taken is no event',
    [...begun(0), tnt([0]), none(PGD)],
    ['0 tr strt 0 000', '0 jmp 012 020', '0 call 020 100', '0 tr end return 101 0'],
  ],
  [
    'the first branch is the highest bit',
    [...begun(0), tnt([1, 0, 1])],
    ['0 tr strt 0 000', '0 jcc 004 010', '0 jmp 012 020', '0 call 020 100', '22 error 6 101'],
  ],
  [
    'a taken bit is a compressed return',
    [...begun(0x20), tnt([1, 1])],
    ['0 tr strt 0 020', '0 call 020 100', '0 return 101 025', '0 jcc 026 040'],
  ],
  ['six bits', [...begun(), tnt([1, 1, 1, 1, 1, 1])], [on, ...Array<string>(6).fill(`0 ${TAKEN}`)]],
  ['47 bits', [...begun(), longTnt(Array<number>(47).fill(1))], [on, ...Array<string>(47).fill(`0 ${TAKEN}`)]],
  ['a long TNT of one bit', [...begun(), longTnt([1])], [on, `0 ${TAKEN}`]],
  [
    'a TIP goes between the bits of the TNT before it',
    [...begun(0), tnt([1, 1, 1]), at(TIP, 0x90), at(TIP, 0x80)],
    [
      '0 tr strt 0 000',
      '0 jcc 004 010',
      '0 jmp 012 020',
      '0 call 020 100',
      '0 return 101 025',
      '0 jcc 026 040',
      '0 syscall 060 090',
      '0 jmp 090 080',
    ],
  ],
  [
    'a deferred TIP has the time of its TNT',
    [...begun(0x90), tnt([1, 1]), PAD, at(TIP, 0x80), tsc(START + 5n), tick],
    ['0 tr strt 0 090', '0 jmp 090 080', `0 ${TAKEN}`, `0 ${TAKEN}`, `5 ${TAKEN}`],
  ],
  ['bits without their TIP', [...begun(0x90), tnt([1]), cyc(1)], ['0 tr strt 0 090', '2 error 6 090']],
  [
    'jumps before a branch have the time before',
    [...begun(0x12), cyc(7), tnt([1])],
    ['0 tr strt 0 012', '0 jmp 012 020', '0 call 020 100', '7 return 101 025'],
  ],
  [
    'a jump to itself never ends',
    [...begun(0x200), tick],
    ['0 tr strt 0 200', '0 jmp 200 200', '0 jmp 200 200', '6 error 10 200'],
  ],
  [
    'perf walks over an opcode that is invalid in 64-bit mode',
    [...begun(0x210), at(TIP, 0x80)],
    ['0 tr strt 0 210', '0 return 211 080'],
  ],
  ['no instruction is no code', [...begun(0x220), tick], ['0 tr strt 0 220', '0 error 5 220']],
  ['no file is no code', [...begun(0x9000), tick], ['0 tr strt 0 409000', '0 error 5 409000']],
];

const tracing: readonly Row[] = [
  ['begins at a TIP.PGE', [...begun(), tick], [on, `0 ${TAKEN}`]],
  ['begins without an event at the FUP of the first PSB+', [...psb(START, at(FUP, 0x80)), tick], [`0 ${TAKEN}`]],
  ['ends at a TIP.PGD without an address', [...begun(0x60), none(PGD)], ['0 tr strt 0 060', '0 tr end syscall 060 0']],
  ['ends at a TIP.PGD with one', [...begun(0x60), at(PGD, 0x90)], ['0 tr strt 0 060', '0 tr end syscall 060 090']],
  ['ends where a FUP says', [...begun(), at(FUP, 0x80), none(PGD)], [on, '0 tr end async 080 0']],
  ['is interrupted by FUP and TIP', [...begun(), at(FUP, 0x80), at(TIP, 0x90)], [on, '0 hw int 080 090']],
  [
    'FUP after straight code',
    [...begun(2), at(FUP, 4), at(TIP, 0x80), tick],
    ['0 tr strt 0 002', '0 hw int 004 080', `0 ${TAKEN}`],
  ],
  ['a FUP that is not reached', [...begun(), at(FUP, 0x90), at(TIP, 0x80)], [on, '2 tr strt 0 080', '2 error 6 080']],
  ['a FUP with nothing behind it', [...begun(2), at(FUP, 4), tick], ['0 tr strt 0 002', '4 error 6 004']],
  [
    'a FUP outside only moves',
    [...begun(0x60), none(PGD), at(FUP, 0x80), tick],
    ['0 tr strt 0 060', '0 tr end syscall 060 0', `0 ${TAKEN}`],
  ],
  [
    'begins at the time of the packet before the first instruction',
    [...begun(4), tnt([0]), at(PGE, 0x80)],
    ['0 tr strt 0 004', '2 tr strt 0 080'],
  ],
  [
    'begins in the kernel at the time of the event before',
    [...begun(4), tnt([0]), kernel],
    ['0 tr strt 0 004', '0 tr strt 0 ffff800000000000'],
  ],
  ['begins at 0 likewise', [...begun(4), tnt([0]), zero], ['0 tr strt 0 004', '0 tr strt 0 0']],
  [
    'begins after a FUP: an interrupt',
    [...begun(4), tnt([0]), at(FUP, 6), at(PGE, 0x80)],
    ['0 tr strt 0 004', '2 tr strt hw int 0 080'],
  ],
  [
    'begins after a FUP in the kernel',
    [...begun(4), tnt([0]), at(FUP, 6), kernel],
    ['0 tr strt 0 004', '0 tr strt hw int 0 ffff800000000000'],
  ],
  ['begins after a FUP nowhere', [...begun(4), tnt([0]), at(FUP, 6), zero], ['0 tr strt 0 004', '0 byBE 0 0']],
  ['TraceStop ends the TMA', [...begun(0x80, tma(0x4000, 0)), TRACE_STOP, mtc(1), tick], [on, `0 ${TAKEN}`]],
];

const psbs: readonly Row[] = [
  ['what precedes the first one is not read', [[0x55, 0x02, 0x82, 0x19], ...begun(), tick], [on, `0 ${TAKEN}`]],
  ['a pair before it by chance', [[0x02, 0x82], ...begun(), tick], [on, `0 ${TAKEN}`]],
  ['half a PSB is none', [PSB.slice(0, 8), ...begun(), tick], [on, `0 ${TAKEN}`]],
  [
    'the walk goes on behind it',
    [...begun(), tick, ...psb(START + 9n, at(FUP, 0x80)), tick],
    [on, `0 ${TAKEN}`, `9 ${TAKEN}`],
  ],
  [
    'direct branches up to its address are events',
    [...begun(0x12), ...psb(START + 9n, at(FUP, 0x100)), at(FUP, 0x101), at(TIP, 0x80)],
    ['0 tr strt 0 012', '0 jmp 012 020', '0 call 020 100', '9 hw int 101 080'],
  ],
  [
    'calls before it do not return compressed',
    [...begun(0x20), ...psb(START + 9n, at(FUP, 0x101)), tick],
    ['0 tr strt 0 020', '0 call 020 100', '11 error 6 101'],
  ],
  [
    "a TIP.PGE soon after it: the address is not the program's",
    [...begun(), ...psb(START + 9n, at(FUP, 0x90)), at(PGE, 0x80), tick],
    [on, '9 tr strt 0 080', `9 ${TAKEN}`],
  ],
  [
    'an address that the walk does not reach',
    [...begun(), ...psb(START + 9n, at(FUP, 0x90)), at(TIP, 0x80)],
    [on, '9 tr strt 0 090', '9 jmp 090 080', '2 error 6 080'],
  ],
  ['a TNT in it', [...begun(), PSB, tick, tick], [on, `0 ${TAKEN}`, `0 ${TAKEN}`]],
  [
    'a TNT after its address',
    [...begun(), PSB, at(FUP, 0x80), tick, at(TIP, 0x80)],
    [on, '0 tr strt 0 080', '0 error 6 080'],
  ],
  ['its first FUP counts', [...begun(), PSB, at(FUP, 0x80), at(FUP, 0x90), PSBEND, tick], [on, `0 ${TAKEN}`]],
  ['its first FUP has no address', [...begun(), PSB, none(FUP), at(FUP, 0x90), PSBEND, tick], [on, `0 ${TAKEN}`]],
  [
    'the last address is that of the last FUP',
    [...begun(0x60), PSB, at(FUP, 0x60), at(FUP, 0x90), PSBEND, at(PGD, 0x80, 1)],
    ['0 tr strt 0 060', '0 tr end syscall 060 080'],
  ],
  [
    'a packet after a FUP that is not reached, and relative',
    [...begun(), OVF, PSB, at(FUP, 0x80, 1), at(TIP, 0xa0)],
    [on, '0 tr strt 0 0a0', '0 error 7 080', '0 error 5 0'],
  ],
  [
    'a record ends in it: its address is not found',
    [
      [...begun(), PSB],
      [at(FUP, 0x90), PSBEND, tick],
    ],
    [on, `0 ${TAKEN}`],
  ],
  [
    'a record ends in it: nor is a TIP.PGE after it',
    [
      [...begun(), PSB, at(FUP, 0x90)],
      [PSBEND, at(PGE, 0x80)],
    ],
    [on, '2 tr strt 0 090', '2 tr strt 0 080', '2 error 6 080'],
  ],
  [
    'two of them, after code that is not there: the last address stays unknown',
    [...begun(0x9000), tick, PSB, PSB, none(PGD), at(PGE, 0x80, 1)],
    ['0 tr strt 0 409000', '0 error 5 409000', '0 error 6 0'],
  ],
  [
    'if its address is not reached, calls before it return compressed',
    [...begun(0x20), at(FUP, 0x101), at(TIP, 0x60), OVF, PSB, at(FUP, 0x101), PSBEND, tick],
    [
      '0 tr strt 0 020',
      '0 call 020 100',
      '0 hw int 101 060',
      '0 tr strt 0 101',
      '0 return 101 025',
      '0 error 7 060',
      '0 error 5 0',
    ],
  ],
  [
    'a TIP.PGE after a TraceStop: the address is that of the program',
    [...begun(), ...timeless(at(FUP, 0x90)), TRACE_STOP, at(PGE, 0x80)],
    [on, '2 tr strt 0 090', '2 tr strt 0 080', '2 error 6 080'],
  ],
  [
    'a TIP.PGE after another PSB likewise',
    [...begun(), ...timeless(at(FUP, 0x90)), PSB, at(PGE, 0x80)],
    [on, '2 tr strt 0 090', '2 tr strt 0 080', '2 error 6 080'],
  ],
  [
    'an overflow in it, after its address: the next FUP begins, the one after it is no interrupt',
    [...begun(), PSB, at(FUP, 0x80), OVF, at(FUP, 0x80), at(FUP, 0x90), at(TIP, 0x80)],
    [on, on, '0 jmp 090 080', '0 error 6 0'],
  ],
  [
    'broken after code that is not there: the last address is 0',
    [...begun(0x9000), tick, PSB, at(FUP, 0x80), at(TIP, 0x90), OVF, at(PGE, 0x80, 1)],
    ['0 tr strt 0 409000', '0 tr strt 0 80', '0 error 5 409000', '0 error 6 080', '0 error 7 0'],
  ],
  ['an overflow in it', [...begun(), PSB, OVF, at(FUP, 0x80), tick], [on, on, `0 ${TAKEN}`, '0 error 7 080']],
  ['a PSB in it', [...begun(), PSB, ...psb(START + 9n, at(FUP, 0x80)), tick], [on, `9 ${TAKEN}`]],
  [
    'it finds the way after an error, without an event',
    [...begun(), [0x0d], ...psb(START + 9n, at(FUP, 0x80)), tick],
    [on, `9 ${TAKEN}`, '2 error 6 080'],
  ],
  [
    'no event is before its time',
    [...begun(0x12), ...psb(START + 0x8000n, at(FUP, 0x12)), ...psb(START, at(FUP, 0x12)), tick],
    ['0 tr strt 0 012', '32768 jmp 012 020', '32768 call 020 100', '32768 return 101 025'],
  ],
  [
    'without a TSC it has the last one: after an error events may go back',
    [...begun(), cyc(70), at(TIP, 0x90), ...timeless(at(FUP, 0x20)), tick],
    [on, '2 call 020 100', '70 return 101 025', '72 error 6 080'],
  ],
  [
    'without an error they may not',
    [...begun(), cyc(70), tick, ...timeless(at(FUP, 0x80)), tick],
    [on, `70 ${TAKEN}`, `70 ${TAKEN}`],
  ],
  ['PSBEND alone', [...begun(), PSBEND, tick], [on, `0 ${TAKEN}`]],
];

const losses: readonly Row[] = [
  ['an overflow, then a FUP', [...begun(), OVF, at(FUP, 0x80), tick], [on, on, `0 ${TAKEN}`, '0 error 7 080']],
  ['an overflow, then a TIP.PGE', [...begun(), OVF, at(PGE, 0x80), tick], [on, on, `0 ${TAKEN}`, '0 error 7 080']],
  [
    'an overflow, then a time and a FUP',
    [...begun(), OVF, tsc(START + 9n), at(FUP, 0x80), tick],
    [on, '9 tr strt 0 080', `9 ${TAKEN}`, '0 error 7 080'],
  ],
  ['an overflow, then a FUP at 0', [...begun(), OVF, zeroFup], [on, '0 tr strt 0 0', '0 error 7 080']],
  ['an overflow, then bits', [...begun(), OVF, tick], [on, '0 error 7 080', '0 error 5 0']],
  [
    'calls return compressed after an overflow',
    [...begun(0x20), at(FUP, 0x101), at(TIP, 0x80), OVF, at(FUP, 0x101), tick],
    ['0 tr strt 0 020', '0 call 020 100', '0 hw int 101 080', '0 tr strt 0 101', '0 return 101 025', '0 error 7 080'],
  ],
  ['a bad packet: on with the next byte', [...begun(), [0xf1], tick], [on, `0 ${TAKEN}`, '0 error 3 080']],
  ['an unknown packet behind 02', [...begun(), [0x02, 0x00], tick], [on, `0 ${TAKEN}`, '0 error 3 080']],
  ['an MNT has a third byte of its own', [...begun(), [0x02, 0xc3, 0], tick], [on, `24 ${TAKEN}`, '0 error 3 080']],
  ['a long TNT without bits says nothing', [...begun(), [0x02, 0xa3, 0, 0, 0, 0, 0, 0]], [on]],
  [
    'a bad packet ends the TMA',
    [...begun(0x80, tma(0x4000, 0)), [0xf1], mtc(1), tick],
    [on, `0 ${TAKEN}`, '0 error 3 080'],
  ],
  ['a packet that the end cuts off is bad', [...begun(), [0x59]], [on, '0 error 3 080']],
  [
    'no packet goes on in the next record',
    [
      [...begun(), [0x19, 0, 0]],
      [[0, 0, 0x10, 0, 0], tick],
    ],
    [on, '0 error 3 080', '32 error 6 090'],
  ],
  [
    'after a mismatch bits are dropped',
    [...begun(), at(TIP, 0x80), tick, at(TIP, 0x90)],
    [on, '2 tr strt 0 090', '2 error 6 080'],
  ],
  [
    'after a mismatch a TIP.PGD begins and ends',
    [...begun(), at(TIP, 0x80), none(PGD)],
    [on, '2 tr strt tr end 0 080', '2 error 6 080'],
  ],
  [
    'after a TIP.PGD without code a FUP begins, and the next one is no interrupt',
    [...begun(0x9000), tick, none(PGD), at(FUP, 0x80), at(FUP, 0x90), at(TIP, 0x80)],
    ['0 tr strt 0 409000', on, '0 jmp 090 080', '0 error 5 409000'],
  ],
  [
    'an end in the kernel after an error has the time of the error',
    [...begun(), at(TIP, 0x90), cyc(1), kernelEnd],
    [on, '2 tr strt tr end 0 ffff800000000000', '2 error 6 080'],
  ],
  [
    'without code the last address is forgotten',
    [...begun(0x9000), tick, at(TIP, 0x80, 1), at(TIP, 0x80), tick],
    ['0 tr strt 0 409000', '0 tr strt 0 080', `0 ${TAKEN}`, '0 error 5 409000'],
  ],
];

/** What does not belong in the first PSB+. As perf does: no error is told of what precedes it. */
const first = [PSB, tsc(START), cbr(30)];
/** Makes perf tell of errors. */
const told = cbr(29);
const FIRST_BREAKS: readonly (readonly [string, Bytes])[] = [
  ['a bad packet', bad],
  ['TIP', at(TIP, 0x90)],
  ['TIP.PGE', at(PGE, 0x90)],
  ['TIP.PGD', none(PGD)],
  ['OVF', OVF],
  ['PTW', [0x02, 0x12, 1, 2, 3, 4]],
  ['EXSTOP', [0x02, 0x62]],
];
const FIRST_LOST: readonly (readonly [string, Bytes])[] = [
  ['TNT', tick],
  ['TraceStop', TRACE_STOP],
];
const firsts: readonly Row[] = [
  ...FIRST_BREAKS.map(
    ([name, bytes]): Row => [`${name} in it: the walk is nowhere`, [...first, bytes, told, tick], ['0 error 5 0']],
  ),
  ...FIRST_BREAKS.map(
    ([name, bytes]): Row => [
      `${name} in it: a TIP.PGE begins`,
      [...first, bytes, at(PGE, 0x80), tick],
      [on, `0 ${TAKEN}`],
    ],
  ),
  ...FIRST_BREAKS.filter(([, bytes]) => bytes !== OVF).map(
    ([name, bytes]): Row => [
      `${name} after its address: the walk begins there`,
      [...first, at(FUP, 0x80), bytes, told, tick],
      [`0 ${TAKEN}`],
    ],
  ),
  ['a TIP in it does not end the TMA', [...first, ctc, at(TIP, 0x90), mtc(1), at(PGE, 0x80)], [`1000 ${on.slice(2)}`]],
  [
    'after its address a FUP is an interrupt',
    [...first, at(FUP, 0x80), bad, told, at(FUP, 0x80), at(TIP, 0x90)],
    ['0 hw int 080 090'],
  ],
  ['OVF after its address', [...first, at(FUP, 0x80), OVF, told, tick], ['0 error 5 0']],
  ...FIRST_LOST.flatMap(([name, bytes]): Row[] => [
    [`${name} in it: the next address begins`, [...first, bytes, tick, at(TIP, 0x80, 1)], ['0 tr strt 0 80']],
    [`${name} in it: or ends`, [...first, bytes, tick, at(PGD, 0x80)], ['0 tr strt tr end 0 080']],
    [`${name} in it: or is in a PSB+`, [...first, bytes, ...timeless(at(FUP, 0x80)), tick], [`0 ${TAKEN}`]],
    [`${name} in it: not in a PSB+ without one`, [...first, bytes, ...timeless(), at(FUP, 0x80)], [on]],
    [`${name} in it ends the TMA`, [...first, ctc, bytes, mtc(1), at(PGE, 0x80)], [on]],
    [`${name} after its address`, [...first, at(FUP, 0x80), bytes, told, tick], [`0 ${TAKEN}`]],
  ]),
  ['a bad packet is no error before it', [...first, bad, bad, told, at(PGE, 0x80), bad], [on, '0 error 3 080']],
  ['a bad packet after it is one', [...first, PSBEND, bad], ['0 error 3 0']],
];

/** Packets of events: what they do to the walk. */
const mode = (leaf: number, bits: number) => [0x99, (leaf << 5) | bits];
const EVENTS: readonly (readonly [string, readonly number[]])[] = [
  ['PIP', [0x02, 0x43, 0, 0, 0, 0, 0, 0]],
  ['VMCS', [0x02, 0xc8, 0, 0, 0, 0, 0]],
  ['MNT', [0x02, 0xc3, 0x88, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['PTW of 4 bytes', [0x02, 0x12, 1, 2, 3, 4]],
  ['PTW of 8 bytes', [0x02, 0x32, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['EXSTOP', [0x02, 0x62]],
  ['MWAIT', [0x02, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['PWRE', [0x02, 0x22, 0, 0]],
  ['PWRX', [0x02, 0xa2, 0, 0, 0, 0, 0]],
  ['BBP and BEP', [0x02, 0x63, 0, 0x02, 0x33]],
  ['CFE', [0x02, 0x13, 1, 5]],
  ['EVD', [0x02, 0x53, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['MODE.Exec, 64 bits', MODE_EXEC_64],
  ['MODE.TSX', mode(1, 0)],
];
const SETS_TIME = new Set(['PTW of 4 bytes', 'PTW of 8 bytes', 'EXSTOP', 'PWRE', 'PWRX', 'BBP and BEP']);
const WITH_ADDRESS: readonly (readonly [string, readonly number[]])[] = [
  ['PTW', [0x02, 0x92, 1, 2, 3, 4]],
  ['EXSTOP', [0x02, 0xe2]],
  ['BEP', [0x02, 0x63, 0, 0x02, 0xb3]],
  ['CFE', [0x02, 0x13, 0x81, 5]],
  ['MODE.Exec', MODE_EXEC_64],
  ['MODE.TSX', mode(1, 1)],
];
const events: readonly Row[] = [
  ...EVENTS.map(
    ([name, bytes]): Row => [`${name} between branches`, [...begun(), bytes, cyc(3), tick], [on, `3 ${TAKEN}`]],
  ),
  ...WITH_ADDRESS.map(
    ([name, bytes]): Row => [
      `the FUP of a ${name} is where it was, no interrupt`,
      [...begun(2), bytes, at(FUP, 4), tnt([1])],
      ['0 tr strt 0 002', '0 jcc 004 010'],
    ],
  ),
  ...EVENTS.map(
    ([name, bytes]): Row => [
      `a ${name} ${SETS_TIME.has(name) ? 'sets' : 'does not set'} the time of branches without a packet`,
      [...begun(0x12), cyc(7), bytes, cyc(100), tick],
      [
        '0 tr strt 0 012',
        ...['jmp 012 020', 'call 020 100'].map((what) => `${SETS_TIME.has(name) ? 7 : 0} ${what}`),
        '107 return 101 025',
      ],
    ],
  ),
  ['a MODE that does not exist', [...begun(), mode(2, 0), tick], [on, '0 error 3 080', '32 error 6 090']],
  [
    'a transaction aborts: MODE.TSX, FUP, TIP',
    [...begun(0x90), mode(1, 2), at(FUP, 0x90), at(TIP, 0x80), tick],
    ['0 tr strt 0 090', '0 hw int 090 080', `0 ${TAKEN}`],
  ],
];

const far: readonly Row[] = [
  [
    'a far call: the near one before it returns compressed',
    [...begun(0x140), at(TIP, 0x101), tnt([1])],
    ['0 tr strt 0 140', '0 call 140 150', '0 call 150 101', '0 return 101 145'],
  ],
  [
    'a far return takes no call',
    [...begun(0x160), at(TIP, 0x101), tnt([1])],
    ['0 tr strt 0 160', '0 call 160 170', '0 return 170 101', '0 return 101 165'],
  ],
  [
    'a far jump',
    [...begun(0x180), at(TIP, 0x101), tnt([1])],
    ['0 tr strt 0 180', '0 call 180 190', '0 jmp 190 101', '0 return 101 185'],
  ],
];

export const TABLES: readonly Table[] = [
  { topic: 'time', settings: SETTINGS, rows: time },
  { topic: 'TMA, MTC and CYC', settings: SETTINGS, rows: crystal },
  {
    topic: 'a fractional CTC ratio',
    settings: { ...SETTINGS, ctcNumerator: 25, ctcDenominator: 3, mtcPeriod: 0 },
    rows: [
      ['ticks are rounded down', [...begun(0x80, ctc), mtc(1), tick, mtc(2), tick], [on, `8 ${TAKEN}`, `16 ${TAKEN}`]],
      ['three CTC ticks are 25', [...begun(0x80, ctc), mtc(3), tick], [on, `25 ${TAKEN}`]],
    ],
  },
  {
    topic: 'another MTC period',
    settings: { ...SETTINGS, mtcPeriod: 6 },
    rows: [['an MTC is 64 CTC ticks', [...begun(0x80, ctc), mtc(1), tick], [on, `8000 ${TAKEN}`]]],
  },
  { topic: 'compression of addresses', settings: SETTINGS, rows: addresses },
  { topic: 'TNT', settings: SETTINGS, rows: bits },
  {
    topic: 'times after which the next TSC goes back',
    settings: SETTINGS,
    perf: 'time stands there',
    rows: [
      [
        'a TSC',
        [...begun(0x12), ...psb(START + 0x50000n, at(FUP, 0x12)), ...psb(START + 9n, at(FUP, 0x12)), tick],
        ['0 tr strt 0 012', '9 jmp 012 020', '9 call 020 100', '9 return 101 025', '0 error 3 012'],
      ],
      [
        'the first TSC',
        [...psb(START + 0x50000n, at(FUP, 0x80)), tick, ...psb(START + 9n, at(FUP, 0x80)), tick],
        [`9 ${TAKEN}`, `9 ${TAKEN}`],
      ],
    ],
  },
  {
    topic: 'far transfers between calls and compressed returns',
    settings: SETTINGS,
    perf: 'a far call is a near one, and so is a far return',
    rows: far,
  },
  { topic: 'tracing: TIP.PGE, TIP.PGD, FUP', settings: SETTINGS, rows: tracing },
  { topic: 'PSB+', settings: SETTINGS, rows: psbs },
  { topic: 'a damaged first PSB+', settings: SETTINGS, rows: firsts },
  {
    topic: 'jumps that are no events',
    settings: SETTINGS,
    callsOnly: true,
    rows: [
      [
        'no event is before a jump',
        [...begun(0x90), cyc(20), at(TIP, 0x12), ...timeless(at(FUP, 0x12)), tick],
        ['0 tr strt 0 090', '20 call 020 100', '20 return 101 025'],
      ],
    ],
  },
  { topic: 'overflows and errors', settings: SETTINGS, rows: losses },
  { topic: 'packets of events', settings: SETTINGS, rows: events },
];
