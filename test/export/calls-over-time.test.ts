/**
 * Tests files with single calls for Firefox Profiler and speedscope by the rules of their formats; test/consumers gives
 * them to the tools.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderFirefox } from '../../src/export/firefox.js';
import { renderSpeedscope } from '../../src/export/speedscope.js';
import type { AnalyzeOptions } from '../../src/index.js';
import { dsoOf, symbolLines } from '../../src/model/symbol-table.js';
import {
  type FirefoxFile,
  type FirefoxThread,
  functionName,
  stacksOf,
  timesOfThread,
} from '../helpers/checks/files/firefox-file.js';
import {
  type SpeedscopeFile,
  type SpeedscopeProfile,
  timesOfProfile,
} from '../helpers/checks/files/speedscope-file.js';
import { type FunctionTime, functionTimesOf, linesOf } from '../helpers/checks/function-times.js';
import { rendered } from '../helpers/checks/rendered.js';
import { RANDOM_TRACES } from '../helpers/random/random-traces.js';
import { everyNth, times } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { fixture } from '../helpers/traces/load.js';
import { callsOf } from '../helpers/traces/longest-calls.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';
import { traceOf } from '../helpers/traces/trace-of.js';

async function filesOf(text: Uint8Array | string, options: AnalyzeOptions = {}) {
  const { profile, longestCalls } = await callsOf(text, options);
  const [firefox, speedscope] = await Promise.all(
    [renderFirefox, renderSpeedscope].map(async (render) => `${await rendered(render(profile, longestCalls))}`),
  );
  return {
    profile,
    texts: [firefox as string, speedscope as string],
    firefox: JSON.parse(firefox as string) as FirefoxFile,
    speedscope: JSON.parse(speedscope as string) as SpeedscopeFile,
  };
}

const FIXTURES = [
  'fixtures/truth/ptemu-boostfiber.perf.txt.gz',
  'fixtures/lab/overflow-and-lost.txt',
  'fixtures/lab/fields-pid-tid-cpu-event-dso.txt',
  ...everyNth(
    traceFiles.filter((path) => !/fields-|sideband/.test(path)),
    6,
  ),
];

test.each([...new Set(FIXTURES)])('self and total time of every function, in %s', async (path) => {
  const { profile, firefox, speedscope } = await filesOf(fixture(path.replace('fixtures/', '')));
  const expected = [...functionTimesOf(profile).values()].map(linesOf);
  expect(firefox.threads.map(({ tid }) => tid)).toEqual(profile.threads.map(({ tid }) => tid));
  expect(firefox.threads.map((thread) => linesOf(timesOfThread(firefox, thread)))).toEqual(expected);
  const shown = speedscope.profiles.map((own) => linesOf(timesOfProfile(speedscope, own)));
  expect(shown).toEqual(expected.filter((lines) => lines.length > 0));
});

test.each(RANDOM_TRACES)('self and total time of every function, in random %s', async (_, random) => {
  await fc.assert(
    fc.asyncProperty(random, async (lines) => {
      if (!lines.some((line) => line.includes('=>'))) return;
      const { profile, firefox, speedscope } = await filesOf(lines.map((line) => `${line}\n`).join(''));
      const expected = [...functionTimesOf(profile).values()].map(linesOf);
      expect(firefox.threads.map((thread) => linesOf(timesOfThread(firefox, thread)))).toEqual(expected);
      const shown = speedscope.profiles.map((own) => linesOf(timesOfProfile(speedscope, own)));
      expect(shown).toEqual(expected.filter((own) => own.length > 0));
    }),
    { numRuns: times(20) },
  );
});

/** "10 main;a" for each sample; the last one ends the thread. */
function samplesOf(file: FirefoxFile): string[] {
  const stacks = stacksOf(file.shared);
  const [{ samples }] = file.threads as [FirefoxThread];
  return samples.stack.map((stack, row) => {
    const path = stack === null ? [] : (stacks[stack] as number[]);
    return `${Math.round((samples.time[row] as number) * 1e6)} ${path.map((own) => functionName(file, own)).join(';')}`;
  });
}

test('calls of no length, and calls of a function in a row, are apart', async () => {
  const { firefox, speedscope } = await filesOf(
    traceOf(`
    10  call    main  a
    10  call    a     b
    10  return  b     a
    10  return  a     main
    10  call    main  c
    30  return  c     main
    30  call    main  c
    50  return  c     main
    50  call    main  a
    60  return  a     main`),
    { extend: false },
  );
  expect(samplesOf(firefox)).toEqual(['0 main;a;b', '0 main;c', '20 main', '20 main;c', '40 main;a', '50 ']);
  const [{ events }] = speedscope.profiles as [SpeedscopeProfile];
  const names = events.map(({ type, frame, at }) => `${at} ${type} ${speedscope.shared.frames[frame]?.name}`);
  expect(names.join(', ')).toBe(
    '0 O main, 0 O a, 0 O b, 0 C b, 0 C a, 0 O c, 20 C c, 20 O c, 40 C c, 40 O a, 50 C a, 50 C main',
  );
});

test('losses and calls that were not seen whole are markers', async () => {
  const { firefox } = await filesOf(fixture('hardware/overflow-memmove.txt'));
  const { stringArray } = firefox.shared;
  const markers = firefox.threads.flatMap(({ markers: { name, data, startTime, endTime } }) =>
    name.map((row, at) => {
      const text = data[at]?.function === undefined ? '' : ` ${stringArray[data[at].function]}`;
      return `${stringArray[row]}${text} ${startTime[at]} ${endTime[at]}`;
    }),
  );
  expect(markers).toMatchInlineSnapshot(`
    [
      "Lost 0.000021 0.000067",
      "Cut call __memmove_avx_unaligned_erms 0.000021 0.000141",
      "Cut call itch_bbo::book::Book::add_order 0 0.000141",
    ]
  `);
});

test('functions are in the libraries that are their binaries', async () => {
  const { profile, firefox } = await filesOf(fixture('lab/fields-pid-tid-cpu-event-dso.txt'));
  const { funcTable, resourceTable } = firefox.shared;
  const found = funcTable.resource.map((own, row) => {
    const path = firefox.libs[resourceTable.lib[own] ?? -1]?.path ?? null;
    return [functionName(firefox, row), path];
  });
  const { symbols } = profile;
  const wanted = symbols.name.map((own, row) => [own, dsoOf(symbols, row)]);
  expect(new Map(found as [string, string][])).toEqual(new Map(wanted as [string, string][]));
});

test('the profiler is told what markers have', async () => {
  const { firefox } = await filesOf(fixture('hardware/overflow-memmove.txt'));
  const shown = ['marker-chart', 'marker-table', 'timeline-overview'];
  const label = '{marker.data.function}';
  expect(firefox.meta).toMatchObject({
    markerSchema: [
      { name: 'Lost', display: shown, fields: [] },
      { name: 'Cut call', display: shown, chartLabel: label, tableLabel: label, fields: [{ key: 'function' }] },
    ],
  });
});

test('frames have the categories of what threads did', async () => {
  const { firefox } = await filesOf(fixture('lab/thread-create-switch-migrate.txt'));
  const { funcTable, frameTable } = firefox.shared;
  const categories = funcTable.name.map((_, row) => {
    return `${functionName(firefox, row)}: ${firefox.meta.categories[frameTable.category[row] as number]?.name}`;
  });
  expect(categories.slice(0, 7)).toEqual([
    '[unknown]: User',
    '[syscall]: System call',
    '[untraced]: Untraced',
    '[off-cpu]: Off-CPU',
    '[preempted]: Preempted',
    '[lost]: Lost',
    expect.stringMatching(/: User$/),
  ]);
});

test('names are text, and the same input gives the same bytes', async () => {
  const text = strangeTrace();
  const [once, again] = await Promise.all([filesOf(text), filesOf(text, { jobs: 3 })]);
  expect(once.texts).toEqual(again.texts);
  for (const file of once.texts) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not be there
    expect(file).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(file).toContain(String.raw`red_\\x1b[31m_alarm`);
  }
});

test('what was left out is said', async () => {
  const options = { longestCalls: { maxCalls: 20 } };
  const { firefox, speedscope } = await filesOf(fixture('demo/threads.perf.txt.gz'), options);
  const without = /, without 853 calls shorter than 252 µs$/;
  expect(speedscope.exporter).toMatch(without);
  expect(speedscope.name).toMatch(/^ptflame, without 853 calls/);
  expect(firefox.meta.extra[0]?.entries[0]).toMatchObject({
    label: 'Left out',
    value: '853 calls shorter than 252 µs',
  });
});

test('of a selected part, times are those of the part', async () => {
  const window = { from: { afterStartNs: 400_000 }, to: { afterStartNs: 500_000 } };
  const { profile, firefox, speedscope } = await filesOf(fixture('demo/threads.perf.txt.gz'), { window });
  const expected = [...functionTimesOf(profile).values()].map((times) => linesOf(withTime(times)));
  expect(firefox.threads.map((thread) => linesOf(withTime(timesOfThread(firefox, thread))))).toEqual(expected);
  const shown = speedscope.profiles.map((own) => linesOf(withTime(timesOfProfile(speedscope, own))));
  expect(shown).toEqual(expected);
  const times = firefox.threads.map(({ samples }) => [samples.time[0], samples.time.at(-1)]);
  expect(times).toEqual([
    [0, 0.1],
    [0, 0.1],
    [0, 0.042482],
    [0, 0.1],
  ]);
  expect(firefox.meta.extra[0]?.entries[0]).toMatchObject({ label: 'Selected', value: 'from +400 µs to +500 µs' });
});

/** Calls that end where the part begins have none. */
const withTime = (times: readonly FunctionTime[]) => times.filter(({ totalNs }) => totalNs > 0);

test('a known date and known lines are in the files', async () => {
  const { profile, longestCalls } = await callsOf(strangeTrace());
  const { symbols, meta } = profile;
  const lines = symbolLines(
    symbols.name.map((name) => (name === 'plain' ? { file: '/src/p\u001b.c', line: 7 } : null)),
  );
  const nothing = { host: null, kernel: null, cpu: 'CPU', perf: null, command: ['perf', 'record', 'a b'] };
  const recorded = { ...nothing, startedAt: '2026-11-22T10:00:00.123Z' };
  const known = { ...profile, symbols: { ...symbols, lines }, meta: { ...meta, recorded } };
  const [firefox, speedscope] = await Promise.all(
    [renderFirefox, renderSpeedscope].map(async (render) => `${await rendered(render(known, longestCalls))}`),
  );
  const { meta: head, shared } = JSON.parse(firefox as string) as FirefoxFile;
  expect(head).toMatchObject({ startTime: Date.parse(recorded.startedAt), CPUName: 'CPU' });
  expect(head).toMatchObject({ arguments: "perf record 'a b'" });
  const row = shared.funcTable.name.findIndex((name) => shared.stringArray[name] === 'plain');
  const source = shared.funcTable.source[row] as number;
  expect(shared.stringArray[shared.sources.filename[source] as number]).toBe('/src/p\\x1b.c');
  expect(shared.funcTable.lineNumber[row]).toBe(7);
  expect(shared.funcTable.source.filter((own) => own !== null)).toHaveLength(1);
  const { frames } = (JSON.parse(speedscope as string) as SpeedscopeFile).shared;
  expect(frames.find(({ name }) => name === 'plain')).toEqual({ name: 'plain', file: '/src/p\\x1b.c', line: 7 });
});
