/**
 * For a question about a part of the time, only skeletons of the threads are replayed outside of it. The answer is the
 * same as if all events were replayed, to the byte, whatever the trace contains.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { latencyAnswer } from '../../src/answers.js';
import { type AnalyzeOptions, analyze, PtflameError } from '../../src/index.js';
import { askLatency, askStacks } from '../../src/pipeline/analyze.js';
import { SkeletonBuilder } from '../../src/replay/skeleton.js';
import { jsonOf } from '../helpers/checks/files/profile-file.js';
import { testOnAllTraces } from '../helpers/checks/on-all-traces.js';
import { dedent } from '../helpers/checks/outline.js';
import { LONG_TRACES } from '../helpers/random/random-traces.js';
import { times } from '../helpers/random/times.js';
import { fold, inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

/** Parts of a recording: where a window begins, and how long it is. */
const PARTS = [
  [0.3, 0.1],
  [0.5, 0.01],
  [0, 0.2],
  [0.9, 0.2],
] as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Over all comparisons of this file. */
const counted = { events: 0, kept: 0, threads: 0, skeletons: 0 };

function countSkeletons(): void {
  const reduce = SkeletonBuilder.prototype.reduce;
  vi.spyOn(SkeletonBuilder.prototype, 'reduce').mockImplementation(function (this: SkeletonBuilder, events, span) {
    counted.events += events.length;
    const skeleton = reduce.call(this, events, span);
    counted.threads++;
    counted.kept += skeleton?.events.length ?? events.length;
    if (skeleton !== null) counted.skeletons++;
    return skeleton;
  });
}

/** The answers in words, or the code of a refusal. */
async function answer(text: Uint8Array | string, options: AnalyzeOptions): Promise<string> {
  const input = () => [inputOf(text)];
  const withDurations = { byCalls: true, durations: true, ...options };
  try {
    const { profile, calls, functions } = await askLatency(input(), { functions: /./, slowest: 3 }, withDurations);
    const answers = JSON.stringify(latencyAnswer(profile, calls, functions));
    return [jsonOf(profile), answers, await stacksAt(text, middleOf(options), options)].join('\n');
  } catch (error) {
    if (error instanceof PtflameError) return error.code;
    throw error;
  }
}

/** The middle of the window, or its beginning if it is short. */
function middleOf({ window }: AnalyzeOptions): number {
  const [from = 0, to = 0] = [window?.from, window?.to].map((at) => (at && 'afterStartNs' in at ? at.afterStartNs : 0));
  return Math.floor((from + to) / 2);
}

/** Shows since when each frame is open. */
async function stacksAt(text: Uint8Array | string, afterStartNs: number, options: AnalyzeOptions): Promise<string> {
  try {
    const { profile, stacks } = await askStacks([inputOf(text)], { afterStartNs }, { byCalls: true, ...options });
    const frames = stacks.flatMap(({ tid, frames }) => frames.map((frame) => [tid, frame] as const));
    return frames
      .map(([tid, { symbol, sinceNs, isStartSeen }]) =>
        [tid, profile.symbols.name[symbol], sinceNs, isStartSeen].join(' '),
      )
      .join('\n');
  } catch (error) {
    if (error instanceof PtflameError) return error.code;
    throw error;
  }
}

async function compare(text: Uint8Array | string, name: string, options: AnalyzeOptions): Promise<void> {
  countSkeletons();
  const withSkeletons = await answer(text, options);
  vi.restoreAllMocks();
  vi.spyOn(SkeletonBuilder.prototype, 'reduce').mockReturnValue(null);
  const whole = await answer(text, options);
  vi.restoreAllMocks();
  expect(withSkeletons, [name, JSON.stringify(options)].join(' ')).toBe(whole);
}

const windowOf = (fromNs: number, ns: number): AnalyzeOptions => {
  return { window: { from: { afterStartNs: fromNs }, to: { afterStartNs: fromNs + ns } } };
};

/** Compares one of the parts. */
async function compareParts(text: Uint8Array, name: string, number: number): Promise<void> {
  const profile = await analyze([inputOf(text)], { byCalls: true }).catch(() => null);
  if (profile === null || profile.meta.weight === 'calls') return; // refused, or without times
  const ns = profile.meta.endNs - profile.meta.startNs;
  const [at, share] = PARTS[number % PARTS.length] as (typeof PARTS)[number];
  const tailCalls = number % 3 === 0 ? 'replace' : 'nest';
  await compare(text, name, { ...windowOf(Math.round(at * ns), Math.ceil(share * ns)), tailCalls });
}

/** Functions under several labels, jumps to and fro, and stops; a short and a long window from each event are compared. */
const SHORT: Readonly<Record<string, string>> = {
  'a hidden jump right at the beginning of the window': `
    10  call    main  f
    20  call    f     g
    30  return  g     f
    40  call    f     g
    50  return  g     f
    60  call    h     g
    70  return  g     h
    80  return  h     main
    90  call    main  f
    95  return  f     main`,
  'returns that land under another label': `
    10  call    main  f
    20  call    f     g
    30  return  g     f2
    40  call    f     g
    50  return  g     f
    60  call    f2    g
    70  return  g     f2
    80  return  f     main`,
  'stops in calls, and a branch while the trace is stopped': `
    10  call            main  a
    20  tr end  syscall a
    30  tr strt         a
    40  call            a     b
    45  return          b     a
    50  tr end  syscall a
    60  call            a     b
    70  return          b     a
    80  return          a     main`,
  'a hidden jump right before a return, after other calls': `
    10  call    main  f
    20  call    f     k
    30  return  k     f
    40  call    f     k
    50  return  k     f
    60  call    f     k
    70  return  k     f
    80  return  g     main
    90  call    main  f
    95  return  f     main`,
  'branches while the trace is stopped, which goes on later': `
    10  call            main  a
    20  call            a     b
    30  return          b     a
    40  tr end  async   a
    50  call            a     b
    60  return          b     a
    70  tr strt         a
    80  call            a     b
    85  return          b     a
    90  return          a     main`,
  'a return while the trace is stopped': `
    10  call            main  a
    20  call            a     b
    30  tr end  async   b
    40  return          b     a
    50  tr strt         b
    60  call            b     c
    70  return          c     b
    80  return          a     main`,
  'the start of a program above open calls': `
    10  call    main    f
    20  call    f       g
    30  call    _start  h
    40  return  h       _start
    45  call    _start  h
    50  return  h       _start
    60  return  _start  f
    70  return  f       main`,
};

/** Traces, and the times of the events that are kept for a window around 300; null: there is no skeleton. */
const KEPT: Readonly<Record<string, readonly [string, readonly number[] | null]>> = {
  'a return of a caller that was never called, and what is next to it': [
    `
    10  return  g  f
    20  call    f  h
    30  return  h  f
    40  call    f  h
    50  return  h  f
    60  call    f  h
    70  return  h  f
    300 return  f  main`,
    [10, 20, 30, 60, 70, 300],
  ],
  'switches and what is next to them, but no later call': [
    `
    10  call    main  f
    20  call    f     g
    30  jcc     g     g
    40  jcc     g     g
    50  PERF_RECORD_SWITCH OUT
    60  PERF_RECORD_SWITCH IN
    70  jcc     g     g
    80  jcc     g     g
    90  jcc     g     g
    100 return  g     f
    110 call    f     g
    120 return  g     f
    130 call    f     g
    140 return  g     f
    300 return  f     main`,
    [10, 20, 40, 50, 60, 70, 100, 130, 140, 300],
  ],
  'stops that do not end at once, with what is next to them': [
    `
    10  call            main  f
    20  call            f     g
    30  tr end  syscall g
    40  tr strt         g
    50  return          g     f
    60  call            f     g
    70  tr end  syscall g
    80  PERF_RECORD_SWITCH IN
    90  tr strt         g
    100 jcc             g     g
    110 jcc             g     g
    120 return          g     f
    130 call            f     g
    140 return          g     f
    300 return          f     main`,
    [10, 60, 70, 80, 90, 100, 120, 130, 140, 300],
  ],
  'stops in calls, with what is next to them': [
    `
    10  call            main  f
    20  call            f     g
    30  tr end  call    g     h
    40  tr strt         g
    50  jcc             g     g
    60  jcc             g     g
    70  return          g     f
    80  call            f     g
    90  return          g     f
    300 return          f     main`,
    [10, 20, 30, 40, 50, 70, 80, 90, 300],
  ],
  'the event that gives a hidden jump its time': [
    `
    10  call            main  f
    20  call            f     m
    30  PERF_RECORD_SWITCH OUT
    40  PERF_RECORD_SWITCH IN
    50  jcc             m     m
    60  jcc             m     m
    70  jcc             m     m
    80  return          k     f
    300 return          f     main`,
    [10, 20, 30, 40, 50, 70, 80, 300],
  ],
  'no skeleton, if a call comes while the trace is stopped': [
    `
    10  call            main  a
    20  call            a     b
    30  return          b     a
    40  tr end  async   a
    50  call            a     b
    60  return          b     a
    70  tr strt         a
    300 return          a     main`,
    null,
  ],
  'no skeleton, if a return comes while the trace is stopped': [
    `
    10  call            main  a
    20  call            a     b
    30  tr end  async   b
    40  return          b     a
    50  tr strt         b
    300 return          a     main`,
    null,
  ],
};

describe('a window of skeletons is the window of all events', () => {
  testOnAllTraces({ seed: 18, cases: 25, first: 1 }, compareParts);

  test.each(Object.entries(SHORT))('with %s', async (name, shorthand) => {
    for (let from = 0; from < 100; from += 10)
      for (const [ns, more] of [[1], [35], [35, { tailCalls: 'replace', extend: true }]] as const)
        await compare(traceOf(shorthand), name, { ...windowOf(from, ns), ...more });
  });

  test.each(Object.entries(KEPT))('for a window is kept: %s', async (_, [shorthand, kept]) => {
    const reduce = SkeletonBuilder.prototype.reduce;
    const found: (number[] | null)[] = [];
    vi.spyOn(SkeletonBuilder.prototype, 'reduce').mockImplementation(function (this: SkeletonBuilder, events, ...of) {
      const skeleton = reduce.call(this, events, ...of);
      found.push(skeleton && Array.from({ length: skeleton.events.length }, (_, row) => events.timeAt(row)));
      return skeleton;
    });
    await analyze([inputOf(traceOf(shorthand))], windowOf(285, 100));
    expect(found).toEqual([kept]);
  });

  test('with callers that only another thread shows, in calls that returned before it', async () => {
    const text = dedent(`
      1 [000] 1.000000001:   call   1000110 main+0x110 => 1002000 g+0x0
      1 [000] 1.000000002:   return 1002010 g+0x10 => 1000115 main+0x115
      1 [000] 1.000000010:   call   1000100 main+0x100 => 1001000 worker+0x0
      1 [000] 1.000000020:   call   1001010 worker+0x10 => 1002000 g+0x0
      1 [000] 1.000000030:   return 1002010 g+0x10 => 1001015 worker+0x15
      1 [000] 1.000000040:   return 1001020 worker+0x20 => 1000105 main+0x105
      1 [000] 1.000000045:   call   1000110 main+0x110 => 1002000 g+0x0
      1 [000] 1.000000046:   return 1002010 g+0x10 => 1000115 main+0x115
      1 [000] 1.000000050:   call   1000110 main+0x110 => 1002000 g+0x0
      2 [001] 1.000000060:   call   1001010 worker+0x10 => 1002000 g+0x0
      2 [001] 1.000000070:   return 1002010 g+0x10 => 1001015 worker+0x15
      1 [000] 1.000000080:   return 1002010 g+0x10 => 1000115 main+0x115`);
    await compare(text, 'callers', windowOf(55, 20));
    const profile = await analyze([inputOf(text)], windowOf(55, 20));
    expect(fold(profile)).toContain('main;worker;g');
  });

  test.each(LONG_TRACES)('of random %s', async (_, random) => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const options = fc.record({ tailCalls: fc.constantFrom('nest', 'replace'), extend: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(random, share, share, options, async (lines, from, length, options) => {
        const text = lines.map((line) => line.trimEnd()).join('\n');
        const profile = await analyze([inputOf(text)], { byCalls: true }).catch(() => null);
        if (profile === null) return;
        const ns = profile.meta.endNs - profile.meta.startNs;
        const window = windowOf(Math.round(from * ns), Math.max(1, Math.round(length * length * ns)));
        await compare(text, text, { ...window, ...options } as AnalyzeOptions);
      }),
      { numRuns: times(40) },
    );
  });

  test('most threads have a skeleton, and it leaves out events', () => {
    expect(counted.skeletons / counted.threads).toBeGreaterThan(0.4);
    expect(counted.kept / counted.events).toBeLessThan(0.9);
  });
});
