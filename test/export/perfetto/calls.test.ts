/**
 * Tests traces for Perfetto: what is in them, and that they depend on nothing but the input. test/consumers reads them
 * with Perfetto's own trace processor.
 */
import { describe, expect, test } from 'vitest';
import { renderPerfetto } from '../../../src/export/perfetto/perfetto.js';
import type { AnalyzeOptions } from '../../../src/index.js';
import type { LongestCalls } from '../../../src/model/calls/call-events.js';
import type { RecordingEnvironment, ThreadProfile } from '../../../src/model/profile/profile.js';
import type { Timeline } from '../../../src/model/profile/timeline.js';
import { Activity } from '../../../src/model/profile/timeline.js';
import { symbolLines } from '../../../src/model/symbol-table.js';
import { analyzeForPage, type PageContents } from '../../../src/page/contents/analyze-for-page.js';
import { expectedSlices, sliceText } from '../../helpers/checks/call-slices.js';
import { readPerfetto } from '../../helpers/checks/files/perfetto-file.js';
import { rendered } from '../../helpers/checks/rendered.js';
import { SOME_WAKINGS } from '../../helpers/checks/some-wakings.js';
import { deepTrace } from '../../helpers/traces/deep-trace.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { STOPPED } from '../../helpers/traces/stopped-trace.js';
import { strangeTrace } from '../../helpers/traces/strange-names.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

type Contents = Omit<PageContents, 'longestCalls'> & { readonly longestCalls: LongestCalls };

async function contentsOf(text: string | Uint8Array, options: AnalyzeOptions = {}): Promise<Contents> {
  const asked = { trees: 'apart', timelineBytes: 2 ** 16, longestCalls: {}, ...options } as const;
  return (await analyzeForPage([inputOf(text)], asked)) as Contents;
}

const fileOf = async (contents: Contents) => readPerfetto(await rendered(renderPerfetto(contents.profile, contents)));

test('has a slice for each call and stop, with marks on those that were cut', async () => {
  const { slices, processes } = await fileOf(await contentsOf(STOPPED));
  const start = slices[0]?.startNs ?? 0n;
  expect(slices.map((own) => sliceText({ ...own, startNs: own.startNs - start }))).toEqual([
    'thread 1 · 0 · 0 · 45 · main ·  · cut',
    'thread 1 · 1 · 0 · 8 · a · ',
    'thread 1 · 2 · 2 · 3 · b · ',
    'thread 1 · 1 · 10 · 30 · [syscall] · stop',
    'thread 1 · 1 · 45 · 0 · a ·  · cut',
  ]);
  expect(processes).toEqual([]);
});

const FIXTURES = [
  'demo/threads.perf.txt.gz',
  'lab/overflow-and-lost.txt',
  'truth/ptemu-fcontext-cut-branches.perf.txt.gz',
  'truth/gentrace-nasty.perf.txt.gz',
];

test.for(FIXTURES)('has the calls of %s as they were', async (name) => {
  const contents = await contentsOf(fixture(name));
  const { slices } = await fileOf(contents);
  expect(slices.map(sliceText)).toEqual(expectedSlices(contents.profile, contents.longestCalls).map(sliceText));
});

test('has the processes of threads', async () => {
  const contents = await contentsOf(fixture('demo/threads.perf.txt.gz'));
  expect((await fileOf(contents)).processes).toEqual(['5000 threads']);
  const [first, ...others] = contents.profile.threads as [ThreadProfile, ...ThreadProfile[]];
  const threads = [{ ...first, comm: 'm\x1b' }, { ...(others[0] as ThreadProfile), pid: 7 }, ...others.slice(1)];
  const { processes } = await fileOf({ ...contents, profile: { ...contents.profile, threads } });
  expect(processes).toEqual(['7 ', '5000 m\\x1b']);
});

test('has any name', async () => {
  const contents = await contentsOf(strangeTrace().replaceAll('plain', '𠀀_rare'));
  const names = (await fileOf(contents)).slices.map(({ name }) => name);
  expect(names).toContain('red_\\x1b[31m_alarm');
  expect(names).toContain('𠀀_rare');
});

test('has the lines where functions begin', async () => {
  const contents = await contentsOf(STOPPED);
  const { symbols } = contents.profile;
  expect((await fileOf(contents)).lines).toEqual({});
  const lines = symbolLines(symbols.name.map((own) => (own === 'b' ? { file: '/src/m.c', line: 7 } : null)));
  const profile = { ...contents.profile, symbols: { ...symbols, lines } };
  expect((await fileOf({ ...contents, profile })).lines).toEqual({ b: '/src/m.c:7' });
});

test('the same trace gives the same bytes, in whatever order it is read', async () => {
  const early = traceOf('1/100 call main b\n1/900 return b main');
  const late = traceOf('1/100 call main a\n1/900 return a main').replaceAll('1 [000] 1.', '2 [000] 3.');
  const asked = { trees: 'apart', timelineBytes: 2 ** 16, longestCalls: {} } as const;
  const [once, again] = await Promise.all(
    [
      [early, late],
      [late, early],
    ].map(async (texts) => {
      const contents = await analyzeForPage(
        texts.map((own) => inputOf(own)),
        asked,
      );
      return rendered(renderPerfetto(contents.profile, contents as Contents));
    }),
  );
  expect(again?.equals(once as Buffer)).toBe(true);
});

test('leaves out calls that are deeper than Perfetto reads, and says so', async () => {
  const { slices, attributes } = await fileOf(await contentsOf(deepTrace(600), { extend: false }));
  expect(slices.map((own) => own.depth)).toEqual(Array.from({ length: 512 }, (_, at) => at));
  expect(slices.at(-1)?.durationNs).toBe(20 * (600 - 511));
  expect(attributes).toEqual({ 'deep calls left out': '89 calls below 512 others' });
});

test('has times after any uptime', async () => {
  const contents = await contentsOf(STOPPED);
  const meta = { ...contents.profile.meta, originNs: 2n ** 60n + 1n };
  const { slices } = await fileOf({ ...contents, profile: { ...contents.profile, meta } });
  expect((slices[2]?.startNs ?? 0n) - 2n ** 60n).toBe(13n);
});

test('says where it was recorded and what was left out', async () => {
  const contents = await contentsOf(fixture('demo/threads.perf.txt.gz'), { longestCalls: { maxCalls: 100 } });
  const recorded: RecordingEnvironment = {
    ...{ host: 'db\x1b1', kernel: '6.1', cpu: null, perf: null },
    ...{ command: ['perf', 'record', 'a b'], startedAt: '2026-11-22T10:00:00.123Z' },
  };
  const meta = { ...contents.profile.meta, recorded };
  const { attributes, realtime, slices } = await fileOf({ ...contents, profile: { ...contents.profile, meta } });
  expect(slices.length).toBeLessThanOrEqual(100);
  expect(attributes).toEqual({
    host: 'db\\x1b1',
    kernel: '6.1',
    command: "perf record 'a b'",
    'recorded at': '2026-11-22T10:00:00.123Z',
    'calls left out': expect.stringMatching(/^7\d\d calls shorter than \d/),
  });
  const startedNs = BigInt(Date.parse('2026-11-22T10:00:00.123Z')) * 1_000_000n;
  expect(realtime).toEqual({ traceNs: meta.originNs, ns: startedNs - BigInt(meta.startNs) });
});

describe('wakings', () => {
  test('are arrows from a moment of the waker to a later one of the waiter', async () => {
    const contents = await contentsOf(fixture('demo/threads.perf.txt.gz'));
    const timeline = { ...(contents.timeline as Timeline), wakings: SOME_WAKINGS };
    const { instants, attributes, slices } = await fileOf({ ...contents, timeline });
    const startNs = contents.profile.meta.originNs + BigInt(timeline.startNs);
    const own = (thread: string, ns: number, name: string, flow: number, isMaybe = false) => ({
      thread,
      ns: startNs + BigInt(ns),
      name,
      isMaybe,
      flow,
    });
    expect(instants).toMatchObject([
      own('threads 5001', 100, 'wakes threads 5002', 1),
      own('threads 5001', 400, 'woken by threads 5002', 0), // at the same moment: the order is not known
      own('threads 5002', 150, 'woken by threads 5001', -1),
      own('threads 5002', 300, 'woken by irq 9', 0, true),
      own('threads 5002', 400, 'wakes threads 5001', 0),
    ]);
    expect(attributes['wakings left out']).toBe('7 that ended the shortest waits');
    expect(slices.map(sliceText)).toEqual(expectedSlices(contents.profile, contents.longestCalls).map(sliceText));
  });
});

describe('counters', () => {
  test('have the time that threads ran and lost', async () => {
    const contents = await contentsOf(fixture('lab/missing-binary.txt'));
    const { counters } = await fileOf(contents);
    expect(Object.keys(counters)).toEqual(['running threads', 'threads with lost trace data']);
    const { threads } = contents.timeline as Timeline;
    const ns = (activity: Activity) =>
      threads.reduce(
        (sum, { strip }) => sum + strip.reduce((all, own, at) => all + (at % 6 === activity ? own : 0), 0),
        0,
      );
    for (const [name, activity] of [
      ['running threads', Activity.Running],
      ['threads with lost trace data', Activity.Lost],
    ] as const) {
      const values = counters[name] ?? [];
      const area = values.reduce((sum, [at, value], row) => sum + value * Number((values[row + 1]?.[0] ?? at) - at), 0);
      expect(area / ns(activity)).toBeCloseTo(1, 2);
      expect(values.at(-1)?.[1]).toBe(0);
    }
  });
});
