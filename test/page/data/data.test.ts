/**
 * Tests that the page data restores the profile to the byte, and that trees of selected threads equal a simple merge.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalyzeOptions, CallTree, Profile } from '../../../src/index.js';
import { CallTreeBuilder, NODE_COLUMNS, ROOT, withoutEmptyNodes } from '../../../src/model/calls/call-tree.js';
import { compareSymbols } from '../../../src/model/symbol-table.js';
import { NONE } from '../../../src/model/units.js';
import { profileOf } from '../../../src/page/browser/downloads.js';
import type { PageData } from '../../../src/page/data/page-data.js';
import { pageDataOf, writePageData } from '../../../src/page/data/write.js';
import { treeOf } from '../../../src/page/view/selected-trees.js';
import { readPageData } from '../../helpers/browser/page-views.js';
import { jsonOf } from '../../helpers/checks/files/profile-file.js';
import { damagedExecutions } from '../../helpers/random/damaged-executions.js';
import { randomProfiles } from '../../helpers/random/random-profiles.js';
import { everyNth, times } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { analyzeText, beginningOf, fixture } from '../../helpers/traces/load.js';

/** Files without a branch to replay. */
const WITHOUT_BRANCHES = /fields-callindent|fields-default|fields-power-events-default|sideband-default/;
const files = everyNth(traceFiles, 3)
  .filter((file) => !WITHOUT_BRANCHES.test(file))
  .map((file) => file.replace('fixtures/', ''));
const OPTIONS: AnalyzeOptions = { trees: 'apart', durations: true, byCalls: true };

const bytesOf = (profile: Profile) => new Uint8Array(Buffer.concat(writePageData(profile)));
const pageOf = (profile: Profile) => readPageData(bytesOf(profile));

function expectSame(profile: Profile): void {
  const page = pageOf(profile);
  expect(jsonOf(profileOf(page))).toBe(jsonOf(profile));
  expect(page.meta).toEqual(profile.meta);
  expect(page.quality).toEqual(profile.quality);
  expect(pageDataOf(profile, null, null, null).data).toEqual(page); // what a page gets without bytes
}

describe.each(files)('%s', (file) => {
  test('is restored to the byte', async () => {
    expectSame(await analyzeText(beginningOf(file), OPTIONS));
  });

  test('merges any threads like a simple merge', async () => {
    const profile = await analyzeText(beginningOf(file), OPTIONS);
    const page = pageOf(profile);
    const all = profile.threads.map((_, at) => at);
    for (const chosen of [all, all.slice(0, 1), all.slice(1), []]) expectPlainMerge(profile, page, chosen);
  });
});

test('restores a profile with any numbers and names to the byte', () => {
  fc.assert(fc.property(randomProfiles, expectSame), { numRuns: times(1000) });
});

test('restores the profile of a trace with missing parts to the byte', async () => {
  await fc.assert(
    fc.asyncProperty(damagedExecutions, async (lines) => {
      fc.pre(lines.some((line) => /call|return/.test(line)));
      expectSame(await analyzeText(lines.map((line) => `${line}\n`).join(''), OPTIONS));
    }),
    { numRuns: times(200) },
  );
});

test('keeps unknown durations unknown', async () => {
  const profile = await analyzeText(fixture('demo/threads.perf.txt.gz'), { trees: 'apart' });
  expect(pageOf(profile).threads.map(({ durations }) => durations)).toEqual(profile.threads.map(() => null));
});

test('rejects a profile with one tree for all threads', async () => {
  const profile = await analyzeText(fixture('demo/threads.perf.txt.gz'), { trees: 'together' });
  expect(() => writePageData(profile)).toThrow('one tree per thread');
});

test('orders the shape in pre-order, siblings by name, each once', () => {
  fc.assert(
    fc.property(randomProfiles, (profile) => {
      const { shape, symbols } = pageOf(profile);
      const { length, parent, symbol } = shape;
      const open: number[] = [];
      const lastChild = new Int32Array(length).fill(NONE);
      for (let node = 0; node < length; node++) {
        while (open.length > 0 && open.at(-1) !== parent[node]) open.pop();
        expect(open.at(-1) ?? NONE).toBe(parent[node]);
        open.push(node);
        if (node === ROOT) continue;
        const sibling = lastChild[parent[node]];
        if (sibling !== NONE) {
          const byName = compareSymbols(symbols, symbol[sibling], symbol[node]);
          expect(byName < 0 || (byName === 0 && symbol[sibling] < symbol[node])).toBe(true);
        }
        lastChild[parent[node]] = node;
      }
    }),
  );
});

test('gives each thread the nodes of its tree, including the root', () => {
  fc.assert(
    fc.property(randomProfiles, (profile) => {
      const { threads, shape } = pageOf(profile);
      threads.forEach((thread, at) => {
        expect([...thread.node]).toEqual([...new Set(thread.node)].sort((a, b) => a - b));
        expect(thread.node[0]).toBe(ROOT);
        expect(thread.node.length).toBe(profile.threads[at]?.tree.length);
        for (const column of NODE_COLUMNS) expect(thread[column].length).toBe(thread.node.length);
      });
      const used = new Set(threads.flatMap(({ node }) => [...node]));
      expect(used.size).toBe(threads.length === 0 ? 0 : shape.length);
    }),
  );
});

test('merges any threads of any profile like a simple merge', () => {
  const chosen = randomProfiles.chain((profile) =>
    fc.tuple(fc.constant(profile), fc.subarray(profile.threads.map((_, at) => at))),
  );
  fc.assert(
    fc.property(chosen, ([profile, chosen]) => expectPlainMerge(profile, pageOf(profile), chosen)),
    { numRuns: times(800) },
  );
});

/** Also checks that nodes are in the order of the shape. */
function expectPlainMerge(profile: Profile, page: PageData, chosen: readonly number[]): void {
  const builder = new CallTreeBuilder();
  for (const at of chosen) builder.merge(profile.threads[at]?.tree, ROOT, (symbol) => symbol);
  const tree = treeOf([page], chosen);
  const plain = rowsByPath(withoutEmptyNodes(builder.build()), profile);
  expect(rowsByPath(tree, page)).toEqual(plain);
  const inShape = nodesIn(page, tree);
  expect(inShape).toEqual(inShape.toSorted((a, b) => a - b));
}

/** Returns the node of the shape for each node of a tree. */
function nodesIn({ shape }: PageData, tree: CallTree): number[] {
  const key = (parent: number | undefined, symbol: number | undefined) => `${parent} ${symbol}`;
  const nodeAt = new Map(Array.from(shape.parent, (parent, node) => [key(parent, shape.symbol[node]), node]));
  const nodes: number[] = [];
  for (let node = 0; node < tree.length; node++) {
    const parent = node === ROOT ? NONE : nodes[tree.parent[node]];
    nodes.push(nodeAt.get(key(parent, tree.symbol[node])) ?? Number.NaN);
  }
  return nodes;
}

/** A function may have the name of a special symbol: they differ in kind. */
function rowsByPath(tree: CallTree, { symbols }: Pick<Profile, 'symbols'>): Map<string, readonly number[]> {
  const paths: string[] = [];
  const rows = new Map<string, readonly number[]>();
  for (let node = 0; node < tree.length; node++) {
    const row = tree.symbol[node];
    const dso = symbols.dsoName[symbols.dso[row]] ?? null;
    const step = node === ROOT ? '' : JSON.stringify([symbols.name[row], dso, symbols.kind[row]]);
    const path = (paths[tree.parent[node]] ?? '') + step;
    paths.push(path);
    rows.set(
      path,
      NODE_COLUMNS.map((column) => tree[column][node]),
    );
  }
  return rows;
}
