/**
 * Waits by call path, for the report page: for whom, why, what that thread did meanwhile, and the longest wait.
 */
import { expect, test } from 'vitest';
import { type AnalyzeOptions, analyze, renderJson } from '../../../src/index.js';
import { analyzeForPage, type PageContents } from '../../../src/page/contents/analyze-for-page.js';
import { inputOf } from '../../helpers/traces/load.js';
import { convoyTrace, lockTrace } from '../../helpers/traces/lock-trace.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const ask = (text: string, options: AnalyzeOptions = {}) =>
  analyzeForPage([inputOf(text)], { trees: 'apart', ...options });

function named({ profile, waits }: Pick<PageContents, 'profile' | 'waits'>) {
  if (waits === null) throw new Error('nothing is known of waits');
  const name = (symbol: number) => profile.symbols.name[symbol];
  const pathOf = (node: number): string =>
    node <= 0 ? '' : `${pathOf(waits.paths.parent[node])};${name(waits.paths.symbol[node])}`;
  return waits.places.map(({ node, blockers, longest, ...place }) => ({
    ...place,
    path: pathOf(node),
    blockers: blockers.map(({ symbol, meanwhile, ...blocker }) => {
      return { ...blocker, symbol: name(symbol), meanwhile: meanwhile.map(([at, ns]) => [pathOf(at), ns]) };
    }),
    pieces: longest.pieces.map(({ symbol, ...piece }) => ({ ...piece, symbol: name(symbol) })),
  }));
}

test('a wait for a lock is for its holder, who counted meanwhile', async () => {
  const { profile, waits } = await ask(lockTrace());
  const [customer] = named({ profile, waits });
  expect(customer).toMatchObject({
    tid: 1,
    path: ';main;customer;pthread_mutex_lock;[syscall]',
    isPreempted: false,
    blockers: [{ kind: 'holder', tid: 2, symbol: 'teller', reason: 'mutex', waits: 1, ns: 38, wakeUpNs: 8 }],
    pieces: [
      { kind: 'running', tid: 2, symbol: 'count', ns: 30 },
      { kind: 'wake-up', tid: 1, ns: 8 },
    ],
  });
  expect(customer.blockers[0].meanwhile).toEqual([
    [';main;teller;count', 23],
    [';main;teller;pthread_mutex_unlock', 3],
    [';main;teller', 2],
    [';main;teller;pthread_mutex_unlock;[syscall]', 1],
  ]);
  expect(waits?.threads).toEqual([
    { tid: 1, comm: 'customer', isTraced: true },
    { tid: 2, comm: 'teller', isTraced: true },
  ]);
});

test('a wait for a lock that is passed on has what each holder did while it had the lock', async () => {
  const customer = named(await ask(convoyTrace())).find(({ tid }) => tid === 1);
  expect(customer?.blockers).toMatchObject([{ kind: 'holder', tid: 2, waits: 1, ns: 78 }]);
  const meanwhile = new Map(customer?.blockers[0].meanwhile as [string, number][]);
  expect([meanwhile.get(';main;teller;count'), meanwhile.get(';main;clerk;sign')]).toEqual([23, 20]);
  expect([...meanwhile.values()].reduce((sum, ns) => sum + ns, 0)).toBe(51 - 22 + 91 - 61);
});

test('a wait that did not end is for nobody yet', async () => {
  const [, teller] = named(await ask(lockTrace()));
  expect(teller).toMatchObject({ tid: 2, blockers: [{ kind: 'open', tid: -1, reason: '', ns: 14, wakeUpNs: 0 }] });
});

test('the profile is that of analyze, with and without waits', async () => {
  for (const text of [lockTrace(), lockTrace(false)]) {
    const { profile } = await ask(text, { durations: true });
    const alone = await analyze([inputOf(text)], { trees: 'apart', durations: true });
    expect([...renderJson(profile)].join('')).toBe([...renderJson(alone)].join(''));
  }
});

test('nothing is known of waits without samples, and inside calls only', async () => {
  expect((await ask(lockTrace(false))).waits).toBeNull();
  expect((await ask(lockTrace(), { root: 'main' })).waits).toBeNull();
  expect((await ask(lockTrace(), { inside: [{ functions: 'main' }] })).waits).toBeNull();
});

test('a thread that is not selected is a waker in brackets', async () => {
  const { profile, waits } = await ask(lockTrace(), { select: { tids: [1] } });
  expect(waits?.threads).toContainEqual({ tid: 2, comm: 'teller', isTraced: false });
  const [customer] = named({ profile, waits });
  expect(customer.blockers).toMatchObject([{ kind: 'holder', tid: 2, symbol: undefined, meanwhile: [] }]);
  expect(customer.pieces.map(({ kind, ns }) => [kind, ns])).toEqual([
    ['running', 30],
    ['wake-up', 8],
  ]);
});

test('a wait counts as far as it is in the window', async () => {
  const inWindow = async (from: number, to: number) => {
    const result = await ask(lockTrace(), { window: { from: { afterStartNs: from }, to: { afterStartNs: to } } });
    return result.waits === null
      ? []
      : named(result)
          .filter(({ tid }) => tid === 1)
          .map(({ blockers, pieces }) => [
            ...blockers.map(({ ns, wakeUpNs, meanwhile }) => [ns, wakeUpNs, meanwhile[0]]),
            ...pieces.map(({ kind, ns }) => [kind, ns]),
          ]);
  };
  const count = ';main;teller;count';
  expect(await inWindow(15, 65)).toEqual([
    [
      [38, 8, [count, 23]],
      ['running', 30],
      ['wake-up', 8],
    ],
  ]);
  expect(await inWindow(0, 30)).toEqual([
    [
      [8, 0, [count, 8]],
      ['running', 8],
    ],
  ]);
  expect(await inWindow(30, 56)).toEqual([
    [
      [26, 4, [count, 15]],
      ['running', 22],
      ['wake-up', 4],
    ],
  ]);
  expect(await inWindow(56, 66)).toEqual([
    [
      [4, 4, undefined],
      ['wake-up', 4],
    ],
  ]);
  expect(await inWindow(0, 22)).toEqual([]);
  expect(await inWindow(60, 66)).toEqual([]);
});

/** Functions that each wait once, for another nanosecond than the others. */
function manyPlaces(count: number): string {
  const calls = Array.from({ length: count }, (_, at) => {
    const ns = 10_000 * (at + 1);
    return `
      ${ns}           call             main    f${at}
      ${ns + 10}      tr end  syscall  f${at}
      ${ns + 20}      PERF_RECORD_SWITCH OUT
      ${ns + 30 + at} PERF_RECORD_SWITCH IN
      ${ns + 5000}    tr strt                  f${at}
      ${ns + 6000}    return           f${at}  main`;
  });
  return `${traceOf(calls.join(''))}2 [001] 2.000000000: sched:sched_waking: comm=other pid=9 prio=120 target_cpu=000\n`;
}

test('call paths beyond the 200 with most time are summed up', async () => {
  const { waits } = await ask(manyPlaces(210), { extend: false });
  const ns = waits?.places.map(({ longest }) => longest.ns) ?? [];
  expect(ns).toHaveLength(200);
  expect([Math.max(...ns), Math.min(...ns)]).toEqual([ns[0], ns[199]]);
  expect(ns.at(-1)).toBe(20);
  expect(waits?.unlisted).toEqual({ waits: 10, ns: 10 * 10 + 45 });
});
