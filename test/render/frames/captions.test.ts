/**
 * The legend of a flame graph.
 */
import { expect, test } from 'vitest';
import { CallTreeBuilder, ROOT } from '../../../src/model/calls/call-tree.js';
import { legendOf, MEANINGS } from '../../../src/render/frames/captions.js';
import { frameTable } from '../../../src/render/frames/frame-table.js';
import { NO_LIBRARIES } from '../../../src/render/frames/libraries.js';
import { layout } from '../../../src/render/layout.js';

test('a legend is in the order of colours, or begins with the most time, where the rest may be cut off', () => {
  const builder = new CallTreeBuilder();
  const weights = [1, 2, 7];
  for (const [symbol, ns] of weights.entries()) builder.charge(builder.child(ROOT, symbol), ns);
  const tree = builder.build();
  const table = frameTable({
    tree,
    names: ['work', '[syscall]', '[off-cpu]'],
    families: ['user', 'syscall', 'off-cpu'],
    libraries: NO_LIBRARIES,
    omitted: new Float64Array(tree.length),
    weight: 'ns',
  });
  const boxes = layout(table, { first: ROOT, last: ROOT, widthPx: 100, minPx: 1 });
  const textsOf = (isLargestFirst: boolean) =>
    legendOf(table, boxes, { showsLibraries: false, meanings: MEANINGS, isLargestFirst }).map(({ text }) => text);
  const [work, syscall, offCpu] = ['functions 10 %', '[syscall]: in the kernel 20 %', '[off-cpu]: blocked 70 %'];
  expect(textsOf(false).slice(0, 3)).toEqual([work, syscall, offCpu]);
  expect(textsOf(true).slice(0, 3)).toEqual([offCpu, syscall, work]);
});
