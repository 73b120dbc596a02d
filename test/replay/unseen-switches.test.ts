/**
 * Fibers that a hidden jump switches to, as boost's `jump_fcontext` does: what returns later shows when.
 */
import { describe, expect, test } from 'vitest';
import { dedent, outline } from '../helpers/checks/outline.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

async function expectTree(trace: string, tree: string): Promise<void> {
  expect(outline(await analyzeText(traceOf(trace), { extend: false, fibers: 'nest' }))).toBe(dedent(tree));
}

/** A fiber begins, yields to the main loop, continues, and yields again. */
const round = (slot: string) => `
      10  call    main   resume
      20  call    resume ${slot}
      30  call    fiber  job
      40  call    job    ${slot}
      50  call    resume note
      60  return  note   resume
      70  return  resume main
      80  call    main   resume
      90  call    resume ${slot}
      100 call    job    work
      110 return  work   job
      120 return  job    fiber+0x105
      130 call    fiber  job
      140 call    job    ${slot}
      150 call    resume note
      160 return  note   resume
      170 return  resume main`;

describe('each event belongs to the running stack, from the first one after the switch on', () => {
  const tree = (slot: string) => `
      main 1(1) self 10
        resume 2 self 60
          ${slot} 2 self 0
            fiber 1(1) self 20
              job 2(1) self 40
                ${slot} 2(1) self 0
                work 1 self 10
          note 2 self 20`;

  test('with a name', () => expectTree(round('jump_fcontext@plt'), tree('jump_fcontext@plt')));

  test('without a name, once two calls through the slot do not return', () =>
    expectTree(round('_init+0x40'), tree('_init')));
});

/** The switch is inlined in `resume` and `yields`: to the fiber, back, and so again. */
const inlined = (isShown: boolean) => `
      10  call    main   resume
      ${isShown ? '15  jmp     resume body' : ''}
      20  call    body   leaf
      30  call    leaf   yields
      ${isShown ? '35  jmp     yields resume+0x80' : ''}
      40  call    resume note
      50  return  note   resume
      60  return  resume main
      70  call    main   resume
      ${isShown ? '75  jmp     resume yields+0x80' : ''}
      80  call    yields note
      90  return  note   yields
      100 return  yields leaf+0x105
      110 return  leaf   body+0x105
      120 call    body   leaf
      130 call    leaf   yields
      ${isShown ? '135 jmp     yields resume+0x80' : ''}
      140 call    resume note
      150 return  note   resume
      160 return  resume main`;

describe('code that switches stacks is inlined: what runs belongs to its own stack', () => {
  test('where jumps are hidden', () =>
    expectTree(
      inlined(false),
      `
      main 1(1) self 10
        resume 2 self 40
          body 2(2) self 20
            leaf 2(1) self 30
              yields 2(1) self 20
                note 1 self 10
          note 2 self 20`,
    ));

  test('where the trace shows them', () =>
    expectTree(
      inlined(true),
      `
      main 1(1) self 10
        resume 2 self 45
          body 2(2) self 15
            leaf 2(1) self 30
              yields 2(1) self 20
                note 1 self 10
          note 2 self 20`,
    ));
});
