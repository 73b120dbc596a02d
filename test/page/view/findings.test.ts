/**
 * Tests what the page says of a state, that it agrees with the tables and with `ptflame report`, and that pure waits are
 * hidden everywhere.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import type { CallPaths } from '../../../src/analysis/findings/pure-waits.js';
import { functionSet } from '../../../src/analysis/questions.js';
import { isStop } from '../../../src/analysis/tree/outside.js';
import { analyze, openTraceFile, type Profile, profileBlockedTime } from '../../../src/index.js';
import type { WaitingPlace, WaitsByPath } from '../../../src/model/profile/waits-by-path.js';
import { NONE } from '../../../src/model/units.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { pageTrigger, type TriggeringCall } from '../../../src/page/contents/page-trigger.js';
import { writePageData } from '../../../src/page/data/write.js';
import { chipsOf } from '../../../src/page/view/captions/misfits.js';
import { findingsAt, type ShownFinding } from '../../../src/page/view/findings.js';
import { START, type State, togglePureWaits } from '../../../src/page/view/state.js';
import { Views } from '../../../src/page/view/views.js';
import { isPlaceShown } from '../../../src/page/view/waits.js';
import { reportOf } from '../../../src/questions/report/answer.js';
import { findingsOfProfile, findingText } from '../../../src/render/findings.js';
import { readPageData, symbolOf, viewsOf } from '../../helpers/browser/page-views.js';
import { fixturePath } from '../../helpers/cli/run-cli.js';
import { everyNth } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { analyzeText, inputOf } from '../../helpers/traces/load.js';
import { lockTrace } from '../../helpers/traces/lock-trace.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const analyzed = async (name: string) => analyze([await openTraceFile(fixturePath(name))], { durations: true });
const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);
const textOf = ({ sentence }: ShownFinding) => sentence.map(({ text }) => text).join('');
const textsAt = (views: Views, state: Partial<State> = {}) => findingsAt(views, { ...START, ...state }).map(textOf);
const labelsAt = (views: Views, state: Partial<State> = {}) =>
  findingsAt(views, { ...START, ...state }).map(({ actions }) => actions.map(({ label }) => label).join(', '));

describe('a page of threads that mostly wait', () => {
  const HIDDEN = { ...START, hidesPureWaits: true };
  let views: Views;
  beforeAll(async () => {
    views = viewsOf(await analyzed('demo/threads.perf.txt.gz'));
  });

  test('says so first, and how to go on', () => {
    expect(textsAt(views)).toEqual([
      '96.4 % of the time is 3 call paths that did nothing but wait, the largest in __GI___futex_abstimed_wait_cancelable64 (9 calls, 1.38 ms).',
      'Of the 142 µs on the CPU, 44.7 % is burn itself (44 calls).',
    ]);
    expect(labelsAt(views)).toEqual(['Hide pure waits, Show it', 'Show it, Running']);
    expect(findingsAt(views, START)[0]?.actions.map((action) => 'change' in action && action.change)).toEqual([
      togglePureWaits(START),
      { chosen: symbolOf(views, '__GI___futex_abstimed_wait_cancelable64') },
    ]);
  });

  test('hides them, says what is left, and shows them again', () => {
    expect(textsAt(views, HIDDEN)).toEqual([
      '3.96 ms of pure waiting is hidden; shown is the other 147 µs, most in burn (self 63.3 µs, 43.1 %).',
      'Of the 115 µs on the CPU, 54.9 % is burn itself (44 calls).',
    ]);
    expect(labelsAt(views, HIDDEN)).toEqual(['Show waits again', 'Show it, Running']);
    expect(chipsOf(views, HIDDEN)).toEqual([{ text: 'pure waits hidden, 3.96 ms', undo: { hidesPureWaits: false } }]);
    expect(togglePureWaits(HIDDEN)).toEqual({ hidesPureWaits: false });
  });

  test('follows threads, focus and hidden functions', () => {
    const [first] = textsAt(views, { hidden: [symbolOf(views, 'nap')] });
    expect(first).toBe(
      '90.3 % of the time is one call path that did nothing but wait: __GI___futex_abstimed_wait_cancelable64 (9 calls, 1.38 ms).',
    );
    expect(textsAt(views, { focus: symbolOf(views, 'nap') })).toEqual([]); // nothing else runs there
    expect(textsAt(views, { threads: 'tid:5004' })[0]).not.toBe(textsAt(views)[0]);
  });

  test.each<[string, { threads?: string; focus?: string; hidden?: string; foldsRecursion?: boolean }]>([
    ['all', {}],
    ['a thread', { threads: 'tid:5004' }],
    ['a focus', { focus: 'start_thread' }],
    ['a hidden function', { hidden: 'nap' }],
    ['folded recursion', { foldsRecursion: true }],
  ])('hides the same of the tree and of each thread: %s', (_, { focus, hidden, ...choice }) => {
    const state: State = {
      ...HIDDEN,
      ...choice,
      ...(focus && { focus: symbolOf(views, focus) }),
      ...(hidden && { hidden: [symbolOf(views, hidden)] }),
    };
    const shown = { ...state, hidesPureWaits: false };
    const [before, after] = [views.viewAt(shown), views.viewAt(state)];
    const { ns, waits } = views.pureWaitsAt(state);
    expect(ns).toBeGreaterThan(0);
    expect(after.allNs()).toBeCloseTo(before.allNs() - ns, 3);
    expect(sum([...after.functions().values()].map(({ selfNs }) => selfNs))).toBeCloseTo(after.allNs(), 3);
    const runningNs = (view: typeof before) =>
      sum([...view.functions().values()].filter(({ symbol }) => !isStop(symbol)).map(({ selfNs }) => selfNs));
    expect(runningNs(before) - runningNs(after)).toBeLessThanOrEqual(0.01 * waits.length * runningNs(before));
    const rows = views.threadsAt(state).filter(({ key }) => !('threads' in choice) || key === choice.threads);
    expect(sum(rows.map(({ totalNs }) => totalNs))).toBeCloseTo(after.allNs(), 3);
  });
});

describe('a page with wakings', () => {
  let views: Views;
  beforeAll(async () => {
    const { profile, waits } = await analyzeForPage([inputOf(lockTrace())], { trees: 'apart', durations: true });
    views = new Views(readPageData(Buffer.concat(writePageData(profile, waits))));
  });

  test('says why threads waited', () => {
    expect(textsAt(views)).toEqual([
      '32.5 % of the time is waiting: mutexes 23.8 %, unknown reasons 8.75 %.',
      'Of the 108 ns on the CPU, 37 % is count itself (1 call), then customer 18.5 %.',
    ]);
    expect(labelsAt(views)).toEqual(['Off CPU, Locks', 'Show it, Running']);
  });

  test('gives bounds if it does not know all waits', () => {
    const { waits } = views.data;
    const less = new Views({ ...views.data, waits: waits && { ...waits, unlisted: { waits: 1, ns: 5 } } });
    expect(textsAt(less)[0]).toBe('32.5 % of the time is waiting: mutexes ≥ 23.8 %, unknown reasons ≥ 8.75 %.');
  });

  test('knows no reasons of waits on paths that are left out', () => {
    expect(textsAt(views, { hidden: [symbolOf(views, 'customer')] })[0]).not.toMatch(/waiting/);
  });
});

test('waits of hidden paths are not shown, also inside a focus', () => {
  const place = { tid: 1, node: 2, isPreempted: false } as WaitingPlace;
  const waits = { paths: { parent: [NONE, 0, 1], symbol: [NONE, 10, 12] } } as unknown as WaitsByPath;
  const nap: CallPaths = { below: new Map([[12, null]]) };
  const isShown = (focus: number | null, hiddenWaits: CallPaths | null) =>
    isPlaceShown(waits, place, {
      inside: focus === null ? [] : [functionSet([focus], 13)],
      hidden: null,
      hiddenWaits,
    });
  expect([isShown(null, { below: new Map([[10, nap]]) }), isShown(12, nap)]).toEqual([false, false]);
  expect([isShown(null, nap), isShown(12, { below: new Map([[10, nap]]) }), isShown(12, null)]).toEqual([
    true,
    true,
    true,
  ]);
});

test('blocked time says for whom; it has neither pure waits nor running', async () => {
  const views = viewsOf(await profileBlockedTime([inputOf(lockTrace())]));
  expect(textsAt(views, { hidesPureWaits: true })).toEqual([
    '52 ns of blocked time: waits for teller 55.8 %, still waiting 26.9 %, from waking to running 15.4 %.',
  ]);
  expect(views.viewAt({ ...START, hidesPureWaits: true }).allNs()).toBe(52);
});

test('a collapsed library that has as much time as a function is named, too', async () => {
  const at = (ns: number, what: string, from: string, to: string) =>
    `1 [000] 1.00000000${ns}: ${what} 1010 ${from} => 2000 ${to}\n`;
  const [main, f, puts] = ['main+0x10 (/bin/app)', 'f+0x0 (/bin/app)', 'puts+0x0 (/lib/libc.so.6)'] as const;
  const trace =
    at(0, 'call', main, f) + at(3, 'return', f, main) + at(4, 'call', main, puts) + at(7, 'return', puts, main);
  const said = textsAt(viewsOf(await analyzeText(trace)), { collapsed: ['/lib/libc.so.6'] });
  expect(said.at(-1)).toBe('Of the 7 ns in traced code, 42.9 % is f itself (2 calls), then ▸ libc 42.9 %.');
});

test('a finding without a button is not shown', async () => {
  const views = viewsOf(await analyzed('hardware/overflow-memmove.txt'));
  const merged = new Views({ ...views.data, meta: { ...views.data.meta, merged: { recordings: 2, by: 'comm' } } });
  for (const each of [views, merged])
    for (const { actions } of findingsAt(each, START)) expect(actions.length).toBeGreaterThan(0);
});

test('says nothing of a trace without times, or without a function that stands out', async () => {
  const flat = Array.from({ length: 60 }, (_, at) => `${at * 10} call main f${at}\n${at * 10 + 5} return f${at} main`);
  const profile = await analyzeText(traceOf(`0 call top main\n${flat.join('\n')}\n`));
  expect(textsAt(viewsOf(profile)).filter((text) => /^Of the/.test(text))).toHaveLength(1);
  const { meta, ...rest } = viewsOf(profile).data;
  expect(textsAt(new Views({ ...rest, meta: { ...meta, weight: 'calls' } }))).toEqual([]);
});

/** Traces without branches or without their kinds. */
const WITHOUT_BRANCHES = /fields-(?:callindent|default|power-events-default)|sideband-default/;
const files = everyNth(traceFiles, 3).filter((file) => !WITHOUT_BRANCHES.test(file));

describe.each(files)('%s', (file) => {
  let profile: Profile;
  let views: Views;
  beforeAll(async () => {
    profile = await analyze([await openTraceFile(file)], { durations: true, byCalls: true });
    views = viewsOf(profile);
  });

  test('says the same in page and report', () => {
    const context = {
      meta: profile.meta,
      quality: profile.quality,
      nameOf: (symbol: number) => profile.symbols.name[symbol] as string,
    };
    const said = findingsOfProfile(profile, null).map((finding) => findingText(finding, context));
    expect(textsAt(views).map((text) => text.replace(/ \([^()]*\.so[^()]*\)/, ''))).toEqual(said);
  });

  test('says what the tables have', () => {
    if (profile.meta.weight === 'calls') return;
    const { trace, functions } = reportOf(profile);
    const nsOf = (name: string) => functions.find((row) => row.isStop && row.name === name)?.selfNs ?? 0;
    for (const finding of findingsOfProfile(profile, null)) {
      if (finding.kind === 'lost') expect(finding.ns).toBeCloseTo(nsOf('[lost]'), 3);
      if (finding.kind === 'pure-waits')
        expect(finding.ns * 0.99).toBeLessThanOrEqual(trace.outsideNs - nsOf('[lost]') + 1);
      if (finding.kind !== 'running') continue;
      const running = functions.filter((row) => !row.isStop);
      expect(finding.first.selfNs).toBe(Math.max(...running.map(({ selfNs }) => selfNs)));
      const withoutCpuNs = trace.hasSwitches ? trace.offCpuNs + nsOf('[lost]') : trace.outsideNs;
      expect(finding.ns).toBeCloseTo(trace.totalNs - withoutCpuNs, 3);
    }
  });

  test('hiding pure waits takes at most a hundredth of the running time per call path', () => {
    const { ns, waits } = views.pureWaitsAt(START);
    const [before, after] = [views.viewAt(START), views.viewAt({ ...START, hidesPureWaits: true })];
    const runningNs = ({ tree }: typeof before) =>
      sum(tree.selfNs.filter((_, node) => !isStop(tree.symbol[node] as number)));
    expect(runningNs(before) - runningNs(after)).toBeLessThanOrEqual(0.01 * waits.length * runningNs(before));
    expect(after.allNs()).toBeCloseTo(before.allNs() - ns, 3);
  });
});

describe('a page of a snapshot', () => {
  const call = { name: 'take', startNs: 1000, endNs: 31_000, isRunning: false, orderedAfterNs: 400_000 };
  let profile: Profile;
  beforeAll(async () => {
    profile = await analyzed('demo/threads.perf.txt.gz');
  });

  const viewsWith = (more: Partial<TriggeringCall> = {}) => {
    const [{ tid }] = profile.threads;
    const { originNs, startNs } = profile.meta;
    const ns = (own: number) => Number(originNs) + startNs + own;
    const own = { ...call, tid, startNs: ns(call.startNs), endNs: ns(call.endNs), ...more };
    const views = viewsOf(profile);
    return new Views({ ...views.data, trigger: pageTrigger(own, profile, startNs) });
  };

  test('says first which call it is of, and marks it', () => {
    const views = viewsWith();
    const [first] = findingsAt(views, START);
    const [{ tid, comm }] = profile.threads;
    expect(first && textOf(first)).toBe(
      `Snapshot of a call of take that took 30 µs in thread ${comm} ${tid}; the snapshot was ordered 400 µs after its end.`,
    );
    const range = { startNs: 1000, endNs: 31_000 };
    expect(first?.actions).toEqual([{ label: 'Show it', change: { call: { tid, ...range }, range } }]);
    expect(textsAt(views, { range })[0]).not.toContain('Snapshot');
  });

  test('says so if it was taken before the end of the call', () => {
    expect(textsAt(viewsWith({ orderedAfterNs: -2e6 }))[0]).toMatch(/ordered 2 ms before its end\.$/);
    const [running] = textsAt(viewsWith({ isRunning: true }));
    expect(running).toMatch(/^Snap.* that had run for 30 µs .*; its end is not known\.$/);
  });

  test('whose thread was not traced, has nothing to show', () => {
    expect(labelsAt(viewsWith({ tid: 999_999 }))[0]).toBe('');
  });
});
