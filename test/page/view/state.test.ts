/**
 * Tests the conversion of the state to and from the address.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { METRICS } from '../../../src/analysis/tree/outside.js';
import { SymbolKind, type SymbolTable } from '../../../src/model/symbol-table.js';
import { NONE } from '../../../src/model/units.js';
import { LinkNames } from '../../../src/page/view/link-names.js';
import {
  COLOURINGS,
  formatHash,
  LABELS,
  MAX_SHARE,
  MIN_SHARE,
  ORDERS,
  parseHash,
  START,
  type State,
  TABS,
  VIEWS,
} from '../../../src/page/view/state.js';

const SYMBOLS = 40;
/** Names that are hard to write: with separators, like numbers, of two files, of a file that is in no name, twice. */
const HARD = [
  'a;b',
  '%3b',
  '12',
  '1.2',
  '7@x',
  'f',
  'f',
  'f@b',
  'g',
  'g',
  'ü ك',
  'operator<<',
  '\u202e',
  '\\u202e',
  '__proto__',
  '',
  'pure-waits',
];
const DSOS = ['/lib/a', '/lib/b', '/other/b', '/x;y%z/1@2;3%', '[vdso]', '\u0007'];
const libraries = fc.uniqueArray(fc.constantFrom(...DSOS));
const table: SymbolTable = {
  length: SYMBOLS,
  name: Array.from({ length: SYMBOLS }, (_, symbol) => HARD[symbol] ?? `function${symbol}`),
  kind: Array.from({ length: SYMBOLS }, () => SymbolKind.Function),
  dso: Array.from({ length: SYMBOLS }, (_, symbol) => ({ 5: 0, 6: 1 })[symbol] ?? NONE),
  dsoName: DSOS,
};
const threads = Array.from({ length: 10 }, (_, tid) => {
  return { key: `tid:${tid}`, name: tid % 2 === 0 ? 'even' : 'odd', isIdle: tid === 3 };
});
const names = new LinkNames(table, threads);
const without = (missing: string) =>
  new LinkNames({ ...table, name: table.name.map((name) => (name === missing ? 'other' : name)) });
const symbol = fc.nat(SYMBOLS - 1);
const text = fc.string({ unit: 'grapheme' });

const bounds = (minNs: number) =>
  fc.tuple(fc.nat(), fc.integer({ min: minNs, max: 2 ** 45 })).map(([startNs, lengthNs]) => {
    return { startNs, endNs: startNs + lengthNs };
  });

const states: fc.Arbitrary<State> = fc
  .record({
    threads: fc.oneof(
      fc.constant('all'),
      fc.nat(9).map((tid) => `tid:${tid}`),
      fc.subarray([...Array(10).keys()], { minLength: 2 }).map((tids) => `tids:${tids.join()}`),
      fc.constantFrom('name:even', 'name:odd', 'idle'),
    ),
    against: fc.oneof(
      fc.constantFrom('', 'rest'),
      fc.nat(9).map((tid) => `tid:${tid}`),
    ),
    widthOf: fc.constantFrom('larger', 'after', 'before'),
    hidesIdle: fc.boolean(),
    width: fc.constantFrom(...METRICS),
    isInverted: fc.boolean(),
    colouring: fc.constantFrom(...COLOURINGS),
    labels: fc.constantFrom(...LABELS),
    isIcicle: fc.boolean(),
    foldsRecursion: fc.boolean(),
    order: fc.constantFrom(...ORDERS),
    focus: fc.option(symbol),
    hidden: fc.uniqueArray(symbol, { maxLength: 4 }),
    onlyLibrary: fc.constantFrom('', ...DSOS),
    hiddenLibraries: libraries,
    collapsed: libraries,
    hidesPureWaits: fc.boolean(),
    zoom: fc.array(symbol, { maxLength: 30 }),
    zoomLast: fc.option(symbol),
    search: text,
    isOnlyMatches: fc.boolean(),
    chosen: fc.option(symbol),
    range: fc.option(bounds(1)),
    chart: fc.option(fc.nat(9)),
    chartRange: fc.option(bounds(1)),
    call: fc.option(bounds(0).map((when) => ({ tid: 7, ...when }))),
    view: fc.constantFrom(...VIEWS),
    tab: fc.constantFrom(...TABS),
    functionsSort: text,
    threadsSort: text,
    columns: text,
    listsAll: fc.boolean(),
    graphShare: fc.option(fc.integer({ min: MIN_SHARE, max: MAX_SHARE })),
    panelShare: fc.option(fc.integer({ min: MIN_SHARE, max: MAX_SHARE })),
    theme: fc.constantFrom('system', 'light', 'dark'),
    finding: fc.integer({ min: 1, max: 9 }),
  })
  .map((state) => (state.zoom.length === 0 ? { ...state, zoomLast: null } : state))
  .map((state) => (state.chart === null ? { ...state, chartRange: null } : state));

/** The initial state of a file may be an icicle graph. */
const starts = fc.boolean().map((isIcicle): State => ({ ...START, isIcicle }));

test('restores the state from the address', () => {
  fc.assert(
    fc.property(states, starts, (state, start) => {
      expect(parseHash(formatHash(state, names, start), names, start)).toEqual({ state, dropped: [] });
    }),
    { numRuns: 500 },
  );
});

test('reads an empty address as the initial state, and writes the initial state as an empty address', () => {
  fc.assert(
    fc.property(starts, (start) => {
      expect(formatHash(start, null, start)).toBe('#');
      for (const hash of ['', '#', '#&&=', '#other=1']) expect(parseHash(hash, names, start).state).toEqual(start);
    }),
  );
});

test('a link names functions, with the file where another has one of that name', () => {
  const state = { ...START, zoom: [11, 20, 21], zoomLast: 22, hidden: [5, 8], chosen: 0 };
  const hash = formatHash(state, names);
  const text = 'hide=f@a;g&zoom=operator<<;function20;function21&to=function22&function=a%3bb';
  expect(decodeURIComponent(hash)).toBe(`#${text}`);
  const moved = new LinkNames({
    ...table,
    name: ['new', ...table.name],
    dso: [NONE, ...table.dso],
    length: SYMBOLS + 1,
  });
  const { state: there, dropped } = parseHash(hash, moved);
  expect(there).toEqual({ ...START, zoom: [12, 21, 22], zoomLast: 23, hidden: [6, 9], chosen: 1 });
  expect(dropped).toEqual([]);
});

test('a link of a file with several functions of a name finds the one that is left, also without files', () => {
  const only = (symbol: number) => table.name.map((name, at) => (name === 'f' && at !== symbol ? 'other' : name));
  const hash = formatHash({ ...START, chosen: 5 }, names);
  expect(parseHash(hash, new LinkNames({ ...table, name: only(5) })).state.chosen).toBe(5);
  expect(parseHash(hash, new LinkNames({ ...table, name: only(6) })).state.chosen).toBe(null);
  const noFiles = { ...table, name: only(6), dso: table.dso.map(() => NONE) };
  expect(parseHash(hash, new LinkNames(noFiles)).state.chosen).toBe(6);
});

describe('threads in a link', () => {
  const threads = [
    [7, 'worker'],
    [8, 'worker'],
    [9, 'a;b-9%'],
    [10, 'tid:7'],
    [11, ''],
    [13, 'name:worker'],
  ].map(([tid, name]) => ({ key: `tid:${tid}`, name: name as string, isIdle: false }));
  const here = new LinkNames(table, threads);
  const written = (choice: string) => decodeURIComponent(formatHash({ ...START, threads: choice }, here));
  const read = (hash: string, names = here) => parseHash(hash, names);

  test.each([
    ['tid:7', 'worker-7'],
    ['tids:7,8', 'worker-7;worker-8'],
    ['tid:9', 'a%3bb-9%25-9'],
    ['tid:10', 'tid:7-10'],
    ['tid:11', '-11'],
    ['tid:13', 'tid:13'],
    ['tids:7,13', 'tids:7,13'],
    ['name:worker', 'name:worker'],
  ])('have their names: %s is %s', (choice, text) => {
    expect(written(choice)).toBe(`#threads=${text}`);
    const hash = formatHash({ ...START, threads: choice, against: choice }, here);
    expect(read(hash)).toMatchObject({ state: { threads: choice, against: choice }, dropped: [] });
  });

  test('are all threads of the name in another recording, and what is not there is said', () => {
    const there = new LinkNames(table, [...threads.slice(0, 2), { key: 'tid:5', name: 'other', isIdle: true }]);
    expect(read('#threads=worker-1', there)).toMatchObject({ state: { threads: 'name:worker' }, dropped: [] });
    expect(read('#threads=worker-1;other-5', there)).toMatchObject({ state: { threads: 'tids:7,8,5' }, dropped: [] });
    expect(read('#threads=none-1;other-2', there)).toMatchObject({
      state: { threads: 'name:other' },
      dropped: ['threads none'],
    });
    expect(read('#threads=none-1&against=none-1', there)).toMatchObject({
      state: { threads: 'all', against: '' },
      dropped: ['threads none', 'compared with threads none'],
    });
  });
});

test('says which functions are not there, and keeps the others', () => {
  const state = { ...START, zoom: [20, 21, 22], hidden: [21, 23], focus: 21, chosen: 21 };
  const { state: left, dropped } = parseHash(formatHash(state, names), without('function21'));
  expect(left).toEqual({ ...START, zoom: [20], hidden: [23] });
  expect(dropped.toSorted()).toEqual(
    ['function function21', 'only inside function21', 'without function21', 'zoom to function21'].toSorted(),
  );
});

test('reads the numbers of older links', () => {
  const { state } = parseHash('#zoom=9.6.3&to=4&hide=1.2&focus=12&function=39', names);
  expect(state).toEqual({ ...START, zoom: [9, 6, 3], zoomLast: 4, hidden: [1, 2], focus: 12, chosen: 39 });
});

test('reads the widths and tables of older links', () => {
  expect(parseHash('#width=self', names).state).toEqual({ ...START, isInverted: true });
  expect(parseHash('#tab=threads', names).state).toEqual({ ...START, view: 'threads' });
  expect(parseHash('#tab=functions', names)).toEqual({ state: START, dropped: [] });
});

test.for(['48-105500', '48ns,105500ns', '0.048us,105.5us', '48ns,0.1055ms'])('a range in any unit: %s', (range) => {
  const { state, dropped } = parseHash(`#range=${range}`, names);
  expect([state.range, dropped]).toEqual([{ startNs: 48, endNs: 105_500 }, []]);
  expect(formatHash(state, names)).toBe('#range=48ns,105500ns');
});

test('a path that is too long for names is written in numbers, and any length is read', () => {
  const zoom = Array.from({ length: 100_000 }, (_, at) => at % SYMBOLS);
  const hash = formatHash({ ...START, zoom }, names);
  expect(hash.length).toBeLessThan(300_000);
  expect(parseHash(hash, names).state.zoom).toEqual(zoom);
});

test.for([
  'width=height',
  'colour=red',
  'zoom=40',
  'zoom=1.x',
  'zoom=-1',
  'zoom=1e1',
  'zoom=99999999999999999999',
  'zoom=%ff',
  'to=1',
  'focus=40',
  'focus=',
  'function=constructor',
  'tab=x',
  'view=x',
  'list=1',
  'graph=x',
  'panel=100',
  'range=5-5',
  'range=5-4',
  'range=05-7',
  'range=1-2-3',
  'range=-1-2',
  'range=1e3-2e3',
  'range=1h,2h',
  'range=1s,9999999s',
  'range=1',
  'chart=x',
  'at=1-2',
  'call=1-2',
  'call=7@2-1',
  'call=@1-2',
  'call=7@1-2@3',
  'threads',
])('nonsense (%s) is as if it were not there', (hash) => {
  const { state, dropped } = parseHash(`#${hash}`, names);
  expect(state).toEqual(hash === 'threads' ? { ...START, threads: '' } : START);
  const isSilent = ['to=1', 'focus=', 'list=1', 'graph=x', 'panel=100', 'at=1-2', 'threads'].includes(hash);
  expect(dropped.length > 0).toBe(!isSilent);
});

test('reads any text as an address, and the result is stable', () => {
  const words = fc.constantFrom(
    ...['threads', 'idle', 'width', 'colour', 'icicle', 'fold', 'focus', 'hide', 'zoom', 'to', 'search', 'only'],
  );
  const values = fc.oneof(text, fc.constantFrom('1', '0', '1.2.3', '39', '40', 'calls', 'average'));
  const hashes = fc.oneof(
    text,
    fc.array(fc.tuple(words, values)).map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  );
  fc.assert(
    fc.property(hashes, (hash) => {
      const { state } = parseHash(`#${hash}`, names);
      for (const id of [state.focus, state.chosen, state.zoomLast, ...state.hidden, ...state.zoom])
        if (id !== null) expect(id).toBeLessThan(SYMBOLS);
      expect(parseHash(formatHash(state, names), names)).toEqual({ state, dropped: [] });
    }),
    { numRuns: 500 },
  );
});
