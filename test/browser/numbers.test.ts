/**
 * Reads every cell of every table of every kind of page, and every number of the panel, and compares them with the JSON of the
 * question that they answer. A column or a row without a declared truth fails.
 */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { startServer } from '../../cli/serve/server.js';
import { traceSite } from '../../cli/serve/trace-site.js';
import {
  type Diff,
  type DiffRow,
  diffOf,
  type FunctionRow,
  latencyAnswer,
  locksAnswer,
  reportOf,
  type SlowWait,
  type WaitThread,
  waitsAnswer,
} from '../../src/answers.js';
import { ProfileSum } from '../../src/fleet/merge-profiles.js';
import { askLatency, askLocks, askWaits, type Profile, profileBlockedTime, renderJson } from '../../src/index.js';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { renderComparedHtml, renderHtmlInParallel } from '../../src/page/html.js';
import { compareProfiles } from '../../src/render/diff/comparison.js';
import {
  formatAtLeast,
  formatAverageCount,
  formatCalls,
  formatCount,
  formatDifference,
  formatDuration,
  formatLongest,
  formatMany,
  formatPercentChange,
  formatPercentile,
  formatShare,
  formatTotal,
} from '../../src/render/format.js';
import { windows } from '../helpers/browser/browser.js';
import { drawn } from '../helpers/browser/drawing.js';
import { ALL_COLUMNS, eventually, goTo, htmlOf, rows, SHOWN_NAMES, titles } from '../helpers/browser/report-page.js';
import { servedTrace } from '../helpers/browser/served-trace.js';
import { analyzeText, fixture, inputOf } from '../helpers/traces/load.js';

const browser = windows('html', { viewport: { width: 2000, height: 4000 } });

/** The columns of a profile file that sums are made of. */
interface WrittenThread {
  readonly tid: number;
  readonly comm: string | null;
  readonly tree: Readonly<Record<'parent' | 'symbol' | 'calls' | 'selfNs', readonly number[]>> &
    Readonly<Record<'inferredCalls' | 'unwoundCalls' | 'completeNs' | 'longestCutNs', readonly number[]>> &
    Readonly<Record<'minNs' | 'maxNs', readonly (number | null)[]>>;
}

interface Written {
  readonly symbols: { readonly name: readonly string[]; readonly kind: readonly string[] };
  readonly threads: readonly WrittenThread[];
}

const written = (profile: Profile): Written => JSON.parse([...renderJson(profile)].join(''));

type Counts = (stop: string | null, tree: WrittenThread['tree'], node: number) => number;

/** What counts as a function's time of a kind; `stop`: the kind of stop, if it is one. */
const time = (counts: (stop: string | null) => boolean): Counts => {
  return (stop, { selfNs }, node) => (counts(stop) ? (selfNs[node] as number) : 0);
};
const OFF_CPU = ['[off-cpu]', '[preempted]'];
const isOffCpu = (stop: string | null) => stop !== null && OFF_CPU.includes(stop);
const isStop = (stop: string | null) => stop !== null;
const CALLS: Counts = (_, { calls }, node) => calls[node] as number;

/** Sums up trees by function, as simply as possible: with all callees, recursion once. */
function totals({ symbols, threads }: Written, counts: Counts): { of: (name: string) => number; all: number } {
  const sums = new Map<string, number>();
  let all = 0;
  for (const { tree } of threads)
    for (let node = 1; node < tree.parent.length; node++) {
      const nameAt = (at: number) => symbols.name[tree.symbol[at] as number] as string;
      const isSynthetic = symbols.kind[tree.symbol[node] as number] === 'synthetic';
      const own = counts(isSynthetic ? nameAt(node) : null, tree, node);
      all += own;
      const path = new Set<string>();
      for (let at = node; at > 0; at = tree.parent[at] as number) path.add(nameAt(at));
      for (const name of path) sums.set(name, (sums.get(name) ?? 0) + own);
    }
  return { of: (name) => sums.get(name) ?? 0, all };
}

/** Titles of columns, and what they must show of a row; null: no number. */
type Truth<Row> = Readonly<Record<string, ((row: Row) => string) | null>>;

const duration = (ns: number | null) => (ns === null ? '–' : formatDuration(ns));

/** What a page must show of a function, as its report in JSON has it. `file`: the profile. */
function functionTruth(file: Written, hasSwitches: boolean, allNs: number): Truth<FunctionRow> {
  const offCpu = totals(file, time(isOffCpu));
  return {
    Function: ({ name }) => shown(name),
    Total: formatTotal,
    Share: ({ totalNs }) => formatShare(totalNs, allNs),
    Self: ({ selfNs }) => formatDuration(selfNs),
    ...callTruth('Calls'),
    Waiting: ({ outsideNs }) => formatDuration(outsideNs),
    'Waiting self': ({ outsideSelfNs }) => formatDuration(outsideSelfNs),
    'Waiting %': ({ outsideNs, totalNs }) => (totalNs > 0 ? formatShare(outsideNs, totalNs) : '–'),
    Running: ({ onCpuNs }) => formatDuration(onCpuNs),
    ...(hasSwitches && { 'Off CPU': ({ name }: FunctionRow) => formatDuration(offCpu.of(name)) }),
    Unwound: ({ unwound }) => formatCount(unwound),
    p50: (row) => formatPercentile(row.p50Ns, row, 0.5),
    p90: (row) => formatPercentile(row.p90Ns, row, 0.9),
    p99: (row) => formatPercentile(row.p99Ns, row, 0.99),
  };
}

const shown = (name: string) => SHOWN_NAMES[name] ?? name.replace(/^-- /, '');

function callTruth(title: string): Truth<FunctionRow> {
  return {
    [title]: ({ calls, inferred }) => (calls === 0 ? '–' : `${formatCount(calls)}${inferred > 0 ? '*' : ''}`),
    Average: averageTruth,
    Min: ({ minNs }) => duration(minNs),
    Max: ({ maxNs, longestCutNs }) => formatLongest(maxNs, longestCutNs),
  };
}

/** Of complete calls; with inferred ones, a lower bound that is not below what is known of all of them. */
function averageTruth({ calls, inferred, avgNs, longestCutNs, totalNs }: FunctionRow): string {
  if (inferred === 0) return duration(avgNs);
  const complete = (calls - inferred) * (avgNs ?? 0);
  const [leastNs, mostNs] = [complete + (longestCutNs ?? 0), complete + inferred * (longestCutNs ?? 0)];
  const knownNs = totalNs > leastNs && totalNs <= 1.01 * mostNs ? totalNs : leastNs;
  return knownNs > 0 ? formatAtLeast(Math.floor(knownNs / calls)) : '–';
}

/** Of blocked time, the parts of waits; nothing of CPUs. */
const blockedTruth = (allNs: number): Truth<FunctionRow> => ({
  Function: ({ name }) => shown(name),
  Blocked: ({ totalNs }) => formatDuration(totalNs),
  Share: ({ totalNs }) => formatShare(totalNs, allNs),
  ...callTruth('Parts'),
});

/** With another width, the first columns are of it. */
function widthTruth(file: Written, width: string, hasSwitches: boolean, own: Truth<FunctionRow>): Truth<FunctionRow> {
  const { title, counts, format = formatDuration } = WIDTHS(hasSwitches)[width] as Width;
  const weights = totals(file, counts);
  return {
    ...own,
    [title]: ({ name }) => format(weights.of(name)),
    Share: ({ name }) => formatShare(weights.of(name), weights.all),
    ...(width === 'cpu' && { Self: null }),
    ...(width === 'off-cpu' && { 'Off CPU self': ({ name }: FunctionRow) => format(ownWaits(file).get(name) ?? 0) }),
  };
}

/** Time off the CPU, by stop and by the function that entered it. */
function ownWaits({ symbols, threads }: Written): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { tree } of threads)
    for (let node = 1; node < tree.parent.length; node++) {
      const nameAt = (at: number) => symbols.name[tree.symbol[at] as number] as string;
      const isSynthetic = (at: number) => symbols.kind[tree.symbol[at] as number] === 'synthetic';
      if (!isSynthetic(node) || !isOffCpu(nameAt(node))) continue;
      let below = tree.parent[node] as number;
      while (below > 0 && isSynthetic(below)) below = tree.parent[below] as number;
      for (const name of [nameAt(node), ...(below > 0 ? [nameAt(below)] : [])])
        sums.set(name, (sums.get(name) ?? 0) + (tree.selfNs[node] as number));
    }
  return sums;
}

interface Width {
  readonly title: string;
  readonly counts: Counts;
  readonly format?: (value: number) => string;
}

const WIDTHS = (hasSwitches: boolean): Readonly<Record<string, Width>> => ({
  cpu: {
    title: 'Running',
    counts: time((stop) => (hasSwitches ? !isOffCpu(stop) && stop !== '[lost]' : !isStop(stop))),
  },
  outside: { title: 'Waiting', counts: time(isStop) },
  ...(hasSwitches && { 'off-cpu': { title: 'Off CPU', counts: time(isOffCpu) } }),
  calls: { title: 'With callees', counts: CALLS, format: formatCount },
});

/** Returns the titles of a table without the arrow of sorting, and all its rows. */
async function tableOf(page: Page, label: string): Promise<{ titles: string[]; cells: string[][] }> {
  const heads = (await titles(page, label)).map((title) => title.replace(/ [↑↓]$/, ''));
  const count = Number(await page.locator(`.table[aria-label="${label}"]`).getAttribute('aria-rowcount')) - 1;
  await eventually(async () => (await rows(page, label)).length).toBe(count);
  const names = await page.$$eval(`.table[aria-label="${label}"] .row`, (all) =>
    all.map((row) => row.querySelector('.names [title]')?.getAttribute('title')?.split('\n')[0] ?? ''),
  ); // texts of cells may be shortened
  const cells = (await rows(page, label)).map(([, ...others], row) => [names[row] as string, ...others]);
  return { titles: heads, cells };
}

/** Compares each cell with the truth of its column. `keyOf`: the row of an answer that cells are of. */
function expectTrue<Row>(
  { titles, cells }: { titles: readonly string[]; cells: readonly (readonly string[])[] },
  truth: Truth<Row>,
  rowOf: (cells: readonly string[]) => Row | undefined,
): void {
  expect(titles.filter((title) => !(title in truth))).toEqual([]); // each column has a truth
  for (const shown of cells) {
    const row = rowOf(shown);
    expect(row, `${shown[0]} is in no answer`).toBeDefined();
    titles.forEach((title, at) => {
      const text = truth[title];
      if (text) expect(shown[at], `${title} of ${shown[0]}`).toBe(text(row as Row));
    });
  }
}

/** Names are unique in these traces. */
const byName = <Row extends { readonly name: string }>(all: readonly Row[]) => {
  const named = new Map(all.map((row) => [shown(row.name), row]));
  return (cells: readonly string[]) => named.get(cells[0] as string);
};

/** Compares the numbers of the panel: those of the row. */
async function expectTruePanel(page: Page, name: string, truth: Truth<FunctionRow>, row: FunctionRow): Promise<void> {
  await page
    .locator('.table[aria-label="Functions"] .row', { has: page.getByText(name, { exact: true }) })
    .first()
    .click();
  await page.locator('.panel h2').getByText(name, { exact: true }).waitFor(); // not of __libc_start_main, clicked before main
  await expectTrueNumbers(page, name, truth, row);
}

async function expectTrueNumbers(page: Page, name: string, truth: Truth<FunctionRow>, row: FunctionRow): Promise<void> {
  const shown = await page.$$eval('.panel dl > div', (all) =>
    all.map((each) => [...each.children].map(({ textContent }) => textContent ?? '')),
  );
  const text = (title: string) => truth[title]?.(row) ?? 'no truth';
  const known: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.keys(truth).map((title) => [title, text(title)])),
    'Parts of waits': formatCalls(row.calls, row.inferred),
    Inferred: formatCount(row.inferred),
  };
  expect(shown.length).toBeGreaterThan(3);
  for (const [label, value] of shown) {
    // no question has it; how wide it is, test/analysis/compare.test.ts shows
    if (label === 'Average ±') expect(row.calls - row.inferred, `${label} of ${name}`).toBeGreaterThan(1);
    else expect(value, `${label} of ${name}`).toBe(known[label as string]);
  }
}

/** Smaller parts of a call are not listed. */
const EXPLAINED = 0.05;

/** Compares the slowest complete calls in the panel with those of `latency`. */
async function expectTrueCalls(
  page: Page,
  { slowest }: Latency,
  { longestCutNs, inferred }: FunctionRow,
): Promise<void> {
  const known = slowest.map(({ tid, comm, start, durationNs, differences }) => [
    formatDuration(durationNs),
    `${comm ?? ''} ${tid}`.trim(),
    start,
    differences
      .filter(({ depth, isSelf, differenceNs }) => depth === 1 && !isSelf && differenceNs > EXPLAINED * durationNs)
      .slice(0, 2)
      .map(({ name, differenceNs }) => `${name} +${formatDuration(differenceNs)}`)
      .join(', '),
  ]);
  const shown = await page.$$eval('.calls table tr:not(:first-child)', (all) =>
    all.map((row) =>
      [...row.children].map((cell, at) => (at === 2 && cell.getAttribute('title')) || (cell.textContent ?? '')),
    ),
  );
  const complete = shown.filter(([duration]) => !duration?.startsWith('≥'));
  expect(complete).toEqual(known.slice(0, complete.length));
  if (shown.length < 10) expect(complete).toHaveLength(known.length);
  const cut = shown.flatMap(([duration]) => (duration?.startsWith('≥') ? [duration] : []));
  expect(cut.length).toBeLessThanOrEqual(inferred);
  if (shown.length < 10) expect(cut).toHaveLength(inferred);
  if (cut.length > 0) expect(cut[0]).toBe(formatLongest(null, longestCutNs));
}

/** Compares the waits in the panel with those of `waits`. */
async function expectTrueWaits(page: Page, { stats, reasons, wakers }: WaitsAnswer, all: WaitsAnswer): Promise<void> {
  const [head] = await page.locator('.waits h3').allTextContents();
  const { waits, totalNs, wakeUpNs } = stats;
  const text = `${formatMany(waits, 'wait')} · ${formatDuration(totalNs)} · ${formatDuration(wakeUpNs)} of it waking up`;
  expect(head).toBe(waits === 0 ? undefined : text);
  if (waits === 0) return;
  const rows = await waitRows(page);
  const waitsOf = ([, , count = '']: readonly string[]) => Number(count.replaceAll(',', ''));
  expect(rows.reduce((sum, row) => sum + waitsOf(row), 0)).toBe(waits);
  for (const { reason, stats: own } of reasons) {
    const listed = rows.filter(([, why = '']) => why.replace(', held', '') === reason);
    expect(
      listed.reduce((sum, row) => sum + waitsOf(row), 0),
      reason,
    ).toBeLessThanOrEqual(own.waits); // others have no reason
  }
  let known = 0;
  for (const row of rows) {
    const [, tid, name] = /^(?!maybe )\S+ (\d+): (.*)$/.exec(row[0] ?? '') ?? [];
    if (tid === undefined || row[1]?.endsWith('held')) continue;
    const own = wakers.find(
      (waker) => waker.function?.name === name && waker.threads.some((each) => `${each.tid}` === tid),
    );
    expect(own, row[0]).toBeDefined();
    expect(waitsOf(row), row[0]).toBeLessThanOrEqual(own?.stats.waits ?? 0);
    if (own === undefined || waitsOf(row) < own.stats.waits) continue; // of several reasons
    known++;
    expect(row.slice(3), row[0]).toEqual([formatDuration(own.stats.totalNs), formatDuration(own.stats.wakeUpNs)]);
  }
  expect(known).toBeGreaterThan(0);
  await expectTrueLongest(page, all);
}

const waitRows = (page: Page) =>
  page.$$eval('.waits tr:not(:first-child)', (all) =>
    all.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
  );

/** A wait, and for whom and why it was, in the words of the panel but for the waker's function. */
interface BlockedWait {
  readonly blocker: string;
  readonly ns: number;
  readonly wakeUpNs: number;
}

/** Returns the waits within calls of a function, all complete, as `waits` and `locks` describe them one by one. */
async function waitsWithin(open: () => ReturnType<typeof inputOf>, name: string): Promise<BlockedWait[]> {
  const slowest = 10_000;
  const all = waitsAnswer(await askWaits([open()], { slowest })).slowest;
  const { inside, slowest: calls } = waitsAnswer(await askWaits([open()], { inside: exactly(name), slowest }));
  expect(calls).toHaveLength(inside?.calls ?? 0);
  const locks = locksAnswer(await askLocks([open()], { slowest })).slowest;
  const startNs = ({ start }: { readonly start: string }) => Number(start.replace('.', ''));
  const isWithin = (wait: SlowWait, call: SlowWait) =>
    call.thread.tid === wait.thread.tid &&
    startNs(call) <= startNs(wait) &&
    startNs(wait) + wait.durationNs <= startNs(call) + call.durationNs;
  const within = all.filter((wait) => calls.some((call) => isWithin(wait, call)));
  return within.map((wait) => {
    const own = locks.find(({ thread, start }) => thread.tid === wait.thread.tid && start === wait.start);
    const wakeUps = wait.path.filter(({ kind, depth }) => kind === 'wake-up' && depth === 0);
    return {
      blocker: own?.holder ? `${threadOf(own.holder)} · ${reasonOf(wait)}, held` : endOf(wait),
      ns: wait.durationNs,
      wakeUpNs: wakeUps.reduce((sum, { durationNs }) => sum + durationNs, 0),
    };
  });
}

const threadOf = ({ tid, comm, isTraced }: WaitThread) => (isTraced ? `${comm} ${tid}` : `[${comm} ${tid}]`);
const reasonOf = ({ reason, isReasonInferred }: SlowWait) =>
  reason === 'unknown' ? '' : `${reason ?? ''}${isReasonInferred ? ' (inferred)' : ''}`;

/** What ended a wait: what its critical path has before the thread woke up. */
function endOf(wait: SlowWait): string {
  const last = wait.path.findLast(({ kind, depth }) => depth > 0 || kind !== 'wake-up');
  if (last === undefined) return `[not seen] · ${reasonOf(wait)}`;
  const { kind, depth, thread, waker } = last;
  if (depth > 0) return `${threadOf(thread)} · ${reasonOf(wait)}`;
  if (kind === 'preempted') return '[another on its CPU] · preempted';
  const ends: Partial<Record<typeof kind, string>> = {
    interrupt: '[interrupt] a timer or a device',
    'not-seen': '[not seen]',
    'not-traced': waker ? threadOf(waker) : '',
    'maybe-thread': waker ? `maybe ${threadOf(waker)}` : '',
  };
  return `${ends[kind] ?? kind} · ${reasonOf(wait)}`;
}

/**
 * Compares rows with the waits for their blockers. Those of one blocker are apart by the function in which it ended the waits, which
 * no answer says of a single wait, and some of them may be among the others: of these, only counts and sums are compared.
 */
function expectTrueBlockers(rows: readonly (readonly string[])[], waits: readonly BlockedWait[]): void {
  const blockerOf = ([who = '', why = '']: readonly string[]) => `${who.replace(/(?<= \d+\]?): .*$/, '')} · ${why}`;
  const countOf = (all: readonly (readonly string[])[]) => all.reduce((sum, [, , count]) => sum + Number(count), 0);
  const listed = rows.filter(([who]) => who !== 'others');
  const own = (blocker: string) => waits.filter((wait) => wait.blocker === blocker);
  const ns = (all: readonly BlockedWait[]) => all.reduce((sum, wait) => sum + wait.ns, 0);
  const wakeUpNs = (all: readonly BlockedWait[]) => all.reduce((sum, wait) => sum + wait.wakeUpNs, 0);
  let whole = 0;
  for (const blocker of new Set(listed.map(blockerOf))) {
    const [row, ...more] = listed.filter((each) => blockerOf(each) === blocker);
    const known = own(blocker);
    expect(countOf([row ?? [], ...more]), blocker).toBeLessThanOrEqual(known.length);
    if (more.length > 0 || Number(row?.[2]) < known.length) continue;
    expect(row?.slice(3), blocker).toEqual([formatDuration(ns(known)), formatDuration(wakeUpNs(known))]);
    whole++;
  }
  expect(whole).toBeGreaterThan(0);
  expect(countOf(rows)).toBe(waits.length);
  for (const [column, all] of [
    [3, ns(waits)],
    [4, wakeUpNs(waits)],
  ] as const) {
    const sum = rows.reduce((sum, row) => sum + shownNs(row[column] ?? ''), 0);
    expect(Math.abs(sum - all), `column ${column}`).toBeLessThanOrEqual(0.005 * all); // three digits are shown
  }
}

const UNITS: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

function shownNs(text: string): number {
  const [value = '', unit = ''] = text.split(' ');
  return Number(value) * (UNITS[unit] ?? Number.NaN);
}

/** Compares the longest wait in the panel, and its pieces, with the wait of that thread among all. */
async function expectTrueLongest(page: Page, { slowest }: WaitsAnswer): Promise<void> {
  const title = (await page.locator('.waits h3').allTextContents())[1] ?? '';
  const [, duration, tid] = /^Longest: (.*) of .*?(\d+), /.exec(title) ?? [];
  const pieces = await page.$$eval('.waits .chain .piece', (all) =>
    all.map((piece) => piece.getAttribute('title') ?? ''),
  );
  const shown = pieces.map((piece) => piece.split(' · ').at(-1));
  const known = slowest
    .filter(({ thread, durationNs }) => `${thread.tid}` === tid && formatDuration(durationNs) === duration)
    .map(({ path }) => path.map(({ durationNs }) => formatDuration(durationNs)));
  expect(known, title).toContainEqual(shown);
}

/** Compares callers and callees in the panel, and its histogram, with the tree. Recursive functions count once: not these. */
async function expectTrueNeighbours(page: Page, { symbols, threads }: Written, { name, calls, inferred }: FunctionRow) {
  const [callers, callees] = [new Map<string, number>(), new Map<string, number>()];
  let selfNs = 0;
  for (const { tree } of threads) {
    const totalNs = [...tree.selfNs];
    for (let node = totalNs.length - 1; node > 0; node--)
      totalNs[tree.parent[node] as number] =
        (totalNs[tree.parent[node] as number] as number) + (totalNs[node] as number);
    for (let node = 1; node < tree.parent.length; node++) {
      const nameAt = (at: number) => (at > 0 ? symbols.name[tree.symbol[at] as number] : '') as string;
      const caller = nameAt(tree.parent[node] as number);
      const add = (sums: Map<string, number>, key: string) =>
        sums.set(shown(key), (sums.get(shown(key)) ?? 0) + (totalNs[node] as number));
      if (nameAt(node) === name) selfNs += tree.selfNs[node] as number;
      if (nameAt(node) === name && caller !== '') add(callers, caller);
      if (caller === name) add(callees, nameAt(node));
    }
  }
  if (callers.has(name)) return;
  const bars = (await page.locator('.panel .histogram').getAttribute('aria-label')) ?? '';
  const counted = [...bars.matchAll(/: ([\d,]+) calls?/g)].map(([, count = '']) => Number(count.replaceAll(',', '')));
  expect(
    counted.reduce((sum, count) => sum + count, 0),
    `calls in the histogram of ${name}`,
  ).toBe(calls - inferred);
  await page.locator('#tab-callers').click();
  const [above = [], below = []] = await page.$$eval('.panel .paths > h3', (all) =>
    all.map((head) => {
      const listed: string[][] = [];
      for (let next = head.nextElementSibling; next?.classList.contains('path'); next = next.nextElementSibling)
        listed.push(['bdi', 'span:not([class])'].map((part) => next?.querySelector(part)?.textContent ?? ''));
      return listed;
    }),
  );
  if (selfNs > 0) callees.set('itself', selfNs);
  for (const [listed, truth] of [
    [above, callers],
    [below, callees],
  ] as const)
    expect(Object.fromEntries(listed), `neighbours of ${name}`).toEqual(
      Object.fromEntries([...truth].map(([other, ns]) => [other, formatDuration(ns)])),
    );
}

type PathRow = FunctionRow & { readonly offCpuNs: number };

/** Sums up the nodes of all threads by call path: its names, joined. */
function pathsOf({ symbols, threads }: Written, hasSwitches: boolean): Map<string, PathRow> {
  const rows = new Map<string, Mutable<PathRow> & { completeNs: number }>();
  for (const { tree } of threads) {
    const nameAt = (at: number) => symbols.name[tree.symbol[at] as number] as string;
    const pathTo = (at: number): string[] => (at > 0 ? [...pathTo(tree.parent[at] as number), shown(nameAt(at))] : []);
    for (let node = 1; node < tree.parent.length; node++) {
      const stop = symbols.kind[tree.symbol[node] as number] === 'synthetic' ? nameAt(node) : null;
      const path = pathTo(node);
      const ns = tree.selfNs[node] as number;
      for (let length = path.length; length > 0; length--) {
        const row = rowAt(rows, path.slice(0, length));
        row.totalNs += ns;
        if (isStop(stop)) row.outsideNs += ns;
        if (isOffCpu(stop)) row.offCpuNs += ns;
        if (hasSwitches ? !isOffCpu(stop) && stop !== '[lost]' : !isStop(stop)) row.onCpuNs += ns;
      }
      const row = rowAt(rows, path);
      for (let at = node, isDone = !isStop(stop); !isDone && at > 0; at = tree.parent[at] as number) {
        isDone = symbols.kind[tree.symbol[at] as number] !== 'synthetic'; // the function that entered the stop
        rowAt(rows, pathTo(at)).outsideSelfNs += ns;
      }
      row.isStop = isStop(stop);
      row.selfNs += ns;
      row.calls += tree.calls[node] as number;
      row.inferred += tree.inferredCalls[node] as number;
      row.unwound += tree.unwoundCalls[node] as number;
      row.completeNs += tree.completeNs[node] as number;
      row.longestCutNs = Math.max(row.longestCutNs ?? 0, tree.longestCutNs[node] as number) || null;
      const [minNs = null, maxNs = null] = [tree.minNs[node], tree.maxNs[node]];
      if (minNs !== null) row.minNs = Math.min(row.minNs ?? Number.POSITIVE_INFINITY, minNs);
      if (maxNs !== null) row.maxNs = Math.max(row.maxNs ?? 0, maxNs);
      row.avgNs = row.calls > row.inferred ? row.completeNs / (row.calls - row.inferred) : null;
    }
  }
  return rows;
}

type Mutable<Row> = { -readonly [key in keyof Row]: Row[key] };

function rowAt<Row>(rows: Map<string, Row>, path: readonly string[]): Row {
  const key = path.join('\n');
  const times = { totalNs: 0, selfNs: 0, outsideNs: 0, outsideSelfNs: 0, onCpuNs: 0, offCpuNs: 0, completeNs: 0 };
  const none = { avgNs: null, minNs: null, maxNs: null, longestCutNs: null, p50Ns: null, p90Ns: null, p99Ns: null };
  const row = rows.get(key) ?? ({ name: path.at(-1), calls: 0, inferred: 0, unwound: 0, ...times, ...none } as Row);
  rows.set(key, row);
  return row;
}

/** Compares each column of each call path that the window has room for, all of them open. */
async function expectTrueCallTree(page: Page, file: Written, hasSwitches: boolean, truth: Truth<FunctionRow>) {
  await goTo(page, `#view=tree&${ALL_COLUMNS}`);
  const label = 'Call tree';
  const row = `.table[aria-label="${label}"] .row`;
  await eventually(() => page.locator(row).count()).toBeGreaterThan(0);
  for (let closed = page.locator(`${row}[aria-expanded="false"]`); (await closed.count()) > 0; ) {
    await closed.first().focus();
    await page.keyboard.press('*');
  }
  await page.keyboard.press('Home');
  await eventually(() => page.locator(row).first().getAttribute('aria-rowindex')).toBe('2');
  const levels = await page.$$eval(row, (all) => all.map((own) => Number(own.getAttribute('aria-level'))));
  const heads = (await titles(page, label)).map((title) => title.replace(/ [↑↓]$/, ''));
  const names = await page.$$eval(`${row} .names`, (all) =>
    all.map((own) => own.querySelector('[title]')?.getAttribute('title')?.split('\n')[0] ?? ''),
  );
  const known = pathsOf(file, hasSwitches);
  const ofPath: Truth<PathRow> = {
    ...(truth as Truth<PathRow>),
    'Call path': null, // it says which row is compared
    'Off CPU': ({ offCpuNs }) => formatDuration(offCpuNs),
  };
  const used = file.symbols.name.map(shown);
  const isAlone = (name: string) => used.indexOf(name) === used.lastIndexOf(name);
  const path: string[] = [];
  const cells = (await rows(page, label)).flatMap(([, ...numbers], at) => {
    path.splice((levels[at] as number) - 1, path.length, names[at] as string);
    return path.every(isAlone) ? [[path.join('\n'), ...numbers]] : []; // not of two files
  });
  expectTrue({ titles: heads, cells }, ofPath, ([key = '']) => known.get(key));
  expect(cells.length).toBeGreaterThan(3);
}

/** Checks all tables of a page of a profile, and the panel of the first functions. */
async function expectTrueReport(page: Page, profile: Profile): Promise<void> {
  const { trace, functions, threads = [] } = reportOf(profile, { threads: true });
  const file = written(profile);
  const { hasSwitches, totalNs, isBlockedTime = false } = trace;
  const truthOf = (part: Written, allNs: number) =>
    isBlockedTime ? blockedTruth(allNs) : functionTruth(part, hasSwitches, allNs);
  const truth = truthOf(file, totalNs);
  await goTo(page, `#${ALL_COLUMNS}`);
  const all = page.locator('.graph.main g.frame[aria-label^="all:"]');
  expect(await all.getAttribute('aria-label')).toContain(formatDuration(totalNs));
  const shown = await tableOf(page, 'Functions');
  expect(shown.cells).toHaveLength(functions.length);
  expectTrue(shown, truth, byName(functions));
  const lens = page.locator('.bar button.drop').first();
  if (isBlockedTime) expect(await lens.isVisible()).toBe(false);
  else {
    await lens.click();
    expect(await page.getByRole('menuitemcheckbox').locator('span').allTextContents()).toEqual(lensesOf(hasSwitches));
    await page.keyboard.press('Escape');
  }
  for (const width of Object.keys(isBlockedTime ? {} : WIDTHS(hasSwitches))) {
    await goTo(page, `#width=${width}&${ALL_COLUMNS}`);
    expectTrue(await tableOf(page, 'Functions'), widthTruth(file, width, hasSwitches, truth), byName(functions));
  }
  if (!isBlockedTime) {
    await goTo(page, `#inverted=1&${ALL_COLUMNS}`);
    const self = { ...truth, Share: ({ selfNs }: FunctionRow) => formatShare(selfNs, totalNs) };
    expectTrue(await tableOf(page, 'Functions'), self, byName(functions));
  }
  await expectTrueCallTree(page, file, hasSwitches, truth);
  await goTo(page);
  for (const row of functions.filter((own) => !own.isStop).slice(0, 2))
    await expectTruePanel(page, row.name, truth, row);
  if (!isBlockedTime)
    for (const row of functions.filter((own) => !own.isStop && own.calls > own.inferred).slice(0, 2)) {
      await goTo(page, `#function=${encodeURIComponent(row.name)}&tab=calls`);
      await page.locator('.panel h2', { hasText: row.name }).waitFor();
      await expectTrueNeighbours(page, file, row);
    }
  await goTo(page);
  await expectTrueThreads(page, profile, file);
  for (const { tid, totalNs, functions } of threads.slice(0, 2)) {
    await goTo(page, `#threads=tid:${tid}&${ALL_COLUMNS}`);
    const part = { ...file, threads: file.threads.filter((thread) => thread.tid === tid) };
    await eventually(async () => (await rows(page)).length).toBe(functions.length);
    expectTrue(await tableOf(page, 'Functions'), truthOf(part, totalNs), byName(functions));
  }
}

const lensesOf = (hasSwitches: boolean) =>
  hasSwitches
    ? ['All time', 'Running', 'Waiting', 'Off CPU', 'Calls']
    : ['All time', 'Traced (least running)', 'Waiting', 'Calls'];

/** A row of the table of threads: a thread, or several. */
async function expectTrueThreads(page: Page, profile: Profile, file: Written, hash = ''): Promise<void> {
  const { trace, threads = [] } = reportOf(profile, { threads: true });
  const { hasSwitches, isBlockedTime } = trace;
  const sumOf = (tids: readonly number[], counts: Counts) =>
    totals({ ...file, threads: file.threads.filter(({ tid }) => tids.includes(tid)) }, counts).all;
  type Row = { readonly tids: readonly number[]; readonly which: string; readonly name: string };
  const sum = (row: Row, key: 'totalNs' | 'onCpuNs' | 'outsideNs') =>
    threads.filter(({ tid }) => row.tids.includes(tid)).reduce((all, thread) => all + thread[key], 0);
  const noStops: Counts = (stop, tree, node) => (stop?.startsWith('[') ? 0 : CALLS(stop, tree, node));
  const calls = (row: Row) => formatCount(sumOf(row.tids, noStops));
  const truth: Truth<Row> = {
    ...{ TID: ({ which }) => which, 'Over time': null, Compare: null, 'Recorded, gaps marked': null },
    ...Object.fromEntries(NAMES_OF_THREADS.map((title) => [title, ({ name }: Row) => name])),
    ...(isBlockedTime
      ? { Blocked: (row: Row) => formatDuration(sum(row, 'totalNs')), Parts: calls }
      : {
          'Wall clock': (row: Row) => formatDuration(sum(row, 'totalNs')),
          Running: (row: Row) => formatDuration(sum(row, 'onCpuNs')),
          'Running %': (row: Row) => formatShare(sum(row, 'onCpuNs'), sum(row, 'totalNs')),
          Waiting: (row: Row) => formatDuration(sum(row, 'outsideNs')),
          ...(hasSwitches && { 'Off CPU': (row: Row) => formatDuration(sumOf(row.tids, time(isOffCpu))) }),
          Lost: (row: Row) =>
            formatDuration(
              sumOf(
                row.tids,
                time((stop) => stop === '[lost]'),
              ),
            ),
          Calls: calls,
        }),
  };
  await goTo(page, `#view=threads${hash}`);
  const shown = await tableOf(page, 'Threads');
  const nameOf = ({ tid, comm }: WrittenThread) => comm ?? `thread ${tid}`;
  const at = shown.titles.indexOf('TID');
  expectTrue(shown, truth, (cells) => {
    const [name = '', which = ''] = [(cells[0] as string).replace(/ idle$/, ''), at < 0 ? '' : (cells[at] as string)];
    const own = file.threads.filter(
      (thread) => /^All /.test(name) || (/^\d+$/.test(which) ? `${thread.tid}` === which : nameOf(thread) === name),
    );
    const title = cells[0] as string;
    const noun = own.length > 1 || /^All /.test(name) ? formatMany(own.length, 'thread') : `${own[0]?.tid}`;
    return { tids: own.map(({ tid }) => tid), which: noun, name: title };
  });
}

/** Of a merged profile, they are groups. */
const NAMES_OF_THREADS = ['Thread', 'Command name', 'Host', 'Build'];

async function reportPage(bytes: Uint8Array): Promise<{ page: Page; profile: Profile }> {
  const profile = await analyzeText(bytes, { trees: 'apart', durations: true });
  const page = await browser.open(htmlOf(profile));
  await drawn(page);
  return { page, profile };
}

describe('each number is that of the JSON', () => {
  test.for([
    ['with switches', 'lab/thread-create-switch-migrate.txt'],
    ['without switches, with losses', 'lab/overflow-and-lost.txt'],
    ['with exceptions', 'lab/cpp-exception-operators-lambda.txt'],
  ])('on a report %s', async ([, file]) => {
    const { page, profile } = await reportPage(fixture(file as string));
    await expectTrueReport(page, profile);
    await page.close();
  });

  test('on a page of a window', async () => {
    const window = { from: { afterStartNs: 1000 }, to: { afterStartNs: 5000 } };
    const input = inputOf(fixture('lab/overflow-and-lost.txt'));
    const { profile, waits, timeline } = await analyzeForPage([input], { trees: 'apart', durations: true, window });
    const page = await browser.open(await textOf(renderHtmlInParallel(profile, {}, { waits, timeline })));
    await drawn(page);
    await expectTrueReport(page, profile);
    await page.close();
  });

  test('in a time range, as those of a report of the window', async () => {
    const window = { from: { afterStartNs: 1000 }, to: { afterStartNs: 5000 } };
    const open = () => inputOf(fixture('lab/overflow-and-lost.txt'));
    const settings = { trees: 'apart', durations: true, timelineBytes: 1e7 } as const;
    const { profile, waits, timeline } = await analyzeForPage([open()], settings);
    const { profile: part } = await analyzeForPage([open()], { ...settings, window });
    const page = await browser.open(await textOf(renderHtmlInParallel(profile, {}, { waits, timeline })));
    await drawn(page);
    const { trace, functions } = reportOf(part);
    const known = functionTruth(written(part), trace.hasSwitches, trace.totalNs);
    const truth: Truth<FunctionRow> = { ...known, p50: null, p90: null, p99: null }; // of all calls of a function, or none
    await goTo(page, '#range=1000-5000');
    const shown = await tableOf(page, 'Functions');
    expect(shown.cells).toHaveLength(functions.length);
    expectTrue(shown, truth, byName(functions));
    for (const width of Object.keys(WIDTHS(trace.hasSwitches))) {
      await goTo(page, `#range=1000-5000&width=${width}`);
      const own = widthTruth(written(part), width, trace.hasSwitches, truth);
      expectTrue(await tableOf(page, 'Functions'), own, byName(functions));
    }
    await page.close();
  });

  test.for([
    ['lab/overflow-and-lost.txt', [[1000, 5000]]],
    ['demo/threads.perf.txt.gz', [[100_000, 900_000]]],
    ['waits/requests.txt.gz', [null, [10_000_000, 30_000_000]]],
  ] as const)('of threads, calls and waits on a page of %s, in the ranges %j', async ([file, ranges]) => {
    const open = () => inputOf(fixture(file));
    const settings = { trees: 'apart', durations: true, timelineBytes: 1e7 } as const;
    const { profile, waits, timeline } = await analyzeForPage([open()], settings);
    const page = await browser.open(await textOf(renderHtmlInParallel(profile, {}, { waits, timeline })));
    await drawn(page);
    const allWaits = waits && waitsAnswer(await askWaits([open()], { slowest: 10_000 }));
    for (const range of ranges) {
      const [from, to] = range ?? [];
      const window = range && { from: { afterStartNs: range[0] }, to: { afterStartNs: range[1] } };
      const part = window ? await analyzeText(fixture(file), { ...settings, window }) : profile;
      const hash = range === null ? '' : `&range=${from}-${to}`;
      await expectTrueThreads(page, part, written(part), hash);
      const { trace, functions } = reportOf(part);
      const truth = functionTruth(written(part), trace.hasSwitches, trace.totalNs);
      const shown = functions.filter(({ isStop, calls }) => !isStop && calls > 0);
      for (const row of [shown[0], shown[2], shown[3]]) {
        if (row === undefined) continue;
        await goTo(page, `#function=${encodeURIComponent(row.name)}&tab=calls${hash}`);
        await page.locator('.panel h2').getByText(row.name, { exact: true }).waitFor();
        await expectTrueNumbers(page, row.name, truth, row);
        const question = { functions: exactly(row.name), slowest: 10 };
        const asked = await askLatency([open()], question, window ? { window } : {});
        await expectTrueCalls(page, latencyAnswer(asked.profile, asked.calls, asked.functions), row);
        if (allWaits !== null && range === null) {
          await page.locator('#tab-waits').click();
          await expectTrueWaits(
            page,
            waitsAnswer(await askWaits([open()], { inside: exactly(row.name), slowest: 0 })),
            allWaits,
          );
        }
      }
    }
    await page.close();
  });

  test.for([
    ['queue_pop', [', held', '[not seen]', 'others']],
    ['run_job', ['maybe ', '[not seen]']],
  ] as const)('of each blocker of the waits in %s', async ([name, kinds]) => {
    const open = () => inputOf(fixture('waits/requests.txt.gz'));
    const { profile, waits, timeline } = await analyzeForPage([open()], { trees: 'apart', timelineBytes: 1e7 });
    const page = await browser.open(await textOf(renderHtmlInParallel(profile, {}, { waits, timeline })));
    await drawn(page);
    await goTo(page, `#function=${name}&tab=waits`);
    await page.locator('.panel h2').getByText(name, { exact: true }).waitFor();
    await page.locator('#tab-waits').click();
    await eventually(() => page.locator('.waits tr').count()).toBeGreaterThan(1);
    const shown = await waitRows(page);
    for (const kind of kinds)
      expect(
        shown.some((row) => row.slice(0, 2).join('').includes(kind)),
        kind,
      ).toBe(true);
    expectTrueBlockers(shown, await waitsWithin(open, name));
    await page.close();
  });

  test('on a page of blocked time, whose sums are those of the waits', async () => {
    const inputs = () => ['requests', 'waits'].map((name) => inputOf(fixture(`waits/${name}.txt.gz`), name));
    const profile = await profileBlockedTime(inputs());
    const page = await browser.open(htmlOf(profile));
    await drawn(page);
    await expectTrueReport(page, profile);
    const { trace } = reportOf(profile);
    expect(trace.totalNs).toBe(await blockedNs(inputs()));
    expect(trace).toMatchObject({ outsideNs: trace.totalNs, offCpuNs: trace.totalNs });
    await page.getByRole('button', { name: 'View' }).click();
    expect(await page.getByRole('menu').isVisible()).toBe(true);
    // no durations, no waiting share
    const colours = await page.getByRole('group', { name: 'Colour' }).getByRole('menuitemcheckbox').allTextContents();
    expect(colours.map((text) => text.replace(/a$/, ''))).toEqual(['Library', 'Function']);
    await page.close();
  });

  test('on a merged page', async () => {
    const parts = ['lab/thread-create-switch-migrate.txt', 'lab/cpp-exception-operators-lambda.txt'].map((file) =>
      analyzeText(fixture(file), { trees: 'apart', durations: true }),
    );
    const sum = new ProfileSum('comm');
    for (const part of await Promise.all(parts)) sum.add(part, 'perf.data');
    const profile = sum.build();
    const page = await browser.open(htmlOf(profile));
    await drawn(page);
    await expectTrueReport(page, profile);
    await page.close();
  });

  const closing: (() => unknown)[] = [];
  afterAll(() => Promise.all(closing.map((close) => close())));

  test('on a page that is served', async () => {
    const trace = await servedTrace(inputOf(fixture('lab/cpp-exception-operators-lambda.txt')), 2000);
    const server = await startServer(0);
    closing.push(
      () => server.close(),
      () => trace.close(),
    );
    server.serve(traceSite(trace.levels));
    const page = await browser.openServed(`http://127.0.0.1:${server.port}/${server.token}/`, '');
    await drawn(page);
    await expectTrueReport(page, trace.profile);
    await page.close();
  });

  test('on a page of a comparison', async () => {
    const [before, after] = [
      await analyzeText(fixture('lab/overflow-and-lost.txt'), { durations: true }),
      await analyzeText(fixture('lab/cpp-exception-operators-lambda.txt'), { durations: true }),
    ];
    const diff: Diff = diffOf(before, after);
    const page = await browser.open(
      [...renderComparedHtml(compareProfiles(before, after), { title: 'a → b' })].join(''),
    );
    for (const columns of DIFF_COLUMNS) {
      await goTo(page, `#view=functions&columns=${columns.join()}`);
      const table = await tableOf(page, 'Functions');
      expect(table.cells).toHaveLength(diff.functions.length);
      expect(table.titles).toHaveLength(1 + columns.length);
      expectTrue(table, { Function: null, ...diffTruth() }, byName(diff.functions));
    }
    await page.close();
  });
});

const exactly = (name: string) => new RegExp(`^${name.replace(/[^\w]/g, '\\$&')}$`);

type Latency = ReturnType<typeof latencyAnswer>;
type WaitsAnswer = ReturnType<typeof waitsAnswer>;

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

async function blockedNs(inputs: Parameters<typeof askWaits>[0]): Promise<number> {
  const { threads } = waitsAnswer(await askWaits(inputs, {}));
  return threads.reduce((sum, { stats }) => sum + stats.blockedNs + stats.wakeUpNs, 0);
}

/** Those of one number at a time: all of them are wider than the window. */
const DIFF_COLUMNS = ['total', 'self', 'calls', 'avg', 'p99'].map((key) => [
  ...[key, `${key}-before`, key === 'total' ? 'difference' : `${key}-change`, `${key}-percent`],
]);

type Change = { readonly before: number | null; readonly after: number | null };

/** Titles and columns of the table of a comparison. */
function diffTruth(): Truth<DiffRow> {
  const columns = [
    ['', 'totalNs', duration, formatDifference],
    ['Self', 'selfNs', duration, formatDifference],
    ['Calls', 'calls', (calls: number | null) => (calls === null ? '–' : formatAverageCount(calls)), countChange],
    ['Average', 'avgNs', duration, formatDifference],
    [
      'p99',
      'p99Ns',
      (ns: number | null) => formatPercentile(ns, { minNs: null, maxNs: Number.NaN }, 0.99),
      formatDifference,
    ],
  ] as const;
  return Object.fromEntries(
    columns.flatMap(([title, key, value, difference]) => [
      [title || 'After', (row: DiffRow) => value(row[key].after)],
      [title ? `${title} before` : 'Before', (row: DiffRow) => value(row[key].before)],
      [title ? `${title} change` : 'Change', (row: DiffRow) => differenceText(row, key, difference)],
      [title ? `${title} %` : 'Change %', (row: DiffRow) => percentText(row, key)],
    ]),
  );
}

const noiseOf = (row: DiffRow, key: string) => row.withinNoise[key as keyof DiffRow['withinNoise']] === true;
const countChange = (calls: number) =>
  calls === 0 ? '0' : `${calls > 0 ? '+' : '−'}${formatAverageCount(Math.abs(calls))}`;

type ChangeKey = 'totalNs' | 'selfNs' | 'calls' | 'avgNs' | 'p99Ns';

function differenceText(row: DiffRow, key: ChangeKey, format: (value: number) => string): string {
  const { before, after }: Change = row[key];
  if (before === null || after === null) return '–';
  if (before === after) return '=';
  const sign = row.isNew ? '✚' : row.isGone ? '✕' : noiseOf(row, key) ? '≈' : after > before ? '▲' : '▼';
  return `${sign} ${format(after - before)}`;
}

function percentText(row: DiffRow, key: ChangeKey): string {
  const { before, after }: Change = row[key];
  if (before === null || after === null || (before === 0 && !row.isNew)) return '–';
  return row.isNew ? 'new' : formatPercentChange(before, after);
}
