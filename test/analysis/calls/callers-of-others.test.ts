/**
 * A thread whose trace starts inside calls has callers that only other threads show. Answers include these callers.
 */
import { expect, test } from 'vitest';
import { latencyOf } from '../../../src/analysis/calls/latency.js';
import { type AnalyzeOptions, analyze } from '../../../src/index.js';
import { askLatency, askStacks } from '../../../src/pipeline/analyze.js';
import { dedent, outline } from '../../helpers/checks/outline.js';
import { fold, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

/** The second thread never returns from "work", which only the first one is seen to call. */
const TRACE = traceOf(`
  1/10  call     main   serve
  1/20  call     serve  work
  1/30  call     work   leaf
  1/40  return   leaf   work
  1/50  return   work   serve
  1/60  return   serve  main
  2/15  call     work   leaf
  2/35  return   leaf   work
  2/45  call     work   leaf`);
const input = () => [inputOf(TRACE)];
const ask = (options: AnalyzeOptions) => analyze(input(), options);

test('a filter that everything passes changes nothing', async () => {
  const unfiltered = await ask({});
  const filtered = await ask({ window: { from: null, to: null } });
  expect(fold(unfiltered, { by: 'thread', annotate: true })).toContain('main:1(1);serve:1(1);work:1(1)');
  expect(fold(filtered, { by: 'thread', annotate: true })).toBe(fold(unfiltered, { by: 'thread', annotate: true }));
  expect(filtered.quality).toEqual(unfiltered.quality);
});

test('the inside of such a caller includes the thread', async () => {
  expect(outline(await ask({ root: 'serve' }))).toBe(
    dedent(`
    serve 2(1) self 20
      work 2(1) self 30
        leaf 3(1) self 30`),
  );
  const inside = [{ functions: 'serve' }];
  expect(outline(await ask({ inside, window: { from: { afterStartNs: 20 }, to: null } }))).toBe(
    dedent(`
      main 0 self 0
        serve 2(2) self 10
          work 2(2) self 20
            leaf 3(2) self 15`),
  );
});

test('answers about such a caller include the thread', async () => {
  const { calls, profile } = await askLatency(input(), { functions: 'serve' }, {});
  expect(latencyOf(calls, profile.symbols).stats).toMatchObject({ calls: 2, inferred: 1, totalNs: 50 });
  const { stacks } = await askStacks(input(), { afterStartNs: 10 });
  expect(stacks.map(({ frames }) => frames.map(({ symbol }) => profile.symbols.name[symbol]).join(';'))).toEqual([
    'main;serve;work',
    'main;serve;work;leaf',
  ]);
});
