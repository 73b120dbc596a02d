/**
 * Tests the colouring of frames.
 */
import { describe, expect, test } from 'vitest';
import { isStop } from '../../../src/analysis/tree/outside.js';
import { ProfileSum } from '../../../src/fleet/merge-profiles.js';
import { profileBlockedTime } from '../../../src/index.js';
import { ROOT } from '../../../src/model/calls/call-tree.js';
import { profileOfBoth } from '../../../src/page/contents/compared-profile.js';
import { painterOf, STEPS } from '../../../src/page/view/colouring.js';
import { START } from '../../../src/page/view/state.js';
import type { Views } from '../../../src/page/view/views.js';
import { compareProfiles } from '../../../src/render/diff/comparison.js';
import type { FrameTable } from '../../../src/render/frames/frame-table.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { analyzeText, fixture, inputOf } from '../../helpers/traces/load.js';
import { lockTrace } from '../../helpers/traces/lock-trace.js';

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

/** The functions of a lock are of libc, `count` is of libz, all others are of the program. */
function withLibraries(trace: string): string {
  const fileOf = (name: string) =>
    name.startsWith('pthread') ? '/lib/libc.so.6' : name === 'count' ? '/lib/libz.so.1' : '/bin/bank';
  return trace.replaceAll(/\b([a-z]\w*)\+0x[0-9a-f]+/g, (at, name: string) => `${at} (${fileOf(name)})`);
}

test('a function has one colour in reports, comparisons, blocked time and merged recordings', async () => {
  const trace = withLibraries(lockTrace());
  const options = { trees: 'apart', durations: true } as const;
  const profile = await analyzeText(trace, options);
  const merged = new ProfileSum('comm');
  for (const name of ['a', 'b']) merged.add(profile, name);
  const pages = {
    report: profile,
    comparison: profileOfBoth(compareProfiles(await analyzeText(withLibraries(lockTrace(false)), options), profile)),
    blocked: await profileBlockedTime([inputOf(trace)]),
    merged: merged.build(),
  };
  const coloursOf = (views: Views) => {
    const table = views.tableAt(START);
    const { classOf } = painterOf(table, 'library', false);
    const named = Array.from(table.tree.symbol.slice(1), (symbol, at) => [views.names[symbol], classOf(at + 1)]);
    return new Map(named as [string, string][]);
  };
  const known = coloursOf(viewsOf(pages.report));
  expect(['teller', 'pthread_mutex_lock', 'count'].map((name) => known.get(name)?.slice(0, 2))).toEqual([
    'l1',
    'l2',
    'l3',
  ]);
  for (const [page, own] of Object.entries(pages)) {
    const colours = [...coloursOf(viewsOf(own))].filter(([name]) => known.has(name));
    expect(colours.length, page).toBeGreaterThan(3);
    for (const [name, colour] of colours) expect(colour, `${name}, ${page}`).toBe(known.get(name));
  }
});
