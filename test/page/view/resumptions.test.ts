/**
 * Tests what the panel says of who went on with the stacks of fibers.
 */
import { expect, test } from 'vitest';
import { START } from '../../../src/page/view/state.js';
import { symbolOf, viewsOf } from '../../helpers/browser/page-views.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

/** Two threads, in each of which `resume` goes on with a fiber twice. */
const TURNS = ['1', '2'].flatMap((tid) =>
  [
    '10 call main+0x100 resume',
    '20 call resume+0x100 sw',
    '30 return sw fiber+0x0',
    '50 call fiber+0x100 sw',
    '60 return sw resume+0x105',
    '70 return resume main+0x105',
    '80 call main+0x100 resume',
    '90 call resume+0x100 sw',
    '100 return sw fiber+0x105',
    '120 call fiber+0x110 sw',
    '130 return sw resume+0x105',
    '140 return resume main+0x105',
  ].map((line) => `${tid}/${line}`),
);

test('a fiber says who resumed it, and the resumer what, in the chosen threads', async () => {
  const views = viewsOf(await analyzeText(traceOf(TURNS.join('\n')), { extend: false, trees: 'apart' }));
  const of = (name: string, state = START) => views.functionAt(state, symbolOf(views, name));
  expect(of('fiber')?.resumedBy).toMatchObject([{ name: 'resume', times: 4 }]);
  expect(of('resume')?.resumes).toMatchObject([{ name: 'fiber', times: 4 }]);
  expect(of('resume')?.resumedBy).toEqual([]);
  expect(of('fiber', { ...START, threads: 'tid:2' })?.resumedBy).toMatchObject([{ times: 2 }]);
});
