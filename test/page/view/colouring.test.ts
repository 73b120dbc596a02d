/**
 * Tests the colouring of frames.
 */
import { describe, expect, test } from 'vitest';
import { isStop } from '../../../src/analysis/tree/outside.js';
import { ROOT } from '../../../src/model/calls/call-tree.js';
import { painterOf, STEPS } from '../../../src/page/view/colouring.js';
import { START } from '../../../src/page/view/state.js';
import type { FrameTable } from '../../../src/render/frames/frame-table.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';

/** Slow reference: sums the time of the leaves below each node, inside and outside of user code. */
function outsideShares({ tree }: FrameTable, isInverted: boolean): number[] {
  const chain = (node: number): number[] => (node === ROOT ? [] : [node, ...chain(tree.parent[node])]);
  const inside = new Float64Array(tree.length);
  const outside = new Float64Array(tree.length);
  for (let node = ROOT; node < tree.length; node++) {
    const path = chain(node);
    const on = isInverted ? path.at(-1) : path[0];
    const sums = on !== undefined && isStop(tree.symbol[on]) ? outside : inside;
    for (const at of [...path, ROOT]) sums[at] += tree.selfNs[node];
  }
  return Array.from(inside, (ns, node) => outside[node] / (ns + outside[node]));
}

describe('the share outside', () => {
  test.for([false, true])('matches a slow reference for each frame (inverted: %s)', async (isInverted) => {
    const views = viewsOf(await analyzeText(fixture('demo/threads.perf.txt.gz'), { durations: true }));
    const table = views.tableAt({ ...START, isInverted });
    const { classOf } = painterOf(table, 'outside', isInverted);
    const shares = outsideShares(table, isInverted);
    const seen = new Set<string>();
    for (let node = ROOT; node < table.tree.length; node++) {
      if (isStop(table.tree.symbol[node]) || Number.isNaN(shares[node])) continue;
      const step = Math.min(STEPS - 1, Math.floor(STEPS * shares[node]));
      expect(classOf(node)).toBe(`s${step}`);
      seen.add(`s${step}`);
    }
    expect([...seen]).toEqual(expect.arrayContaining(['s0', 's7']));
  });
});
