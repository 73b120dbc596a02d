/**
 * Waits and locks of a part of the time: adjacent windows add up to the whole, to the nanosecond.
 */
import { describe, expect, test } from 'vitest';
import { locksLines } from '../../../cli/commands/locks.js';
import { waitsLines } from '../../../cli/commands/waits.js';
import { type Locks, locksAnswer, WaitsAnswer, waitsAnswer } from '../../../src/answers.js';
import { type AnalyzedInput, type AnalyzeOptions, askLocks, askWaits, type WaitsQuestion } from '../../../src/index.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { lockTrace } from '../../helpers/traces/lock-trace.js';
import { withEncoded } from '../../waits/helpers/emulated.js';

type Window = NonNullable<AnalyzeOptions['window']>;

async function real(): Promise<AnalyzedInput> {
  const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));
  const sides = [{ name: 'wakings', recording: await recordingOf('waitlab.wake') }];
  return { name: 'waitlab', sampled: await recordingOf('waitlab.proc'), sides, recorded: null, broken: null };
}

const waitsOf = async (input: AnalyzedInput, window?: Window, question: WaitsQuestion = {}): Promise<WaitsAnswer> =>
  WaitsAnswer.parse(waitsAnswer(await askWaits([input], question, { jobs: 1, ...(window && { window }) })));
const locksOf = async (input: AnalyzedInput, window?: Window): Promise<Locks> =>
  locksAnswer(await askLocks([input], { slowest: 1000 }, { jobs: 1, ...(window && { window }) }));

/** Adjacent windows that are together all of the time. */
function windowsAt(...cutsNs: readonly number[]): Window[] {
  const moments = [null, ...cutsNs.map((afterStartNs) => ({ afterStartNs })), null];
  return moments.slice(1).map((to, at) => ({ from: moments[at] ?? null, to }));
}

const CUTS = [123_456_789, 123_456_790, 200_000_003];

type Sums = Map<string, number>;

function added(parts: readonly Sums[]): Sums {
  const sums: Sums = new Map();
  for (const part of parts) for (const [key, ns] of part) if (ns !== 0) sums.set(key, (sums.get(key) ?? 0) + ns);
  return new Map([...sums].sort());
}

const PARTS = ['totalNs', 'blockedNs', 'wakeUpNs', 'preemptedNs', 'unknownNs', 'unexplainedNs'] as const;

function waitSums({ stats, reasons, wakers, places, threads }: WaitsAnswer): Sums {
  const rows = [
    ['all', stats] as const,
    ...reasons.map((row) => [`reason ${row.reason}`, row.stats] as const),
    ...wakers.map(({ stats, ...row }) => [JSON.stringify({ ...row, threads: row.threads[0]?.comm }), stats] as const),
    ...places.map(({ stats, ...row }) => [JSON.stringify(row), stats] as const),
    ...threads.map((row) => [`thread ${row.thread.tid}`, row.stats] as const),
  ];
  return new Map(rows.flatMap(([name, own]) => PARTS.map((part) => [`${name} ${part}`, own[part]] as const)));
}

const HELD = ['waitedNs', 'probeNs', 'futexNs', 'passedOnNs', 'wakeUpNs', 'unknownNs', 'openNs'] as const;
const DONE = ['heldNs', 'ranNs', 'blockedNs', 'preemptedNs'] as const;

function lockSums({ total, locks }: Locks): Sums {
  return new Map([
    ...HELD.map((part) => [part, total[part]] as const),
    ...locks.flatMap((lock) => HELD.map((part) => [`${lock.kind} ${lock.address} ${part}`, lock[part]] as const)),
    ...DONE.map((part) => {
      const holders = locks.flatMap((lock) => lock.holders);
      return [`holders ${part}`, holders.reduce((sum, holder) => sum + holder[part], 0)] as const;
    }),
  ]);
}

describe.each([
  ['a real recording', CUTS, (ask: (input: AnalyzedInput) => Promise<void>) => real().then(ask)],
  ['an emulated one', [41_234_567], (ask: (input: AnalyzedInput) => Promise<void>) => withEncoded('cpus-2', ask)],
])('of %s', (_name, cuts, withInput) => {
  test('adjacent windows add up to the whole, and one around everything is the whole', () =>
    withInput(async (input) => {
      const [waits, locks] = [await waitsOf(input), await locksOf(input)];
      const waitParts: WaitsAnswer[] = [];
      const lockParts: Locks[] = [];
      for (const window of windowsAt(...cuts)) {
        waitParts.push(await waitsOf(input, window));
        lockParts.push(await locksOf(input, window));
      }
      expect(added(waitParts.map(waitSums))).toEqual(added([waitSums(waits)]));
      expect(added(lockParts.map(lockSums))).toEqual(added([lockSums(locks)]));
      const ran = (answer: WaitsAnswer) => new Map(answer.threads.map((row) => [`${row.thread.tid}`, row.ranNs]));
      for (const [tid, ns] of added(waitParts.map(ran))) expect(ns).toBeLessThanOrEqual(ran(waits).get(tid) ?? 0);
      const uncut = waitParts.reduce((sum, { stats }) => sum + stats.waits - stats.cutWaits, 0);
      expect(uncut).toBeLessThan(waits.stats.waits);
      const [all] = windowsAt() as [Window];
      const whole = <Answer extends { readonly trace: object }>(answer: Answer) => {
        return { ...answer, trace: { ...answer.trace, part: null } };
      };
      expect(whole(await waitsOf(input, all))).toEqual(waits);
      expect(whole(await locksOf(input, all))).toEqual(locks);
    }));
});

const between = (from: number, to: number): Window => ({ from: { afterStartNs: from }, to: { afterStartNs: to } });

test('a wait that the window cuts counts with its part, but not in averages', async () => {
  const inWindow = (window?: Window, question?: WaitsQuestion) => waitsOf(inputOf(lockTrace()), window, question);
  const { stats, wakeUps, slowest } = await inWindow(between(30, 56), { slowest: 1 });
  expect(stats).toMatchObject({ waits: 1, cutWaits: 1, totalNs: 26, blockedNs: 22, wakeUpNs: 4, longestOpenNs: 26 });
  expect([stats.avgNs, stats.maxNs, wakeUps.waits]).toEqual([null, null, 0]);
  expect(slowest[0]?.path.map(({ fromNs, durationNs }) => [fromNs, durationNs])).toEqual([
    [0, 22],
    [22, 4],
  ]);
  expect((await inWindow(between(22, 60))).stats).toMatchObject({ waits: 1, cutWaits: 0, avgNs: 38 });
  expect((await inWindow(between(0, 22))).stats.waits).toBe(0);
  const lines = waitsLines(await inWindow(between(30, 56)), { inside: undefined, width: 100, top: 0 });
  expect(lines[1]).toBe('only from +30 ns to +56 ns; it cuts 1 wait: not in averages');
  const locks = await locksOf(inputOf(lockTrace()), between(30, 56));
  expect(locks.total).toMatchObject({ waits: 1, cutWaits: 1, waitedNs: 26, futexNs: 21, passedOnNs: 1, wakeUpNs: 4 });
  expect(locksLines(locks, { width: 100, top: 0, address: null })).toContain(
    'only from +30 ns to +56 ns; it cuts 1 wait: not in averages',
  );
});

test('calls that the window cuts are inferred, and stages begin in it', async () => {
  const inWindow = (window: Window) =>
    waitsOf(inputOf(lockTrace()), window, { inside: 'customer', points: ['customer', 'pthread_mutex_lock'] });
  expect(await inWindow(between(0, 90))).toMatchObject({
    inside: { calls: 1, inferred: 0, totalNs: 80, offNs: 38 },
    stages: { complete: 1, incomplete: 0 },
  });
  expect(await inWindow(between(15, 40))).toMatchObject({
    inside: { calls: 1, inferred: 1, totalNs: 25, offNs: 18 },
    stages: { complete: 0, incomplete: 0 },
  });
});
