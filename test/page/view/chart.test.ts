/**
 * Tests what the chart draws, in full and with only matches.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isStop, METRICS } from '../../../src/analysis/tree/outside.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { inPreOrder } from '../../../src/model/calls/tree-view.js';
import { type ChartNode, chartOf } from '../../../src/page/d3-chart/selection.js';
import { painterOf } from '../../../src/page/view/colouring.js';
import { START, type State } from '../../../src/page/view/state.js';
import type { Views } from '../../../src/page/view/views.js';
import type { Drawing } from '../../../src/render/frames/drawing.js';
import { type FrameTable, frameTable } from '../../../src/render/frames/frame-table.js';
import { NO_LIBRARIES } from '../../../src/render/frames/libraries.js';
import { type Boxes, layout } from '../../../src/render/layout.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { execute } from '../../helpers/random/execution.js';
import { decisions } from '../../helpers/random/random-questions.js';
import { callTrees, chainOf, SYMBOLS, sum } from '../../helpers/random/random-trees.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const WIDTH_PX = 300;

function tableOf(tree: CallTree): FrameTable {
  const names = Array.from({ length: SYMBOLS }, (_, symbol) => `f${symbol}`);
  const sorted = inPreOrder(tree, (a, b) => tree.symbol[a] - tree.symbol[b]);
  const families = names.map(() => 'user' as const);
  return frameTable({
    tree: sorted,
    names,
    families,
    libraries: NO_LIBRARIES,
    omitted: new Float64Array(tree.length),
    weight: 'ns',
  });
}

interface Drawn {
  readonly node: ChartNode;
  readonly depth: number;
  readonly x: number;
  readonly width: number;
}

/** Places nodes like d3-flame-graph: children side by side, each with its share of the parent's width. */
function* placed(node: ChartNode, depth = 0, x = 0, width = WIDTH_PX): Generator<Drawn> {
  yield { node, depth, x, width };
  let at = x;
  for (const child of node.children) {
    const part = node.value > 0 ? (width * child.value) / node.value : 0;
    yield* placed(child, depth + 1, at, part);
    at += part;
  }
}

function drawingOf(table: FrameTable, boxes: Boxes): Drawing {
  const { classOf } = painterOf(table, 'function');
  return { table, boxes, isIcicle: false, rowCount: boxes.rowCount, characterPx: 7, classOf };
}

const views = callTrees
  .map(tableOf)
  .chain((table) =>
    fc.tuple(fc.constant(table), fc.nat(table.tree.length - 1), fc.nat(3), fc.constantFrom(1, 10, 100)),
  );

describe('the chart', () => {
  test('contains each box with a width once, at its position', () => {
    fc.assert(
      fc.property(views, ([table, first, siblings, minPx]) => {
        const boxes = layout(table, { first, last: sibling(table, first, siblings), widthPx: WIDTH_PX, minPx });
        const root = chartOf(drawingOf(table, boxes));
        const drawn = [...placed(root)];
        const wanted = Array.from(boxes.widthPx.keys()).filter((box) => boxes.widthPx[box] > 0);
        expect(drawn.map(({ node }) => node.box).sort((a, b) => a - b)).toEqual(wanted);
        for (const { node, depth, x, width } of drawn) {
          expect(depth).toBe(boxes.row[node.box]);
          expect(x).toBeCloseTo(boxes.xPx[node.box], 6);
          expect(width).toBeCloseTo(boxes.widthPx[node.box], 6);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('never weighs children more than their parent', () => {
    fc.assert(
      fc.property(callTrees, (tree) => {
        const table = tableOf(tree);
        const boxes = layout(table, { first: 0, last: 0, widthPx: WIDTH_PX, minPx: 1 });
        const root = chartOf(drawingOf(table, boxes));
        for (const { node } of placed(root)) {
          if (sum(tree.selfNs) > 0) expect(node.value).toBe(boxes.total[node.box]);
          expect(sum(node.children.map(({ value }) => value))).toBeLessThanOrEqual(node.value);
        }
      }),
    );
  });
});

function sibling({ nextSibling }: FrameTable, first: number, steps: number): number {
  let last = first;
  for (let step = 0; step < steps && (nextSibling[last] ?? -1) !== -1; step++) last = nextSibling[last];
  return last;
}

const pages: fc.Arbitrary<Promise<Views>> = fc
  .array(fc.array(decisions({ ns: fc.constantFrom(0, 1, 7, 5000) }), { minLength: 1, maxLength: 40 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map(async (threads) => {
    const text = execute(threads).lines.map((line) => `${line.text}\n`);
    return viewsOf(await analyzeText(text.join(''), { durations: true }));
  });

const ANYTHING = fc.record({
  width: fc.constantFrom(...METRICS),
  isInverted: fc.boolean(),
  foldsRecursion: fc.boolean(),
  focus: fc.option(fc.nat(30)),
  hidden: fc.array(fc.nat(30), { maxLength: 2 }),
  threads: fc.constantFrom('all', 'tid:1000', 'tid:1001'),
});

function stateOf({ names }: Views, { focus, hidden, ...others }: Partial<State>): State {
  const known = (symbol: number) => symbol % names.length;
  return { ...START, ...others, focus: focus == null ? null : known(focus), hidden: (hidden ?? []).map(known) };
}

describe('any view', () => {
  test('has the same weight in the graph and in the functions table', async () => {
    await fc.assert(
      fc.asyncProperty(pages, ANYTHING, async (made, asked) => {
        const views = await made;
        const state = stateOf(views, asked);
        const { tree, functions } = views.viewAt(state);
        const { total, weight } = views.tableAt({ ...state, width: 'wall' });
        const rows = [...functions().values()].filter(({ symbol }) => !isStop(symbol));
        expect(weight).toBe('ns');
        const onStops = sum(tree.selfNs.filter((_, node) => chainOf(tree, node).every((symbol) => symbol < 6)));
        expect(total[0]).toBe(
          sum(rows.map(({ selfNs, outsideSelfNs }) => selfNs + outsideSelfNs)) + onStops - unknown(tree),
        );
        expect(views.tableAt({ ...state, width: 'calls' }).total[0]).toBe(sum(tree.calls));
        expect(views.tableAt({ ...state, isInverted: true, width: 'wall' }).total[0]).toBe(total[0]);
      }),
    );
  });

  test('keeps matches and their callees with only matches', async () => {
    await fc.assert(
      fc.asyncProperty(
        pages,
        ANYTHING,
        fc.constantFrom('f1', '/f[23]/', 'sys', 'nothing'),
        async (made, asked, search) => {
          const views = await made;
          const state: State = { ...stateOf(views, asked), search };
          const { tree, self } = views.tableAt(state);
          const only = views.tableAt({ ...state, isOnlyMatches: true });
          const matches = (symbol: number) =>
            search.startsWith('/')
              ? new RegExp(search.slice(1, -1)).test(views.names[symbol])
              : views.names[symbol].includes(search);
          const left = self.map((ns, node) => (chainOf(tree, node).some(matches) ? ns : 0));
          expect([...only.self]).toEqual([...left]);
          expect(only.total[0]).toBe(sum(left));
        },
      ),
    );
  });
});

/** Includes a function without a name. */
function unknown(tree: CallTree): number {
  return sum(tree.selfNs.filter((_, node) => chainOf(tree, node).every((symbol) => symbol === 0) && node > 0));
}

test('marks matches of a search without a new tree or new colours', async () => {
  const views = viewsOf(await analyzeText(traceOf('1/10 call main f\n1/20 return f main')));
  const state: State = { ...START, search: 'f' };
  const [table, painter] = [views.tableAt(state), views.painterAt(state)];
  const next: State = { ...state, search: 'main' };
  views.foundAt(next);
  expect(views.tableAt(next)).toBe(table);
  expect(views.painterAt(next)).toBe(painter);
  expect(views.tableAt({ ...next, isOnlyMatches: true })).not.toBe(table);
  expect(views.painterAt({ ...next, colouring: 'outside' })).not.toBe(painter);
});
