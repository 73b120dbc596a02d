/**
 * What the tables of packets share: the code that is traced, names of packets, and how a row is written.
 */
import * as pt from '../../../fuzz/pt/packets.js';
import type { TraceSettings } from '../../../fuzz/pt/recording.js';

export type { Bytes } from '../../../fuzz/pt/packets.js';
export type { TraceSettings } from '../../../fuzz/pt/recording.js';
export const { PSB, PSBEND, OVF, PAD, TRACE_STOP, MODE_EXEC_64, tsc, tma, mtc, cyc, cbr, tnt, longTnt } = pt;
export const { TIP, PGE, PGD, FUP } = pt;

/** What it shows; packets, records of them if there are several; events, then errors: tick, kind, from, to. */
export type Row = readonly [string, readonly pt.Bytes[] | readonly (readonly pt.Bytes[])[], readonly string[]];

export const BASE = 0x40_0000;
export const CODE = new Uint8Array(0x1000).fill(0x90);
CODE.set([0x74, 0x0a], 0x04); // jcc 10
CODE.set([0xeb, 0x0c], 0x12); // jmp 20
CODE.set([0xe8, 0xdb, 0, 0, 0], 0x20); // call 100
CODE.set([0x74, 0x18], 0x26); // jcc 40
CODE.set([0x0f, 0x05], 0x60); // syscall
CODE.set([0x74, 0xfe], 0x80); // jcc 80: a clock
CODE.set([0xff, 0xe0], 0x90); // jmp *rax
CODE.set([0xff, 0xd0], 0xa0); // call *rax
CODE.set([0xc3], 0x101); // ret
CODE.set([0xeb, 0xfe], 0x200); // jmp 200
CODE.set([0x06], 0x210); // no code in 64-bit mode, but an instruction for perf
CODE.set([0xc3], 0x211); // ret
CODE.set([0xc4, 0, 0, 0], 0x220); // no instruction
CODE.set([0xe8, 0x0b, 0, 0, 0], 0x300); // call 310
CODE.set([0x74, 0xfe], 0x305); // jcc 305: a clock
CODE.set([0xff, 0x18], 0x310); // far call
CODE.set([0xc3], 0x312); // ret
CODE.set([0x48, 0xcf], 0x320); // iret
CODE.set([0x48, 0xcb], 0x330); // far ret
CODE.set([0xe8, 0x0b, 0, 0, 0], 0x340); // call 350
CODE.set([0x74, 0xfe], 0x345); // jcc 345: a clock
CODE.set([0x48, 0xff, 0x28], 0x350); // far jmp
CODE.set([0xcd, 0x80], 0x353); // int 80
CODE.set([0xc3], 0x355); // ret
CODE.set([0x74, 0x06], 0x360); // jcc 368
CODE.set([0xe8, 0xf9, 0xff, 0xff, 0xff], 0x362); // call 360
CODE.set([0xc3], 0x367); // ret
CODE.set([0xff, 0x18], 0x368); // far call
CODE.set([0xc3], 0x36a); // ret

/** Ticks are nanoseconds; a CTC tick is 125 of them, a cycle at ratio 30 one. */
export const SETTINGS: TraceSettings = {
  shift: 0,
  mult: 1,
  zero: 0,
  mtcPeriod: 3,
  ctcNumerator: 250,
  ctcDenominator: 2,
  maxBusRatio: 30,
};
export const START = 0x10_0000n;

/** An address packet; compression as in the manual, 3 (48 bits, sign-extended) if not said. */
export const at = (what: number, offset: number, compression = pt.SIGNED_6) =>
  pt.addressPacket(what, BASE + offset, compression);
export const none = (what: number) => pt.addressPacket(what, 0, pt.NO_IP);

/** PSB+ at a tick. */
export const psb = (tick: bigint, ...inside: pt.Bytes[]) => [PSB, tsc(tick), cbr(30), ...inside, PSBEND];
/** PSB+ at tick 0 of a row; tracing begins at the clock. */
export const begun = (offset = 0x80, ...inside: pt.Bytes[]) => [...psb(START, ...inside), at(PGE, offset)];
/** A branch taken at the clock: an event with the time. */
export const tick = tnt([1]);
export const TAKEN = 'jcc 080 080';
