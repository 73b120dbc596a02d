/**
 * Packets in, events out: the rules of docs and of perf, each in its shortest stream.
 */
import { describe, expect, test } from 'vitest';
import { OwnDecoder } from '../../fuzz/pt/decode-own.js';
import * as packets from '../../fuzz/pt/packets.js';

const CODE = new Uint8Array(0x1000).fill(0x90);
CODE.set([0x74, 0x0a], 0x04); // jcc 10
CODE.set([0xeb, 0x0c], 0x12); // jmp 20
CODE.set([0xe8, 0xdb, 0, 0, 0], 0x20); // call 100
CODE.set([0x74, 0x18], 0x26); // jcc 40
CODE.set([0x0f, 0x05], 0x60); // syscall
CODE.set([0xc3], 0x101); // ret
const BASE = 0x40_0000;
const settings = { shift: 0, mult: 1, zero: 0, mtcPeriod: 3, ctcNumerator: 250, ctcDenominator: 2, maxBusRatio: 30 };
const at = (what: number, offset: number) => packets.addressPacket(what, BASE + offset, packets.SIGNED_6);
const none = (what: number) => packets.addressPacket(what, 0, packets.NO_IP);
const psb = (tick: bigint, ...inside: packets.Bytes[]) => [
  packets.PSB,
  packets.tsc(tick),
  packets.cbr(30),
  ...inside,
  packets.PSBEND,
];
const taken = packets.tnt([1]);

/** Events, then errors; addresses without the base, times in ticks. */
function decode(...stream: packets.Bytes[]): string[] {
  const files = [{ path: 'code', start: BASE, length: CODE.length, bytes: CODE }];
  const own = new OwnDecoder({ settings, files, allBranches: true });
  const { events, errors } = own.decode([{ cpu: 0, offset: 0, reference: 1000n, bytes: stream.flat() }]);
  return [...events, ...errors].map((line) => line.replace(/^0\.0*/, '').replace(/\b400(?=[0-9a-f]{3}\b)/g, ''));
}

describe('tracing', () => {
  test('begins at a TIP.PGE', () =>
    expect(decode(...psb(1000n), at(packets.PGE, 0), taken)).toEqual(['1000 tr strt 0 000', '1000 jcc 004 010']));
  test('begins without an event at the FUP of the first PSB+', () =>
    expect(decode(...psb(1000n, at(packets.FUP, 0)), taken)).toEqual(['1000 jcc 004 010']));
  test('ends at a TIP.PGD without an address', () =>
    expect(decode(...psb(1000n), at(packets.PGE, 0x60), none(packets.PGD))).toEqual([
      '1000 tr strt 0 060',
      '1000 tr end syscall 060 0',
    ]));
  test('has no events before there is a time', () =>
    expect(decode(packets.PSB, packets.PSBEND, at(packets.PGE, 0), taken)).toEqual([]));
});

describe('a FUP', () => {
  const begun = [...psb(1000n), at(packets.PGE, 0)];
  test('and a TIP are an interrupt', () =>
    expect(decode(...begun, at(packets.FUP, 2), at(packets.TIP, 0x100)).slice(1)).toEqual(['1000 hw int 002 100']));
  test('behind a MODE says where the program is', () =>
    expect(decode(...begun, packets.MODE_EXEC_64, at(packets.FUP, 2), taken).slice(1)).toEqual(['1000 jcc 004 010']));
  test('outside of tracing moves the walk without an event', () =>
    expect(decode(...psb(1000n), at(packets.PGE, 0x60), none(packets.PGD), at(packets.FUP, 0), taken).slice(2)).toEqual(
      ['1000 jcc 004 010'],
    ));
  test('goes on after an overflow', () =>
    expect(decode(...begun, packets.OVF, at(packets.FUP, 0), taken).slice(1)).toEqual(
      ['1000 tr strt 0 000', '1000 jcc 004 010', '1000 error 7 400000'].map((line) => line.replace('400000', '000')),
    ));
  test('is not followed by a TSC', () =>
    expect(decode(...begun, at(packets.FUP, 2), packets.tsc(1016n), at(packets.TIP, 0)).slice(1)).toEqual([
      '1016 tr strt 0 000',
      '1004 error 6 002',
    ]));
});

describe('an error', () => {
  test('keeps the address where the walk was, for a packet without one', () =>
    expect(decode(...psb(1000n), at(packets.PGE, 0), at(packets.TIP, 0), none(packets.PGD)).slice(1)).toEqual([
      '1010 tr strt tr end 0 004',
      '1010 error 6 004',
    ]));
  test('of an overflow leaves no address: bits that follow cannot be walked', () =>
    expect(decode(...psb(1000n), packets.OVF, taken)).toEqual(['1000 error 7 0', '1000 error 5 0']));
});

test('a packet that the end of its record cuts off is a bad one', () =>
  expect(decode(...psb(1000n), at(packets.PGE, 0), [0x59]).slice(1)).toEqual(['1000 error 3 000']));
