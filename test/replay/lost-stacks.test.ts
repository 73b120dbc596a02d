/**
 * Losses while a thread has several stacks: those that were parked before may go on after it, and are not sure.
 */
import { expect, test } from 'vitest';
import type { Profile } from '../../src/index.js';
import { dedent, outline } from '../helpers/checks/outline.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const read = (trace: string) => analyzeText(traceOf(trace), { extend: false, tailCalls: 'replace' });

/** Time on inferred paths, by function. */
function inferredNs({ threads, symbols }: Profile, name: string): number {
  return threads.reduce(
    (sum, { tree }) =>
      sum + tree.inferredNs.reduce((ns, own, node) => ns + (symbols.name[tree.symbol[node]] === name ? own : 0), 0),
    0,
  );
}

/** A fiber runs when data is lost; afterwards it goes back to where the thread's own stack waits. */
const lostInFiber = (later: string) => `
      10  call    main+0x100        resume
      20  call    resume+0x100      swapcontext
      30  return  swapcontext       fiber+0x0
      40  call    fiber+0x100       work
      45  error
      60  tr strt fiber+0x100
      70  call    fiber+0x110       swapcontext
      80  return  swapcontext       resume+0x105
      ${later}`;

test('a call that was first seen after a loss is known to last until the next one, if only its name is seen again', async () => {
  const { threads, symbols } = await read(`
    10  call    main+0x100        a
    20  error
    50  tr strt b+0x100
    60  jmp     b+0x110           b+0x140
    70  error
    100 tr strt b+0x120
    110 tr end  async             b+0x130`);
  const [{ tree }] = threads as [Profile['threads'][number]];
  expect(tree.longestCutNs[tree.symbol.findIndex((id) => symbols.name[id] === 'b')]).toBe(20);
});

test('the stack that was parked goes on, and shows the callers that it returns to', async () => {
  const profile = await read(
    lostInFiber(`
      90  return  resume            main+0x105
      100 return  main              start+0x205`),
  );
  expect(outline(profile)).toContain(
    dedent(`
      start 1(1) self 0
        main 1(1) self 10
          resume 1 self 20
            swapcontext 1 self 10`),
  );
});

test('it does not go on if the next return ends no call of it', async () => {
  const profile = await read(
    lostInFiber(`
      90  return  resume            other+0x105
      100 tr end  async             other`),
  );
  expect(outline(profile)).not.toMatch(/main.*(\n .*)*\n +other/);
  expect(outline(profile)).not.toMatch(/other.*(\n .*)*\n +main/);
});

test('it is inferred until it leaves the function that waited', async () => {
  const profile = await read(
    lostInFiber(`
      90  call    resume+0x120      note
      95  return  note              resume+0x125
      100 return  resume            main+0x105
      120 return  main              start+0x205`),
  );
  expect([inferredNs(profile, 'note'), inferredNs(profile, 'main')]).toEqual([5, 0]);
});

test('it is inferred until it leaves a recursion', async () => {
  const profile = await read(`
      10  call    main+0x100        rec
      20  call    rec+0x100         rec
      30  call    rec+0x100         rec
      40  call    rec+0x200         swapcontext
      50  return  swapcontext       fiber+0x0
      55  error
      60  tr strt fiber+0x100
      70  call    fiber+0x110       swapcontext
      80  return  swapcontext       rec+0x205
      90  return  rec               rec+0x105
      100 return  rec               rec+0x105
      110 return  rec               main+0x105
      120 return  main              start+0x205`);
  expect([inferredNs(profile, 'rec'), inferredNs(profile, 'main')]).toEqual([30, 0]);
});

test('a stack first seen after it is inferred, though its function may have begun right before', async () => {
  const profile = await read(`
      10  call    main+0x100        f
      15  error
      60  tr strt fiber+0x100
      70  call    fiber+0x110       swapcontext
      80  call    f+0x10            note
      90  return  note              f+0x15
      99  tr end  async             f`);
  expect(inferredNs(profile, 'note')).toBe(10);
});

test('a return of a function behind a call of another stack confirms nothing', async () => {
  const profile = await read(`
      10  call    main+0x100        f
      20  call    f+0x100           sw
      25  error
      60  tr strt fiber+0x100
      70  call    fiber+0x110       sw
      80  return  sw                f+0x105
      90  tr end  async             f`);
  expect(inferredNs(profile, 'fiber') + inferredNs(profile, 'sw')).toBe(20);
});

test('callers that the return of a function reveals are inferred if it had been called elsewhere', async () => {
  const profile = await read(`
      10  tr strt main+0x0
      20  call    main+0x100        sw
      30  return  sw                fiber+0x205
      40  tr end  async             fiber`);
  expect([inferredNs(profile, 'main'), inferredNs(profile, 'sw')]).toEqual([10, 10]);
});

test('a thread that was created while recording has no callers, after a loss neither', async () => {
  const profile = await read(`
      1/10  tr strt main+0x0
      1/20  call    main+0x100   launch
      1/30  call    launch+0x100 clone3
      1/40  tr end  syscall      clone3
      1/50  tr strt clone3
      1/60  return  clone3       launch+0x105
      1/70  return  launch       main+0x105
      1/80  tr end  async        main
      2/55  tr strt clone3
      2/60  call    clone3+0x200 thread
      2/70  call    thread+0x100 work
      2/75  error
      2/90  tr strt other+0x100
      2/99  tr end  async        other`);
  expect(outline({ ...profile, threads: profile.threads.slice(1) })).toMatch(/^clone3 /);
});
