/**
 * Tests what the report page knows of waits: its data, and what it shows of them for a function.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Blocker, BlockerKind, WaitsByPath } from '../../../src/model/profile/waits-by-path.js';
import { NONE } from '../../../src/model/units.js';
import { analyzeForPage, type PageContents } from '../../../src/page/contents/analyze-for-page.js';
import { writePageData } from '../../../src/page/data/write.js';
import { blockerText, pieceText, reasonText, waitsText } from '../../../src/page/view/captions/wakings.js';
import { START, type State } from '../../../src/page/view/state.js';
import { Views } from '../../../src/page/view/views.js';
import { summedPieces, waitsOfFunction } from '../../../src/page/view/waits.js';
import { readPageData, symbolOf } from '../../helpers/browser/page-views.js';
import { inputOf } from '../../helpers/traces/load.js';
import { lockTrace } from '../../helpers/traces/lock-trace.js';

let asked: PageContents;
let views: Views;
beforeAll(async () => {
  asked = await analyzeForPage([inputOf(lockTrace())], { trees: 'apart', durations: true });
  views = new Views(readPageData(Buffer.concat(writePageData(asked.profile, asked.waits))));
});

const waitsOf = (name: string, state: Partial<State> = {}) =>
  views.functionAt({ ...START, ...state }, symbolOf(views, name))?.waits ?? null;

test('the data has all waits, with the symbols of the page', () => {
  const { profile, waits } = asked;
  const read = views.data.waits;
  const names = ({ paths }: WaitsByPath, table: readonly string[]) => paths.symbol.map((symbol) => table[symbol]);
  expect(read && names(read, views.data.symbols.name)).toEqual(waits && names(waits, profile.symbols.name));
  expect(read?.places.map(({ longest }) => longest.ns)).toEqual([38, 14]);
  expect(read?.threads).toEqual(waits?.threads);
});

test('without waits, the data is as before', () => {
  const bytes = Buffer.concat(writePageData(asked.profile));
  expect(bytes.includes('"waits"')).toBe(false);
  expect(readPageData(bytes).waits).toBeNull();
});

describe('a function', () => {
  test('has the waits below it, for whom, why, and what that thread did meanwhile', () => {
    const found = waitsOf('customer');
    expect(found?.waits).toMatchObject({ waits: 1, ns: 38, wakeUpNs: 8, otherNs: 0, longest: { tid: 1, ns: 38 } });
    const [holder] = found?.waits.blockers ?? [];
    expect(found && blockerText(found.names, holder)).toBe('teller 2: teller');
    expect(reasonText(holder)).toBe('mutex, held');
    expect(found && waitsText(found.waits)).toBe('1 wait · 38 ns · 8 ns of it waking up');
    expect(found?.waits.longest.pieces.map((piece) => pieceText(found.names, piece))).toEqual([
      'teller 2: count',
      'customer 1: waking up',
    ]);
    expect(found?.meanwhile?.total[0]).toBe(29);
  });

  test('that did not wait shows none', () => {
    expect(waitsOf('count')).toBeNull();
  });

  test('shows the waits of the selected threads, and what is not hidden', () => {
    expect(waitsOf('main')?.waits.waits).toBe(2);
    expect(waitsOf('main', { threads: 'tid:1' })?.waits.waits).toBe(1);
    expect(waitsOf('customer', { focus: symbolOf(views, 'customer') })?.waits.waits).toBe(1);
    expect(waitsOf('main', { hidden: [symbolOf(views, 'customer')] })?.waits.ns).toBe(14);
  });
});

test('time off the CPU can be chosen, and shows all waits', () => {
  expect(waitsOf('off CPU')?.waits).toMatchObject({ waits: 2, ns: 52 });
  const offCpu = symbolOf(views, 'off CPU');
  expect(views.canOpen(offCpu)).toBe(true);
  expect(new Views({ ...views.data, waits: null }).canOpen(offCpu)).toBe(false);
});

describe('many blockers', () => {
  const blocker = (tid: number, ns: number, kind: BlockerKind = 'waker'): Blocker => {
    const sums = { waits: 1, ns, wakeUpNs: 1, meanwhile: [[1, ns - 1]] as const, otherNs: 1 };
    return { kind, tid, symbol: NONE, reason: 'poll', ...sums };
  };
  const place = (...blockers: Blocker[]) => {
    const longest = { startNs: 0, ns: Math.max(...blockers.map(({ ns }) => ns)), pieces: [] };
    return { tid: 1, node: 1, isPreempted: false, blockers, longest };
  };
  const waits: WaitsByPath = {
    paths: { parent: [NONE, 0], symbol: [NONE, 10] },
    threads: [],
    places: [
      place(...Array.from({ length: 8 }, (_, at) => blocker(at, 100 - at)), blocker(NONE, 5, 'others')),
      place(blocker(8, 500), blocker(7, 20), blocker(9, 10)),
    ],
    unlisted: { waits: 0, ns: 0 },
    locks: [],
    locksLeftOut: 0,
  };

  test('are eight rows, the most time first, and a row for the others; all add up', () => {
    const none = { inside: [], hidden: null, hiddenWaits: null, drawnAs: null };
    const found = waitsOfFunction(waits, new Set([1]), none, 10);
    expect(found?.blockers.map(({ kind, tid }) => (kind === 'others' ? kind : tid))).toEqual([
      8,
      7,
      ...[0, 1, 2, 3, 4, 5],
      'others',
    ]);
    const rows = found?.blockers ?? [];
    const expectedNs = 100 + 99 + 98 + 97 + 96 + 95 + 94 + 93 + 5 + 500 + 20 + 10;
    expect([rows.reduce((sum, row) => sum + row.ns, 0), found?.ns]).toEqual([expectedNs, expectedNs]);
    expect([rows.reduce((sum, row) => sum + row.waits, 0), found?.waits, found?.otherNs]).toEqual([12, 12, 12]);
    expect(found?.meanwhileNs[1]).toBe(expectedNs - 12);
    expect(found?.longest.ns).toBe(500);
  });
});

test('equal pieces of a wait are one in its legend', () => {
  const piece = (tid: number, ns: number) => ({ kind: 'running', tid, symbol: 3, ns }) as const;
  expect(summedPieces([piece(1, 5), piece(2, 9), piece(1, 6)]).map(({ tid, ns }) => [tid, ns])).toEqual([
    [1, 11],
    [2, 9],
  ]);
});
