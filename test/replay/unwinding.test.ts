/**
 * Where an exception lands, as shown by the unwinder's steps, and which time is inferred.
 */
import { describe, expect, test } from 'vitest';
import { dedent, outline } from '../helpers/checks/outline.js';
import { analyzeText, fold } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

async function expectTree(trace: string, tree: string): Promise<void> {
  expect(outline(await analyzeText(traceOf(trace), { extend: false }))).toBe(dedent(tree));
}

/** Returns the time that is marked as inferred. */
async function inferredNs(trace: string): Promise<number> {
  const { threads } = await analyzeText(traceOf(trace), { extend: false });
  return threads.flatMap(({ tree }) => [...tree.inferredNs]).reduce((sum, ns) => sum + ns, 0);
}

/** The events of an unwinder that visits this many frames, its caller first, and lands in the last one. */
function looking(atNs: number, unwinder: string, frames: number): string {
  return `
      ${atNs} call   ${unwinder} init
      ${atNs} call   init read
      ${atNs} return read init
      ${atNs} return init ${unwinder}
      ${atNs} call   ${unwinder} search
      ${`
      ${atNs} call   search read
      ${atNs} return read search`.repeat(frames)}
      ${atNs} return search ${unwinder}`;
}

describe('the steps of the unwinder', () => {
  const digging = (landing: string, frames: number) => `
      10  call    main  dig
      20  call    dig   dig
      30  call    dig   dig
      40  call    dig   dig
      50  call    dig   _Unwind_RaiseException${looking(60, '_Unwind_RaiseException', frames)}
      ${landing}`;

  test('decide which frame of a recursion the exception lands in', () =>
    expectTree(
      digging('70 call dig __cxa_begin_catch', 3),
      `
      main 1(1) self 0
        dig 1(1) self 10
          dig 1(1) self 20
            __cxa_begin_catch 1(1) self 0
            dig 1 self 10
              dig 1 self 10
                _Unwind_RaiseException 1 self 10
                  init 1 self 0
                    read 1 self 0
                  search 1 self 0
                    read 3 self 0`,
    ));

  test('leave only the time in which control moved inferred', async () =>
    expect(await inferredNs(`${digging('70 call dig __cxa_begin_catch', 3)}\n 95 return __cxa_begin_catch dig`)).toBe(
      10,
    ));

  test.each([
    ['shown', '50 jmp _Unwind_RaiseException ?pad', 10, 20],
    ['hidden', '', 20, 10],
  ])('lead to nameless code, too, the jump is %s', (_, jump, selfOfLanding, selfOfUnwinder) =>
    expectTree(
      `
      10  call    main  ?a
      20  call    ?a    ?b
      30  call    ?b    _Unwind_RaiseException${looking(40, '_Unwind_RaiseException', 2)}
      ${jump}
      60  call    ?pad  __cxa_begin_catch
      70  return  __cxa_begin_catch ?pad`,
      `
      main 1(1) self 0
        [unknown 0x1020000] 1(1) self ${10 + selfOfLanding}
          [unknown 0x1040000] 1 self 10
            _Unwind_RaiseException 1 self ${selfOfUnwinder}
              init 1 self 0
                read 1 self 0
              search 1 self 0
                read 2 self 0
          __cxa_begin_catch 1 self 10`,
    ),
  );
});

describe('frames that were unwound', () => {
  const digging = `
      10  call    main      dig
      20  call    dig+0x10  dig
      30  call    dig+0x10  dig
      40  call    dig+0x10  dig`;
  const caught = `
      70  call    dig+0x40  __cxa_begin_catch
      80  return  __cxa_begin_catch dig+0x45
      90  return  dig       dig+0x15
      95  call    dig+0x60  leaf
      96  return  leaf      dig+0x65`;

  async function expectDepth(trace: string, path: string): Promise<void> {
    const profile = await analyzeText(traceOf(trace), { extend: false });
    expect(fold(profile)).toContain(`${path} 1\n`);
    expect(profile.quality.inferredNs + profile.quality.hiddenNs).toBe(0);
  }

  test('do not return: of frames that wait at the same call, those below do', () =>
    expectDepth(
      `${digging}
      50  call    dig+0x30  _Unwind_RaiseException${looking(60, '_Unwind_RaiseException', 3)}
      65  jmp     _Unwind_RaiseException dig+0x40${caught}
      99  return  dig       main+0x105`,
      'main;dig;leaf',
    ));

  test('do not return if they passed an exception on, though nothing shows how far', () =>
    expectDepth(
      `${digging}
      50  call    dig+0x30  _Unwind_Resume
      65  jmp     _Unwind_Resume dig+0x40${caught}
      97  return  dig       dig+0x15
      99  return  dig       main+0x105`,
      'main;dig;dig;leaf',
    ));
});

describe('inferred time', () => {
  const attachedLate = (frames: number) => `
      10  call    thrower _Unwind_RaiseException${looking(20, '_Unwind_RaiseException', frames)}
      30  call    top  __cxa_begin_catch
      40  return  __cxa_begin_catch top
      50  return  top  main`;

  test('includes what is on top of frames that were not seen, though the unwinder stepped over them', async () => {
    expect(await inferredNs(attachedLate(2))).toBe(10);
    expect(await inferredNs(attachedLate(3))).toBe(20);
  });

  const panicking = (end: string) => `
      10  call    main  work
      20  call    work  panic
      30  call    _Unwind_RaiseException init
      40  return  init  _Unwind_RaiseException
      50  call    main  __cxa_begin_catch
      60  return  __cxa_begin_catch main
      ${end}`;

  test('excludes an unwinder: control does not land in one, but jumps to it', async () =>
    expect(await inferredNs(panicking('70 return main start'))).toBe(10 + 10));
});

describe('a function that throws on top of a parked stack', () => {
  /** The first stack begins two fibers; both wait below seven calls, `land` was called by another place of each. */
  const fibers = [1, 2]
    .map(
      (n) => `
      ${n}10 call main+0x100   jump_fcontext
      ${n}10 jmp  jump_fcontext fiber+0x0
      ${n}20 call fiber+0x${n}00 land${`
      ${n}30 call b+0x100      b`.replace('b+0x100 ', 'land+0x100')}${`
      ${n}30 call b+0x100      b`.repeat(5)}
      ${n}40 call b+0x110      jump_fcontext
      ${n}40 jmp  jump_fcontext main+0x105`,
    )
    .join('');
  const throwing = `
      310 call main+0x200      ontop_fcontext
      310 jmp  ontop_fcontext  unwind+0x0
      320 call unwind+0x100    _Unwind_RaiseException`;

  test.each([1, 2])('unwinds the stack that the landing and what returns after it fit, fiber %i', async (n) => {
    const trace = `${fibers}${throwing}${looking(330, '_Unwind_RaiseException', 8)}
      340 call   land+0x200    __cxa_begin_catch
      350 return __cxa_begin_catch land+0x205
      360 return land          fiber+0x${n}05
      370 call   fiber+0x${n}50 end
      390 return end           fiber+0x${n}55`;
    const profile = await analyzeText(traceOf(trace), { extend: false });
    expect(outline(profile)).toMatch(/^fiber 2\(2\) self 30\n {2}end 1 self 20\n {2}land 2\(1\) self 40\n/);
    expect(profile.quality.inferredNs).toBe(0);
  });

  test('does not, if it catches the exception itself', async () => {
    const trace = `${fibers}${throwing}${looking(330, '_Unwind_RaiseException', 1)}
      340 call   unwind+0x200  __cxa_begin_catch
      350 return __cxa_begin_catch unwind+0x205
      360 call   b+0x200       leaf
      390 return leaf          b+0x205`;
    expect(fold(await analyzeText(traceOf(trace), { extend: false }))).toMatch(/^unwind;__cxa_begin_catch 10$/m);
  });
});
