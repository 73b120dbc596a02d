/**
 * Rows of calls whose stack is switched away from, and resumes where their function is already on the stack.
 */

import { expect, test } from 'vitest';
import { CallRowsBuilder, callRows } from '../../src/analysis/call-rows.js';
import { CallLogBuilder } from '../../src/model/calls/call-log.js';
import { CallTreeBuilder, ROOT } from '../../src/model/calls/call-tree.js';
import { NONE, UNBOUNDED } from '../../src/model/units.js';

const [F, G] = [10, 11];

/** Runs `f` in a fiber, below which is nothing at first, and `f` of the thread later; or the reverse. */
function rowsOf(order: 'alone first' | 'nested first') {
  const tree = new CallTreeBuilder();
  const own = tree.child(ROOT, F);
  const alone = tree.child(ROOT, G);
  const aloneInner = tree.child(alone, F);
  const nested = tree.child(own, G);
  const nestedInner = tree.child(nested, F);
  const log = new CallLogBuilder();
  const at = (ns: number) => {
    log.nowNs = ns;
  };
  log.begin(0);
  const first = order === 'alone first' ? [alone, aloneInner] : [nested, nestedInner];
  const then = order === 'alone first' ? [nested, nestedInner] : [alone, aloneInner];
  if (order === 'nested first') log.open(own);
  log.open(first[0]);
  at(10);
  const inner = log.open(first[1]);
  at(110); // 100 ns of f in the fiber
  log.setAside(2);
  if (order === 'nested first') {
    at(111);
    log.close(NONE);
  } else log.open(own);
  at(120);
  log.putBack(inner);
  for (const node of then) log.renode(node);
  at(127); // 7 ns of f in the fiber
  log.close(NONE);
  at(130);
  log.close(NONE);
  if (order === 'alone first') log.close(NONE);
  const rows: Record<string, number | boolean>[] = [];
  callRows(log.build(), tree.build(), { window: UNBOUNDED, minNs: 0 }, new CallRowsBuilder(), (all) => {
    for (let row = 0; row < all.length; row++)
      rows.push({
        node: all.node[row],
        durationNs: all.durationNs[row],
        selfNs: all.selfNs[row],
        totalNs: all.totalNs[row],
        isOutermost: all.isOutermost[row] === 1,
      });
  });
  return { rows, own, first };
}

test('a call that is no longer the outermost of its function has only the time before', () => {
  const { rows, own, first } = rowsOf('alone first');
  expect(rows).toEqual([
    { node: first[1], durationNs: 117, selfNs: 107, totalNs: 100, isOutermost: true },
    { node: first[0], durationNs: 130, selfNs: 13, totalNs: 120, isOutermost: true },
    { node: own, durationNs: 20, selfNs: 10, totalNs: 20, isOutermost: true },
  ]);
});

test('a call that becomes the outermost of its function has only the time after', () => {
  const { rows, own, first } = rowsOf('nested first');
  expect(rows).toEqual([
    { node: own, durationNs: 111, selfNs: 1, totalNs: 111, isOutermost: true },
    { node: first[1], durationNs: 117, selfNs: 107, totalNs: 7, isOutermost: true },
    { node: first[0], durationNs: 130, selfNs: 13, totalNs: 120, isOutermost: true },
  ]);
});
