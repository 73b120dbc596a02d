/**
 * How calls end: complete, unwound at a known time, or inferred; and for how long the inferred ones certainly lasted.
 */
import { describe, expect, test } from 'vitest';
import type { AnalyzeOptions } from '../../src/index.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

interface Ending {
  readonly calls: number;
  readonly cut: number;
  readonly unwound: number;
  /** Total duration of the complete calls. */
  readonly ns: number;
  readonly longestCutNs: number;
}

/** Endings by function, over all paths. */
async function endingsOf(trace: string, options: AnalyzeOptions = {}): Promise<Record<string, Ending>> {
  const { threads, symbols } = await analyzeText(traceOf(trace), options);
  const endings: Record<string, Ending> = {};
  for (const { tree } of threads)
    for (let node = 1; node < tree.length; node++) {
      const name = symbols.name[tree.symbol[node]];
      const old = endings[name] ?? { calls: 0, cut: 0, unwound: 0, ns: 0, longestCutNs: 0 };
      endings[name] = {
        calls: old.calls + tree.calls[node],
        cut: old.cut + tree.inferredCalls[node],
        unwound: old.unwound + tree.unwoundCalls[node],
        ns: old.ns + tree.completeNs[node],
        longestCutNs: Math.max(old.longestCutNs, tree.longestCutNs[node]),
      };
    }
  return endings;
}

const complete = (ns: number): Ending => ({ calls: 1, cut: 0, unwound: 0, ns, longestCutNs: 0 });
const unwound = (ns: number): Ending => ({ calls: 1, cut: 0, unwound: 1, ns, longestCutNs: 0 });
const inferred = (longestCutNs: number): Ending => ({ calls: 1, cut: 1, unwound: 0, ns: 0, longestCutNs });

describe('unwound calls', () => {
  test('a return to a deeper caller ends all calls above it, at its time', async () =>
    expect(
      await endingsOf(`
        10  call    main  a
        20  call    a     b
        30  call    b     c
        50  return  c     main`),
    ).toMatchObject({ a: complete(40), b: unwound(30), c: unwound(20) }));

  test('an exception ends the calls it skips when it lands, if the branches show when that is', async () =>
    expect(
      await endingsOf(`
        10  call    main     catcher
        20  call    catcher  thrower
        40  call    thrower  _Unwind_RaiseException
        50  call    catcher  __cxa_begin_catch
        60  return  __cxa_begin_catch catcher
        70  return  catcher  main`),
    ).toMatchObject({ catcher: complete(60), thrower: unwound(20), _Unwind_RaiseException: unwound(0) }));

  test('a longjmp unwinds even if the trace ends before the frame it goes to returns', async () =>
    expect(
      await endingsOf(`
        10  call    main  a
        20  call    a     __longjmp
        40  call    main  b
        50  return  b     main`),
    ).toMatchObject({ main: inferred(40), a: unwound(10), __longjmp: unwound(0) }));

  test('calls left by a stack switch are inferred with unknown duration, as a switch may resume them', async () =>
    expect(
      await endingsOf(`
        10  call    main   fiber
        20  call    fiber  swapcontext
        50  return  swapcontext main`),
    ).toMatchObject({ fiber: complete(40), swapcontext: inferred(0) }));

  test('a call that is open at a loss is inferred', async () =>
    expect(
      await endingsOf(`
        10  call     main  a
        20  call     a     b
        30  error
        60  tr strt        main+0x700
        70  call     main  c
        80  return   c     main`),
    ).toMatchObject({ a: inferred(20), b: inferred(10), c: complete(10) }));

  test('an exec ends the calls of the old program without unwinding them', async () => {
    const { main, execve } = await endingsOf(`
      10  call            main    execve
      20  tr end  syscall  execve
      30  exec
      40  tr strt                 _start
      50  call            _start  f
      60  return          f       _start`);
    expect([main, execve]).toEqual([inferred(30), inferred(30)]);
  });
});

describe('inferred calls', () => {
  test('last from the start of the trace, or to its end, as far as they were seen', async () =>
    expect(
      await endingsOf(`
        10  call    main  a
        15  return  a     main
        20  call    main  a
        90  call    a     b`),
    ).toMatchObject({
      main: inferred(80),
      a: { calls: 2, cut: 1, unwound: 0, ns: 5, longestCutNs: 70 },
      b: inferred(0),
    }));

  test('after a hidden jump certainly run from their first event on', async () =>
    expect(
      await endingsOf(`
        10  call    main  a
        20  call    a     b
        30  return  b     a
        50  call    tail  c
        60  return  c     tail
        75  return  tail  main`),
    ).toMatchObject({ tail: inferred(25) }));

  test('include stops that last to the end', async () =>
    expect(
      await endingsOf(`
        10  call            main   read
        20  tr end  syscall  read`),
    ).toMatchObject({ read: inferred(10), '[syscall]': inferred(0) }));
});
