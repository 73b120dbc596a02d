/**
 * Tests the columns of the time axis: they add up to the times of threads, at every zoom.
 */
import { describe, expect, test } from 'vitest';
import { openTraceFile } from '../../../../src/index.js';
import { ACTIVITIES, activityOf } from '../../../../src/model/profile/timeline.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import type { PageData } from '../../../../src/page/data/page-data.js';
import { writePageData } from '../../../../src/page/data/write.js';
import { momentText, ticksOf } from '../../../../src/page/view/captions/time.js';
import {
  activityColumns,
  fullNs,
  insideFunction,
  lightColumns,
  type StripThread,
  stripRows,
  TimeColumns,
} from '../../../../src/page/view/columns.js';
import { Views } from '../../../../src/page/view/views.js';
import { readPageData } from '../../../helpers/browser/page-views.js';

const FILES = [
  'hardware/go-gogo-switch.txt',
  'lab/demo-cre.txt',
  'lab/thread-create-switch-migrate.txt',
  'demo/threads.perf.txt.gz',
];

async function pageOf(file: string, timelineBytes: number) {
  const input = await openTraceFile(`fixtures/${file}`);
  const { profile, timeline } = await analyzeForPage([input], { trees: 'apart', byCalls: true, timelineBytes });
  if (timeline === null) throw new Error('there is no timeline');
  const views = new Views(readPageData(Buffer.concat(writePageData(profile))));
  return { views, timeline, rows: stripRows(timeline, views.data, views.threads) };
}

const sum = (values: Iterable<number>) => [...values].reduce((all, ns) => all + ns, 0);

/** By activity: the own time of the nodes of a thread. */
function timesOf({ shape, threads }: PageData, tid: number): number[] {
  const times = new Array<number>(ACTIVITIES).fill(0);
  for (const { node, selfNs, ...thread } of threads)
    if (thread.tid === tid)
      node.forEach((at, row) => {
        times[activityOf(shape.symbol[at])] += selfNs[row];
      });
  return times;
}

const byActivity = (columns: Float64Array) =>
  Array.from({ length: ACTIVITIES }, (_, activity) => sum(columns.filter((_, at) => at % ACTIVITIES === activity)));

describe.each(FILES)('%s', (file) => {
  test.each([1e7, 20_000])('columns of a page with %d bytes add up', async (bytes) => {
    const { views, timeline, rows } = await pageOf(file, bytes);
    const { durationNs } = timeline;
    const activity = Uint8Array.from(views.data.shape.symbol, activityOf);
    const columnsIn = (threads: readonly StripThread[], startNs: number, endNs: number, columns: number) =>
      activityColumns(timeline, threads, activity, { startNs, endNs, columns });
    for (const { tid, threads } of rows) {
      const times = byActivity(columnsIn(threads, 0, durationNs, 333));
      if (tid !== null) {
        const expected = timesOf(views.data, tid);
        for (const [at, ns] of times.entries()) expect(ns).toBeCloseTo(expected[at], 3);
      }
      // parts of the time, in columns that are narrower than slices
      const parts = [0, 1, 2, 3, 4].map((part) =>
        byActivity(columnsIn(threads, (part * durationNs) / 5, ((part + 1) * durationNs) / 5, 977)),
      );
      for (const [at, ns] of times.entries()) expect(sum(parts.map((part) => part[at]))).toBeCloseTo(ns, 3);
    }
  });

  test.each([1e7, 20_000])('lights of a page with %d bytes have the time inside the function', async (bytes) => {
    const { views, timeline, rows } = await pageOf(file, bytes);
    if (timeline.minPathNs > 0 || timeline.sumsSliceNs === null) return;
    const window = { startNs: 0, endNs: timeline.durationNs, columns: 100 };
    for (const symbol of [...views.data.symbols.name.keys()].slice(0, 40)) {
      const inside = insideFunction(views.data.shape, symbol);
      for (const { tid, threads } of rows.filter(({ tid }) => tid !== null)) {
        const { node, selfNs } = views.data.threads.find((thread) => thread.tid === tid) as PageData['threads'][number];
        const expected = sum(selfNs.filter((_, row) => inside[node[row]] !== 255));
        const ns = lightColumns(timeline, threads[0], inside, window);
        expect(sum(ns)).toBeGreaterThanOrEqual(expected * (1 - 1e-9));
        if (timeline.sumsSliceNs === 0) expect(sum(ns)).toBeCloseTo(expected, 3);
        expect(Math.max(...ns) * (1 - 1e-9)).toBeLessThanOrEqual(
          timeline.sumsSliceNs === 0 ? timeline.durationNs / 100 : Number.POSITIVE_INFINITY,
        );
      }
    }
  });

  test('rows are all threads together, then each, most active first', async () => {
    const { views, timeline, rows } = await pageOf(file, 1e7);
    const single = rows.filter(({ tid }) => tid !== null);
    expect(rows.length).toBe(single.length + (single.length > 1 ? 1 : 0));
    expect(single.map(({ tid }) => tid).sort()).toEqual(timeline.threads.map(({ tid }) => tid).sort());
    const running = single.map(({ tid }) => timesOf(views.data, tid as number)[0]);
    expect(running).toEqual(running.toSorted((a, b) => b - a));
    if (single.length > 1) expect(rows[0].threads.length).toBe(single.length);
  });
});

test('time is spread over the columns it is in', () => {
  const columns = new TimeColumns({ startNs: 100, endNs: 200, columns: 10 }, 2);
  columns.add(1, 95, 115, 20);
  columns.add(0, 195, 300, 105);
  columns.add(0, 150, 150, 5); // no time
  expect([...columns.ns]).toEqual([0, 10, 0, 5, ...new Array(14).fill(0), 5, 0]);
});

test('ticks are at round times', () => {
  expect(ticksOf({ startNs: 0, endNs: 5e6 }, 1.1e6).map(({ text }) => text)).toEqual(['0 ms', '2 ms', '4 ms']);
  expect(ticksOf({ startNs: 1200, endNs: 2000 }, 300).map(({ text }) => text)).toEqual(['1.5 µs', '2.0 µs']);
  expect(ticksOf({ startNs: 3, endNs: 7 }, 0.2).map(({ text }) => text)).toEqual([
    '3 ns',
    '4 ns',
    '5 ns',
    '6 ns',
    '7 ns',
  ]);
});

test('moments have the decimals that their precision needs', () => {
  expect(momentText(1_234_567, 1000)).toBe('1.235 ms');
  expect(momentText(1_234_567, 1)).toBe('1.234567 ms');
  expect(momentText(0, 1000, 5e6)).toBe('0.000 ms');
  expect(momentText(12, 0.5)).toBe('12 ns');
});

test('the strip of several threads is as high as the most of them at one time, that of one as its column', () => {
  const running = (...columns: number[]) =>
    Float64Array.from({ length: ACTIVITIES * columns.length }, (_, at) =>
      at % ACTIVITIES === 0
        ? (columns[at / ACTIVITIES] as number) / 2
        : at % ACTIVITIES === 1
          ? (columns[(at - 1) / ACTIVITIES] as number) / 2
          : 0,
    );
  expect(fullNs(running(0, 10, 30, 20), 10)).toBe(30);
  expect(fullNs(running(0, 4), 10)).toBe(10); // half a column is not a full one
});
