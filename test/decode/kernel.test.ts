/**
 * Packets of a little kernel of our own, and of a program that calls it, decoded here.
 */
import { expect, test } from 'vitest';
import { OwnDecoder, type OwnOptions } from '../../fuzz/pt/decode-own.js';
import {
  addressPacket,
  type Bytes,
  cbr,
  FUP,
  mtc,
  PAD,
  PGE,
  PSB,
  PSBEND,
  SIGNED_6,
  TIP,
  tnt,
  tsc,
} from '../../fuzz/pt/packets.js';
import { PID } from '../../fuzz/pt/recording.js';
import { SETTINGS, START } from './packets/rows.js';

const PROGRAM = 0x40_0000;
const program = new Uint8Array(0x100).fill(0x90);
program.set([0x0f, 0x05], 0x10); // syscall
program.set([0xff, 0xe0], 0x20); // jmp *rax

const KERNEL = -0x7f00_0000;
const kernel = new Uint8Array(0x1000).fill(0x90);
kernel.set([0xe8, 0xfb, 0, 0, 0], 0x00); // entry: call 100
kernel.set([0x0f, 0x22, 0xd8], 0x08); // mov %rax, %cr3
kernel.set([0x48, 0x0f, 0x07], 0x10); // sysretq
kernel.set([0xc3], 0x101); // ret
kernel.set([0xe9, 0xfb, 0, 0, 0], 0x200); // jmp 300, where stacks are switched
kernel.set([0xff, 0xe0], 0x310); // jmp *rax
kernel.set([0xeb, 0x0e], 0x400); // jmp 410, which becomes jmp 420
kernel.set([0xff, 0xe0], 0x410); // jmp *rax
kernel.set([0xff, 0xe0], 0x420); // jmp *rax
kernel.set([0x48, 0xcf], 0x500); // interrupt: iretq
kernel.set([0xeb, 0x3e], 0x600); // jmp 640
kernel.set([0x74, 0xbe], 0x640); // jcc 600
kernel.set([0xeb, 0x0e], 0x680); // jmp 690, which becomes jmp 6a0
kernel.set([0x74, 0xee], 0x690); // jcc 680
kernel.set([0x74, 0xde], 0x6a0); // jcc 680
const SWITCH = KERNEL + 0x300;

const FILES = [
  { path: 'program', start: PROGRAM, length: program.length, bytes: program },
  { path: 'kernel', start: KERNEL, length: kernel.length, bytes: kernel },
];
const decoder = (options: Partial<OwnOptions> = {}) =>
  new OwnDecoder({ settings: SETTINGS, files: FILES, allBranches: true, ...options });

const signed = (what: number, ip: number) => addressPacket(what, BigInt.asUintN(48, BigInt(ip)), SIGNED_6);
const inProgram = (what: number, offset: number) => signed(what, PROGRAM + offset);
const inKernel = (what: number, offset: number) => signed(what, KERNEL + offset);
const at = (tick: number) => tsc(START + BigInt(tick));
/** Tracing begins at an address. */
const begun = (start: Bytes): Bytes[] => [PSB, tsc(START), cbr(30), PSBEND, start];
const PIP: Bytes = [0x02, 0x43, 0, 0x10, 0, 0, 0, 0];

/** Ticks since the start, kinds and addresses: those of the kernel are k and three digits. */
function shown(own: OwnDecoder, packets: readonly Bytes[]): string[] {
  const piece = { cpu: 0, offset: 0, reference: START, bytes: packets.flat() };
  const { events, errors, threads = [] } = own.decode([piece]);
  return [...events, ...errors].map((line, row) => {
    const [, seconds, ns, rest = ''] = /^(\d+)\.(\d+)(.*)$/.exec(line) ?? [];
    const addresses = rest.replace(/\bffffffff81000(?=[0-9a-f]{3}\b)/g, 'k').replace(/\b400(?=[0-9a-f]{3}\b)/g, 'p');
    return `${threads[row]} ${BigInt(`${seconds}${ns}`) - START}${addresses}`;
  });
}

const SYSTEM_CALL = [inKernel(TIP, 0), tnt([1]), PIP, at(50), inProgram(TIP, 0x12)];

test.each([false, true])(
  'follows a system call and its return, which has the estimated time (plainly: %s)',
  (isPlain) => {
    const events = shown(decoder({ isPlain }), [...begun(inProgram(PGE, 0)), ...SYSTEM_CALL]);
    expect(events).toEqual([
      `${PID} 0 tr strt 0 p000`,
      `${PID} 0 syscall p010 k000`,
      `${PID} 0 call k000 k100`,
      `${PID} 0 return k101 k005`,
      `${PID} 70 sysret k010 p012`, // 10 instructions after tick 50
    ]);
  },
);

test('follows interrupts of the program and of the kernel', () => {
  const interrupted = [inKernel(FUP, 0x104), inKernel(TIP, 0x500), inKernel(TIP, 0x104)];
  const packets = [...begun(inProgram(PGE, 0)), inProgram(FUP, 0x3), inKernel(TIP, 0x102), ...interrupted];
  expect(shown(decoder(), packets)).toEqual([
    `${PID} 0 tr strt 0 p000`,
    `${PID} 0 hw int p003 k102`,
    `${PID} 0 hw int k104 k500`,
    `${PID} 0 iret k500 k104`,
  ]);
});

/** The kernel twice; the page between them was not in use when it was copied. */
const gappy = new Uint8Array(0x3000);
gappy.set(kernel);
gappy.set(kernel, 0x2000);
const GAPPY = [{ path: 'kernel', start: KERNEL, length: gappy.length, bytes: gappy }];

test('knows no code where the copy of the kernel has zeros: what ran there was loaded later', () => {
  const changes = [{ tick: 0n, start: KERNEL + 0x1020, bytes: Uint8Array.of(0x0f, 0x1f, 0x44, 0, 0) }]; // of that module
  const own = decoder({ files: GAPPY, changes });
  const jumps = [0x2410, 0x410, 0x1010].map((offset) => inKernel(TIP, offset));
  const after = [inKernel(FUP, 0x1fff), inKernel(TIP, 0x410), inKernel(TIP, 0x310)];
  expect(shown(own, [...begun(inKernel(PGE, 0x310)), ...jumps, ...after])).toEqual([
    `${PID} 0 tr strt 0 k310`,
    `${PID} 0 jmp k310 ffffffff81002410`,
    `${PID} 0 jmp ffffffff81002410 k410`,
    `${PID} 0 jmp k410 ffffffff81001010`,
    `${PID} 6 tr strt 0 k410`,
    `${PID} 6 jmp k410 k310`,
    'undefined 6 error 5 ffffffff81001010',
  ]);
});

test('does not return to calls from before unknown code of the kernel, which may have made calls', () => {
  const unknown = [inKernel(FUP, 0x100), inKernel(TIP, 0x1010)];
  const after = [inKernel(FUP, 0x1fff), inKernel(TIP, 0x100), tnt([1]), inKernel(TIP, 0x410)];
  expect(shown(decoder({ files: GAPPY }), [...begun(inKernel(PGE, 0)), ...unknown, ...after])).toEqual([
    `${PID} 0 tr strt 0 k000`,
    `${PID} 0 call k000 k100`,
    `${PID} 0 hw int k100 ffffffff81001010`,
    `${PID} 2 tr strt 0 k100`,
    `${PID} 6 tr strt 0 k410`,
    'undefined 2 error 5 ffffffff81001010',
    'undefined 6 error 6 k101',
  ]);
});

const OTHER = 200;
/** Its first record comes before stacks are switched, the second one after. */
const switched = (...ticks: number[]) =>
  ticks.map((tick, row) => {
    const thread = { pid: OTHER, tid: OTHER };
    return { tick: START + BigInt(tick), what: 'runs', cpu: 0, ...thread, isAtSwitch: row === 0 } as const;
  });
/** At tick 10 to the switch, at 20 on behind it. */
const SWITCHING = [...begun(inKernel(PGE, 0x310)), at(10), inKernel(TIP, 0x1f0), at(20), inKernel(TIP, 0x410)];

test.each([
  ['where stacks are switched', 5, true],
  ['at its record, if the switch seems to be earlier', 15, true],
  ['where stacks are switched', 5, false],
])('changes the thread %s (record at %i, jumps: %s)', (_, record, allBranches) => {
  const own = decoder({ switchAt: SWITCH, sideband: switched(record, 1000), allBranches });
  const call = [at(30), inKernel(TIP, 0), tnt([1])];
  expect(shown(own, [...SWITCHING, ...call])).toEqual([
    `${PID} 0 tr strt 0 k310`,
    ...(allBranches
      ? [`${PID} 10 jmp k310 k1f0`, `${PID} 10 jmp k200 k300`, `${OTHER} 20 jmp k310 k410`, `${OTHER} 30 jmp k410 k000`]
      : []),
    `${OTHER} 30 call k000 k100`,
    `${OTHER} 30 return k101 k005`,
  ]);
});

test('keeps the thread until stacks are switched', () => {
  const own = decoder({ switchAt: SWITCH, sideband: switched(5, 1000) });
  const loop = [at(10), inKernel(TIP, 0x310), at(20), inKernel(TIP, 0x310)];
  const threads = shown(own, [...begun(inKernel(PGE, 0x310)), ...loop]).map((line) => line.split(' ')[0]);
  expect(threads).toEqual(Array(3).fill(String(PID)));
});

test('changes the thread at the next record at the latest', () => {
  const own = decoder({ switchAt: SWITCH, sideband: switched(5, 15) });
  const loop = [at(10), inKernel(TIP, 0x310), at(20), inKernel(TIP, 0x310), at(30), inKernel(TIP, 0x310)];
  expect(shown(own, [...begun(inKernel(PGE, 0x310)), ...loop])).toEqual([
    `${PID} 0 tr strt 0 k310`,
    `${PID} 10 jmp k310 k310`,
    `${OTHER} 20 jmp k310 k310`,
    `${OTHER} 30 jmp k310 k310`,
  ]);
});

/** One loop at each of these ticks; what is repeated is remembered, but neither at the begin nor at the end of the trace. */
const LOOPS = [
  ...Array<Bytes>(20).fill(mtc(0)),
  ...[10, 20, 30, 40, 50].flatMap((tick) => [at(tick), tnt([1])]),
  ...Array<Bytes>(32).fill(PAD),
];

test('changes the thread in a loop that was met before', () => {
  const runs = { what: 'runs', cpu: 0 } as const;
  const sideband = [
    { tick: START + 33n, ...runs, pid: OTHER, tid: OTHER },
    { tick: START + 35n, ...runs, pid: OTHER, tid: OTHER + 1, isAtSwitch: true },
  ];
  const own = decoder({ switchAt: KERNEL + 0x640, sideband });
  const jumps = shown(own, [...begun(inKernel(PGE, 0x640)), ...LOOPS]).filter((line) => line.includes('jcc'));
  const threads = [PID, PID, PID, OTHER, OTHER + 1];
  expect(jumps).toEqual(threads.map((thread, row) => `${thread} ${10 * (row + 1)} jcc k640 k600`));
});

test('walks through code that was changed in a loop that was met before', () => {
  const changes = [{ tick: START + 35n, start: KERNEL + 0x681, bytes: Uint8Array.of(0x1e) }];
  const events = shown(decoder({ changes }), [...begun(inKernel(PGE, 0x690)), ...LOOPS]);
  const targets = events.flatMap((line) => /jmp k680 k(6.0)/.exec(line)?.[1] ?? []);
  expect(targets).toEqual(['690', '690', '690', '6a0']);
});

const CHANGES = [{ tick: START + 25n, start: KERNEL + 0x401, bytes: Uint8Array.of(0x1e) }];

test('walks through code as it was when it ran, also if an earlier part follows', () => {
  const loop = [10, 20, 30, 40].flatMap((tick) => [at(tick), inKernel(TIP, 0x400)]);
  const own = decoder({ changes: CHANGES });
  const packets = [...begun(inKernel(PGE, 0x400)), ...loop];
  const targets = () => shown(own, packets).flatMap((line) => /jmp k400 k(4.0)/.exec(line)?.[1] ?? []);
  expect(targets()).toEqual(['410', '410', '410', '420']);
  expect(targets()).toEqual(['410', '410', '410', '420']);
});

test.each([
  ['direct', [0xe8, 0xcc, 0xfc, 0xff, 0xff], 'k435'],
  ['indirect', [0xff, 0xd0], 'k432'],
])('returns from where the return is after a change, to a call that was met before: %s', (kind, call, next) => {
  const bytes = kernel.slice();
  bytes.set(call, 0x430); // call 101
  const files = [{ path: 'kernel', start: KERNEL, length: bytes.length, bytes }];
  const changes = [{ tick: START + 250n, start: KERNEL + 0x101, bytes: Uint8Array.of(0x90, 0xc3) }];
  const target = kind === 'direct' ? [] : [inKernel(TIP, 0x101)];
  const loop = [100, 200, 300, 400].flatMap((tick) => [at(tick), inKernel(TIP, 0x430), ...target, tnt([1])]);
  const found = shown(decoder({ files, changes }), [...begun(inKernel(PGE, 0x500)), ...loop]);
  const returns = found.flatMap((line) => /return (k\d+ k\d+)/.exec(line)?.[1] ?? []);
  expect(returns).toEqual(['k101', 'k101', 'k102', 'k102'].map((from) => `${from} ${next}`));
});

test('knows code of a program from when it is mapped, also if an earlier part follows', () => {
  const sideband = [
    { tick: START + 150n, what: 'map', pid: PID, start: 0x50_0000, length: 0x100, fileOffset: 0, file: 'program' },
  ] as const;
  const own = decoder({ sideband });
  const jump = (tick: number) => [at(tick), inKernel(TIP, 0x410), signed(TIP, 0x50_0010), inKernel(TIP, 0x410)];
  const packets = [...begun(inKernel(PGE, 0x410)), ...jump(100), ...begun(inKernel(PGE, 0x410)), ...jump(200)];
  const found = () => shown(own, packets).flatMap((line) => /(?:jmp|syscall|error) .*500010.*/.exec(line)?.[0] ?? []);
  const expected = ['jmp k410 500010', 'jmp k410 500010', 'syscall 500010 k410', 'error 5 500010'];
  expect(found()).toEqual(expected);
  expect(found()).toEqual(expected);
});

test('passes the breakpoint that is there while code is changed', () => {
  const packets = [...begun(inKernel(PGE, 0x3f0)), inKernel(FUP, 0x400), inKernel(TIP, 0x500), inKernel(TIP, 0x420)];
  expect(shown(decoder({ changes: CHANGES }), packets).slice(1)).toEqual([
    `${PID} 0 hw int k400 k500`,
    `${PID} 0 iret k500 k420`,
  ]);
});

test('decodes programs that the kernel compiled', () => {
  const changes = [{ tick: 0n, start: KERNEL + 0x10_0000, bytes: Uint8Array.of(0x90, 0xff, 0xe0) }];
  const packets = [...begun(inKernel(PGE, 0x410)), inKernel(TIP, 0x10_0000), inKernel(TIP, 0x410)];
  expect(shown(decoder({ changes }), packets).slice(1)).toEqual([
    `${PID} 0 jmp k410 ffffffff81100000`,
    `${PID} 0 jmp ffffffff81100001 k410`,
  ]);
});
