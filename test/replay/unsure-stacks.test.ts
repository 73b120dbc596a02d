/**
 * Which stack runs is not sure: then time is marked until a return that only this one can make.
 */
import { describe, expect, test } from 'vitest';
import { outline } from '../helpers/checks/outline.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const read = (trace: string) => analyzeText(traceOf(trace), { extend: false, tailCalls: 'replace' });

/** By function: all of its time, and how much of that is marked. */
async function timesOf(trace: string, name: string): Promise<{ selfNs: number; inferredNs: number }> {
  const { threads, symbols } = await read(trace);
  const times = { selfNs: 0, inferredNs: 0 };
  for (const { tree } of threads)
    for (let node = 0; node < tree.length; node++) {
      if (symbols.name[tree.symbol[node]] !== name) continue;
      times.selfNs += tree.selfNs[node];
      times.inferredNs += tree.inferredNs[node];
    }
  return times;
}

describe('a stack that goes on is marked', () => {
  test('until a return ends a call that another one does not have', async () => {
    const trace = `
      10  call    main+0x100        swapcontext
      20  return  swapcontext       fiber+0x0
      30  call    fiber+0x100       work
      40  call    work+0x100        step
      50  call    step+0x100        swapcontext
      60  return  swapcontext       fiber+0x0
      70  call    fiber+0x200       work
      80  call    work+0x100        step
      90  call    step+0x100        swapcontext
      100 return  swapcontext       step+0x105
      110 return  step              work+0x105
      120 call    work+0x200        leaf
      130 return  leaf              work+0x205`;
    expect(await timesOf(`${trace}\n 140 tr end async work`, 'leaf')).toEqual({ selfNs: 10, inferredNs: 10 });
    expect(await timesOf(`${trace}\n 140 return work fiber+0x205`, 'leaf')).toEqual({ selfNs: 10, inferredNs: 0 });
  });

  test('if it waited at its own call, as a stack of another thread may wait there', async () => {
    const times = await timesOf(
      `
      10  call    main+0x100        swapcontext
      20  return  swapcontext       main+0x105
      30  call    main+0x200        leaf
      40  return  leaf              main+0x205
      50  return  main              start+0x105
      60  call    start+0x200       leaf
      65  return  leaf              start+0x205`,
      'leaf',
    );
    expect(times).toEqual({ selfNs: 15, inferredNs: 10 });
  });

  test('if it is new, and begins with a function that is called elsewhere', async () => {
    const begin = (fn: string) => `
      10  call    main+0x100        work
      20  return  work              main+0x105
      30  call    main+0x100        swapcontext
      40  call    ${fn}+0x10        leaf
      50  return  leaf              ${fn}+0x15`;
    expect(await timesOf(begin('work'), 'leaf')).toEqual({ selfNs: 10, inferredNs: 10 });
    expect(await timesOf(begin('fiber'), 'leaf')).toEqual({ selfNs: 10, inferredNs: 0 });
  });

  test('if a loss hid whether what jumped to it ever returned', async () => {
    const times = await timesOf(
      `
      10  call    main+0x100        sw
      12  jmp     sw                fiber+0x0
      20  call    fiber+0x100       work
      24  error
      60  tr strt work+0x40
      60  call    work+0x40         leaf
      75  return  leaf              work+0x45
      90  return  work              fiber+0x105
      100 call    fiber+0x200       job
      110 call    job+0x100         sw
      120 jmp     sw                other+0x0`,
      'leaf',
    );
    expect(times).toEqual({ selfNs: 15, inferredNs: 15 });
  });
});

test('the end of a signal handler tells stacks apart', async () => {
  const profile = await read(`
      10  tr end  async             main+0x60
      20  tr strt handler+0x0
      30  call    handler+0x100     swapcontext
      40  call    fiber+0x10        swapcontext
      50  call    handler+0x10      leaf
      60  return  leaf              handler+0x15
      70  return  handler           __restore_rt+0x0`);
  expect(outline(profile)).not.toMatch(/^handler|__restore_rt/m);
});

test('after a loss, a stack that the next return contradicts does not go on', async () => {
  const profile = await read(`
      10  call    main+0x100        swapcontext
      20  return  swapcontext       fiber+0x0
      30  call    fiber+0x300       work
      35  call    work+0x300        step
      40  error
      50  tr strt fiber+0x100
      60  call    fiber+0x100       job
      70  call    job+0x100         step
      80  call    step+0x100        swapcontext
      90  return  swapcontext       fiber+0x0
      100 call    fiber+0x110       swapcontext
      110 return  swapcontext       step+0x105
      120 return  step              work+0x305
      130 return  work              fiber+0x305`);
  expect(outline(profile)).not.toMatch(/work.*\n +(?:fiber|job)/);
});

describe('a function that returns elsewhere than behind its call', () => {
  test('is odd, even in a signal handler', async () => {
    const times = await timesOf(
      `
      10  tr end  async             main+0x60
      20  tr strt handler+0x0
      30  call    handler+0x100     job
      40  return  job               other+0x105
      50  call    other+0x200       leaf
      60  return  leaf              other+0x205`,
      'leaf',
    );
    expect(times).toEqual({ selfNs: 10, inferredNs: 10 });
  });

  test('reveals no callers of a stack that was seen to begin', async () => {
    const profile = await read(`
      10  call    main+0x100        swapcontext
      20  return  swapcontext       fiber+0x0
      30  call    fiber+0x100       work
      40  return  work              other+0x105
      50  return  other             more+0x105`);
    expect(outline(profile)).toMatch(/^fiber/m);
  });

  test('leaves in doubt what is on a stack from before a loss', async () => {
    const times = await timesOf(
      `
      10  call    main+0x100        work
      20  call    work+0x100        step
      25  error
      30  tr strt alone+0x100
      40  call    alone+0x100       job
      50  return  job               work+0x105
      60  return  work              main+0x105`,
      'job',
    );
    expect(times).toEqual({ selfNs: 10, inferredNs: 10 });
  });
});

describe('a thread that was stopped and then starts elsewhere went on unseen', () => {
  const untracedIn = (records: string) =>
    timesOf(
      `
      10  call    main+0x100        work
      20  tr end  async             work+0x60
      ${records}
      60  tr strt main+0x200
      70  call    main+0x200        work`,
      '[untraced]',
    );
  const switchedOut = '22  PERF_RECORD_SWITCH OUT\n 40  PERF_RECORD_SWITCH IN';

  test('at an unknown moment, if perf reports a loss of it', async () => {
    expect(await untracedIn('30  error')).toEqual({ selfNs: 40, inferredNs: 40 });
  });

  test('after it got a CPU, if it had none', async () => {
    expect(await untracedIn(`${switchedOut}\n 50  error`)).toEqual({ selfNs: 22, inferredNs: 20 });
  });

  test('soon before, for all that is known, if no loss is its own', async () => {
    expect(await untracedIn('2/30  error')).toEqual({ selfNs: 40, inferredNs: 0 });
  });

  test('also at the start of a function that is only ever called: it handles no signal', async () => {
    const trace = (more: string) => `
      10  call    main+0x100        work
      20  call    work+0x100        step
      30  tr end  async             step+0x60
      40  tr strt work+0x0
      50  call    work+0x100        step
      60  return  step              work+0x105
      70  return  work              main+0x105
      ${more}`;
    expect(outline(await read(trace('')))).not.toMatch(/step.*\n.*\n +work/);
    expect(outline(await read(trace('80 return work elsewhere+0x50')))).toMatch(/step.*\n.*\n +work/);
  });
});

test('after a loss in a recursion, it is not known which of the calls goes on, until returns lead out of it', async () => {
  const trace = `
      10  call    main+0x100        rec
      20  call    rec+0x100         rec
      30  call    rec+0x200         leaf
      35  error
      40  tr strt leaf+0x20
      50  return  leaf              rec+0x205
      60  call    rec+0x300         work
      70  return  work              rec+0x305`;
  expect(await timesOf(`${trace}\n 80 tr end async rec`, 'work')).toEqual({ selfNs: 10, inferredNs: 10 });
  const out = '80 return rec rec+0x105\n 90 return rec main+0x105';
  expect(await timesOf(`${trace}\n ${out}`, 'work')).toEqual({ selfNs: 10, inferredNs: 0 });
});

test('a function that caught an exception and jumped on is where it landed', async () => {
  const profile = await read(`
      10  call    main+0x100              outer
      20  call    outer+0x100             inner
      30  call    inner+0x100             _Unwind_RaiseException
      31  call    _Unwind_RaiseException+0x10 init
      32  call    init+0x10               uw_frame_state_for
      33  return  uw_frame_state_for      init+0x15
      34  return  init                    _Unwind_RaiseException+0x15
      35  call    _Unwind_RaiseException+0x20 phase2
      36  call    phase2+0x10             uw_frame_state_for
      37  return  uw_frame_state_for      phase2+0x15
      38  call    phase2+0x10             uw_frame_state_for
      39  return  uw_frame_state_for      phase2+0x15
      40  return  phase2                  _Unwind_RaiseException+0x25
      41  jmp     _Unwind_RaiseException  outer+0x80
      50  jmp     outer                   last+0x0
      60  tr end  async                   last`);
  expect(outline(profile)).toMatch(/^main/);
});
