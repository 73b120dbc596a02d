/**
 * What only makes decoding faster changes nothing: packets taken in a loop of their own, and walks that are repeated.
 */
import { describe, expect, test } from 'vitest';
import { placedPieces, randomCase, randomSettings } from '../../fuzz/pt/cases.js';
import { damage } from '../../fuzz/pt/damage.js';
import { OwnDecoder, type OwnOptions } from '../../fuzz/pt/decode-own.js';
import {
  addressPacket,
  type Bytes,
  cbr,
  cyc,
  FUP,
  PGE,
  PSB,
  PSBEND,
  SIGNED_6,
  TIP,
  tnt,
  tsc,
} from '../../fuzz/pt/packets.js';
import { CODE_BASE, randomProgram } from '../../fuzz/pt/program.js';
import { PID } from '../../fuzz/pt/recording.js';
import { StreamWriter } from '../../fuzz/pt/streams.js';
import { Random } from '../../fuzz/random.js';
import type { DecodedPart } from '../../src/decode/parts.js';
import { partsOf } from '../../src/decode/parts.js';
import type { Sideband } from '../../src/decode/schedule.js';
import { openPath } from '../../src/host/files.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../src/pipeline/decode/decode-task.js';
import { decodeContext, type EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { times } from '../helpers/random/times.js';
import { SETTINGS, START } from './packets/rows.js';

/** All that a decoder finds in parts of some kilobytes: with its state at every mark. */
function found(encoded: EncodedRecording): DecodedPart[] {
  const file = openPath(encoded.path);
  const context = decodeContext(encoded, file.ref, decodePlan(encoded), 0n);
  const decoder = new RecordingDecoder(context);
  const parts = context.cpus.flatMap(({ trace }, cpu) =>
    [...partsOf(trace.streams, 3000)].map((part) => decoder.decode(cpu, part, new Int32Array())),
  );
  decoder.close();
  file.close();
  return parts;
}

describe.each(RECORDINGS)('%s', (name) => {
  test.each([
    ['calls and returns', false],
    ['every branch', true],
  ])('is decoded as without fast paths: %s', async (_, allBranches) => {
    const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, allBranches);
    expect(found(encoded)).toEqual(found({ ...encoded, isPlain: true }));
  });
});

const CASES = times(120);

/** Each case comes thrice: at the third time, what its packets do is known. */
test.each([1, 2, 3, 4, 5, 6, 7, 8])('random packets are decoded as without fast paths: program %i', (group) => {
  const random = new Random(17, group);
  const program = randomProgram(random, 20 + random.below(60));
  const settings = randomSettings(random);
  const files = [{ path: 'code', start: CODE_BASE, length: 4096 * 16, bytes: program.bytes }];
  const options = { settings, files, allBranches: group % 2 === 0 };
  const fast = new OwnDecoder(options);
  const plain = new OwnDecoder({ ...options, isPlain: true });
  for (let number = 0; number < CASES; number++) {
    const placed = placedPieces(randomCase(new Random(group, number), number, program, settings), 0);
    for (let time = 0; time < 3; time++) expect(fast.decode(placed)).toEqual(plain.decode(placed));
  }
});

/** Decodes packets again and again: from the third time on, what they do is known. Returns how many events they have. */
function expectSame(options: OwnOptions, packets: readonly Bytes[]): number {
  const fast = new OwnDecoder(options);
  const pieces = [{ cpu: 0, offset: 0, reference: START, bytes: packets.flat() }];
  const expected = new OwnDecoder({ ...options, isPlain: true }).decode(pieces);
  for (let time = 0; time < 3; time++) expect(fast.decode(pieces)).toEqual(expected);
  return expected.events.length;
}

const FAR_TICK = 1n << 54n;
/** A stream that is repeated after a pause of more than 2^32 ns, where steps are large. */
const LONG_PAUSE = 24;

test.each([
  ['the usual one', {}],
  ['one with odd numbers', { mult: 3_000_000_019, shift: 33 }],
  ['one whose steps are large', { mult: 4_294_967_295, shift: 0 }],
  ['one of the largest exact times', { zero: 2 ** 53 - 2 ** 31 }],
])('long streams of packets are decoded as without fast paths, by any clock: %s', (_, clock) => {
  for (const number of [LONG_PAUSE, ...Array(times(32)).keys()]) {
    const random = new Random(23, number);
    const program = randomProgram(random, 20 + random.below(60));
    const other = randomProgram(random, 80);
    const settings = { ...randomSettings(random), ...clock };
    const length = 4096 * 16;
    const files = [
      { path: 'code', start: CODE_BASE, length, bytes: program.bytes },
      { path: 'other', start: CODE_BASE + length, length, bytes: other.bytes },
    ];
    const tick = number % 3 === 0 ? FAR_TICK : START;
    const stream = new StreamWriter(random, program, settings, tick).write(400);
    const kept = random.below(stream.length);
    const anywhere = () => random.pick(program.starts);
    const damaged = [...stream.slice(0, kept), ...damage(random, stream.slice(kept), anywhere, tick)];
    const jumps = number % 3 === 1 ? { functionAt } : {};
    const options = { settings, files, allBranches: number % 2 === 0, ...jumps };
    expectSame(options, damaged);
    expectSame({ ...options, sideband: turns(random, tick, length) }, damaged);
  }
});

/** As if functions were that short: many jumps leave them. */
function functionAt(_: unknown, address: number) {
  const start = address - (address % 64);
  return { start, end: start + 64 };
}

/** Threads of two processes take turns; what the second one has at the same addresses is other code. */
function turns(random: Random, tick: bigint, length: number): Sideband[] {
  const step = 1 + random.below(20_000);
  const map = { tick: 0n, what: 'map', pid: PID + 1, start: CODE_BASE, length, fileOffset: 0, file: 'other' } as const;
  const slots = Array.from({ length: 100 }, (_, slot) => {
    const pid = slot % 4 === 3 ? PID + 1 : PID;
    return { tick: tick + BigInt(slot * step), what: 'runs', cpu: 0, pid, tid: pid + 10 * (slot % 3) } as const;
  });
  return [map, ...slots];
}

/** main: call f; jmp *rax. f: jcc 30; call f; ret. 30: ret. 40: jcc 50. 50: call 30; jmp *rax. 70: call 30; call 30; jmp *rax */
const CALLS = new Uint8Array(4096).fill(0x90);
CALLS.set([0xe8, 0x1b, 0, 0, 0, 0xff, 0xe0]);
CALLS.set([0x74, 0x0e, 0xe8, 0xf9, 0xff, 0xff, 0xff, 0xc3], 0x20);
CALLS.set([0xc3], 0x30);
CALLS.set([0x74, 0x0e], 0x40);
CALLS.set([0xe8, 0xdb, 0xff, 0xff, 0xff, 0xff, 0xe0], 0x50);
CALLS.set([0xeb, 0xfe], 0x60);
CALLS.set([0xe8, 0xbb, 0xff, 0xff, 0xff, 0xe8, 0xb6, 0xff, 0xff, 0xff, 0xff, 0xe0], 0x70);
/** From 100 and 200 on, calls, each of the next one; then jmp *rax. Those of what is after them need no return. */
const CHAIN = 20;
for (let call = 0; call < CHAIN; call++) {
  CALLS.set([0xe8, 1, 0, 0, 0, 0x90], 0x100 + 6 * call);
  CALLS.set([0xe8, 0, 0, 0, 0], 0x200 + 5 * call);
}
CALLS.set([0xff, 0xe0], 0x100 + 6 * CHAIN);
CALLS.set([0xff, 0xe0], 0x200 + 5 * CHAIN);
const CALLS_OPTIONS = {
  settings: { ...SETTINGS, mtcPeriod: -1 },
  files: [{ path: 'calls', start: CODE_BASE, length: CALLS.length, bytes: CALLS }],
  allBranches: false,
};
const inCalls = (what: number, offset: number) => addressPacket(what, CODE_BASE + offset, SIGNED_6);
/** Where a decoder may hand over, it takes each packet by itself: at 16 addresses at first. */
const HANDED_OVER = new Array<Bytes>(20).fill(inCalls(TIP, 5));
const begun = (offset: number) => [
  PSB,
  tsc(START),
  cbr(30),
  PSBEND,
  inCalls(PGE, 5),
  ...HANDED_OVER,
  inCalls(TIP, offset),
];
const CALLS_BEGIN = begun(0);

/** The function calls itself so often, returns, and main begins anew. */
function recursion(depth: number, random: Random): Bytes[] {
  const bits = [...new Array<number>(depth).fill(0), ...new Array<number>(depth + 2).fill(1)];
  const packets: Bytes[] = [];
  for (let at = 0; at < bits.length; at += 6) {
    if (random.oneIn(2)) packets.push(cyc(random.below(300)));
    packets.push(tnt(bits.slice(at, at + 6)));
  }
  if (random.oneIn(2)) packets.push(cyc(random.below(20)));
  return [...packets, inCalls(TIP, 0)];
}

test('calls within calls are decoded as without fast paths, also more than the CPU remembers', () => {
  const random = new Random(29, 0);
  const rounds = Array.from({ length: 300 }, () => recursion(random.pick([0, 1, 2, 3, 7, 30, 45, 50, 55, 62]), random));
  expectSame(CALLS_OPTIONS, [...CALLS_BEGIN, ...rounds.flat()]);
  expectSame({ ...CALLS_OPTIONS, compressesReturns: false }, [...CALLS_BEGIN, ...rounds.flat()]);
  const deep = Array.from({ length: 30 }, () => recursion(random.pick([63, 64, 70]), random));
  expectSame(CALLS_OPTIONS, [...CALLS_BEGIN, ...deep.flatMap((round) => [...round, ...CALLS_BEGIN])]);
});

test('more events than a run has are decoded as without fast paths, and pauses between them', () => {
  const random = new Random(31, 0);
  const rounds = Array.from({ length: 8000 }, () => recursion(random.below(8), random));
  const pause = tsc(START + (1n << 33n));
  expect(expectSame(CALLS_OPTIONS, [...CALLS_BEGIN, ...rounds.flat()])).toBeGreaterThan(2 * 32_768);
  expectSame(CALLS_OPTIONS, [...CALLS_BEGIN, ...rounds.slice(0, 50).flat(), pause, ...rounds.slice(0, 50).flat()]);
});

test('a return to a call of another process goes on in the code of its own', () => {
  const bytes = CALLS.slice();
  bytes.set([0xe8, 0x26, 0, 0, 0, 0xff, 0xe0], 5); // call 30; jmp *rax
  const files = [...CALLS_OPTIONS.files, { path: 'other', start: CODE_BASE + 4096, length: 4096, bytes }];
  const map = {
    tick: 0n,
    what: 'map',
    pid: PID + 1,
    start: CODE_BASE,
    length: 4096,
    fileOffset: 0,
    file: 'other',
  } as const;
  const at = (turn: number) => START + BigInt(1000 * turn);
  const runs = Array.from({ length: 12 }, (_, turn) => {
    const pid = PID + (turn % 2);
    return { tick: at(turn), what: 'runs', cpu: 0, pid, tid: pid } as const;
  });
  const packets = [0, 2, 4, 6, 8, 10].flatMap((turn) => [
    ...[tsc(at(turn)), inCalls(TIP, 0), tnt([0])],
    ...[tsc(at(turn + 1)), tnt([1]), tnt([1]), tnt([1]), tnt([1])],
  ]);
  expectSame({ ...CALLS_OPTIONS, files, sideband: [map, ...runs] }, [...begun(0), ...packets, ...HANDED_OVER]);
});

test('calls after a PSB+ without a time are not before the last branch, which is no event', () => {
  const round = (tick: bigint) => [
    ...[PSB, tsc(START + tick), cbr(30), inCalls(FUP, 0x40), PSBEND, cyc(2000), tnt([1])],
    ...[PSB, cbr(30), inCalls(FUP, 0x50), PSBEND, tnt([1]), inCalls(TIP, 0x40)],
  ];
  expectSame(CALLS_OPTIONS, [...begun(0x40), ...[500n, 2500n, 4500n].flatMap(round)]);
  const notTaken = (tick: bigint) => [
    ...[PSB, tsc(START + tick), cbr(30), inCalls(FUP, 0), PSBEND, cyc(2000), tnt([0])],
    ...[PSB, cbr(30), inCalls(FUP, 0x22), PSBEND, tnt([1]), inCalls(TIP, 0)],
  ];
  expectSame(CALLS_OPTIONS, [...begun(0), ...[500n, 2500n, 4500n, 6500n].flatMap(notTaken)]);
  const returned = (tick: bigint) => [
    ...[PSB, tsc(START + tick), cbr(30), inCalls(FUP, 0x70), PSBEND, cyc(2000), tnt([1])],
    ...[PSB, cbr(30), inCalls(FUP, 0x75), PSBEND, tnt([1]), inCalls(TIP, 0x70)],
  ];
  expectSame(CALLS_OPTIONS, [...begun(0x70), ...[500n, 2500n, 4500n, 6500n].flatMap(returned)]);
  const jumped = (tick: bigint) => [
    ...[PSB, tsc(START + tick), cbr(30), inCalls(FUP, 5), PSBEND, cyc(2000), inCalls(TIP, 0x50)],
    ...[PSB, cbr(30), inCalls(FUP, 0x50), PSBEND, tnt([1]), inCalls(TIP, 5)],
  ];
  expectSame(CALLS_OPTIONS, [...begun(5), ...[500n, 2500n, 4500n, 6500n].flatMap(jumped)]);
});

test('a packet may have any number of calls', () => {
  const rounds = Array.from({ length: CHAIN }, (_, call) => {
    const returns = [inCalls(TIP, 0x30), tnt([1]), inCalls(TIP, 0x30), tnt([1])];
    return [cyc(5), inCalls(TIP, 0x100 + 6 * call), ...returns, inCalls(TIP, 0x200 + 5 * call), inCalls(TIP, 5)];
  });
  expectSame(CALLS_OPTIONS, [
    ...begun(5),
    ...rounds.flatMap((round) => [round, round, round, round]).flat(),
    ...HANDED_OVER,
  ]);
});

test('code that never ends is an error each time', () => {
  const rounds = new Array<Bytes[]>(4).fill([inCalls(TIP, 0x60), inCalls(TIP, 5), cyc(5), inCalls(TIP, 5)]).flat();
  expectSame(CALLS_OPTIONS, [...begun(5), ...rounds, ...HANDED_OVER]);
});

test('a return with an address is decoded as without fast paths, with and without a call before it', () => {
  const round = [tnt([1]), inCalls(TIP, 5), inCalls(TIP, 0x20)];
  const returns = [
    cyc(3),
    ...round,
    cyc(5),
    ...round,
    tnt([0]),
    cyc(7),
    inCalls(TIP, 0x20),
    tnt([1]),
    inCalls(TIP, 0x27),
  ];
  expectSame(CALLS_OPTIONS, [...CALLS_BEGIN, ...returns, ...begun(0x20), ...returns]);
  const alone = new Array<Bytes[]>(5).fill([cyc(3), inCalls(TIP, 5), inCalls(TIP, 0x30)]).flat();
  const called = [cyc(3), inCalls(TIP, 5), inCalls(TIP, 0), tnt([1]), ...alone.slice(0, 3), tnt([1])];
  expectSame(CALLS_OPTIONS, [...begun(0x30), ...alone, ...called]);
  const within = new Array<Bytes[]>(5).fill([tnt([0]), cyc(3), tnt([1, 1]), inCalls(TIP, 0x20)]).flat();
  expectSame(CALLS_OPTIONS, [...begun(0x20), ...within]);
  const beyond = new Array<Bytes[]>(5).fill([tnt([0, 0]), cyc(3), tnt([1, 1, 1]), inCalls(TIP, 0x20)]).flat();
  expectSame(CALLS_OPTIONS, [...begun(0x20), ...beyond]);
});

test('errors have the time after all instructions before them, also after very many', () => {
  const bytes = new Uint8Array(70_000).fill(0x90);
  bytes.set([0xff, 0xe0], bytes.length - 2); // jmp *rax
  const files = [...CALLS_OPTIONS.files, { path: 'long', start: CODE_BASE + 0x1000, length: bytes.length, bytes }];
  const round = [inCalls(TIP, 0x1000), inCalls(TIP, 0x60), inCalls(TIP, 5), cyc(5), inCalls(TIP, 5)];
  expectSame({ ...CALLS_OPTIONS, files }, [...begun(5), ...new Array<Bytes[]>(4).fill(round).flat()]);
});

test('jumps within functions are left out also where they are known', () => {
  const round = [5, 0x55, 0x55, 5, 5].flatMap((to) => [cyc(1), inCalls(TIP, to)]);
  expectSame({ ...CALLS_OPTIONS, functionAt }, [...begun(5), ...new Array<Bytes[]>(8).fill(round).flat()]);
});

/** Else the block without code that bits led to would be where they lead to for ever. */
test('code that is mapped later is found, also where bits ended before it was there', () => {
  const bytes = CALLS.slice();
  bytes.set([0x0f, 0x84, 0xfa, 0x0c, 0, 0], 0x300); // jcc 1000
  const files = [
    { path: 'calls', start: CODE_BASE, length: bytes.length, bytes },
    { path: 'late', start: CODE_BASE + 0x10_0000, length: 16, bytes: Uint8Array.of(0xff, 0xe0) }, // jmp *rax
  ];
  const at = { tick: START + 100n, start: CODE_BASE + 0x1000, length: 16, fileOffset: 0, file: 'late' };
  const sideband = [{ what: 'map', pid: PID, ...at }] as const;
  const round = [cyc(10), inCalls(TIP, 0x300), tnt([1]), cyc(1), inCalls(TIP, 5), inCalls(TIP, 5)];
  const rounds = new Array<Bytes[]>(20).fill(round).flat();
  expectSame({ ...CALLS_OPTIONS, files, sideband, allBranches: true }, [...begun(5), ...rounds]);
});

/** Else the walk would go on in blocks of the code before the change. */
test('what is read ahead is read again when much of the code changes', () => {
  const start = -0x7f00_0000;
  const bytes = new Uint8Array(0x1000).fill(0x90);
  bytes.set([0xff, 0xe0], 1); // jmp *rax
  const files = [{ path: 'kernel', start, length: bytes.length, bytes }];
  const begin = [PSB, tsc(START), cbr(30), PSBEND, addressPacket(PGE, start, SIGNED_6)];
  const jumps = new Array<Bytes[]>(120).fill([cyc(10), addressPacket(TIP, start, SIGNED_6)]).flat();
  for (let ticks = 600n; ticks < 1000n; ticks += 50n) {
    const changeAt = (offset: number) => ({
      tick: START + ticks,
      start: start + offset,
      bytes: Uint8Array.of(0xff, 0xe0),
    });
    const changes = Array.from({ length: 70 }, (_, row) => changeAt(2 * row));
    expectSame({ ...CALLS_OPTIONS, files, changes, allBranches: true }, [...begin, ...jumps]);
  }
});

/** Else what leaves the kernel would have the time of its packet, not the estimated one. */
test('a jump over the end of the addresses into the kernel is decoded as without fast paths', () => {
  const program = Uint8Array.of(0xe9, 0xfb, 0xcf, 0xff, 0xff); // jmp -2000
  const kernel = Uint8Array.of(0x90, 0xff, 0xe0); // jmp *rax
  const files = [
    { path: 'program', start: 0x1000, length: program.length, bytes: program },
    { path: 'kernel', start: -0x2000, length: kernel.length, bytes: kernel },
  ];
  const begin = [PSB, tsc(START), cbr(30), PSBEND, addressPacket(PGE, 0x1000, SIGNED_6)];
  const jump = addressPacket(TIP, 0x1000, SIGNED_6);
  const jumps = new Array<Bytes[]>(60).fill([cyc(10), jump, jump]).flat();
  expectSame({ ...CALLS_OPTIONS, files, allBranches: true }, [...begin, ...jumps]);
});

/** What has no space beside a row would overwrite that of the next one. There are so many that some are next to each other. */
test('packets with many calls and returns do not get mixed up', () => {
  const bytes = CALLS.slice();
  for (let call = 0; call < 20; call++) {
    bytes.set([0xe8, 1, 0, 0, 0, 0xc3], 0x300 + 6 * call); // call of what follows; ret
    bytes.set([0xe8, 11, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3], 0x600 + 16 * call); // with two calls before ret
  }
  bytes.set([0xff, 0xd0, 0xc3], 0x300 + 6 * 20); // call *rax; ret
  bytes.set([0xff, 0xe0], 0x600 + 16 * 20); // jmp *rax
  bytes.fill(0xc3, 0x400, 0x500);
  for (let call = 0; call < 12; call++) bytes.set([0xe8, 0, 0, 0, 0], 0x780 + 5 * call);
  bytes.set([0xff, 0xe0], 0x780 + 5 * 12); // jmp *rax
  const files = [{ path: 'calls', start: CODE_BASE, length: bytes.length, bytes }];
  const returns = (count: number, most: number) =>
    Array.from({ length: Math.ceil(count / most) }, (_, row) => [
      cyc(1),
      tnt(new Array(Math.min(most, count - most * row)).fill(1)),
    ]);
  const rounds = Array.from({ length: 200 }, (_, to) => [
    ...[0, 1, 2, 3].flatMap((first) => [inCalls(TIP, 0x780 + 5 * first), inCalls(TIP, 0x400 + to), inCalls(TIP, 5)]),
    ...[4, 8, 9, 10, 11, 12].flatMap((first) => [
      ...[cyc(5), inCalls(TIP, 0x300 + 6 * first), inCalls(TIP, 0x400 + to)],
      ...[...returns(21 - first, 1).flat(), inCalls(TIP, 5)],
    ]),
    ...[5, 6].flatMap((most) => [
      ...[cyc(5), inCalls(TIP, 0x600 + 16 * 6), inCalls(TIP, 0x400 + to)],
      ...[...returns(14, most).flat(), inCalls(TIP, 5)],
    ]),
  ]);
  expectSame({ ...CALLS_OPTIONS, files }, [...begun(5), ...rounds.flat()]);
});
