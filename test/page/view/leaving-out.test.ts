/**
 * Libraries can be hidden, shown alone, and drawn as one frame; no time is lost by that, and what is left out is said.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CallTree, ROOT } from '../../../src/model/calls/call-tree.js';
import { SymbolKind, type SymbolTable } from '../../../src/model/symbol-table.js';
import { NONE } from '../../../src/model/units.js';
import { chipsOf } from '../../../src/page/view/captions/misfits.js';
import {
  type LeavingOut,
  LibraryFrames,
  leave,
  leftOut,
  merge,
  type Reshaping,
} from '../../../src/page/view/leaving-out.js';
import { formatHash, parseHash, START, type State } from '../../../src/page/view/state.js';
import { Counted, selectedNodes } from '../../../src/page/view/threads.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { callTrees, chainOf, SYMBOLS, sum } from '../../helpers/random/random-trees.js';
import { analyzeText } from '../../helpers/traces/load.js';

/** Functions 6 and 7 are of the program, 8 and 9 of libc, 10 of libz, 11 of no file; the first are stops. */
const FILES = ['/bin/program', '/lib/libc.so.6', '/lib/libz.so.1'] as const;
const symbols: SymbolTable = {
  length: SYMBOLS,
  name: Array.from({ length: SYMBOLS }, (_, symbol) => `f${symbol}`),
  kind: Array.from({ length: SYMBOLS }, (_, symbol) => (symbol < 6 ? SymbolKind.Synthetic : SymbolKind.Function)),
  dso: Array.from({ length: SYMBOLS }, (_, symbol) => [0, 0, 1, 1, 2, NONE][symbol - 6] ?? NONE),
  dsoName: FILES,
};
const frames = new LibraryFrames(symbols);
const [, LIBC, LIBZ] = FILES;
const libcFrame = SYMBOLS + 1;

const files = fc.uniqueArray(fc.constantFrom(...FILES));
const symbol = fc.nat(SYMBOLS - 1);
const leavings: fc.Arbitrary<LeavingOut> = fc.record({
  focus: fc.option(symbol),
  onlyLibrary: fc.constantFrom('', '', ...FILES),
  hidden: fc.uniqueArray(symbol, { maxLength: 2 }),
  hiddenLibraries: files,
  collapsed: files,
  foldsRecursion: fc.boolean(),
});

const reshape = (tree: CallTree, reshaping: Reshaping) => merge(leave(tree, reshaping), reshaping);
const drawn = (tree: CallTree, leaving: Partial<LeavingOut>) =>
  reshape(tree, frames.reshapingOf({ ...START, ...leaving }));

describe('of random trees', () => {
  test('what is drawn and what is left out add up to all of the time', () => {
    fc.assert(
      fc.property(callTrees, leavings, (tree, leaving) => {
        const reshaping = frames.reshapingOf(leaving);
        const { focusNs, onlyLibraryNs, hiddenNs } = leftOut(tree, reshaping, leaving);
        const outNs = focusNs + onlyLibraryNs + sum(hiddenNs.values());
        expect(sum(reshape(tree, reshaping).selfNs) + outNs).toBe(sum(tree.selfNs));
      }),
    );
  });

  test('collapsing libraries keeps the time, and that of all other functions and stops', () => {
    fc.assert(
      fc.property(callTrees, files, (tree, collapsed) => {
        const own = (of: CallTree) => {
          const times = new Map<number, number>();
          for (let node = ROOT + 1; node < of.length; node++) {
            const library = collapsed.indexOf(frames.fileOf(of.symbol[node]) as (typeof FILES)[number]);
            const key = library === -1 ? of.symbol[node] : SYMBOLS + library;
            times.set(key, (times.get(key) ?? 0) + of.selfNs[node]);
          }
          return times;
        };
        expect(own(drawn(tree, { collapsed }))).toEqual(own(tree));
      }),
    );
  });

  test('no frame of a collapsed library is below another one of it, nor a function of it', () => {
    fc.assert(
      fc.property(callTrees, files, (tree, collapsed) => {
        const { length, parent, symbol } = drawn(tree, { collapsed });
        for (let node = ROOT + 1; node < length; node++) {
          const file = frames.fileOf(symbol[node]);
          if (!(collapsed as readonly string[]).includes(file)) continue;
          expect(frames.collapsedAt(symbol[node])).toBe(file);
          if (parent[node] !== ROOT) expect(symbol[parent[node]]).not.toBe(symbol[node]);
        }
      }),
    );
  });

  test('a collapsed library has the calls that come from elsewhere', () => {
    fc.assert(
      fc.property(callTrees, (tree) => {
        const isLibc = (node: number) => node !== ROOT && frames.fileOf(tree.symbol[node]) === LIBC;
        const entered = Array.from(tree.calls, (calls, node) =>
          isLibc(node) && !isLibc(tree.parent[node]) ? calls : 0,
        );
        const collapsed = drawn(tree, { collapsed: [LIBC] });
        const counted = Array.from(collapsed.calls, (calls, node) =>
          collapsed.symbol[node] === libcFrame ? calls : 0,
        );
        expect(sum(counted)).toBe(sum(entered));
      }),
    );
  });

  test('hidden libraries are on no path, and only one library has each path inside of it', () => {
    fc.assert(
      fc.property(callTrees, (tree) => {
        const hidden = drawn(tree, { hiddenLibraries: [LIBC] });
        expect(Array.from(hidden.symbol, (own) => frames.fileOf(own))).not.toContain(LIBC);
        const only = drawn(tree, { onlyLibrary: LIBZ });
        for (let node = ROOT + 1; node < only.length; node++)
          expect(frames.fileOf(chainOf(only, node).at(-1) as number)).toBe(LIBZ);
      }),
    );
  });

  test('threads count the same nodes as the graph', () => {
    fc.assert(
      fc.property(callTrees, leavings, (tree, leaving) => {
        const reshaping = frames.reshapingOf(leaving);
        const all = { zoom: [], zoomedSiblings: new Set<number>(), isFromLeaves: false, isMatch: null };
        const counted = selectedNodes(tree, { ...reshaping, hiddenWaits: null, ...all });
        const graph = reshape(tree, reshaping);
        const part = (values: Float64Array, least: number) =>
          sum(values.filter((_, node) => (counted[node] as number) >= least));
        expect(part(tree.selfNs, Counted.Time)).toBe(sum(graph.selfNs));
        expect(part(tree.calls, Counted.All)).toBe(sum(graph.calls));
      }),
    );
  });
});

/** `main` calls `puts` of libc, which calls `write`, also of libc, and that a function of libz; each takes 10 ns. */
const TRACE = `1 [000] 1.000000010: call 1010 main+0x10 (/bin/app) => 2000 puts+0x0 (/lib/libc.so.6)
1 [000] 1.000000020: call 2010 puts+0x10 (/lib/libc.so.6) => 3000 write+0x0 (/lib/libc.so.6)
1 [000] 1.000000030: call 3010 write+0x10 (/lib/libc.so.6) => 4000 crc+0x0 (/lib/libz.so.1)
1 [000] 1.000000040: return 4020 crc+0x20 (/lib/libz.so.1) => 3015 write+0x15 (/lib/libc.so.6)
1 [000] 1.000000050: return 3020 write+0x20 (/lib/libc.so.6) => 2015 puts+0x15 (/lib/libc.so.6)
1 [000] 1.000000060: return 2020 puts+0x20 (/lib/libc.so.6) => 1015 main+0x15 (/bin/app)
1 [000] 1.000000070: call 1020 main+0x20 (/bin/app) => 5000 done+0x0 (/bin/app)
`;

describe('on the page', () => {
  async function pageAt(change: Partial<State>) {
    const views = viewsOf(await analyzeText(TRACE));
    const state = { ...START, ...change };
    const { tree } = views.tableAt(state);
    const paths = Array.from(tree.symbol.slice(1), (_, at) =>
      chainOf(tree, at + 1)
        .map((symbol) => views.names[symbol])
        .reverse()
        .join(';'),
    );
    return { views, state, paths: paths.sort(), chips: chipsOf(views, state).map(({ text }) => text) };
  }

  test('a run of frames of a collapsed library is one frame', async () => {
    const { paths, chips } = await pageAt({ collapsed: ['/lib/libc.so.6'] });
    expect(paths).toEqual(['main', 'main;done', 'main;▸ libc', 'main;▸ libc;crc']);
    expect(chips).toEqual(['libc as one frame']);
  });

  test('a chip says how much time is left out', async () => {
    const { paths, chips } = await pageAt({ hiddenLibraries: ['/lib/libz.so.1'] });
    expect(paths).toEqual(['main', 'main;done', 'main;puts', 'main;puts;write']);
    expect(chips).toEqual(['without libz · 10 ns left out']);
  });

  test('what only a library and its callees do begins at the library', async () => {
    const { paths, chips } = await pageAt({ onlyLibrary: '/lib/libc.so.6' });
    expect(paths).toEqual(['puts', 'puts;write', 'puts;write;crc']);
    expect(chips).toHaveLength(1);
  });

  test('links name libraries without their directories, and what is not there is said', async () => {
    const { views } = await pageAt({});
    const { linkNames } = views;
    const state = { ...START, collapsed: ['/lib/libc.so.6'], hiddenLibraries: ['/lib/libz.so.1'] };
    const hash = formatHash(state, linkNames);
    expect(hash).toBe('#hide-library=libz.so.1&collapse=libc.so.6');
    expect(parseHash(hash, linkNames)).toEqual({ state, dropped: [] });
    expect(parseHash('#collapse=libm.so.6;libc.so.6', linkNames)).toEqual({
      state: { ...START, collapsed: ['/lib/libc.so.6'] },
      dropped: ['collapsed library libm.so.6'],
    });
  });
});
