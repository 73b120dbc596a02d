/**
 * Functions that switch stacks are learned from where they go, whatever their name; each stack is a root.
 */
import { describe, expect, test } from 'vitest';
import type { AnalyzeOptions } from '../../src/index.js';
import { MAX_LEARNED } from '../../src/replay/pairing/switches.js';
import { jsonOf, readBack } from '../helpers/checks/files/profile-file.js';
import { dedent, outline } from '../helpers/checks/outline.js';
import { analyzeText, inputOf } from '../helpers/traces/load.js';
import { threadsOfInput } from '../helpers/traces/threads-of.js';
import { traceOf } from '../helpers/traces/trace-of.js';

async function expectTree(trace: string, tree: string, options: AnalyzeOptions = {}): Promise<void> {
  expect(outline(await analyzeText(traceOf(trace), { extend: false, ...options }))).toBe(dedent(tree));
}

/** A scheduler resumes a fiber, which yields; `sw` has no name that says what it does. */
const TURNS = `
      10  call    main+0x100   resume
      20  call    resume+0x100 sw
      30  return  sw           fiber+0x0
      40  call    fiber+0x100  work
      50  call    work+0x100   sw
      60  return  sw           resume+0x105
      70  return  resume       main+0x105
      80  call    main+0x100   resume
      90  call    resume+0x100 sw
      100 return  sw           work+0x105
      110 return  work         fiber+0x105
      120 call    fiber+0x110  sw
      130 return  sw           resume+0x105
      140 return  resume       main+0x105`;

describe('a switcher without a known name', () => {
  const TREE = `
      fiber 1(1) self 20
        sw 1(1) self 10
        work 1 self 20
          sw 1 self 10
      main 1(1) self 10
        resume 2 self 40
          sw 2 self 20`;

  test('is known by going to the start of a function, and behind its own calls', () => expectTree(TURNS, TREE));

  test('is shown on the call that left the first stack, if asked for', () =>
    expectTree(
      TURNS,
      `
      main 1(1) self 10
        resume 2 self 40
          sw 2 self 20
            fiber 1(1) self 20
              sw 1(1) self 10
              work 1 self 20
                sw 1 self 10`,
      { fibers: 'nest' },
    ));

  test('counts who goes on with the fiber', async () => {
    const profile = await readBack(jsonOf(await analyzeText(traceOf(TURNS), { extend: false })));
    const { stack = [], by = [], times } = profile.threads[0]?.resumptions ?? {};
    expect([stack, by].map((column) => column.map((symbol) => profile.symbols.name[symbol]))).toEqual([
      ['fiber'],
      ['resume'],
    ]);
    expect(times).toEqual([2]);
    const part = await analyzeText(traceOf(TURNS), {
      extend: false,
      window: { from: { afterStartNs: 0 }, to: { afterStartNs: 50 } },
    });
    expect(part.threads[0]).not.toHaveProperty('resumptions');
  });

  test('is known in the other threads, too', async () => {
    const late = TURNS.split('\n')
      .slice(8)
      .map((line) => line.replace(/^ +/, '2/'));
    const { threads, ...profile } = await analyzeText(traceOf([TURNS, ...late].join('\n')), { extend: false });
    expect(threads).toHaveLength(2);
    expect(outline({ ...profile, threads: threads.slice(1) })).toMatch(/^fiber .*\n {2}sw .*\n {2}work .*\nmain /);
  });

  test('has switched at an unknown moment since the event before', async () => {
    const { threads, symbols } = await analyzeText(traceOf(TURNS), { extend: false });
    const { tree } = threads[0] as (typeof threads)[number];
    const switching = Array.from(tree.selfNs.keys()).filter((node) => symbols.name[tree.symbol[node]] === 'sw');
    expect(switching.map((node) => tree.selfNs[node])).toEqual(switching.map((node) => tree.inferredNs[node]));
  });

  test('is known by a jump right behind a call to it', () =>
    expectTree(TURNS.replaceAll(/return {2}sw/g, 'jmp     sw'), TREE));
});

describe('a switcher that nothing goes back to', () => {
  /** Three stacks begin, and none goes on. `jump`: how `sw` gets to them. */
  const beginnings = (jump: (ns: number, to: string) => string) => `
      10 call main+0x100  sw
      ${jump(20, 'fiber')}
      30 call fiber+0x100 work
      40 return work      fiber+0x105
      50 call fiber+0x110 sw
      ${jump(60, 'other')}
      70 call other+0x100 work
      80 return work      other+0x105`;
  const shown = beginnings((ns, to) => `${ns} jmp sw ${to}+0x0`);
  const inferredBy = async (trace: string, tailCalls: 'replace' | 'nest' = 'replace') =>
    (await analyzeText(traceOf(trace), { extend: false, tailCalls })).quality.inferredBy;

  test.each(['replace', 'nest'] as const)('is marked from its first jump on: %s', async (tailCalls) =>
    expect(await inferredBy(shown, tailCalls)).toEqual({ StackChoice: 60 }),
  );

  test('is marked if the trace does not show its jumps', async () =>
    expect(await inferredBy(beginnings(() => ''))).toEqual({ StackChoice: 70 }));

  test('is not marked if a call to it returns', async () =>
    expect(await inferredBy(`${shown}\n90 call other+0x120 sw\n100 return sw other+0x125`)).toBeUndefined());

  test('is not marked if it calls a function, as what throws an exception does', async () =>
    expect(await inferredBy(shown.replace('20 jmp', '12 call sw note\n14 return note sw\n20 jmp'))).toBeUndefined());

  test('is not marked if one place calls it, and it jumps to one function: a program has such loops', async () =>
    expect(await inferredBy(shown.split('\n').slice(0, 5).join('\n'))).toBeUndefined());

  test('is learned when a return ends no call', async () => {
    const profile = await analyzeText(
      traceOf(`${beginnings(() => '')}\n90 call other+0x110 sw\n100 return deep last+0x105`),
      { extend: false },
    );
    expect(outline(profile)).toMatch(/^last /m);
    expect(outline(profile)).toMatch(/^main /m);
  });
});

test('a signal is no return of the function that it interrupts, when stacks alike are told apart', async () => {
  const trace = `
      10  call    main+0x100   swapcontext
      20  call    fiber+0x100  work
      30  call    work+0x100   swapcontext
      40  call    main+0x110   swapcontext
      50  call    other+0x100  work
      60  call    work+0x100   swapcontext
      70  call    main+0x120   swapcontext
      80  tr end  async  work+0x110
      90  tr strt        handler+0x0
      100 return  handler      __restore_rt+0x0
      110 tr end  syscall __restore_rt+0x10
      120 tr strt        work+0x110
      130 return  work         other+0x105
      140 call    other+0x110  end`;
  expect(outline(await analyzeText(traceOf(trace), { extend: false }))).toMatch(/^other 1\(1\) self 20\n {2}end /m);
});

test("Go's scheduler has a stack of its own, from which a recovered panic goes on", () =>
  expectTree(
    `
      10  call    main.main+0x100        main.risky
      20  call    main.risky+0x100       runtime.gopanic
      30  call    runtime.gopanic+0x100  runtime.mcall
      40  call    runtime.mcall+0x100    runtime.recovery
      50  call    runtime.recovery+0x100 runtime.gogo
      60  jmp     runtime.gogo           main.risky+0x150
      70  return  main.risky             main.main+0x105
      80  call    main.main+0x110        main.end
      90  return  main.end               main.main+0x115`,
    `
      main.main 1(1) self 10
        main.end 1 self 10
        main.risky 1 self 20
          runtime.gopanic 1 self 10
            runtime.mcall 1(1) self 10
      runtime.recovery 1(1) self 10
        runtime.gogo 1(1) self 10`,
  ));

test('a goroutine of another thread goes on: the one that waits at the same call has other callers', () =>
  expectTree(
    `
      10  call    main.main+0x100        main.dig
      20  call    main.dig+0x100         main.dig
      30  call    main.dig+0x200         runtime.mcall
      40  call    runtime.mcall+0x100    runtime.gosched_m
      50  call    runtime.gosched_m+0x50 runtime.gogo
      60  jmp     runtime.gogo           main.dig+0x205
      70  return  main.dig               main.other+0x105
      80  call    main.other+0x110       main.end
      90  return  main.end               main.other+0x115`,
    `
      main.main 1(1) self 0
        main.dig 1(1) self 10
          main.dig 1(1) self 10
            runtime.mcall 1(1) self 10
      main.other 1(1) self 10
        main.dig 1(1) self 10
        main.end 1 self 10
      runtime.gosched_m 1(1) self 10
        runtime.gogo 1(1) self 10`,
  ));

test('so many functions switch stacks that more are not learned: each costs a replay', async () => {
  const rename = (n: number) => TURNS.replace(/\b(?:main|resume|sw|fiber|work)\b/g, (name) => `${name}_${n}`);
  const later = (text: string, n: number) => text.replace(/^ +(\d+)/gm, (_, ns) => `${1000 * n + Number(ns)}`);
  const turns = Array.from({ length: 2 * MAX_LEARNED }, (_, n) => later(rename(n), n + 1));
  const { facts } = await threadsOfInput(inputOf(traceOf(turns.join('\n'))));
  expect(facts.learned).toBe(MAX_LEARNED);
});

test('a function that recurses and catches an exception switches nothing', async () => {
  const profile = await analyzeText(
    traceOf(`
      10  call    main+0x100   nest
      20  call    nest+0x100   nest
      30  call    nest+0x100   nest
      40  call    nest+0x150   __cxa_throw
      50  call    nest+0x200   end
      60  return  end          nest+0x205
      70  return  nest         nest+0x105
      80  return  nest         main+0x105`),
    { extend: false },
  );
  expect(outline(profile)).toMatch(/^main .*(\n {2}.*)+$/);
});

test('calls that a return skips without a reason go on when a later return fits', async () => {
  const profile = await analyzeText(
    traceOf(`
      10  call    main+0x100   resume
      20  return  sw           body+0x0
      30  call    body+0x100   yield
      40  return  sw           main+0x105
      50  call    main+0x110   resume
      60  return  sw           body+0x105
      70  call    body+0x120   work
      80  return  work         body+0x125
      90  call    body+0x130   yield
      100 return  sw           main+0x115
      110 call    main+0x120   end
      120 return  end          main+0x125`),
    { extend: false },
  );
  const tree = outline(profile);
  expect(tree).toMatch(/\n {2}end 1 self 10/); // called by main
  expect(tree).toMatch(/body .*(\n.*)*\n {8}work 1 self 10/);
});
