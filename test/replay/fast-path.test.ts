/**
 * Most events are executed by the module, in pairing and in replay. For any trace, it gives the same result as the rules
 * in TypeScript.
 */

import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../fuzz/random.js';
import { makeCase } from '../../fuzz/text/cases.js';
import { Corpus } from '../../fuzz/text/corpus.js';
import { replayThread } from '../../src/replay/replayer.js';
import type { ReplayOptions } from '../../src/replay/thread-replay.js';
import { dedent } from '../helpers/checks/outline.js';
import { expectSameInModule } from '../helpers/checks/same-in-module.js';
import { FiberProgram, fiberLoss, fiberSteps } from '../helpers/random/fiber-program.js';
import { FiberRun, fiberDecisions } from '../helpers/random/fiber-run.js';
import { jumpingRun } from '../helpers/random/jumping-run.js';
import { times } from '../helpers/random/times.js';
import { inputOf } from '../helpers/traces/load.js';
import { threadsOf, threadsOfBeginning, threadsOfInput } from '../helpers/traces/threads-of.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo'];
const SEED = 11;
const CASES = times(50);
const RUNS = times(60);
const corpus = new Corpus(new URL('../../fixtures/', import.meta.url));

/** Traces that look simple, but are not. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  'a recursive function jumps on, and the function it jumped to returns to it': `
    10  call    main  f
    20  call    f     f
    30  jmp     f     g
    40  return  g     f
    50  call    f     h
    60  return  h     f
    70  return  f     main`,
  'a return skips a frame of the function it lands in': `
    10  call    main  f
    20  call    f     f
    30  call    f     f
    40  return  f     f+0x105
    50  return  f     main`,
  'a thread calls a function although it was switched out, and stops': `
    10  call            main  a
    11  PERF_RECORD_SWITCH OUT
    20  call            a     b
    30  tr end  syscall b
    40  tr strt         b
    50  return          b     a`,
  'a thread stops that is about to be switched out, and one that is not': `
    10  call            main  a
    20  PERF_RECORD_SWITCH OUT
    30  tr end  syscall a
    40  tr strt         a
    50  call            a     b
    60  tr end  syscall b
    70  tr strt         b
    80  return          b     a
    90  return          a     main`,
  'a signal handler returns right after what it interrupted': `
    10  call            main  a
    20  tr end  async   a
    30  tr strt         h+0x0
    40  return          h     a+0x805
    50  return          a     main`,
  'system calls follow a signal handler, and then what it interrupted': `
    10  call            main  a
    20  tr end  async   a
    30  tr strt         h+0x0
    40  return          h     __restore_rt+0x0
    50  tr end  syscall __restore_rt
    60  tr strt         __restore_rt
    70  tr end  syscall __restore_rt
    80  tr strt         a+0x800
    90  return          a     main`,
  'a call replaces a signal on the stack, and ends with a return that skips another call': `
    10  call            main  a
    20  tr end  async   a
    30  tr strt         h+0x0
    40  return          h     __restore_rt+0x0
    50  tr end  syscall __restore_rt
    60  tr strt         a+0x800
    70  call            a     b
    80  call            b     c
    90  return          c     a
    95  return          a     main`,
  'the trace starts, after a call and a stop, where a system call had been left': `
    10  syscall         main  k
    20  iret            k     main+0xe2
    30  call            main  b
    40  tr end  async   b
    50  tr strt         main+0x102
    60  call            main  c`,
  'a thread stops and goes on after a signal, as if the signal had ended': `
    10  call            main  a
    20  tr end  async   a
    30  tr strt         h+0x0
    40  return          h     __restore_rt+0x0
    50  tr end  async   a
    60  tr strt         a
    70  call            __restore_rt  b
    80  return          b     __restore_rt
    90  return          a     main`,
  'a signal interrupts its own handler': `
    10  call            main  h
    20  tr end  async   h
    30  tr strt         h+0x0
    40  return          h     __restore_rt+0x0
    50  tr end  syscall __restore_rt
    60  tr strt         h+0x800
    70  return          h     main`,
  'a stub leads to a resolver that jumps on': `
    10  call    main  _dl_runtime_resolve@plt
    20  return  _dl_runtime_resolve  main
    30  call    main  _dl_runtime_resolve@plt
    40  call    f     g
    50  return  g     f
    60  return  f     main`,
  'the trace starts, after a call and a stop, where a signal had interrupted it': `
    10  call            main  a
    20  tr end  async   a
    30  tr strt         h+0x0
    40  return          h     __restore_rt+0x0
    50  call            __restore_rt  b
    60  tr end  syscall b
    70  tr strt         a+0x800
    80  return          a     main`,
};

/** More calls end in a row than the module lists at a time. */
function returnsFromManyLevels(): string {
  const LEVELS = 75;
  const functions = Array.from({ length: 60 }, (_, i) => `f${i}`);
  const lines = Array.from({ length: LEVELS }, () => [
    'call  f59  f0',
    ...functions.slice(1).flatMap((name) => [`call  ${name}  x`, `return  x  ${name}`]),
  ]).flat();
  const returns = Array.from({ length: LEVELS }, () => 'return  f59  f59');
  return [...lines, ...returns].map((line, i) => `${10 * i} ${line}`).join('\n');
}

/** Jumps that the trace shows, and that are not what they seem. */
const NOT_PLAIN_SHOWN: Readonly<Record<string, string>> = {
  'of an unwinder, in functions that have no name, back to a nameless caller': `
    10  call    main     ?p
    20  call    ?p       g
    30  call    g        longjmp
    40  call    longjmp  ?x
    50  call    ?x       ?y
    60  jmp     ?y       ?p+0x40
    70  return  ?p       main`,
  'of a nameless stub, once shown and once hidden, to nameless code': `
    10  call    main  ?s
    20  jmp     ?s+0x6  _dl_runtime_resolve
    30  jmp     _dl_runtime_resolve  ?x
    35  return  ?x    main
    40  call    main  ?s
    50  call    ?x    y
    60  return  y     ?x
    70  return  ?x    main`,
};

/** Hidden jumps that are not what they seem, in levels that their own return ends. */
const NOT_PLAIN_JUMPS: Readonly<Record<string, string>> = {
  'to a cold part of one of two functions': `
    10  call    main    get
    20  call    get     get~2
    21  jmp     get~2   get~3
    22  jmp     get~3   get~2
    25  return  get~2   get
    30  jmp     get     get~3
    35  jmp     get~3   get
    40  call    get~3   x
    50  return  x       get~3
    60  return  get     main`,
  'to the start of a program': `
    10  call    main    f
    20  call    f       g
    30  call    _start  h
    40  return  h       _start
    50  return  _start  f
    60  return  f       main`,
  'to another label of the entry into the operating system': `
    10  syscall main    entry
    20  call    label   f
    30  return  f       label
    40  iret    label   main+0xe2`,
  'to functions that jump back': [
    '10  call  main  f',
    ...Array.from({ length: 100 }, (_, i) => `${20 + 2 * i} call g${i % 3} x\n${21 + 2 * i} return x g${i % 3}`),
    '990 return g0 main',
  ].join('\n'),
};

const NOT_PLAIN_LINES: Readonly<Record<string, string>> = {
  'a system call at the end of a function continues in the next one': `
    1 [000] 1.000000010:   call   1000100 main+0x100 => 1001000 a+0x0
    1 [000] 1.000000020:   tr end  syscall 1001010 a+0x10 => 0 [unknown]
    1 [000] 1.000000030:   tr strt  0 [unknown] => 1001012 b+0x0
    1 [000] 1.000000040:   return 1001020 b+0xe => 1000105 main+0x105
    1 [000] 1.000000050:   call   1000100 main+0x100 => 1001000 a+0x0`,
  'a system call after a hidden jump continues in the function that jumped': `
    1 [000] 1.000000010:   call   1000100 main+0x100 => 1001012 a+0x0
    1 [000] 1.000000020:   tr end  syscall 1001010 z+0x10 => 0 [unknown]
    1 [000] 1.000000030:   tr strt  0 [unknown] => 1001012 a+0x0
    1 [000] 1.000000040:   return 1001020 a+0xe => 1000105 main+0x105
    1 [000] 1.000000050:   call   1000100 main+0x100 => 1001012 a+0x0`,
  'a call to an unknown address': `
    1 [000] 1.000000010:   call   1000100 main+0x100 => 1001000 a+0x0
    1 [000] 1.000000020:   call   1001010 a+0x10 => 0 [unknown]
    1 [000] 1.000000030:   return 1001020 a+0x20 => 1000105 main+0x105
    1 [000] 1.000000040:   call   1000110 main+0x110 => 1001000 a+0x0`,
  'a return to an unknown address': `
    1 [000] 1.000000010:   call   1000100 main+0x100 => 1001000 a+0x0
    1 [000] 1.000000020:   return 1001010 a+0x10 => 0 [unknown]
    1 [000] 1.000000030:   call   1000110 main+0x110 => 1001000 a+0x0`,
  'in the kernel, a thread that was switched out continues unseen': `
    1 [000] 1.000000010:   call   ffffffff81000100 k+0x100 => ffffffff81001000 l+0x0
    1 [000] 1.000000015: PERF_RECORD_SWITCH OUT
    1 [000] 1.000000030:   call   ffffffff81001010 l+0x10 => ffffffff81002000 m+0x0
    1 [000] 1.000000040:   return ffffffff81002010 m+0x10 => ffffffff81001015 l+0x15
    1 [000] 1.000000050:   return ffffffff81001020 l+0x20 => ffffffff81000105 k+0x105`,
};

describe('the module and the rules in TypeScript give the same result', () => {
  test.each(FOLDERS)('fixtures of %s', async (folder) => {
    const files = readdirSync(`fixtures/${folder}`).filter((name) => /\.txt(?:\.gz)?$/.test(name));
    for (const file of files) expectSameInModule(await threadsOfBeginning(`fixtures/${folder}/${file}`), file);
  });

  test.each(Object.entries(NOT_PLAIN))('%s', async (_, shorthand) => {
    expectSameInModule(await threadsOfInput(inputOf(traceOf(shorthand))), shorthand);
  });

  test.each(Object.entries(NOT_PLAIN_SHOWN))('a jump %s', async (_, shorthand) => {
    expectSameInModule(await threadsOfInput(inputOf(traceOf(shorthand))), shorthand);
  });

  test.each(Object.entries(NOT_PLAIN_JUMPS))('a hidden jump %s', async (_, shorthand) => {
    expectSameInModule(await threadsOfInput(inputOf(traceOf(shorthand))), shorthand);
  });

  test('returns that end thousands of calls', async () => {
    expectSameInModule(await threadsOfInput(inputOf(traceOf(returnsFromManyLevels()))), 'many levels');
  });

  test('a level of thousands of functions that jump to each other', async () => {
    const jumps = Array.from({ length: 8300 }, (_, i) => `jmp f${i} f${i + 1}`);
    const lines = ['call main f0', ...jumps, 'return f8300 main'];
    expectSameInModule(
      await threadsOfInput(inputOf(traceOf(lines.map((line, i) => `${i} ${line}`).join('\n')))),
      'jumps',
    );
  });

  test('fibers', async () => {
    for (const list of fc.sample(fiberDecisions, { numRuns: times(100), seed: SEED })) {
      const run = new FiberRun();
      for (const decision of list) run.decide(decision);
      run.end();
      expectSameInModule(await threadsOfInput(inputOf(`${run.lines.join('\n')}\n`)), run.lines.join('\n'));
    }
  });

  test('fibers whose switches neither a name nor an event shows, with losses', async () => {
    const style = { switcher: 'sw', end: 'hidden', areAlike: false } as const;
    const programs = fc.tuple(fiberSteps, fc.array(fiberLoss, { minLength: 1, maxLength: 3 }));
    for (const [steps, losses] of fc.sample(programs, { numRuns: times(100), seed: SEED })) {
      const text = new FiberProgram(style, steps).text(losses);
      expectSameInModule(await threadsOfInput(inputOf(text)), text);
    }
  });

  test('a recursion deeper than any stack before it', async () => {
    const calls = Array.from({ length: 5000 }, (_, i) => `${10 * i} call f f`);
    const returns = calls.map((_, i) => `${60_000 + 10 * i} return f f`);
    expectSameInModule(await threadsOfInput(inputOf(traceOf([...calls, ...returns].join('\n')))), 'recursion');
  });

  test('calls of all durations', async () => {
    let ns = 0;
    const lines = [
      63,
      64,
      65,
      ...Array.from({ length: 50 }, (_, power) => [2 ** power, 2 ** power + 1, 2 ** power - 1]),
    ]
      .flat()
      .flatMap((duration) => [`${ns++} call main f`, `${(ns += duration)} return f main`]);
    expectSameInModule(await threadsOfInput(inputOf(traceOf(lines.join('\n')))), 'durations');
  });

  test.each(Object.entries(NOT_PLAIN_LINES))('%s', async (_, lines) => {
    expectSameInModule(await threadsOfInput(inputOf(dedent(lines))), lines);
  });

  test('random runs that call, jump and stop in every way', async () => {
    for (let number = 0; number < RUNS; number++) {
      const run = jumpingRun(new Random(SEED, number), 20 + 10 * (number % 20));
      expectSameInModule(await threadsOfInput(inputOf(traceOf(run))), `run ${number}:\n${run}`);
    }
  });

  test('hostile traces', async () => {
    for (let number = 0; number < CASES; number++) {
      const { bytes } = makeCase(SEED, number, corpus);
      const trace = await threadsOfInput(inputOf(bytes)).catch(() => null); // refused
      if (trace !== null) expectSameInModule(trace, `npm run fuzz -- --seed ${SEED} --case ${number}`);
    }
  });
});

test('facts and results are plain data that can be sent to a worker', async () => {
  const { threads, facts } = await threadsOf('fixtures/demo/threads.perf.txt.gz');
  expect(structuredClone(facts)).toEqual(facts);
  for (const { events } of threads) {
    const replay = replayThread(events, facts, AS_SEEN);
    expect(structuredClone(replay)).toEqual(replay);
    expect(replayThread(events, structuredClone(facts), AS_SEEN)).toEqual(replay);
  }
});

const AS_SEEN: ReplayOptions = { tailCalls: 'nest', extendTo: null, createdInside: false, knownPaths: null };
