/**
 * Compares the events of calls with call trees and logs: they nest, have all time of all calls, and of too many calls the
 * longest.
 */

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { ThreadEventsOfCalls } from '../../src/analysis/call-events.js';
import { callEvents, LongestCallsCollector } from '../../src/analysis/call-events.js';
import { OpenCall, walkCalls } from '../../src/analysis/log/walk-calls.js';
import { CallEvent, type CallEvents, forEachEvent, isBeginning } from '../../src/model/calls/call-events.js';
import { type CallLog, CallLogBuilder } from '../../src/model/calls/call-log.js';
import type { CallTree } from '../../src/model/calls/call-tree.js';
import { NONE, UNBOUNDED } from '../../src/model/units.js';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { RANDOM_TRACES } from '../helpers/random/random-traces.js';
import { everyNth, times } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { forLogs, timesOf } from '../helpers/traces/for-logs.js';
import { inputOf } from '../helpers/traces/load.js';
import { type TraceThreads, threadsOf, threadsOfInput } from '../helpers/traces/threads-of.js';
import { traceOf } from '../helpers/traces/trace-of.js';

interface Part {
  readonly startNs: number;
  readonly endNs: number;
  readonly depth: number;
  readonly kinds: string;
}

/** Fails if events do not nest. */
function partsOf(events: CallEvents): Part[] {
  const open: { readonly startNs: number; readonly kind: number }[] = [];
  const parts: Part[] = [];
  let lastNs = Number.NEGATIVE_INFINITY;
  forEachEvent(events, (kind, ns, _node, depth) => {
    expect(ns).toBeGreaterThanOrEqual(lastNs);
    lastNs = ns;
    if (isBeginning(kind)) {
      expect(depth).toBe(open.length);
      open.push({ startNs: ns, kind });
      return;
    }
    const part = open.pop() as { startNs: number; kind: number };
    expect(depth).toBe(open.length);
    parts.push({ startNs: part.startNs, endNs: ns, depth, kinds: `${part.kind} ${kind}` });
  });
  expect(open).toEqual([]);
  return parts;
}

/** By node, the time in which it was on top. */
function selfTimes(events: CallEvents, nodes: number): Float64Array {
  const self = new Float64Array(nodes);
  const open: number[] = [];
  let lastNs = 0;
  forEachEvent(events, (kind, ns, node) => {
    self[open.at(-1) ?? 0] += ns - lastNs;
    lastNs = ns;
    if (isBeginning(kind)) open.push(node);
    else open.pop();
  });
  self[0] = 0; // time without a call before the first and after the last one is not in the events
  return self;
}

const ALL = { window: UNBOUNDED, minNs: 0, maxCalls: Number.MAX_SAFE_INTEGER };

function expectAll(log: CallLog, tree: CallTree): ThreadEventsOfCalls {
  const all = callEvents(log, ALL);
  const { kind } = all.events;
  partsOf(all.events);
  const count = (wanted: CallEvent) => kind.filter((own) => own === wanted).length;
  const ends = [0, 0, 0];
  let opened = 0;
  let suspendedCalls = 0;
  walkCalls(log, {
    newCall: () => new OpenCall(),
    opened: () => opened++,
    spent: () => {},
    closed: ({ isSuspended }, _exitNs, ending) => {
      if (isSuspended) suspendedCalls++;
      else ends[ending === -1 ? 0 : ending === 5 ? 1 : 2]++;
    },
  });
  expect(count(CallEvent.Begin)).toBe(opened);
  expect([count(CallEvent.End), count(CallEvent.Unwound), count(CallEvent.Cut)]).toEqual(ends);
  expect(count(CallEvent.Leave)).toBe(count(CallEvent.Resume) + suspendedCalls);
  expect(all.leftOut).toBe(0);
  const self = selfTimes(all.events, tree.length);
  expect(Array.from(self.slice(1))).toEqual(Array.from(tree.selfNs.slice(1)));
  return all;
}

/** The longest calls are those of the same duration or longer, however early others had to be left out. */
function expectLongest(log: CallLog, { events }: ThreadEventsOfCalls, maxCalls: number): void {
  const all = partsOf(events);
  const { events: found, minNs, leftOut } = callEvents(log, { ...ALL, maxCalls });
  const kept = all.filter(({ startNs, endNs }) => endNs - startNs >= minNs);
  expect(found.kind.length / 2).toBe(kept.length);
  expect(leftOut).toBe(all.length - kept.length);
  const longestNs = Math.max(0, ...all.map(({ startNs, endNs }) => endNs - startNs));
  if (minNs < longestNs) expect(kept.length).toBeLessThanOrEqual(maxCalls);
  const timesOf = (parts: readonly Part[]) => parts.map(({ startNs, endNs, kinds }) => [startNs, endNs, kinds]);
  expect(timesOf(partsOf(found))).toEqual(timesOf(kept));
  if (all.length > maxCalls) {
    const next = all.filter(({ startNs, endNs }) => endNs - startNs < minNs);
    const nextNs = Math.max(...next.map(({ startNs, endNs }) => endNs - startNs));
    const withNext = next.filter(({ startNs, endNs }) => endNs - startNs === nextNs);
    if (minNs < longestNs) expect(kept.length + withNext.length).toBeGreaterThan(maxCalls);
  }
}

/** Also of calls of at least some duration: calls outside of the window are not left out, but not asked for. */
function expectWindow(log: CallLog, { events }: ThreadEventsOfCalls): void {
  const timeNs = timesOf(log);
  const [startNs, endNs] = [timeNs[Math.floor(log.length / 3)], timeNs[Math.floor(log.length / 2)]];
  const isIn = (part: Part) => part.startNs < endNs && (part.startNs >= startNs || part.endNs > startNs);
  const inside = partsOf(events).filter(isIn);
  for (const minNs of [0, 1, 50]) {
    const found = callEvents(log, { ...ALL, minNs, window: { startNs, endNs } });
    const kept = inside.filter((part) => part.endNs - part.startNs >= minNs);
    expect(partsOf(found.events).length).toBe(kept.length);
    expect(found.leftOut).toBe(inside.length - kept.length);
  }
}

function expectRight(trace: TraceThreads): void {
  forLogs(trace, (log, tree) => {
    const all = expectAll(log, tree);
    for (const maxCalls of [1, 7, 300]) expectLongest(log, all, maxCalls);
    expectWindow(log, all);
  });
}

describe.each(everyNth(traceFiles, 7))('%s', (file) => {
  test('events nest, and have all calls and times', async () => {
    expectRight(await threadsOf(file));
  });
});

test.each(RANDOM_TRACES)('the same of random %s', async (_, random) => {
  await fc.assert(
    fc.asyncProperty(random, async (lines) => {
      if (!lines.some((line) => line.includes('=>'))) return;
      expectRight(await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join(''))));
    }),
    { numRuns: times(20) },
  );
});

test('a call of no length is within its caller', async () => {
  const { longestCalls, profile } = await analyzeForPage(
    [
      inputOf(
        traceOf(`
    10  call    main  a
    10  call    a     b
    10  return  b     a
    10  return  a     main
    10  call    main  c
    30  return  c     main`),
      ),
    ],
    { longestCalls: {}, extend: false },
  );
  const [thread] = longestCalls?.threads ?? [];
  const { tree } = profile.threads[0] as (typeof profile.threads)[number];
  const lines: string[] = [];
  forEachEvent(thread as CallEvents, (kind, ns, node, depth) => {
    const name = profile.symbols.name[tree.symbol[node]];
    lines.push(`${ns} ${'  '.repeat(depth)}${isBeginning(kind) ? '+' : '-'}${name}`);
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "10 +main",
      "10   +a",
      "10     +b",
      "10     -b",
      "10   -a",
      "10   +c",
      "30   -c",
      "30 -main",
    ]
  `);
});

/** "10 0 #1": at 10 ns, a beginning of the call of node 1. */
const linesOf = ({ events }: ThreadEventsOfCalls) => {
  const lines: string[] = [];
  forEachEvent(events, (kind, ns, node) => lines.push(`${ns} ${kind} #${node}`));
  return lines;
};

test('stops leave and resume when frames change below them', () => {
  const log = new CallLogBuilder();
  log.begin(0);
  const aside = log.open(1);
  log.nowNs = 10;
  log.open(2);
  log.nowNs = 20;
  log.stop(3);
  log.nowNs = 30;
  log.setAside(2); // at the same time: the stop is on no frame in between
  log.nowNs = 40;
  log.putBack(aside + 1);
  log.renode(4);
  log.renode(5);
  log.nowNs = 50;
  log.endStop(true);
  log.close(NONE);
  log.close(NONE);
  const { Begin, Resume, End, Leave } = CallEvent;
  const built = log.build();
  expect(callEvents(built, { ...ALL, minNs: 1 }).leftOut).toBe(0); // parts of no length are no calls
  expect(linesOf(callEvents(built, ALL))).toEqual([
    `0 ${Begin} #1`,
    `10 ${Begin} #2`,
    `20 ${Begin} #3`,
    `30 ${Leave} #3`,
    `30 ${Leave} #2`,
    `30 ${Leave} #1`,
    `30 ${Resume} #3`,
    `40 ${Leave} #3`,
    `40 ${Resume} #4`,
    `40 ${Resume} #5`,
    `40 ${Resume} #3`,
    `50 ${End} #3`,
    `50 ${End} #5`,
    `50 ${End} #4`,
  ]);
});

test('times do not depend on the order of the inputs', async () => {
  const early = traceOf('1/100 call main a\n1/900 return a main');
  const late = early.replaceAll('1 [000] 1.', '2 [000] 3.');
  const calls = (lines: readonly string[]) =>
    analyzeForPage(
      lines.map((each) => inputOf(each)),
      { longestCalls: {}, extend: false },
    );
  const [first, second] = await Promise.all([calls([early, late]), calls([late, early])]);
  expect(first?.longestCalls).toEqual(second?.longestCalls);
  expect(first?.longestCalls?.threads.map(({ timeNs }) => timeNs[0])).toEqual([100, 2_000_000_100]);
});

test('the longest of all threads do not depend on the number of workers', async () => {
  const lines = Array.from({ length: 9 }, (_, at) =>
    traceOf(
      Array.from(
        { length: 50 },
        (_, call) => `
  ${at + 1}/${100 * call}  call  main  work
  ${at + 1}/${100 * call + ((call * 7 + at) % 90)}  return  work  main`,
      ).join(''),
    ),
  ).join('');
  const results = await Promise.all(
    [1, 3].map((jobs) => analyzeForPage([inputOf(lines)], { jobs, longestCalls: { maxCalls: 40 }, extend: false })),
  );
  const [one, three] = results.map(({ longestCalls }) => longestCalls);
  expect(one).toEqual(three);
  const kept = one?.threads.reduce((sum, { kind }) => sum + kind.length / 2, 0) ?? 0;
  expect(kept).toBeGreaterThan(20);
  expect(kept).toBeLessThanOrEqual(40);
  expect(kept + (one?.leftOut ?? 0)).toBe(9 * 50 + 9);
  const window = { from: { afterStartNs: 1000 }, to: { afterStartNs: 1500 } };
  const { longestCalls } = await analyzeForPage([inputOf(lines)], { longestCalls: {}, window, extend: false });
  for (const { timeNs, kind } of longestCalls?.threads ?? []) {
    expect(kind.length).toBeGreaterThan(6);
    expect(kind.length).toBeLessThan(16);
    expect(timeNs[0]).toBeLessThan(1000);
  }
});

test('many threads with calls of one length are not sorted again for each thread', () => {
  const threads = 500;
  const collector = new LongestCallsCollector({ ...ALL, maxCalls: 10 });
  const sort = vi.spyOn(Float64Array.prototype, 'sort');
  for (let tid = 0; tid < threads; tid++) {
    const { Begin, End } = CallEvent;
    const [timeNs, durationNs] = [Float64Array.of(tid, tid + 7), Float64Array.of(7, 7)];
    const events = { timeNs, durationNs, node: Int32Array.of(1, 1), kind: Uint8Array.of(Begin, End) };
    collector.add(tid, { events, minNs: 0, leftOut: 0 });
  }
  const { threads: kept, leftOut } = collector.build(0);
  const sorted = (sort.mock.contexts as Float64Array[]).reduce((sum, durations) => sum + durations.length, 0);
  sort.mockRestore();
  expect(kept.map(({ kind }) => kind.length)).toEqual(Array(threads).fill(2));
  expect(leftOut).toBe(0);
  expect(sorted).toBeGreaterThan(0);
  expect(sorted).toBeLessThan(5 * threads);
});

test('calls over time are refused where there are none', async () => {
  const input = () => inputOf(traceOf('10 call main a\n30 return a main'));
  const longestCalls = {};
  await expect(analyzeForPage([input()], { longestCalls, root: 'a' })).rejects.toThrow(/shown of whole threads/);
  const timeless = inputOf('1 call 401000 main+0x0 => 402000 a+0x0\n1 return 402010 a+0x10 => 401005 main+0x5\n');
  await expect(analyzeForPage([timeless], { longestCalls, byCalls: true })).rejects.toThrow(/no times/);
});
