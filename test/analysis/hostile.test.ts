/**
 * Hostile traces and questions: answers stay right, and the work grows linearly with the trace.
 */
import { describe, expect, test } from 'vitest';
import { latencyOf } from '../../src/analysis/calls/latency.js';
import { type AnalyzeOptions, analyze } from '../../src/index.js';
import {
  BUCKETS,
  bucketMiddle,
  bucketOf,
  bucketStart,
  DurationsBuilder,
  percentile,
} from '../../src/model/calls/durations.js';
import { askLatency, askStacks } from '../../src/pipeline/analyze.js';
import type { LatencyOptions } from '../../src/pipeline/replay/selection.js';
import { workOf } from '../helpers/checks/work.js';
import { fold, inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';
import { TraceWriter, times } from '../helpers/traces/trace-writer.js';
import { nearestRank } from '../helpers/twin/reference-answers.js';

async function latency(text: string, question: LatencyOptions, options: AnalyzeOptions = {}) {
  const { calls, profile } = await askLatency([inputOf(text)], question, options);
  return { profile, name: (symbol: number) => profile.symbols.name[symbol], ...latencyOf(calls, profile.symbols) };
}

const TWICE = traceOf(`
  10  call    main  a
  30  return  a     main
  40  call    main  a
  45  return  a     main
  50  call    main  b`);

describe('few calls', () => {
  test('lists none, some, or all of the slowest calls', async () => {
    expect((await latency(TWICE, { functions: 'a' })).slowest).toEqual([]);
    expect((await latency(TWICE, { functions: 'a', slowest: 0 })).slowest).toEqual([]);
    const durations = ({ slowest }: Awaited<ReturnType<typeof latency>>) => slowest.map((call) => call.durationNs);
    expect(durations(await latency(TWICE, { functions: 'a', slowest: 1 }))).toEqual([20]);
    expect(durations(await latency(TWICE, { functions: 'a', slowest: 1e9 }))).toEqual([20, 5]);
  });

  test('lists the earlier of equally slow calls first, in whatever order threads appear', async () => {
    const lines = (tid: number, atNs: number) => `
      ${tid}/${atNs}       call    main  a
      ${tid}/${atNs + 10}  return  a     main`;
    const { slowest } = await latency(traceOf([lines(9, 10), lines(3, 20), lines(7, 20)].join('')), {
      functions: 'a',
      slowest: 2,
    });
    expect(slowest.map(({ tid, startNs }) => [tid, startNs])).toEqual([
      [9, 10],
      [3, 20],
    ]);
  });

  test('counts times from the start of the recording, whichever input is read first', async () => {
    const line = (second: number, rest: string) => `1 [000] ${second}.000000000:   ${rest}\n`;
    const early = line(3, 'call   100 main+0x0 => 1000 a+0x0') + line(4, 'return   1010 a+0x10 => 105 main+0x5');
    const late = line(7, 'call   110 main+0x10 => 1000 a+0x0') + line(9, 'return   1010 a+0x10 => 115 main+0x15');
    for (const texts of [
      [early, late],
      [late, early],
    ]) {
      const inputs = () => texts.map((text, row) => inputOf(text, `input ${row}`));
      const { calls, profile } = await askLatency(inputs(), { functions: 'a', slowest: 2 });
      expect(latencyOf(calls, profile.symbols).slowest.map(({ startNs }) => startNs)).toEqual([4e9, 0]);
      const { stacks, atNs } = await askStacks(inputs(), { afterStartNs: 4.5e9 });
      expect([atNs, stacks[0]?.frames.map(({ sinceNs }) => sinceNs)]).toEqual([4.5e9, [0, 4e9]]);
      const { threads } = await analyze(inputs(), { window: { from: { afterStartNs: 5e9 }, to: null } });
      expect(threads.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([[5e9, 6e9]]);
    }
  });

  test('takes the outer of equally long calls as the slowest', async () => {
    const calls = Array.from({ length: 40 }, () => '10  call  a  a');
    const returns = Array.from({ length: 40 }, () => '20  return  a  a');
    const { slowest } = await latency(traceOf([...calls, ...returns].join('\n')), { functions: 'a', slowest: 1 });
    expect(slowest[0]?.differences.map(({ depth, calls: count, ns }) => [depth, count, ns])).toEqual([
      [0, 1, 10],
      [1, 1, 10],
      [1, 0, 0],
    ]);
  });

  test('describes a function without complete calls by the parts of calls that were seen', async () => {
    const { stats, isOfParts, children, histogram, slowest } = await latency(TWICE, { functions: 'main', slowest: 3 });
    expect(stats).toMatchObject({ calls: 1, inferred: 1, totalNs: 0, avgNs: Number.NaN, p50Ns: Number.NaN });
    expect(isOfParts).toBe(true);
    expect(children.map(({ calls, totalNs }) => [calls, totalNs])).toEqual([
      [2, 25],
      [1, 15],
      [1, 0],
    ]);
    expect([histogram, slowest]).toEqual([[], []]);
  });

  test('counts calls that took no time', async () => {
    const text = traceOf('10  call  main  a\n10  return  a  main\n20  call  main  a\n20  return  a  main');
    const { stats, histogram, slowest, children } = await latency(text, { functions: 'a', slowest: 5 });
    expect(stats).toMatchObject({ calls: 2, inferred: 0, totalNs: 0, avgNs: 0, minNs: 0, maxNs: 0, p99Ns: 0 });
    expect(histogram).toEqual([{ fromNs: 0, toNs: 1, calls: 2, outsideCalls: 2, offCpuCalls: 2 }]);
    expect(slowest.map(({ startNs }) => startNs)).toEqual([10, 20]);
    expect(children).toMatchObject([{ calls: 2, totalNs: 0, perCallNs: 0, share: 0 }]);
  });

  test('handles windows that contain nothing', async () => {
    const window = (from: number, to: number) => ({
      window: { from: { afterStartNs: from }, to: { afterStartNs: to } },
    });
    await expect(latency(TWICE, { functions: 'a' }, window(1000, 2000))).rejects.toHaveProperty(
      'code',
      'NOTHING_SELECTED',
    );
    await expect(latency(TWICE, { functions: 'a' }, window(5, 5))).rejects.toHaveProperty('code', 'BAD_OPTION');
    const { stats } = await latency(TWICE, { functions: 'a' }, window(21, 29));
    expect(stats).toMatchObject({ calls: 0, inferred: 0, totalNs: 0 });
  });

  test('accepts the maximum number of conditions, and rejects one more', async () => {
    const inside = (count: number) => ({
      inside: Array.from({ length: count }, () => ({ functions: 'a' })),
      root: 'main',
    });
    expect(fold((await latency(TWICE, { functions: 'a' }, inside(30))).profile)).toBe('main 0\nmain;a 25\n');
    await expect(latency(TWICE, { functions: 'a' }, inside(31))).rejects.toHaveProperty('code', 'BAD_OPTION');
  });

  test('answers questions about system calls', async () => {
    const text = traceOf(`
      10  call             main  read
      20  tr end  syscall  read
      50  tr strt                read
      60  return           read  main`);
    const { stats, callers, name } = await latency(text, { functions: '[syscall]' });
    expect(stats).toMatchObject({ calls: 1, inferred: 0, totalNs: 30, outsideNs: 30, offCpuNs: 0 });
    expect(callers.map(({ caller }) => name(caller))).toEqual(['read']);
  });

  test('counts both blocked and preempted time as off CPU', async () => {
    const waits = (atNs: number, flag: string) => `
      ${atNs}       call          main  f
      ${atNs + 10}  tr end  async  f
      ${atNs + 15}  PERF_RECORD_SWITCH OUT${flag}
      ${atNs + 35}  PERF_RECORD_SWITCH IN
      ${atNs + 40}  tr strt             f
      ${atNs + 50}  return        f     main`;
    const text = traceOf(waits(10, '') + waits(100, ' preempt'));
    const { stats, children, histogram, name } = await latency(text, { functions: 'f' });
    expect(stats).toMatchObject({ calls: 2, totalNs: 100, outsideNs: 60, offCpuNs: 40 });
    expect(children.map(({ symbol, outsideNs, offCpuNs }) => [name(symbol), outsideNs, offCpuNs])).toEqual([
      ['[untraced]', 60, 40],
      [undefined, 0, 0],
    ]);
    expect(histogram).toEqual([
      { fromNs: 16, toNs: 32, calls: 0, outsideCalls: 2, offCpuCalls: 2 },
      { fromNs: 32, toNs: 64, calls: 2, outsideCalls: 0, offCpuCalls: 0 },
    ]);
  });

  test('matches names literally, whatever characters are in them', async () => {
    const text = traceOf('10  call  main  a.*(b|c)[+^$\n10  return  a.*(b|c)[+^$  main');
    const { stats } = await latency(text, { functions: 'a.*(b|c)[+^$' });
    expect(stats.calls).toBe(1);
    await expect(latency(text, { functions: '.*' })).rejects.toHaveProperty('code', 'NO_SUCH_FUNCTION');
  });

  test('counts a call of seven weeks in the last bucket, without affecting other functions', async () => {
    const text = `1 [000] 0.999999999:   call   110 main+0x10 => 2000 b+0x0
1 [000] 0.999999999:   return   2010 b+0x10 => 115 main+0x15
1 [000] 1.000000000:   call   100 main+0x0 => 1000 a+0x0
1 [000] 4500000.000000000:   return   1010 a+0x10 => 105 main+0x5
1 [000] 4500000.000000001:   call   110 main+0x10 => 2000 b+0x0
1 [000] 4500000.000000001:   return   2010 b+0x10 => 115 main+0x15
1 [000] 4500000.000000001:   call   110 main+0x10 => 2000 b+0x0
1 [000] 4500000.000000001:   return   2010 b+0x10 => 115 main+0x15
`;
    const { durations, symbols } = await analyze([inputOf(text)], { trees: 'together', durations: true });
    const counts = Array.from(durations?.symbol ?? [], (symbol, row) => [symbols.name[symbol], durations?.calls[row]]);
    expect(counts).toEqual([
      ['b', 3],
      ['a', 1],
    ]);
    expect((await latency(text, { functions: 'b' })).stats).toMatchObject({ calls: 3, maxNs: 0, p99Ns: 0 });
  });
});

describe('many calls', () => {
  const million = new DurationsBuilder();
  const lasted = Float64Array.from({ length: 1_000_000 }, (_, call) => Math.floor(1.00002 ** (call % 1_000_000)));

  test('computes percentiles of a million calls within 1.6 %', () => {
    for (const ns of lasted) million.add(7, ns);
    const { bucket, calls } = million.build();
    const sorted = Array.from(lasted.toSorted());
    for (const part of [0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1]) {
      const exact = nearestRank(sorted, part);
      const counted = percentile({ bucket, calls }, part, sorted[0], sorted.at(-1) as number);
      expect(Math.abs(counted - exact)).toBeLessThanOrEqual(0.016 * exact);
    }
  });

  test('has contiguous buckets, and each duration is near the middle of its bucket', () => {
    for (let bucket = 1; bucket < BUCKETS; bucket++) {
      expect(bucketOf(bucketStart(bucket))).toBe(bucket);
      expect(bucketOf(bucketStart(bucket) - 1)).toBe(bucket - 1);
      expect(bucketMiddle(bucket) - bucketStart(bucket)).toBeLessThanOrEqual(bucketStart(bucket) / 64);
    }
  });
});

/** Each writes a trace of about n lines and has a question about it. */
const HOSTILE: Readonly<Record<string, [(trace: TraceWriter, n: number) => void, LatencyOptions, AnalyzeOptions]>> = {
  'a recursion': [recursion, { functions: 'f1', slowest: 10 }, { inside: [{ functions: 'f1', minNs: 5 }], root: 'f1' }],
  'a recursion, folded': [recursion, { functions: 'f1', slowest: 10 }, { foldRecursion: true }],
  'two functions that call each other': [
    (trace, n) => {
      times(n / 2, (i) => trace.call(1 + (i % 2), 1 + ((i + 1) % 2)));
      times(n / 2, (i) => trace.return(1 + (i % 2), 1 + ((i + 1) % 2)));
    },
    { functions: 'f1', slowest: 100 },
    { foldRecursion: true, inside: [{ functions: 'f2', maxNs: 1e6 }] },
  ],
  'calls on a deep stack': [
    (trace, n) => {
      times(n / 3, (i) => trace.call(i % 50, (i + 1) % 50));
      times(n / 3, () => {
        trace.call(60, 61);
        trace.return(61, 60);
      });
    },
    { functions: 'f61', slowest: 20 },
    { window: { from: { afterStartNs: 100 }, to: null } },
  ],
  fibers: [
    (trace, n) =>
      times(n / 2, (i) => {
        const [fiber, next] = [i % 50, (i + 1) % 50];
        trace.call(100 + fiber, 'swapcontext', 0x40);
        if (i < 49) trace.returnInto('swapcontext', 100 + next);
        else trace.return('swapcontext', 100 + next, 0x40);
      }),
    { functions: 'swapcontext', slowest: 20 },
    { inside: [{ functions: 'swapcontext' }] },
  ],
};

function recursion(trace: TraceWriter, n: number): void {
  times(n / 2, () => trace.call(1, 1));
  times(n / 2, () => trace.return(1, 1));
}

describe('work grows linearly: four times the lines take about four times the work', () => {
  test.each(Object.entries(HOSTILE))('%s', async (_, [write, question, options]) => {
    const work = await workOfAsking(write, question, options, 2000);
    const workOfFourTimes = await workOfAsking(write, question, options, 8000);
    expect(workOfFourTimes / work).toBeLessThan(5);
  });
});

async function workOfAsking(
  write: (trace: TraceWriter, n: number) => void,
  question: LatencyOptions,
  options: AnalyzeOptions,
  n: number,
): Promise<number> {
  const trace = new TraceWriter();
  write(trace, n);
  const { text } = trace;
  return workOf(/\/src\/(?:model|analysis|replay|pipeline)\//, async () => {
    await latency(text, question, options);
  });
}

test('answers questions about a recursion 30,000 deep', async () => {
  const trace = new TraceWriter();
  recursion(trace, 60_000);
  const { text } = trace;
  const { stats, chains, chainsLeftOut } = await latency(text, { functions: 'f1', slowest: 2 }, { root: 'f1' });
  expect(stats).toMatchObject({ calls: 30_001, inferred: 1, minNs: 1, maxNs: 59_999 });
  expect(chains.length + chainsLeftOut).toBe(30_001);
  const folded = await latency(text, { functions: 'f1' }, { foldRecursion: true });
  expect(folded.stats).toMatchObject({ calls: 1, inferred: 1 });
  expect(fold(folded.profile)).toBe('f1 59999\n');
  const { stacks } = await askStacks([inputOf(text)], { afterStartNs: 29_999 });
  expect(stacks[0]?.frames).toHaveLength(30_001);
});
