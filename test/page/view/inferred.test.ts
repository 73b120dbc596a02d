/**
 * Tests what the panel says of the inferred time of a function: its shares are those of the tree's doubts.
 */
import { expect, test } from 'vitest';
import { functionSet } from '../../../src/analysis/questions.js';
import { reroot } from '../../../src/analysis/tree/reshape.js';
import { inferredText } from '../../../src/page/view/captions/counts.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';

test('says how much of the time of a function is inferred, and why', async () => {
  const { symbols, threads } = await analyzeText(fixture('truth/ptemu-boostfiber.perf.txt.gz'), {});
  const symbol = symbols.name.indexOf('main');
  const tree = reroot(threads[0]?.tree as never, functionSet([symbol], symbols.name.length));
  const allNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
  expect(inferredText(tree, allNs)).toBe('6.72 % of its time is inferred: hidden jumps 6.72 %');
  const unknown = { ...tree, doubts: undefined };
  expect(inferredText(unknown, allNs)).toBe('6.72 % of its time is inferred');
  expect(inferredText({ ...tree, inferredNs: new Float64Array(tree.length) }, allNs)).toBe('');
});
