/**
 * Tests the conversion of the state to and from the address.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  COLOURINGS,
  formatHash,
  MAX_SHARE,
  MIN_SHARE,
  ORDERS,
  parseHash,
  START,
  type State,
  TABS,
  WIDTHS,
} from '../../../../src/render/page/view/state.js';

const SYMBOLS = 40;
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
      fc.array(fc.nat(9)).map((tids) => `tids:${tids.join()}`),
      text.map((name) => `name:${name}`),
    ),
    against: fc.oneof(
      fc.constant(''),
      fc.nat(9).map((tid) => `tid:${tid}`),
    ),
    hidesIdle: fc.boolean(),
    width: fc.constantFrom(...WIDTHS),
    colouring: fc.constantFrom(...COLOURINGS),
    isIcicle: fc.boolean(),
    foldsRecursion: fc.boolean(),
    order: fc.constantFrom(...ORDERS),
    focus: fc.option(symbol),
    hidden: fc.uniqueArray(symbol, { maxLength: 4 }),
    zoom: fc.array(symbol, { maxLength: 30 }),
    zoomLast: fc.option(symbol),
    search: text,
    isOnlyMatches: fc.boolean(),
    chosen: fc.option(symbol),
    range: fc.option(bounds(1)),
    chart: fc.option(fc.nat(9)),
    chartRange: fc.option(bounds(1)),
    call: fc.option(bounds(0).map((when) => ({ tid: 7, ...when }))),
    tab: fc.constantFrom(...TABS),
    functionsSort: text,
    threadsSort: text,
    listsAll: fc.boolean(),
    graphShare: fc.option(fc.integer({ min: MIN_SHARE, max: MAX_SHARE })),
    panelShare: fc.option(fc.integer({ min: MIN_SHARE, max: MAX_SHARE })),
  })
  .map((state) => (state.zoom.length === 0 ? { ...state, zoomLast: null } : state))
  .map((state) => (state.chart === null ? { ...state, chartRange: null } : state));

/** The initial state of a file may be an icicle graph. */
const starts = fc.boolean().map((isIcicle): State => ({ ...START, isIcicle }));

test('restores the state from the address', () => {
  fc.assert(
    fc.property(states, starts, (state, start) => {
      expect(parseHash(formatHash(state, start), SYMBOLS, start)).toEqual(state);
    }),
    { numRuns: 500 },
  );
});

test('reads an empty address as the initial state, and writes the initial state as an empty address', () => {
  fc.assert(
    fc.property(starts, (start) => {
      expect(formatHash(start, start)).toBe('#');
      for (const hash of ['', '#', '#&&=', '#other=1']) expect(parseHash(hash, SYMBOLS, start)).toEqual(start);
    }),
  );
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
  'hide=1.40',
  'function=__proto__',
  'tab=x',
  'list=1',
  'graph=x',
  'panel=100',
  'range=5-5',
  'range=5-4',
  'range=05-7',
  'range=1-2-3',
  'range=-1-2',
  'range=1e3-2e3',
  'range=1',
  'chart=x',
  'at=1-2',
  'call=1-2',
  'call=7@2-1',
  'call=@1-2',
  'call=7@1-2@3',
  'threads',
])('nonsense (%s) is as if it were not there', (hash) => {
  expect(parseHash(`#${hash}`, SYMBOLS)).toEqual(hash === 'threads' ? { ...START, threads: '' } : START);
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
      const state = parseHash(`#${hash}`, SYMBOLS);
      for (const id of [state.focus, state.chosen, state.zoomLast, ...state.hidden, ...state.zoom])
        if (id !== null) expect(id).toBeLessThan(SYMBOLS);
      expect(parseHash(formatHash(state), SYMBOLS)).toEqual(state);
    }),
    { numRuns: 500 },
  );
});
