/**
 * The rules of replay for a traced kernel: for each, a few lines of trace and the tree they become. The module, the rules
 * in TypeScript alone and the slow twin replay each of them.
 */
import { describe, expect, test } from 'vitest';
import { stackAt } from '../../src/analysis/log/spans.js';
import type { AnalyzeOptions } from '../../src/index.js';
import { Replayer } from '../../src/replay/replayer.js';
import { dedent, outline } from '../helpers/checks/outline.js';
import { expectSameInModule } from '../helpers/checks/same-in-module.js';
import { expectSameInTwin } from '../helpers/checks/same-in-twin.js';
import { analyzeText, inputOf } from '../helpers/traces/load.js';
import { threadsOfInput } from '../helpers/traces/threads-of.js';
import { traceOf } from '../helpers/traces/trace-of.js';

interface Options extends AnalyzeOptions {
  /** Default: true. The twin knows neither a second program nor a kernel alone. */
  readonly inTwin?: boolean;
}

async function expectTree(trace: string, tree: string, { inTwin = true, ...options }: Options = {}): Promise<void> {
  const text = traceOf(trace);
  const profile = await analyzeText(text, { extend: false, ...options });
  expect(outline(profile)).toBe(dedent(tree));
  expect(Object.keys(profile.quality.inferredBy ?? {}).filter((doubt) => doubt !== 'HiddenJump')).toEqual([]);
  const threads = await threadsOfInput(inputOf(text));
  expectSameInModule(threads, trace);
  if (!inTwin) return;
  for (const thread of threads.threads)
    for (const tailCalls of ['nest', 'replace'] as const)
      for (const extendTo of [threads.bounds, null]) expectSameInTwin(threads, thread, { tailCalls, extendTo });
}

describe('ways out of the kernel', () => {
  test('the way back to the program ends all frames of the kernel', () =>
    expectTree(
      `
      10  call     main              read
      20  syscall  read              k:entry
      30  call     k:entry           k:do_syscall
      40  call     k:do_syscall      k:exit_code
      50  sysret   k:exit_code+0x90  read+0xe2
      60  return   read              main`,
      `
      main 1(1) self 0
        read 1 self 20
          entry 1 self 10
            do_syscall 1 self 10
              exit_code 1 self 10`,
    ));

  test('a signal handler is on top of the code that it interrupts, and ends with the system call that ends signals', () =>
    expectTree(
      `
      10   call     main          work
      20   hw int   work          k:asm_irq
      30   iret     k:asm_irq     handler
      40   call     handler       note
      50   return   note          handler
      60   return   handler       restore+0x0
      70   syscall  restore       k:entry
      80   iret     k:entry       work+0xe0
      100  return   work          main`,
      `
      main 1(1) self 0
        work 1 self 40
          asm_irq 1 self 10
          entry 1 self 10
          handler 1 self 20
            note 1 self 10`,
    ));

  test('a second signal may begin where the first one ended', () =>
    expectTree(
      `
      10   call     main          work
      20   hw int   work          k:asm_irq
      30   iret     k:asm_irq     handler
      40   return   handler       restore+0x0
      50   syscall  restore       k:entry
      60   iret     k:entry       other
      70   return   other         restore+0x0
      80   syscall  restore       k:entry
      90   iret     k:entry       work+0xe0
      100  return   work          main`,
      `
      main 1(1) self 0
        work 1 self 40
          asm_irq 1 self 10
          entry 2 self 20
          handler 1 self 10
          other 1 self 10`,
    ));

  test('without the return of the handler, its signal ends where the interrupted code goes on', () =>
    expectTree(
      `
      10   call     main          work
      20   hw int   work          k:asm_irq
      30   iret     k:asm_irq     handler
      40   syscall  handler       k:entry
      50   iret     k:entry       work+0xe0
      60   return   work          main`,
      `
      main 1(1) self 0
        work 1 self 20
          asm_irq 1 self 10
          handler 1 self 10
            entry 1 self 10`,
    ));

  test('an exec keeps the callers in the kernel, and begins a new stack in the program', () =>
    expectTree(
      `
      10  call     main        execve
      20  syscall  execve      k:entry
      30  call     k:entry     k:load
      35  PERF_RECORD_COMM exec: prog:1/1
      40  call     k:load      k:clear
      50  return   k:clear     k:load
      60  iret     k:load      start
      70  call     start       run
      80  return   run         start`,
      `
      main 1(1) self 0
        execve 1(1) self 10
          entry 1(1) self 10
            load 1(1) self 20
              clear 1 self 10
      start 1(1) self 10
        run 1 self 10`,
      { inTwin: false },
    ));
});

describe('interrupts', () => {
  test('an interrupt of the kernel leaves only what it entered, however deep it ends', () =>
    expectTree(
      `
      10  call     main         read
      20  syscall  read         k:entry
      30  call     k:entry      k:copy
      40  hw int   k:copy       k:asm_irq
      50  call     k:asm_irq    k:handle
      60  hw int   k:handle     k:asm_nmi
      70  iret     k:asm_nmi    k:handle+0xe0
      80  iret     k:handle     k:copy+0xe0
      90  return   k:copy       k:entry
      95  sysret   k:entry      read+0xe2`,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 15
            copy 1 self 20
              asm_irq 1 self 10
                handle 1 self 20
                  asm_nmi 1 self 10`,
    ));

  test('an IRET to the same function only serializes', () =>
    expectTree(
      `
      10  call     main    read
      20  syscall  read    k:sync
      30  iret     k:sync  k:sync+0x120
      40  iret     k:sync  k:sync+0x120
      50  sysret   k:sync  read+0xe2`,
      `
      main 1(1) self 0
        read 1(1) self 10
          sync 1 self 30`,
    ));
});

describe('switches of threads', () => {
  const SWITCH = `
      10   call    main               read
      20   syscall read               k:entry
      30   call    k:entry            k:__schedule
      35   PERF_RECORD_SWITCH_CPU_WIDE OUT  next pid/tid: 2/2
      40   call    k:__schedule       k:__switch_to_asm
      50   call    k:__switch_to_asm  k:stuff
      60   return  k:stuff            k:__switch_to_asm
      960  call    k:__switch_to      k:load_tls
      970  return  k:load_tls         k:__switch_to
      975  return  k:__switch_to      k:__schedule
      980  PERF_RECORD_SWITCH_CPU_WIDE IN  prev pid/tid: 2/2
      985  return  k:__schedule       k:entry
      990  sysret  k:entry            read+0xe2`;

  test('a thread has no CPU from the last event before the switch on, whatever the records say', () =>
    expectTree(
      SWITCH,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 15
            __schedule 1 self 20
              __switch_to_asm 1 self 10
                [off-cpu] 1 self 900
                __switch_to 1(1) self 5
                  load_tls 1 self 10
                stuff 1 self 10`,
      { scheduler: 'show' },
    ));

  test('the function that called the scheduler is the one that sleeps', () =>
    expectTree(
      SWITCH,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 15
            [off-cpu] 1 self 900
            __schedule 1 self 20
              __switch_to_asm 1 self 10
                __switch_to 1(1) self 5
                  load_tls 1 self 10
                stuff 1 self 10`,
    ));

  test('its calls are set aside meanwhile: they are on no stack of that time, and go on after it', async () => {
    const { threads, facts, symbols } = await threadsOfInput(inputOf(traceOf(SWITCH)));
    const { events } = threads[0] as (typeof threads)[number];
    const options = {
      tailCalls: 'nest',
      extendTo: null,
      createdInside: false,
      knownPaths: null,
      wantsLog: true,
    } as const;
    const { log, tree } = new Replayer(facts).replay(events, options);
    const stack = (ns: number) => {
      const frames = log && stackAt(log, tree, events.timeAt(0) + ns - 10);
      return frames?.map(({ symbol }) => symbols.name[symbol]).join(' ');
    };
    expect(stack(55)).toBe('main read entry __schedule __switch_to_asm stuff');
    expect(stack(500)).toBe('main read entry [off-cpu]');
    expect(stack(965)).toBe('main read entry __schedule __switch_to_asm __switch_to load_tls');
  });

  test('where jumps are shown, from the jump to the function that switches', () =>
    expectTree(
      `
      10   call    main               read
      20   syscall read               k:entry
      30   call    k:entry            k:__schedule
      35   PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 2/2
      40   call    k:__schedule       k:__switch_to_asm
      60   jmp     k:__switch_to_asm  k:__switch_to
      960  call    k:__switch_to      k:load_tls
      970  return  k:load_tls         k:__switch_to
      975  return  k:__switch_to      k:__schedule
      985  return  k:__schedule       k:entry
      990  sysret  k:entry            read+0xe2`,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 15
            __schedule 1 self 20
              __switch_to_asm 1 self 20
                __switch_to 1 self 5
                  [preempted] 1 self 900
                  load_tls 1 self 10`,
      { scheduler: 'show' },
    ));
});

test('where only the scheduler was seen, time without a CPU is on it', () =>
  expectTree(
    `
      10   call    k:__schedule       k:__switch_to_asm
      60   jmp     k:__switch_to_asm  k:__switch_to
      960  call    k:__switch_to      k:load_tls
      965  return  k:load_tls         k:__switch_to
      970  return  k:__switch_to      k:__schedule
      980  call    k:__schedule       k:finish`,
    `
      __schedule 1(1) self 10
        __switch_to_asm 1 self 50
          __switch_to 1 self 5
            [off-cpu] 1 self 900
            load_tls 1 self 5
        finish 1(1) self 0`,
  ));

describe('a thread that is not switched in again', () => {
  const WAITING = `
      10     call    main          read
      20     syscall read          k:entry
      30     PERF_RECORD_SWITCH_CPU_WIDE OUT  next pid/tid: 2/2
      40     call    k:entry       k:__switch_to
      2/90   call    other         work
      95     PERF_RECORD_SWITCH_CPU_WIDE IN  prev pid/tid: 2/2`;

  test('waits until the end of the recording', () =>
    expectTree(
      WAITING,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1(1) self 20
            [off-cpu] 1(1) self 50
            __switch_to 1(1) self 0
      other 1(1) self 0
        work 1(1) self 0`,
      { extend: true },
    ));

  test('ends with its last event if it is not extended', () =>
    expectTree(
      WAITING,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1(1) self 20
            [off-cpu] 1(1) self 0
            __switch_to 1(1) self 0
      other 1(1) self 0
        work 1(1) self 0`,
    ));
});

describe('the idle task of a CPU', () => {
  const IDLE = `
      0/10   call    k:do_idle               k:native_safe_halt
      0/500  hw int  k:native_safe_halt      k:asm_irq
      0/520  iret    k:asm_irq               k:native_safe_halt+0xe0
      0/900  return  k:native_safe_halt      k:do_idle
      0/910  call    k:do_idle               k:__schedule
      0/915  call    k:__schedule            k:__switch_to_asm
      0/920  jmp     k:__switch_to_asm       k:__switch_to
      2/930  call    k:native_safe_halt~2    work
      0/1950 return  k:__switch_to           k:__schedule
      0/1960 return  k:__schedule            k:do_idle
      0/1970 call    k:do_idle               k:native_safe_halt`;
  const WORK = `
      do_idle 1(1) self 20
        __schedule 1 self 15
          __switch_to_asm 1 self 5
            __switch_to 1 self 0
        native_safe_halt 2(1) self 0
          asm_irq 1 self 20`;

  test('has time only while it works: a halt is none, nor is the time of other threads', () =>
    expectTree(IDLE, WORK, { inTwin: false, extend: true, select: { pids: [0] } }));

  test('has the same in a window, and calls last as long as the clock says', async () => {
    const window = { from: { afterStartNs: 0 }, to: null };
    const profile = await analyzeText(traceOf(IDLE), { window, durations: true, select: { pids: [0] } });
    expect(outline(profile)).toBe(dedent(WORK));
    const [tree] = profile.threads.map((thread) => thread.tree);
    expect(tree?.maxNs.filter((ns) => ns > 0)).toContain(890);
  });
});

describe('threads that begin in the kernel', () => {
  const CHILD = `
      10  call    k:__switch_to    k:load_tls
      20  return  k:load_tls       k:__switch_to
      30  return  k:__switch_to    k:ret_from_fork+0x0
      40  call    k:ret_from_fork  k:schedule_tail
      50  return  k:schedule_tail  k:ret_from_fork
      60  iret    k:ret_from_fork  fork+0xe2
      70  return  fork             child`;

  test('a new thread begins in the function that the switch returns to', () =>
    expectTree(
      CHILD,
      `
      child 1(1) self 0
        fork 1(1) self 10
          ret_from_fork 1(1) self 20
            __switch_to 1(1) self 10
              load_tls 1 self 10
            schedule_tail 1 self 10`,
    ));

  test('a process has the callers that its parent had', async () => {
    const parent = `
      2/1   call     main      child
      2/2   call     child     fork
      2/3   syscall  fork      k:entry
      2/4   PERF_RECORD_FORK(1:1):(2:2)
      2/90  sysret   k:entry   fork+0xe2
      2/95  return   fork      child`;
    const text = traceOf(`${parent}\n${CHILD.trim().replace(/^ */gm, '1/')}`);
    expect(outline(await analyzeText(text, { extend: false }))).toBe(
      dedent(`
      main 2(2) self 0
        child 2(2) self 1
          fork 2(1) self 16
            entry 1 self 87
            ret_from_fork 1(1) self 20
              __switch_to 1(1) self 10
                load_tls 1 self 10
              schedule_tail 1 self 10`),
    );
  });
});

describe('a kernel whose programs are not traced', () => {
  test('code of an entry may have several labels', () =>
    expectTree(
      `
      10  tr strt        k:idle
      20  tr end  iret   k:idle
      30  tr strt        k:entry+0x0
      40  call           k:entry_after  k:do_syscall
      50  return         k:do_syscall   k:entry_after
      60  tr end  sysret k:entry_after`,
      `
      [untraced] 2(1) self 10
      entry 1 self 20
        do_syscall 1 self 10
      idle 1(1) self 10`,
      { inTwin: false },
    ));

  test('each entry begins a stack', () =>
    expectTree(
      `
      10  tr strt       k:entry+0x0
      20  call          k:entry     k:do_syscall
      30  tr end  iret  k:do_syscall
      50  tr strt       k:asm_irq+0x0
      60  call          k:asm_irq   k:handle
      70  return        k:handle    k:asm_irq
      80  tr end  iret  k:asm_irq
      90  tr strt       k:entry+0x0
      95  call          k:entry     k:do_syscall`,
      `
      [untraced] 2 self 30
      asm_irq 1 self 20
        handle 1 self 10
      entry 2(2) self 15
        do_syscall 2(1) self 10`,
      { inTwin: false },
    ));
});

describe('code of the kernel', () => {
  test('a retpoline is known by its call, whatever name its address has', () =>
    expectTree(
      `
      10  call     main         read
      20  syscall  read         k:entry
      30  call     k:entry      k:text_end
      35  call     k:text_end+0x0  k:text_end+0xc
      40  return   k:text_end   k:hook+0x0
      50  return   k:hook       k:entry
      60  sysret   k:entry      read+0xe2`,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 20
            hook 1 self 20`,
    ));

  test('functions return through thunks, and retpolines jump through them', () =>
    expectTree(
      `
      10  call     main                            read
      20  syscall  read                            k:entry
      30  call     k:entry                         k:__x86_indirect_thunk_rax
      32  call     k:__x86_indirect_thunk_rax+0x0  k:__x86_indirect_thunk_rax+0xc
      34  jmp      k:__x86_indirect_thunk_rax      k:its_return_thunk
      40  return   k:its_return_thunk              k:hook+0x0
      50  jmp      k:hook                          k:its_return_thunk
      55  return   k:its_return_thunk              k:entry
      60  sysret   k:entry                         read+0xe2`,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 15
            hook 1 self 25`,
    ));

  test('where jumps are shown, code that runs on into another label stays the same function', () =>
    expectTree(
      `
      10  call     main            read
      20  syscall  read            k:entry
      30  call     k:entry         k:put_user
      40  hw int   k:put_nocheck   k:asm_fault
      45  jmp      k:asm_fault     k:leave
      50  iret     k:leave         k:put_nocheck+0xe0
      60  return   k:put_nocheck   k:entry
      70  sysret   k:entry         read+0xe2`,
      `
      main 1(1) self 0
        read 1(1) self 10
          entry 1 self 20
            put_user 1 self 20
              asm_fault 1 self 10`,
    ));

  test('the labels that entry code jumps to on the way out stay one function, unlike those that it calls', () =>
    expectTree(
      `
      10  call     main         read
      20  hw int   read         k:asm_fault
      30  call     k:asm_fault  k:handle
      40  jmp      k:handle     k:handle_user
      50  return   k:handle_user  k:asm_fault
      55  jmp      k:asm_fault  k:error_return
      60  jmp      k:error_return  k:restore
      70  iret     k:restore+0x20   read+0xe0`,
      `
      main 1(1) self 0
        read 1(1) self 10
          asm_fault 1 self 30
            handle 1 self 10
              handle_user 1 self 10`,
    ));
});
