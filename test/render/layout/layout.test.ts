/**
 * Tests the layout: boxes are nested and account for every frame and all of the time.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NONE } from '../../../src/model/units.js';
import { type Boxes, BoxKind, type LayoutTree, type LayoutView, layout } from '../../../src/render/layout.js';

/** Builds a tree from parents (each smaller than its node) and self weights. */
function treeOf(parents: readonly number[], selfs: readonly number[]): LayoutTree {
  const length = parents.length;
  const parent = Int32Array.from(parents);
  const firstChild = new Int32Array(length).fill(NONE);
  const nextSibling = new Int32Array(length).fill(NONE);
  const total = Float64Array.from(selfs);
  const frames = new Float64Array(length).fill(1);
  for (let node = length - 1; node > 0; node--) {
    nextSibling[node] = firstChild[parent[node]];
    firstChild[parent[node]] = node;
    total[parent[node]] += total[node];
    frames[parent[node]] += frames[node];
  }
  return { parent, firstChild, nextSibling, total, frames };
}

const anyTree = fc
  .array(fc.record({ up: fc.nat(), self: fc.nat(20) }), { maxLength: 60 })
  .map((rows) => treeOf([NONE, ...rows.map(({ up }, row) => up % (row + 1))], [0, ...rows.map(({ self }) => self)]));

const anyView = anyTree.chain((tree) =>
  fc.record({
    tree: fc.constant(tree),
    node: fc.nat(tree.parent.length - 1),
    widthPx: fc.integer({ min: 1, max: 2000 }),
    minPx: fc.constantFrom(0, 1 / 3, 5, 50),
    maxRows: fc.integer({ min: 1, max: 12 }),
  }),
);

/** Formats boxes as "row kind node x+width", one per line. */
function linesOf(boxes: Boxes): string[] {
  const names = Object.entries(BoxKind);
  return Array.from(boxes.kind, (kind, box) => {
    const name = names.find(([, value]) => value === kind)?.[0];
    const frames = boxes.frames[box] === 1 ? '' : ` (${boxes.frames[box]})`;
    return `${boxes.row[box]} ${name} ${boxes.node[box]} ${boxes.xPx[box]}+${boxes.widthPx[box]}${frames}`;
  });
}

//  0 ─ 1 ─ 3 (40)
//  │   └── 4 (10)
//  └── 2 (50)
const SMALL = treeOf([NONE, 0, 0, 1, 1], [0, 0, 50, 40, 10]);
const view = (more: Partial<LayoutView> = {}): LayoutView => ({ first: 0, last: 0, widthPx: 100, minPx: 1, ...more });

const narrowBlocks = (boxes: Boxes) => [...boxes.kind.keys()].filter((box) => boxes.kind[box] === BoxKind.Small);

describe('a small tree', () => {
  test('places callees side by side in their caller, row by row', () => {
    expect(linesOf(layout(SMALL, view()))).toEqual([
      '0 Frame 0 0+100',
      '1 Frame 1 0+50',
      '1 Frame 2 50+50',
      '2 Frame 3 0+40',
      '2 Frame 4 40+10',
    ]);
  });

  test('makes callers fill the width when zoomed in', () => {
    const boxes = layout(SMALL, view({ first: 4, last: 4 }));
    expect(linesOf(boxes)).toEqual(['0 Frame 0 0+100', '1 Frame 1 0+100', '2 Frame 4 0+100']);
    expect(boxes.viewStart).toBe(2);
  });

  test('makes siblings fill the width together', () => {
    expect(linesOf(layout(SMALL, view({ first: 3, last: 4 }))).slice(2)).toEqual(['2 Frame 3 0+80', '2 Frame 4 80+20']);
  });

  test('merges narrow neighbours into one block', () => {
    const tree = treeOf([NONE, 0, 0, 0, 0, 2], [0, 3, 2, 90, 5, 2]);
    expect(linesOf(layout(tree, view({ minPx: 10, widthPx: 102 })))).toEqual([
      '0 Frame 0 0+102',
      '1 Small 1 0+7 (3)',
      '1 Frame 3 7+90',
      '1 Small 4 97+5',
    ]);
  });

  test('merges the callees of a frame in the last row into one block', () => {
    expect(linesOf(layout(SMALL, view({ maxRows: 2 }))).at(-1)).toBe('2 Deep 3 0+50 (2)');
  });

  test('merges callers between the root and the nearest ones into one block', () => {
    const tree = treeOf([NONE, 0, 1, 2, 3, 4], [0, 0, 0, 0, 0, 7]);
    expect(linesOf(layout(tree, view({ first: 5, last: 5, maxCallers: 3 })))).toEqual([
      '0 Frame 0 0+100',
      '1 Callers 3 0+100 (3)',
      '2 Frame 4 0+100',
      '3 Frame 5 0+100',
    ]);
  });

  test('splits a block of narrow frames into smaller blocks each time it is opened', () => {
    const frames = 20_000;
    const tree = treeOf(
      Array.from({ length: frames + 1 }, (_, node) => node - 1 && (node === 0 ? NONE : 0)),
      [0, ...Array.from({ length: frames }, () => 3)],
    );
    const [only = -1, ...others] = narrowBlocks(layout(tree, view()));
    expect([only, ...others]).toEqual([1]);
    let boxes = layout(tree, view());
    for (let opened = 0; narrowBlocks(boxes).length > 0; opened++) {
      expect(opened).toBeLessThan(4);
      const box = narrowBlocks(boxes)[0];
      boxes = layout(tree, view({ first: boxes.node[box], last: boxes.lastNode[box] }));
      expect(boxes.length).toBeLessThanOrEqual(101);
    }
    expect(boxes.length).toBeGreaterThan(50);
  });

  test('lays out a trace without any time as one box', () => {
    expect(linesOf(layout(treeOf([NONE, 0, 0], [0, 0, 0]), view()))).toEqual(['0 Frame 0 0+100', '1 Small 1 0+0 (2)']);
  });
});

describe('any tree and view', () => {
  test('draws or counts all frames in the view', () => {
    fc.assert(
      fc.property(anyView, ({ tree, node, ...rest }) => {
        const { frames, viewStart } = layout(tree, { first: node, last: node, ...rest });
        expect(frames.slice(viewStart).reduce((sum, count) => sum + count, 0)).toBe(tree.frames[node]);
      }),
    );
  });

  test('places callees inside their caller without gaps; the rest is self time', () => {
    fc.assert(
      fc.property(anyView, ({ tree, node, ...rest }) => {
        const boxes = layout(tree, { first: node, last: node, ...rest });
        for (let box = boxes.viewStart; box < boxes.length; box++) {
          if (boxes.kind[box] !== BoxKind.Frame) continue;
          const own = childrenOf(boxes, tree, box);
          let right = boxes.xPx[box];
          for (const child of own) {
            expect(boxes.row[child]).toBe(boxes.row[box] + 1);
            expect(boxes.xPx[child]).toBeCloseTo(right, 6);
            right += boxes.widthPx[child];
          }
          expect(right).toBeLessThanOrEqual(boxes.xPx[box] + boxes.widthPx[box] + 1e-6);
          const weight = own.reduce((sum, child) => sum + boxes.total[child], 0);
          expect(weight).toBe(tree.total[boxes.node[box]] - selfOf(tree, boxes.node[box]));
        }
      }),
    );
  });

  test('never places two blocks side by side, and draws no frame below the minimum width', () => {
    fc.assert(
      fc.property(anyView, ({ tree, node, ...rest }) => {
        const boxes = layout(tree, { first: node, last: node, ...rest });
        for (let box = boxes.viewStart + 1; box < boxes.length; box++) {
          const isSmall = boxes.kind[box] === BoxKind.Small;
          if (boxes.kind[box] === BoxKind.Frame) expect(boxes.widthPx[box]).toBeGreaterThanOrEqual(rest.minPx - 1e-9);
          expect(
            isSmall &&
              tree.nextSibling[boxes.lastNode[box - 1]] === boxes.node[box] &&
              boxes.kind[box - 1] === BoxKind.Small,
          ).toBe(false);
        }
      }),
    );
  });
});

function childrenOf(boxes: Boxes, tree: LayoutTree, caller: number): number[] {
  const boxIds = Array.from(boxes.kind.keys());
  return boxIds.filter((box) => box >= boxes.viewStart && tree.parent[boxes.node[box]] === boxes.node[caller]);
}

function selfOf(tree: LayoutTree, node: number): number {
  let self = tree.total[node];
  for (let child = tree.firstChild[node]; child !== NONE; child = tree.nextSibling[child]) self -= tree.total[child];
  return self;
}

describe('large trees', () => {
  test('have a limited number of rows for 100,000 levels, and one block with the count of the rest', () => {
    const levels = 100_000;
    const tree = treeOf(
      Array.from({ length: levels }, (_, node) => node - 1),
      Array.from({ length: levels }, () => 1),
    );
    const boxes = layout(tree, view({ minPx: 0 }));
    expect(boxes.rowCount).toBe(501);
    expect(boxes.frames.at(-1)).toBe(levels - 500);
    expect(layout(tree, view({ first: levels - 1, last: levels - 1 })).rowCount).toBe(51);
  });

  test('have one box per frame for a million frames', () => {
    const parents = Array.from({ length: 1_000_000 }, (_, node) => Math.floor((node - 1) / 3));
    parents[0] = NONE;
    const tree = treeOf(
      parents,
      parents.map((_, node) => node % 7),
    );
    const boxes = layout(tree, view({ minPx: 0, widthPx: 1000 }));
    expect(boxes.length).toBe(1_000_000);
  });
});
