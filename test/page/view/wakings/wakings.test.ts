/**
 * Which wakings the page shows as arrows, in the chart of a thread and between strips.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Wakings } from '../../../../src/model/profile/timeline.js';
import { arrowsText, wakerDetail, wakingLabel, wakingText } from '../../../../src/page/view/captions/wakings.js';
import { chartArrows, type Role, stripArrows, WakingIndex } from '../../../../src/page/view/waking-index.js';

interface Wait {
  readonly waiter: number;
  readonly waker: number;
  readonly startNs: number;
  readonly wakeNs: number;
  readonly runNs: number;
}

const DURATION_NS = 1000;

/** Threads 10, 11 and 12; the last one was not traced. */
function wakingsOf(waits: readonly Wait[], leftOut: readonly number[] = [0]): WakingIndex {
  const sorted = [...waits].sort((a, b) => a.waiter - b.waiter || a.runNs - b.runNs);
  const float = (name: 'startNs' | 'wakeNs' | 'runNs') => Float64Array.from(sorted, (wait) => wait[name]);
  const wakings: Wakings = {
    threads: [10, 11, 12].map((tid) => ({ tid, comm: tid === 11 ? null : `t${tid}`, isTraced: tid < 12 })),
    rows: {
      waiter: Int32Array.from(sorted, ({ waiter }) => waiter),
      waker: Int32Array.from(sorted, ({ waker }) => waker),
      startNs: float('startNs'),
      wakeNs: float('wakeNs'),
      runNs: float('runNs'),
      isMaybe: Uint8Array.from(sorted, ({ startNs }) => startNs % 2),
    },
    leftOut,
  };
  return new WakingIndex(wakings, { durationNs: DURATION_NS });
}

/** Waits of a thread do not overlap; some wakings come before the thread stops. */
const someWaits = fc
  .array(fc.tuple(fc.nat(1), fc.nat(40), fc.nat(30), fc.nat(8)), { maxLength: 40 })
  .map((steps): Wait[] => {
    const atNs = [0, 0];
    return steps.map(([waiter, ranNs, waitedNs, latencyNs]) => {
      const startNs = (atNs[waiter] as number) + ranNs + 1;
      const runNs = startNs + waitedNs + 1;
      atNs[waiter] = runNs;
      return { waiter, waker: 1 + ((waiter + ranNs) % 2), startNs, wakeNs: runNs - Math.min(latencyNs, ranNs), runNs };
    });
  });
const someWindow = fc.tuple(fc.nat(900), fc.integer({ min: 1, max: 900 })).map(([startNs, ns]) => {
  return { startNs, endNs: startNs + ns };
});
const someRole = fc.constantFrom<Role>('waiter', 'waker');

/** What `within` finds, one waking after the other. */
function withinSlowly({ wakings }: WakingIndex, tid: number, role: Role, window: { startNs: number; endNs: number }) {
  const { rows, threads } = wakings;
  return [...rows.waiter.keys()].filter((row) => {
    const [startNs, wakeNs, runNs] = [rows.startNs[row], rows.wakeNs[row], rows.runNs[row]] as [number, number, number];
    if (threads[rows[role][row] as number]?.tid !== tid) return false;
    if (role === 'waker') return wakeNs >= window.startNs && wakeNs <= window.endNs;
    return runNs > window.startNs && (startNs < window.endNs || runNs <= window.endNs);
  });
}

test('wakings of a thread in a window are found as one by one', () => {
  fc.assert(
    fc.property(someWaits, someWindow, someRole, fc.integer({ min: 10, max: 13 }), (waits, window, role, tid) => {
      const index = wakingsOf(waits);
      const found = [...index.within(tid, role, window)].sort((a, b) => a - b);
      expect(found).toEqual(withinSlowly(index, tid, role, window));
      const longestNs = Math.max(...found.map((row) => index.nsOf(row)));
      const longest = index.longestWithin(tid, role, window);
      expect(longest === null ? Number.NEGATIVE_INFINITY : longest.runNs - longest.startNs).toBe(longestNs);
    }),
  );
});

test('each waking of a chart is an arrow or counted at a longer one, and labels do not overlap', () => {
  fc.assert(
    fc.property(
      someWaits,
      someWindow,
      someRole,
      fc.integer({ min: 200, max: 1500 }),
      (waits, window, role, widthPx) => {
        const index = wakingsOf(waits);
        const { wakeNs } = index.wakings.rows;
        const isInWindow = (row: number) => wakeNs[row] >= window.startNs && wakeNs[row] <= window.endNs;
        const rows = withinSlowly(index, 11, role, window).filter(isInWindow);
        const arrows = chartArrows(index, 11, role, { ...window, widthPx });
        expect(arrows.reduce((sum, { others }) => sum + 1 + others, 0)).toBe(rows.length);
        expect(arrows.length).toBeLessThanOrEqual(2 + widthPx / 120);
        arrows.forEach(({ waking, xPx, labelPx, roomPx }, at) => {
          expect(xPx).toBeCloseTo(((waking.wakeNs - window.startNs) * widthPx) / (window.endNs - window.startNs), 6);
          expect(roomPx).toBeGreaterThanOrEqual(0);
          const nextPx = arrows[at + 1]?.labelPx ?? widthPx;
          expect(labelPx + roomPx).toBeLessThanOrEqual(nextPx + 1e-6);
          if (xPx <= widthPx - 160) expect(labelPx).toBe(xPx);
        });
        const shown = new Set(arrows.map(({ waking }) => waking.runNs - waking.startNs));
        if (rows.length > 0) expect(shown).toContain(Math.max(...rows.map((row) => index.nsOf(row))));
      },
    ),
  );
});

describe('between strips', () => {
  const waits = Array.from({ length: 30 }, (_, at) => {
    return { waiter: at % 2, waker: 1 - (at % 2), startNs: 20 * at, wakeNs: 20 * at + 10, runNs: 20 * at + 12 };
  });
  const index = wakingsOf([...waits, { waiter: 0, waker: 2, startNs: 800, wakeNs: 810, runNs: 815 }], [3, 4]);
  const both = new Set([10, 11]);

  test('are arrows if they are few enough for the width of the range', () => {
    const range = { startNs: 0, endNs: 100 };
    expect(stripArrows(index, both, range, 300).arrows.map(({ wakeNs }) => wakeNs)).toEqual([10, 50, 90, 30, 70]);
    expect(stripArrows(index, both, range, 30)).toEqual({ arrows: [], count: 5, most: 4 });
    expect(stripArrows(index, both, { startNs: 0, endNs: 1000 }, 1000)).toMatchObject({ count: 30, most: 60 });
  });

  test('are those of threads that both have a strip', () => {
    expect(stripArrows(index, new Set([10]), { startNs: 0, endNs: 1000 }, 1000).count).toBe(0);
    expect(stripArrows(index, new Set([10, 11, 12]), { startNs: 0, endNs: 1000 }, 1000).count).toBe(31);
  });

  test('the text says how many there are, and what is not in the file', () => {
    const range = { startNs: 0, endNs: 100 };
    expect(arrowsText(stripArrows(index, both, range, 300), index.leftOutWithin(range))).toBe(
      '5 wakings as arrows · 3 wakings of shorter waits not in this file: --time-detail 16M',
    );
    expect(arrowsText(stripArrows(index, both, range, 30), 0)).toBe(
      '5 wakings, too many for arrows (at most 4): choose a shorter range or fewer threads',
    );
    expect(index.leftOutWithin({ startNs: 0, endNs: 1000 })).toBe(7);
    expect(index.leftOutWithin({ startNs: 500, endNs: 501 })).toBe(4);
  });
});

test('a waking is told from both sides; a thread that was not traced is in brackets', () => {
  const [waking] = [wakingsOf([{ waiter: 0, waker: 2, startNs: 800, wakeNs: 810, runNs: 815 }]).at(0)];
  expect(wakingLabel(waking, 'waiter')).toBe('woken by [t12 12]');
  expect(wakingLabel({ ...waking, isMaybe: true }, 'waker')).toBe('maybe wakes t10 10');
  expect(wakingText(waking, 'waiter', 1000)).toBe(
    'woken by [t12 12] at 0.810 µs: a wait of 15 ns, 5 ns of it waking up',
  );
  expect(wakerDetail(waking)).toEqual({ label: 'woken by', value: '[t12 12]', note: '5 ns before it ran' });
});
