/**
 * Wakings on the time axis of a page: which thread ended which wait.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Timeline } from '../../../src/model/profile/timeline.js';
import { WAKING_SLICES, type Wakings } from '../../../src/model/profile/timeline.js';
import { NONE } from '../../../src/model/units.js';
import { readTimeline } from '../../../src/page/browser/platform/decode.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { timelinePieces } from '../../../src/page/data/timeline-write.js';
import { withWaits } from '../../../src/questions/waits/ask-waits.js';
import { WakerKind } from '../../../src/waits/find-wakers.js';
import { longestBySlice } from '../../../src/waits/longest-by-slice.js';
import { inputOf } from '../../helpers/traces/load.js';
import { convoyTrace, lockTrace } from '../../helpers/traces/lock-trace.js';
import { withEncoded } from '../helpers/emulated.js';

const UNLIMITED = 1e9;

type Input = Parameters<typeof analyzeForPage>[0][number];

async function timelineOf(input: Input, timelineBytes: number, jobs = 1): Promise<Timeline> {
  const { timeline } = await analyzeForPage([input], { trees: 'apart', jobs, timelineBytes });
  return timeline as Timeline;
}

const bytesOf = (timeline: Timeline) => Buffer.concat([...timelinePieces(timeline)]);

/** "waiter waker start waking running", as `ptflame waits` has them. */
function listed({ threads, rows }: Wakings, originNs: number): string[] {
  return Array.from(rows.waiter, (waiter, row) => {
    const times = [rows.startNs[row], rows.wakeNs[row], rows.runNs[row]].map((ns) => ns + originNs);
    return [threads[waiter].tid, threads[rows.waker[row]].tid, ...times].join(' ');
  });
}

/** Waits that ended with a waking by a thread, of threads with calls. */
function expectedOf(input: Input): Promise<{ rows: string[]; shiftNs: number }> {
  return withWaits([input], { jobs: 1 }, async ({ waits, calls }) => {
    const rows: string[] = [];
    for (let wait = 0; wait < waits.length; wait++) {
      const isByThread = waits.wakerKind[wait] === WakerKind.Thread || waits.wakerKind[wait] === WakerKind.MaybeThread;
      if (!isByThread || waits.isOpen[wait] || calls?.waiterNode[wait] === NONE) continue;
      const { tid, waker, outNs, wakeNs, inNs } = waits;
      rows.push([tid, waker, outNs, wakeNs, inNs].map((column) => column[wait]).join(' '));
    }
    return { rows, shiftNs: calls?.shiftNs ?? Number.NaN };
  });
}

test('are all waits that a thread ended, however many workers; a budget leaves out the shortest', async () => {
  await withEncoded('cpus-4', async (input) => {
    const timeline = await timelineOf(input, UNLIMITED);
    const wakings = timeline.wakings as Wakings;
    const { rows, shiftNs } = await expectedOf(input);
    expect(rows.length).toBeGreaterThan(50);
    expect(listed(wakings, timeline.startNs + shiftNs)).toEqual(rows);
    expect(wakings.leftOut).toEqual(new Array(WAKING_SLICES).fill(0));
    expect([...wakings.rows.isMaybe].every((maybe) => maybe === 0)).toBe(true);
    expect(readTimeline(bytesOf(timeline))).toEqual(timeline);
    expect(bytesOf(await timelineOf(input, UNLIMITED, 3)).equals(bytesOf(timeline))).toBe(true);
    const most = Math.floor(rows.length / 2);
    const some = await timelineOf(input, 8 * 9 * most);
    expect(some.wakings?.rows.waiter.length).toBe(most);
    expectShortestLeftOut(wakings, some);
  });
}, 60_000);

function expectShortestLeftOut(all: Wakings, { wakings, durationNs }: Timeline): void {
  const some = wakings as Wakings;
  const kept = new Set(listed(some, 0));
  const shortestNs = new Array<number>(WAKING_SLICES).fill(Number.POSITIVE_INFINITY);
  const leftOut = new Array<number>(WAKING_SLICES).fill(0);
  const nsOf = ({ rows }: Wakings, row: number) => rows.runNs[row] - rows.startNs[row];
  const sliceOf = ({ rows }: Wakings, row: number) => Math.floor((WAKING_SLICES * rows.wakeNs[row]) / durationNs);
  some.rows.waiter.forEach((_, row) => {
    shortestNs[sliceOf(some, row)] = Math.min(nsOf(some, row), shortestNs[sliceOf(some, row)]);
  });
  listed(all, 0).forEach((text, row) => {
    if (kept.has(text)) return;
    leftOut[sliceOf(all, row)]++;
    expect(nsOf(all, row)).toBeLessThanOrEqual(shortestNs[sliceOf(all, row)]);
  });
  expect(some.leftOut).toEqual(leftOut);
}

test('text names the waker where its futex call does, and a thread that still waits was not woken', async () => {
  const { wakings } = await timelineOf(inputOf(convoyTrace()), UNLIMITED);
  expect(wakings && listed(wakings, 0)).toEqual(['1 3 22 92 100', '3 2 16 52 60']);
  expect(wakings?.threads).toEqual([
    { tid: 1, comm: 'customer', isTraced: true },
    { tid: 2, comm: 'teller', isTraced: true },
    { tid: 3, comm: 'clerk', isTraced: true },
  ]);
});

test('a window has the wakings in it, with the parts of the waits in it', async () => {
  const of = async (from: number, to: number) => {
    const window = { from: { afterStartNs: from }, to: { afterStartNs: to } };
    const options = { trees: 'apart', timelineBytes: UNLIMITED, window } as const;
    const { timeline } = await analyzeForPage([inputOf(convoyTrace())], options);
    return timeline?.wakings ? listed(timeline.wakings, timeline.startNs) : null;
  };
  expect(await of(30, 95)).toEqual(['1 3 30 92 95', '3 2 30 52 60']);
  expect(await of(53, 90)).toBeNull();
});

test('a page without wakings has none', async () => {
  expect((await timelineOf(inputOf(lockTrace(false)), UNLIMITED)).wakings).toBeNull();
});

test('of each slice as many rows are kept as fit, and none of them is shorter than one that is left out', () => {
  const some = fc.array(fc.tuple(fc.nat(3), fc.nat(5)), { maxLength: 30 });
  fc.assert(
    fc.property(some, fc.nat(32), (rows, most) => {
      const slice = Int32Array.from(rows, ([slice]) => slice);
      const ns = Float64Array.from(rows, ([, ns]) => ns);
      const isKept = longestBySlice({ slice, ns, slices: 4 }, most);
      const keptIn = [0, 1, 2, 3].map((own) => slice.filter((at, row) => at === own && isKept[row] === 1).length);
      const countIn = [0, 1, 2, 3].map((own) => slice.filter((at) => at === own).length);
      const sum = keptIn.reduce((all, own) => all + own);
      const quota = Math.max(...keptIn);
      const isFair = keptIn.every((kept, own) => kept >= Math.min(quota - 1, countIn[own] as number));
      expect({ sum, isFair }).toEqual({ sum: Math.min(most, rows.length), isFair: true });
      rows.forEach(([at, own], row) => {
        const isBetter = (other: number) => slice[other] === at && isKept[other] === 0 && ns[other] > own;
        if (isKept[row] === 1) expect(rows.some((_, other) => isBetter(other))).toBe(false);
      });
    }),
  );
});
