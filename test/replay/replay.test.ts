/**
 * The rules of replay: for each, a few lines of trace and the tree they become.
 */
import { describe, expect, test } from 'vitest';
import type { AnalyzeOptions } from '../../src/index.js';
import { dedent, outline } from '../helpers/checks/outline.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

async function expectTree(trace: string, tree: string, options: AnalyzeOptions = { extend: false }): Promise<void> {
  expect(outline(await analyzeText(traceOf(trace), options))).toBe(dedent(tree));
}

describe('calls and returns', () => {
  test('charges each interval to the function on top', () =>
    expectTree(
      `
      10  call    main  a
      15  call    a     b
      40  return  b     a
      41  return  a     main
      60  call    main  b`,
      `
      main 1(1) self 19
        a 1 self 6
          b 1 self 25
        b 1(1) self 0`,
    ));

  test('closes a frame that a return skips, and counts it', () =>
    expectTree(
      `
      10  call    main  a
      20  call    a     b
      50  return  b     main`,
      `
      main 1(1) self 0
        a 1 self 10
          b 1 self 30`,
    ));

  test('keeps the depth of recursion, as addresses distinguish the frames', () =>
    expectTree(
      `
      10  call    main  fib
      11  call    fib   fib
      13  call    fib   fib
      16  return  fib   fib
      20  return  fib   fib
      25  return  fib   main`,
      `
      main 1(1) self 0
        fib 1 self 6
          fib 1 self 6
            fib 1 self 3`,
    ));

  test('puts callers whose calls were not seen below everything from the start', () =>
    expectTree(
      `
      10  call    leaf  x
      12  return  x     leaf
      20  return  leaf  middle
      30  return  middle root
      35  call    root  x`,
      `
      root 1(1) self 5
        middle 1(1) self 10
          leaf 1(1) self 8
            x 1 self 2
        x 1(1) self 0`,
    ));

  test('takes callers that a thread never returns to from another thread, if exactly one path fits', () =>
    expectTree(
      `
      1/10  call    root    serve
      1/12  call    serve   work
      1/20  return  work    serve
      1/30  return  serve   root
      2/10  call    serve   work
      2/15  return  work    serve
      2/40  call    serve   work`,
      `
      root 2(2) self 0
        serve 2(1) self 37
          work 3(1) self 13`,
    ));

  test('does not do that where several threads begin', () =>
    expectTree(
      `
      1/10  call    root    serve
      1/12  call    serve   work
      1/30  return  work    serve
      2/10  call    serve   work
      2/20  return  work    serve
      3/10  call    serve   work
      3/20  return  work    serve`,
      `
      root 1(1) self 0
        serve 1(1) self 2
          work 1 self 18
      serve 2(2) self 0
        work 2 self 20`,
    ));

  test('distinguishes functions without a name by where they are entered', () =>
    expectTree(
      `
      10  call    main  ?a
      11  call    ?a    ?b
      15  return  ?b    ?a
      20  return  ?a    main`,
      `
      main 1(1) self 0
        [unknown 0x1020000] 1 self 6
          [unknown 0x1040000] 1 self 4`,
    ));
});

describe('jumps', () => {
  const tailCall = `
      10  call    main  a
      20  jmp     a     b
      50  return  b     main`;

  test('a tail call that the trace shows nests', () =>
    expectTree(
      tailCall,
      `
      main 1(1) self 0
        a 1 self 10
          b 1 self 30`,
    ));

  test('a tail call replaces its caller in a stack walk', () =>
    expectTree(
      tailCall,
      `
      main 1(1) self 0
        a 1 self 10
        b 1 self 30`,
      { extend: false, tailCalls: 'replace' },
    ));

  test('a hidden tail call begins at the event before, and is inferred', () =>
    expectTree(
      `
      10  call    main  a
      20  call    a     x
      25  return  x     a
      50  return  b     main`,
      `
      main 1(1) self 0
        a 1 self 10
          b 1(1) self 25
          x 1 self 5`,
    ));

  test('a jump inside a function only takes time', () =>
    expectTree(
      `
      10  call    main  a
      20  jmp     a     a+0x40
      50  return  a     main`,
      `
      main 1(1) self 0
        a 1 self 40`,
    ));

  test('a cold part belongs to its function', () =>
    expectTree(
      `
      10  call    main    a
      20  jmp     a       a.cold+0x0
      30  call    a.cold  x
      40  return  x       a.cold
      50  return  a       main`,
      `
      main 1(1) self 0
        a 1 self 30
          x 1 self 10`,
    ));

  test('a loop of tail calls, as in an interpreter, does not grow forever', async () => {
    const hops = Array.from({ length: 400 }, (_, hop) => `${20 + hop} jmp op${hop % 3} op${(hop + 1) % 3}`);
    const profile = await analyzeText(traceOf(['10 call main op0', ...hops, '900 return op1 main'].join('\n')));
    const depth = outline(profile)
      .split('\n')
      .reduce((deepest, line) => Math.max(deepest, line.search(/\S/) / 2), 0);
    expect(depth).toBeLessThan(80);
  });
});

describe('stubs of the dynamic linker', () => {
  test('a bound stub is renamed to its target', () =>
    expectTree(
      `
      10  call    main      free@plt
      30  return  free      main`,
      `
      main 1(1) self 0
        free 1 self 20`,
    ));

  test('a stub whose target jumps on shows both functions, if the target is known', () =>
    expectTree(
      `
      10  call    main      free@plt
      15  call    free      x
      16  return  x         free
      30  return  free      main
      40  call    main      free@plt
      50  return  _int_free main`,
      `
      main 1(1) self 10
        free 2 self 19
          _int_free 1(1) self 10
          x 1 self 1`,
    ));

  test('binding is shown next to what was bound', () =>
    expectTree(
      `
      10  call    main      puts@plt
      20  call    _dl_runtime_resolve_xsavec _dl_fixup
      50  return  _dl_fixup _dl_runtime_resolve_xsavec
      55  call    puts      x
      60  return  x         puts
      70  return  puts      main`,
      `
      main 1(1) self 0
        _dl_runtime_resolve_xsavec 1(1) self 10
          _dl_fixup 1 self 30
        puts 1(1) self 15
          x 1 self 5`,
    ));

  test.each(['', '_init', '_fini'])('the head of the table is not a frame, whatever its name: %j', (name) =>
    expectTree(
      `
      10  call    main      printf@plt
      12  jmp     printf@plt+0xb ${name || '?plt'}+0x20
      13  jmp     ${name || '?plt'}+0x26 _dl_runtime_resolve_xsavec
      14  call    _dl_runtime_resolve_xsavec _dl_fixup
      30  return  _dl_fixup _dl_runtime_resolve_xsavec
      31  jmp     _dl_runtime_resolve_xsavec printf
      50  return  printf    main`,
      `
      main 1(1) self 0
        _dl_runtime_resolve_xsavec 1 self 5
          _dl_fixup 1 self 16
        printf 1 self 19`,
    ),
  );

  const slots = [0x10, 0x20, 0x30, 0x50].map((offset, at) => ({ slot: `?plt+0x${offset.toString(16)}`, at }));

  test('adjacent slots without names are stubs', () =>
    expectTree(
      slots
        .flatMap(({ slot, at }) => [
          `${at}0 call main ${slot}`,
          `${at}5 jmp ${slot} f${at}`,
          `${at}9 return f${at} main`,
        ])
        .join('\n'),
      `
      main 1(1) self 3
        f0 1 self 9
        f1 1 self 9
        f2 1 self 9
        f3 1 self 9`,
    ));

  test('nameless code that returns is a function, and so is one of few slots', () =>
    expectTree(
      [
        ...slots.map(({ slot, at }) => [
          `${at}0 call main ${slot}`,
          `${at}5 jmp ${slot} f${at}`,
          `${at}9 return f${at} main`,
        ]),
      ]
        .flat()
        .concat('50 call main ?plt+0x20', '59 return ?plt+0x20 main')
        .join('\n'),
      `
      main 1(1) self 14
        [unknown 0x1020010] 1 self 5
          f0 1 self 4
        [unknown 0x1020020] 2 self 14
          f1 1 self 4
        [unknown 0x1020030] 1 self 5
          f2 1 self 4
        [unknown 0x1020050] 1 self 5
          f3 1 self 4`,
    ));

  test('the head of a table is not a frame if perf gives it the name of a slot', async () => {
    const lines = `
      1 [000] 1.000000010:   call   1010 main+0x10 => 25a0 [unknown]
      1 [000] 1.000000011:   jmp    25ab [unknown] => 2500 clock@plt+0xffffaaaaaaaab000
      1 [000] 1.000000012:   jmp    2506 [unknown] => 7000 _dl_runtime_resolve_xsavec+0x0
      1 [000] 1.000000020:   jmp    7050 _dl_runtime_resolve_xsavec+0x50 => 8000 malloc+0x0
      1 [000] 1.000000030:   return 8020 malloc+0x20 => 1015 main+0x15`;
    expect(outline(await analyzeText(`${dedent(lines)}\n`, { extend: false }))).toBe(
      dedent(`
      main 1(1) self 0
        _dl_runtime_resolve_xsavec 1 self 10
        malloc 1 self 10`),
    );
  });

  test('retpolines of lld, whose head calls itself, are not frames', async () => {
    const lines = `
      1 [000] 1.000000010:   call   1010 main+0x10 => 2520 [unknown]
      1 [000] 1.000000011:   jmp    2527 [unknown] => 2470 clock@plt+0xffffaaaaaaaab000
      1 [000] 1.000000012:   call   2470 clock@plt+0xffffaaaaaaaab000 => 2480 [unknown]
      1 [000] 1.000000020:   return 2484 [unknown] => 8000 malloc+0x0
      1 [000] 1.000000030:   return 8020 malloc+0x20 => 1015 main+0x15`;
    expect(outline(await analyzeText(`${dedent(lines)}\n`, { extend: false }))).toBe(
      dedent(`
      main 1(1) self 0
        malloc 1 self 20`),
    );
  });

  test('the last call of a trace is shown as the target of its stub', () =>
    expectTree(
      `
      10  call    main  free@plt
      20  return  free  main
      30  call    main  free@plt`,
      `
      main 1(1) self 10
        free 2(1) self 10`,
    ));
});

describe('leaving the traced code', () => {
  test('a system call and other stops have names of their own', () =>
    expectTree(
      `
      10  call             main  read
      12  tr end  syscall  read
      90  tr strt          read
      95  tr end  async    read
      97  tr strt          read
      99  return           read  main`,
      `
      main 1(1) self 0
        read 1 self 9
          [syscall] 1 self 78
          [untraced] 1 self 2`,
    ));

  test('a switch shows that a thread was off its CPU', () =>
    expectTree(
      `
      10  call             main  read
      12  tr end  syscall  read
      20  PERF_RECORD_SWITCH OUT
      80  PERF_RECORD_SWITCH IN
      90  tr strt          read
      91  tr end  async    read
      92  PERF_RECORD_SWITCH OUT preempt
      95  PERF_RECORD_SWITCH IN
      97  tr strt          read
      99  return           read  main`,
      `
      main 1(1) self 0
        read 1 self 5
          [syscall] 1 self 18
            [off-cpu] 1 self 60
          [untraced] 1 self 3
            [preempted] 1 self 3`,
    ));

  test('a switch slightly before the stop belongs to the stop', () =>
    expectTree(
      `
      10  call             main  read
      11  PERF_RECORD_SWITCH OUT
      12  tr end  syscall  read
      80  PERF_RECORD_SWITCH IN
      90  tr strt          read
      99  return           read  main`,
      `
      main 1(1) self 0
        read 1 self 11
          [syscall] 1 self 10
            [off-cpu] 1 self 68`,
    ));

  test('a signal handler runs on top of what it interrupted, which then continues', () =>
    expectTree(
      `
      10  call             main     work
      20  tr end  async    work
      30  tr strt          handler+0x0
      32  call             handler  x
      35  return           x        handler
      40  return           handler  __restore_rt+0x0
      41  tr end  syscall  __restore_rt
      50  tr strt          work
      60  return           work     main`,
      `
      main 1(1) self 0
        work 1 self 21
          [syscall] 1 self 9
          [untraced] 1 self 10
          handler 1 self 7
            x 1 self 3`,
    ));

  test('a handler without a name begins where the trace never stops', () =>
    expectTree(
      `
      10  call             ?main     ?work
      20  tr end  async    ?work
      30  tr strt          ?handler+0x0
      32  call             ?handler  x
      35  return           x         ?handler
      40  return           ?handler  __restore_rt+0x0
      41  tr end  syscall  __restore_rt
      50  tr strt          ?work
      60  return           ?work     ?main`,
      `
      [unknown 0x1000000-0x1000fff] 1(1) self 0
        [unknown 0x1020000] 1 self 21
          [syscall] 1 self 9
          [unknown 0x1040000-0x1040fff] 1 self 7
            x 1 self 3
          [untraced] 1 self 10`,
    ));

  test('a handler may return to code without a name', () =>
    expectTree(
      `
      10  call             main     work
      20  tr end  async    work
      30  tr strt          handler+0x0
      40  return           handler  ?restorer+0x50
      41  tr end  syscall  ?restorer+0x57
      50  tr strt          work
      60  return           work     main`,
      `
      main 1(1) self 0
        work 1 self 21
          [syscall] 1 self 9
          [untraced] 1 self 10
          handler 1 self 10`,
    ));

  test('a call into untraced code is a frame in which nothing is seen', () =>
    expectTree(
      `
      10  call             main  a
      20  tr end  call     a
      50  tr strt          a
      60  return           a     main`,
      `
      main 1(1) self 0
        a 1 self 20
          [untraced] 1 self 30`,
    ));
});

describe('frames that end without a return', () => {
  test('an exception unwinds to the frame that catches it', () =>
    expectTree(
      `
      10  call    main     catcher
      20  call    catcher  middle
      30  call    middle   thrower
      40  call    thrower  _Unwind_RaiseException
      50  call    catcher  __cxa_begin_catch
      60  return  __cxa_begin_catch catcher
      70  return  catcher  main`,
      `
      main 1(1) self 0
        catcher 1 self 30
          __cxa_begin_catch 1 self 10
          middle 1 self 10
            thrower 1 self 10
              _Unwind_RaiseException 1 self 0`,
    ));

  test('in recursion, _Unwind_Resume goes to a frame below its caller', () =>
    expectTree(
      `
      10  call    main  dig
      20  call    dig   dig
      30  call    dig   dig
      40  call    dig   _Unwind_RaiseException
      50  call    dig   cleanup
      60  return  cleanup dig
      70  call    dig   _Unwind_Resume
      80  call    dig   cleanup
      90  return  cleanup dig
      95  call    dig   _Unwind_Resume
      99  call    dig   __cxa_begin_catch
      105 return  __cxa_begin_catch dig
      109 return  dig   main`,
      `
      main 1(1) self 0
        dig 1 self 18
          __cxa_begin_catch 1 self 6
          dig 1 self 25
            _Unwind_Resume 1 self 0
            cleanup 1 self 10
            dig 1 self 30
              _Unwind_RaiseException 1 self 0
              _Unwind_Resume 1 self 0
              cleanup 1 self 10`,
    ));

  test('the last exception before a return lands where that return is made', () =>
    expectTree(
      `
      10  call    main  dig
      20  call    dig   dig
      30  call    dig   __cxa_throw
      40  call    dig   __cxa_begin_catch
      50  return  __cxa_begin_catch dig
      60  return  dig   main`,
      `
      main 1(1) self 0
        dig 1 self 30
          __cxa_begin_catch 1 self 10
          dig 1 self 10
            __cxa_throw 1 self 0`,
    ));

  test('a hidden jump is not attributed to a later exception', () =>
    expectTree(
      `
      10  call    main  walk
      20  call    walk  step
      30  call    walk  leaf
      40  return  leaf  walk
      50  call    walk  __cxa_throw
      60  call    main  __cxa_begin_catch`,
      `
      main 1(1) self 10
        __cxa_begin_catch 1(1) self 0
        walk 1 self 10
          step 1 self 0
            walk 1(1) self 20
              __cxa_throw 1 self 0
              leaf 1 self 10`,
    ));

  test('nameless code in which the trace ends is not an unwinder', () =>
    expectTree(
      `
      10  call    main  walk
      20  call    walk  ?a
      30  call    walk  leaf`,
      `
      main 1(1) self 0
        walk 1(1) self 10
          [unknown 0x1040000] 1(1) self 0
            walk 1(1) self 10
              leaf 1(1) self 0`,
    ));

  test('a cold part with the name of its function and another start belongs to the function', () =>
    expectTree(
      `
      10  call    main    outer
      20  call    outer   tryit
      30  call    tryit   __cxa_throw
      40  call    outer~2 __cxa_begin_catch
      50  return  __cxa_begin_catch outer~2
      60  call    outer~2 __cxa_rethrow
      70  call    main    done
      80  return  done    main`,
      `
      main 1(1) self 10
        done 1 self 10
        outer 1 self 30
          __cxa_begin_catch 1 self 10
          __cxa_rethrow 1 self 0
          tryit 1 self 10
            __cxa_throw 1 self 0`,
    ));

  test('a trace that begins while an exception unwinds has the callers below it, in order', () =>
    expectTree(
      `
      10  call    _Unwind_RaiseException find
      20  return  find _Unwind_RaiseException
      30  call    dig  cleanup
      40  return  cleanup dig
      50  call    dig  _Unwind_Resume
      60  call    top  __cxa_begin_catch
      70  return  __cxa_begin_catch top
      80  return  top  main`,
      `
      main 1(1) self 0
        top 1(1) self 20
          __cxa_begin_catch 1 self 10
          dig 1(1) self 20
            _Unwind_RaiseException 1(1) self 0
              find 1 self 10
            _Unwind_Resume 1 self 0
            cleanup 1 self 10`,
    ));

  test('of several functions of one name, a cold part belongs to the one that jumps to it', () =>
    expectTree(
      `
      10  call    main    get
      20  call    get     get~2
      25  return  get~2   get
      30  jmp     get     get~3
      40  call    get~3   x
      50  return  x       get~3
      60  return  get     main`,
      `
      main 1(1) self 0
        get 1 self 35
          get 1 self 5
          x 1 self 10`,
    ));

  test('functions of one name that are called, or return, are distinct', () =>
    expectTree(
      `
      10  call    main    get
      20  call    get     x
      25  return  x       get
      40  return  get~2   main`,
      `
      main 1(1) self 0
        get 1 self 10
          get 1(1) self 15
          x 1 self 5`,
    ));
});

describe('gaps', () => {
  test('unknown time is lost, under what ran last', () =>
    expectTree(
      `
      10  call     main  a
      20  error
      50  tr strt        main+0x700
      60  call     main  b
      70  return   b     main`,
      `
      main 1(1) self 10
        a 1(1) self 10
          [lost] 1 self 30
        b 1 self 10`,
    ));

  test('a start that follows from nothing is a gap, too, and the old stack stays unconfirmed', () =>
    expectTree(
      `
      10  call     main  a
      50  tr strt        other+0x700
      60  call     other b`,
      `
      main 1(1) self 0
        a 1(1) self 0
          [lost] 1 self 40
          other 1(1) self 10
            b 1(1) self 0`,
    ));
});

describe('what stays open after a loss', () => {
  test('frames that later returns end by their addresses were open all the time', () =>
    expectTree(
      `
      10  call     main  a
      20  call     a     b
      30  error
      50  tr strt        c+0x700
      60  return   c     b
      70  return   b     a
      80  return   a     main
      90  call     main  d`,
      `
      main 1(1) self 10
        a 1(1) self 20
          b 1(1) self 20
            [lost] 1 self 20
            c 1(1) self 10
        d 1(1) self 0`,
    ));

  test('frames that nothing confirms are dropped if again nothing does, so losses do not pile up', () =>
    expectTree(
      `
      10  call     f0   f1
      20  error
      25  tr strt       f10+0x300
      30  call     f10  f30
      35  return   f30  f10
      40  error
      45  tr strt       f11+0x300
      50  call     f11  f31
      55  return   f31  f11`,
      `
      f0 1(1) self 0
        f1 1(1) self 10
          [lost] 1 self 5
          f10 1(1) self 10
            [lost] 1 self 5
            f30 1 self 5
          f11 1(1) self 5
            f31 1 self 5`,
    ));

  test('frames that later returns skip ended in between', () =>
    expectTree(
      `
      10  call     main  a
      20  call     a     b
      30  error
      50  tr strt        c+0x700
      80  return   c     main+0x555
      90  call     main  d`,
      `
      main 1(1) self 10
        a 1(1) self 10
          b 1(1) self 10
            [lost] 1 self 20
        c 1(1) self 30
        d 1(1) self 0`,
    ));

  test('a chain without an address is put where another thread showed it', () =>
    expectTree(
      `
      2/1   call     root  main
      2/2   call     main  x
      2/3   call     x     y
      1/10  call     root  other
      1/20  error
      1/50  tr strt        x+0x700
      1/60  call     x     y`,
      `
      root 2(2) self 0
        main 2(2) self 1
          x 2(2) self 11
            y 2(2) self 0
        other 1(1) self 10
          [lost] 1 self 30`,
    ));

  test('an error while a thread waits changes nothing, if it continues where it stopped', () =>
    expectTree(
      `
      10  call             main  read
      12  tr end  syscall  read
      50  error
      90  tr strt          read
      99  return           read  main`,
      `
      main 1(1) self 0
        read 1 self 11
          [syscall] 1 self 78`,
    ));
});

describe('fibers on the call that left the first stack', () => {
  const expectNested = (trace: string, tree: string, options: AnalyzeOptions = {}) =>
    expectTree(trace, tree, { extend: false, fibers: 'nest', ...options });

  test('a parked stack continues where it was left, and its calls stay complete', () =>
    expectNested(
      `
      10  call    main         swapcontext
      20  return  swapcontext  fiber+0x0
      30  call    fiber        work
      40  call    work         swapcontext
      50  return  swapcontext  main
      60  call    main         swapcontext
      70  return  swapcontext  work+0x105
      80  return  work         fiber+0x105
      90  return  swapcontext  main`,
      `
      main 1(1) self 10
        swapcontext 2 self 20
          fiber 1(1) self 10
            swapcontext 1(1) self 10
            work 1 self 20
              swapcontext 1 self 10`,
    ));

  test('a fiber that ran before the trace began keeps its callers to itself', () =>
    expectNested(
      `
      10  call    main         schedule
      20  call    schedule     swapcontext
      30  return  swapcontext  work+0x505
      40  call    work         swapcontext
      50  return  swapcontext  schedule
      60  call    schedule     swapcontext
      70  return  swapcontext  work+0x105
      80  return  work         fiber+0x305
      90  return  swapcontext  schedule
      95  return  schedule     main`,
      `
      main 1(1) self 0
        schedule 1 self 25
          swapcontext 2 self 20
            fiber 1(1) self 0
              swapcontext 1(1) self 10
              work 1(1) self 20
                swapcontext 1 self 10`,
    ));

  test('a fiber that switches directly to the next is replaced by it', () =>
    expectNested(
      `
      10  call    main         swapcontext
      20  return  swapcontext  red+0x0
      30  call    red          swapcontext
      40  return  swapcontext  blue+0x0
      50  call    blue         swapcontext
      60  return  swapcontext  red
      70  call    red          swapcontext
      80  return  swapcontext  blue+0x105
      90  call    blue         swapcontext
      95  return  swapcontext  main+0x105`,
      `
      main 1(1) self 0
        swapcontext 1 self 10
          blue 1(1) self 20
            swapcontext 2(1) self 15
          red 1(1) self 20
            swapcontext 2(1) self 20`,
    ));

  const alike = `
      10  call    main         swapcontext
      20  return  swapcontext  red+0x0
      30  call    red+0x100    work
      40  call    work+0x100   swapcontext
      50  return  swapcontext  main
      60  call    main         swapcontext
      70  return  swapcontext  blue+0x0
      80  call    blue+0x100   work
      90  call    work+0x100   swapcontext
      100 return  swapcontext  main
      110 call    main         swapcontext
      120 return  swapcontext  work+0x105`;

  test.each(['red', 'blue'])('the next return decides which of two similar stacks continues: %s', async (fiber) => {
    const end = `
      130 return  work         ${fiber}+0x105
      140 call    ${fiber}     end
      150 return  end          ${fiber}`;
    const tree = outline(await analyzeText(traceOf(`${alike}${end}`), { extend: false, fibers: 'nest' }));
    expect(tree).toContain(`  ${fiber} 1(1) self 20\n      end 1 self 10\n      work 1 self 20\n`);
  });

  test('similar stacks take turns if nothing decides', async () => {
    const end = `
      130 call    work+0x200   swapcontext
      140 return  swapcontext  main`;
    const tree = outline(await analyzeText(traceOf(`${alike}${end}`), { extend: false, fibers: 'nest' }));
    expect(tree).toContain(`  red 1(1) self 10\n      work 1(1) self 20\n`);
    expect(tree).toContain(`  blue 1(1) self 10\n      work 1(1) self 10\n`);
  });

  test('in a ring, the next return decides, even if the last stack was left at the same address', async () => {
    const ring = `
      10  call    main         swapcontext
      20  return  swapcontext  red+0x0
      30  call    red+0x100    next
      40  call    next+0x100   swapcontext
      50  return  swapcontext  blue+0x0
      60  call    blue+0x100   next
      70  call    next+0x100   swapcontext
      80  return  swapcontext  next+0x105
      90  return  next         red+0x105
      100 call    red          end
      110 return  end          red`;
    const tree = outline(await analyzeText(traceOf(ring), { extend: false, fibers: 'nest' }));
    expect(tree).toContain('  red 1(1) self 20\n      end 1 self 10\n      next 1 self 20\n');
  });

  test.each(['nest', 'replace'] as const)('a stub of a function that switches stacks does so, too: %s', (tailCalls) =>
    expectNested(
      `
      10  call    main             swapcontext@plt
      20  return  swapcontext      fiber+0x0
      30  call    fiber+0x100      swapcontext@plt
      40  return  swapcontext      main+0x105
      50  call    main+0x110       swapcontext@plt
      60  return  swapcontext      fiber+0x105
      70  call    fiber+0x110      work
      80  return  work             fiber+0x115`,
      `
      main 1(1) self 10
        swapcontext 2(1) self 20
          fiber 1(1) self 20
            swapcontext 1 self 10
            work 1 self 10`,
      { extend: false, tailCalls },
    ),
  );

  test('a fiber may begin right after a call', () =>
    expectNested(
      `
      10  call    main         fiber+0x40
      20  return  fiber+0x50   main+0x105
      30  call    main+0x1fffb swapcontext
      40  return  swapcontext  fiber+0x0
      50  call    fiber        work
      60  return  work         fiber`,
      `
      main 1(1) self 10
        fiber 1 self 10
        swapcontext 1(1) self 10
          fiber 1(1) self 10
            work 1 self 10`,
    ));

  test("Go's scheduler jumps to the code after the call that left a goroutine", () =>
    expectNested(
      `
      10  call  gopark  mcall
      20  call  mcall   schedule
      30  call  schedule  runtime.gogo
      40  jmp   runtime.gogo  gopark+0x105
      50  return  gopark  main.work`,
      `
      main.work 1(1) self 0
        gopark 1(1) self 10
          mcall 1 self 10
            schedule 1(1) self 10
              runtime.gogo 1(1) self 10`,
    ));

  test('after a recovered panic, the function that deferred the recovery continues', () =>
    expectNested(
      `
      10  call    main.main    main.risky
      20  call    main.risky   runtime.gopanic
      30  call    runtime.gopanic runtime.gogo
      40  jmp     runtime.gogo main.risky+0xc6
      50  return  main.risky   main.main
      60  call    main.main    main.end`,
      `
      main.main 1(1) self 10
        main.end 1(1) self 0
        main.risky 1 self 20
          runtime.gopanic 1(1) self 10
            runtime.gogo 1(1) self 10`,
    ));

  test('a jump to a goroutine whose parking was not seen begins a stack', () =>
    expectNested(
      `
      10  call    main.a        gopark
      20  call    gopark        runtime.gogo
      30  jmp     runtime.gogo  gopark+0x905
      40  return  gopark        main.b+0x505
      50  call    main.b        gopark
      60  call    gopark        runtime.gogo
      70  jmp     runtime.gogo  gopark+0x105
      80  return  gopark        main.a+0x105
      90  return  main.a        main.main`,
      `
      main.main 1(1) self 0
        main.a 1(1) self 10
          gopark 1 self 20
            runtime.gogo 1 self 10
              main.b 1(1) self 10
                gopark 2(2) self 20
                  runtime.gogo 1(1) self 10`,
    ));
});

describe('the kernel', () => {
  test('an interrupt in a system call is on top of it, and both end', () =>
    expectTree(
      `
      10  call     main                  read
      20  syscall  read                  entry_SYSCALL_64
      25  call     entry_SYSCALL_64      do_syscall
      30  hw int   do_syscall            asm_irq
      35  call     asm_irq               irq_handler
      40  return   irq_handler           asm_irq
      45  iret     asm_irq               do_syscall+0xe0
      60  return   do_syscall            entry_SYSCALL_64
      70  sysret   entry_SYSCALL_64      read+0xe2
      90  return   read                  main`,
      `
      main 1(1) self 0
        read 1 self 30
          entry_SYSCALL_64 1 self 15
            do_syscall 1 self 20
              asm_irq 1 self 10
                irq_handler 1 self 5`,
    ));

  test('a trace that begins in the kernel finds the way out to the program', () =>
    expectTree(
      `
      10  tr strt           do_sys_poll+0x50
      20  call              do_sys_poll  copy_to_user
      30  return            copy_to_user  do_sys_poll
      40  return            do_sys_poll  do_syscall_64+0x77
      50  return            do_syscall_64  entry_SYSCALL_64_after_hwframe+0x77
      60  sysret            entry_SYSCALL_64_after_hwframe  poll+0x17
      70  return            poll  main+0x50
      80  call              main  work
      90  return            work  main`,
      `
      main 1(1) self 10
        poll 1(1) self 10
          entry_SYSCALL_64_after_hwframe 1(1) self 10
            do_syscall_64 1(1) self 10
              do_sys_poll 1(1) self 20
                copy_to_user 1 self 10
        work 1 self 10`,
    ));

  test('the kernel may return to the program by a trace start alone', () =>
    expectTree(
      `
      10  call     main      fault
      20  hw int   fault     asm_exc_page_fault
      30  call     asm_exc_page_fault  handle
      40  tr strt  fault+0xe0
      50  return   fault     main`,
      `
      main 1(1) self 0
        fault 1 self 20
          asm_exc_page_fault 1 self 10
            handle 1(1) self 10`,
    ));
});

describe('programs and transactions', () => {
  test('an exec without a record is recognized by the start of ld.so', () =>
    expectTree(
      `
      10  call             main    execve
      20  tr end  syscall  execve
      50  tr strt          _start+0x0
      60  call             _start  _dl_start
      70  return           _dl_start  _start`,
      `
      _start 1(1) self 10
        _dl_start 1 self 10
      main 1(1) self 0
        execve 1(1) self 10
          [syscall] 1 self 30`,
    ));

  test('a guest is untraced, and the host continues under any label', () =>
    expectTree(
      `
      10  call     kvm_run    vmx_enter
      20  vmentry  vmx_enter
      70  vmexit   vmx_exit
      80  return   vmx_exit   kvm_run`,
      `
      kvm_run 1(1) self 0
        vmx_enter 1 self 20
          [untraced] 1 self 50`,
    ));

  test('an abort reopens what had returned inside the transaction', () =>
    expectTree(
      `
      10  call     main   lock
      20  call     lock   elide
      30  return   elide  lock
      40  return   lock   main
      50  call     main   work
      60  tx abrt  work   elide+0x40
      70  return   elide  lock+0x105
      80  return   lock   main+0x105`,
      `
      main 1(1) self 10
        lock 2(1) self 30
          elide 2(1) self 20
        work 1(1) self 10`,
    ));
});

describe('address filters', () => {
  test('a function with several callers is on top of each of them', () =>
    expectTree(
      `
      10  tr strt         f+0x0
      20  tr end  return  f      a+0x105
      30  tr strt         f+0x0
      50  tr end  return  f      b+0x105
      60  tr strt         f+0x0
      90  tr end  return  f      b+0x105`,
      `
      a 1(1) self 0
        [untraced] 1 self 10
        f 1(1) self 10
      b 1(1) self 0
        [untraced] 2(1) self 10
        f 2 self 50`,
    ));

  test('a return to an unknown address is followed by what the caller does', () =>
    expectTree(
      `
      10  call            main  f
      20  tr end  return  f
      30  tr strt         main+0x105
      50  return          main  start`,
      `
      start 1(1) self 0
        main 1(1) self 20
          [untraced] 1 self 10
          f 1 self 10`,
    ));
});

describe('retpolines', () => {
  test('a computed goto stays in its function', () =>
    expectTree(
      `
      10  call    main  f
      20  call    f  __x86_indirect_thunk_rax
      30  return  __x86_indirect_thunk_rax  f+0x55
      50  return  f  main`,
      `
      main 1(1) self 0
        f 1 self 30
          __x86_indirect_thunk_rax 1 self 10`,
    ));

  test.each(['__x86_indirect_thunk_rax', '__llvm_retpoline_r11'])('%s is shown as its target', (thunk) =>
    expectTree(
      `
      10  call    main  ${thunk}
      11  call    ${thunk} ${thunk}+0x10
      20  return  ${thunk} f+0x0
      50  return  f  main`,
      `
      main 1(1) self 0
        f 1 self 40`,
    ),
  );

  test('until one begins, the function runs that jumps there', () =>
    expectTree(
      `
      10  call    main  f
      30  call    __x86_indirect_thunk_rax+0x0 __x86_indirect_thunk_rax+0xc
      31  return  __x86_indirect_thunk_rax g+0x0
      50  return  g     main`,
      `
      main 1(1) self 0
        f 1 self 20
          g 1(1) self 20`,
    ));

  test('a retpoline in a signal handler does not end the signal', () =>
    expectTree(
      `
      10  tr end  async   main
      20  tr strt         h+0x0
      30  return          __x86_indirect_thunk_rax g+0x0
      40  return          g     __restore_rt+0x0
      41  tr end  syscall __restore_rt
      50  tr strt         main`,
      `
      main 1(1) self 1
        [syscall] 1 self 9
        [untraced] 1 self 10
        h 1 self 0
          g 1(1) self 20`,
    ));
});

describe('the start of a program', () => {
  test('nothing of its loader is below it', () =>
    expectTree(
      `
      10  call  dlstart load1
      20  call  load1   load2
      40  jmp   load2   _start
      50  call  _start  main
      90  call  main    f`,
      `
      dlstart 1(1) self 0
        _start 1(1) self 10
          main 1(1) self 40
            f 1(1) self 0
        load1 1(1) self 10
          load2 1(1) self 20`,
    ));

  test('nor if the way out of the loader was not seen', () =>
    expectTree(
      `
      10  call  dlstart load1
      20  call  load1   load2
      50  call  _start  main
      90  call  main    f`,
      `
      dlstart 1(1) self 0
        _start 1(1) self 30
          main 1(1) self 40
            f 1(1) self 0
        load1 1(1) self 10
          load2 1(1) self 0`,
    ));

  test('a function of that name to which control returns is like any other', () =>
    expectTree(
      `
      10  call    main  load
      20  jmp     load  _start
      50  return  _start main`,
      `
      main 1(1) self 0
        load 1 self 10
          _start 1 self 30`,
    ));
});

test.each([
  ['?b', 30, 'another function, or a cold part of the first one'],
  ['?a+0x8000', 10, 'near enough to be the first one: only the moment is not known'],
])('nameless code in %s, where --tail-calls replace shows one function: %d ns are inferred', async (fn, inferredNs) => {
  const trace = `
      10  call    main  ${fn}
      15  return  ${fn} main
      20  call    main  ?a
      30  call    ${fn} leaf
      40  return  leaf  ${fn}
      50  return  ${fn} main
      60  call    main  leaf`;
  const profile = await analyzeText(traceOf(trace), { extend: false, tailCalls: 'replace' });
  expect(profile.quality.inferredBy?.HiddenJump ?? 0).toBe(inferredNs);
});

describe('return thunks', () => {
  test('the function on top returns, not the thunk', () =>
    expectTree(
      `
      10  call    main  f
      30  call    __x86_return_thunk __x86_return_thunk+0xc
      30  return  __x86_return_thunk  main
      40  return  __x86_return_thunk  start
      50  call    start exit`,
      `
      start 1(1) self 10
        exit 1(1) self 0
        main 1(1) self 10
          f 1 self 20`,
    ));

  test('the time before is inferred: the function may have jumped to another one, which leaves no event', async () => {
    const profile = await analyzeText(
      traceOf(`
      10  call    main  f
      20  call    f     g
      24  return  g     f
      30  return  __x86_return_thunk main
      40  return  main  start`),
      { extend: false },
    );
    expect(profile.quality.inferredBy).toEqual({ HiddenJump: 6 });
  });

  test('a thunk that a visible jump enters is a function', () =>
    expectTree(
      `
      10  call    main  f
      20  jmp     f     srso_return_thunk
      21  call    srso_return_thunk srso_safe_ret
      30  return  srso_safe_ret main`,
      `
      main 1(1) self 0
        f 1 self 10
          srso_return_thunk 1 self 10`,
    ));
});

describe('missing lines', () => {
  test('a missing call costs only its own frame', () =>
    expectTree(
      `
      10  call    main  a
      30  return  b     a+0x115
      40  return  a     main
      60  call    main  c`,
      `
      main 1(1) self 20
        a 1 self 10
          b 1(1) self 20
        c 1(1) self 0`,
    ));

  test('so does a missing call of a function by itself', () =>
    expectTree(
      `
      10  call    main  a
      30  return  a     a+0x115
      40  return  a     main`,
      `
      main 1(1) self 0
        a 1 self 30
          a 1(1) self 0`,
    ));
});

describe('the bounds of the recording', () => {
  test('a switch after the last branch does not move the end', () =>
    expectTree(
      `
      10         call  main  a
      900000000  PERF_RECORD_SWITCH IN`,
      `
      main 1(1) self 0
        a 1(1) self 0`,
    ));

  const waiting = `
      2/10  tr end  syscall  poll
      1/20  tr strt          read+0x802
      1/30  tr end  syscall  read
      2/90  tr strt          poll`;

  test('a waiting thread is extended to both ends, and its time is inferred', () =>
    expectTree(
      waiting,
      `
      poll 1(1) self 0
        [syscall] 1 self 80
      read 1(1) self 10
        [syscall] 2(2) self 70`,
      {},
    ));

  test('no thread is extended if that is not requested', () =>
    expectTree(
      waiting,
      `
      poll 1(1) self 0
        [syscall] 1 self 80
      read 1(1) self 10
        [syscall] 1(1) self 0`,
    ));

  test('a thread created while recording is not extended to the start', () =>
    expectTree(
      `
      1/10  call      main    work
      2/50  tr strt           clone3
      2/60  call      clone3  work
      1/90  return    work    main`,
      `
      clone3 1(1) self 10
        work 1(1) self 0
      main 1(1) self 0
        work 1 self 80`,
      {},
    ));
});
