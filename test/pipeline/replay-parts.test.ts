/**
 * A large thread is replayed in parts, by all workers. The result is that of the whole thread, to the byte, wherever it is
 * cut.
 */
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AnalyzedInput, type AnalyzeOptions, PtflameError } from '../../src/index.js';
import { analyzeOverTime } from '../../src/pipeline/analyze.js';
import type { PartTask } from '../../src/pipeline/replay/replay-thread.js';
import { WORK_SIZES } from '../../src/pipeline/workers/resources.js';
import * as tasks from '../../src/pipeline/workers/tasks.js';
import { WorkerPool } from '../../src/pipeline/workers/worker-pool.js';
import { Moved } from '../../src/pipeline/workers/workers.js';
import { jsonOf } from '../helpers/checks/files/profile-file.js';
import { ALONE, imported, stored } from '../helpers/checks/files/trace-file.js';
import { testOnAllTraces } from '../helpers/checks/on-all-traces.js';
import { cutRuns } from '../helpers/random/cut-runs.js';
import { LONG_TRACES } from '../helpers/random/random-traces.js';
import { times } from '../helpers/random/times.js';
import { inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const RUNS = times(100);
/** A thread is cut where pieces of the text end. */
const PIECES = [150, 700, 4000];
const SMALL_PIECES = [40, 300, 900];
/** Of fixtures, each of which is compared in hundreds of parts. */
const LINES = 600;

/** Over all comparisons: threads that were put together, how many parts these had, and how many outlines were made. */
const counted = { joined: 0, parts: 0, outlined: 0 };
let given: Record<string, number> = {};
/** What the last task of each name may take in memory. */
let limits: Record<string, number> = {};

type Task = (task: object) => Promise<object>;

/** Tasks run here: no worker has to start. */
beforeEach(() => {
  const run = async (name: string, task: object): Promise<never> => {
    given[name] = (given[name] ?? 0) + 1;
    limits[name] = (task as Partial<PartTask>).limit?.memoryBytes ?? 0;
    const result = await (tasks as unknown as Record<string, Task>)[name]?.(task);
    return (result instanceof Moved ? result.data : result) as never;
  };
  vi.spyOn(WorkerPool.prototype, 'wake').mockResolvedValue();
  vi.spyOn(WorkerPool.prototype, 'run').mockImplementation(run);
  vi.spyOn(WorkerPool.prototype, 'send').mockImplementation((name, task) => run(name, task().data));
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The profile in JSON, or the code of a refusal. */
async function replayed(input: AnalyzedInput, partEvents: number, options: AnalyzeOptions): Promise<string> {
  const none = { toShare: 0, toWake: 0 };
  const minEvents = { ofAll: none, ofPart: none };
  const sizes = { ...WORK_SIZES, ...options.sizes, partEvents, minParts: 2, batchEvents: 0, wakingBytes: 0, minEvents };
  given = {};
  try {
    const all = { durations: true, byCalls: true, jobs: 8, ...options, sizes };
    const { profile, timeline } = await analyzeOverTime([input], all);
    const { together, durations, quality } = profile;
    const counts = together === null ? jsonOf(profile) : JSON.stringify({ together, durations, quality });
    return [counts, JSON.stringify(timeline, plain)].join('\n');
  } catch (error) {
    if (error instanceof PtflameError) return error.code;
    throw error;
  } finally {
    vi.clearAllMocks(); // they would keep the memory of every case
  }
}

/** Typed arrays as lists. */
function plain(_: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value;
}

/** `number`: of the case, decides where threads are cut and what is asked. */
async function compare(
  text: Uint8Array | string,
  name: string,
  number: number,
  pieceBytes = PIECES[number % 3] as number,
  partEvents = 1 + (number % 7),
): Promise<void> {
  await compareInputs(() => inputOf(text), name, number, pieceBytes, partEvents);
}

/** The same of the text as an imported trace, which is cut where its blocks end. */
async function compareImported(text: Uint8Array | string, name: string, number: number): Promise<void> {
  const file = await imported([inputOf(text)], { ...ALONE, sizes: { blockEvents: 1 + (number % 5) } }).catch(
    () => null,
  );
  if (file !== null) await compareInputs(() => stored(file), name, number, 0, 1 + (number % 7));
}

async function compareInputs(
  input: () => AnalyzedInput,
  name: string,
  number: number,
  pieceBytes: number,
  partEvents: number,
): Promise<void> {
  const options: AnalyzeOptions & { timelineBytes?: number } = {
    tailCalls: number % 2 === 0 ? 'nest' : 'replace',
    trees: number % 4 < 2 ? 'apart' : 'together',
    extend: number % 5 > 0,
    timelineBytes: [0, 2 ** 20, 400, 3000][number % 4] as number,
    sizes: { pieceBytes },
  };
  const inParts = await replayed(input(), partEvents, options);
  const { outlinePart = 0, replayPart = 0, replayThread = 0, replayNextThread = 0 } = given;
  const whole = await replayed(input(), Number.POSITIVE_INFINITY, options);
  expect(given['outlinePart']).toBeUndefined();
  expect(inParts, [name, JSON.stringify(options)].join(' ')).toBe(whole);
  const threads = (given['replayThread'] ?? 0) + (given['replayNextThread'] ?? 0);
  counted.outlined += outlinePart;
  counted.joined += Math.max(0, threads - replayThread - replayNextThread);
  counted.parts += replayPart;
}

/** Compares, and returns how many parts were outlined, with what they had in common, and how many were replayed. */
async function partsOf(text: string, pieceBytes: number, partEvents: number): Promise<object> {
  const before = { ...counted };
  for (let number = 0; number < 4; number++) await compare(text, text, number, pieceBytes, partEvents);
  const perCase = (name: 'outlined' | 'parts') => (counted[name] - before[name]) / 4;
  return { outlined: perCase('outlined'), replayed: perCase('parts') };
}

/** Each event is a part. */
const SHORT: Readonly<Record<string, string>> = {
  'hidden and shown jumps in calls that stay open': `
    10  call    main  f
    20  jmp     f     g
    30  call    g     h
    40  call    k     h
    50  return  h     k
    60  return  k     g
    70  return  g     main
    80  call    main  f
    90  return  f     main`,
  'returns of callers that were never called': `
    10  return  g     f
    20  call    f     g
    30  return  g     f
    40  return  f     main
    50  call    main  f
    60  return  f     main
    70  return  main  start`,
  'stops within and between calls': `
    10  call            main  a
    20  tr end  syscall a
    30  tr strt         a
    40  call            a     b
    50  tr end  syscall b
    60  tr strt         b
    70  return          b     a
    80  return          a     main`,
  'two calls that are not over': `
    10  call  main  a
    20  call  a     b
    30  call  b     c
    40  return  c   b`,
  'an error before the first branch': `
    10  error
    20  call    main  a
    30  call    a     b
    40  return  b     a
    50  return  a     main`,
  'events of the same time': `
    10  call    main  a
    20  call    a     b
    20  return  b     a
    20  call    a     b
    30  return  b     a
    30  return  a     main
    30  call    main  a
    40  return  a     main`,
};

describe('a thread in parts is the whole thread', () => {
  test.each(Object.entries(SHORT))('with %s', async (name, shorthand) => {
    const before = counted.joined;
    for (let number = 0; number < 24; number++)
      await compare(traceOf(shorthand), name, number, [40, 150][number % 2], 1);
    expect(counted.joined - before).toBeGreaterThan(10);
  });

  test('of a thread that moves between CPUs', async () => {
    const text = traceOf(`
      1000000  call            main  a
      2000000  tr end  syscall a
      3000000  tr strt         a
      4000000  call            a     b
      5000000  tr end  syscall b
      6000000  tr strt         b
      7000000  return          b     a
      8000000  call            a     b
      9000000  return          b     a
      10000000 tr end  syscall a
      11000000 tr strt         a
      12000000 return          a     main`);
    const cpuOf = (row: number) => [0, 0, 1, 1, 1, 0, 0, 0, 0, 0][row] ?? 2;
    const lines = text.split('\n').map((line, row) => line.replace('[000]', `[00${cpuOf(row)}]`));
    const before = counted.joined;
    for (let number = 0; number < 12; number++) await compare(lines.join('\n'), 'moves', number, 40, 1 + (number % 3));
    expect(counted.joined - before).toBe(12);
  });

  test('of a thread that handles a signal while the trace is stopped: as a whole', async () => {
    const shorthand = `
      10  call          main    a
      20  tr end  async a
      30  tr strt       handler+0x0
      40  call          handler b
      50  return        b       handler
      60  return        handler a
      70  call          a       b
      80  return        b       a
      90  return        a       main`;
    for (let number = 0; number < 8; number++) await compare(traceOf(shorthand), 'a signal', number, 40, 1);
  });

  test('of a thread whose time steps back where parts meet: these are one', async () => {
    const text = traceOf(`
      10  call    main  a
      20  call    a     b
      30  return  b     a
      25  call    a     c
      35  return  c     a
      40  return  a     main
      50  call    main  a
      60  return  a     main`);
    expect(await partsOf(text, 260, 1)).toEqual({ outlined: 8, replayed: 5 });
  });

  test('of a thread on two CPUs at once where parts meet: as a whole', async () => {
    const text = traceOf(`
      10       call    main  a
      1000020  call    a     b
      1000030  return  b     a
      1000000  call    a     c
      1000200  return  c     a
      5000000  return  a     main
      6000000  call    main  a
      7000000  return  a     main`);
    const lines = text.split('\n').map((line, row) => (row < 3 ? line : line.replace('[000]', '[001]')));
    expect(await partsOf(lines.join('\n'), 40, 1)).toEqual({ outlined: 8, replayed: 0 });
  });

  test('of a thread that is switched out in a call that an outline leaves out', async () => {
    const text = traceOf(`
      10  call           main  a
      20  call           a     b
      25  tr end  async  b
      30  PERF_RECORD_SWITCH OUT
      30  tr strt        b
      30  return         b     a
      30  call           a     c
      30  return         c     a
      40  tr end  syscall a
      50  tr strt         a
      60  return         a     main`);
    expect(await partsOf(text, 40, 7)).toEqual({ outlined: 3, replayed: 2 });
  });

  test('of a thread that may be where another one jumped in a call that had returned', async () => {
    const text = traceOf(`
      10  jcc     main  main
      20  call    main  f
      30  jmp     f     g+0x30
      40  return  g     main
      50  call    main  k
      60  return  k     main
      2/100  call    g  x
      2/110  return  x  g`);
    expect(await partsOf(text, 40, 4)).toEqual({ outlined: 3, replayed: 2 });
  });

  test('of a return that ends an earlier call, if stacks are switched: as a whole', async () => {
    const text = traceOf(`
      10  call    f+0x100  main
      20  call    h+0x110  f
      30  return  f        f+0x105
      40  return  f        h+0x115`);
    expect(await partsOf(text, 40, 1)).toEqual({ outlined: 5, replayed: 0 });
  });

  /** Of a thread whose paths take more bytes than those with much time. */
  test.each([1, 70])('of call paths that a timeline leaves out, in parts of %i events', async (partEvents) => {
    const short = Array.from(
      { length: 60 },
      (_, n) => `${10 + 2 * n} call main f${n}\n${11 + 2 * n} return f${n} main`,
    );
    const text = traceOf([...short, '1000000 call main g', '1000001 return g main'].join('\n'));
    const before = counted.joined;
    await compare(text, 'short paths', 2, 40, partEvents);
    expect(counted.joined - before).toBe(1);
  });

  test('of a stub whose jump is in the next part: with a timeline, as a whole', async () => {
    const shorthand = `
      10  call    main    f@plt
      15  jcc     f@plt   f@plt+0x8
      20  jmp     f@plt   f
      30  call    f       g
      40  return  g       f
      50  return  f       main`;
    for (let number = 0; number < 8; number++) await compare(traceOf(shorthand), 'a stub', number, 40, 1);
  });

  testOnAllTraces({ seed: 19, cases: 12, first: 0, lines: LINES }, (text, name, number) => compare(text, name, number));

  test.each(LONG_TRACES)('of random %s', async (_, random) => {
    await fc.assert(
      fc.asyncProperty(random, fc.nat(1000), async (lines, number) => {
        const text = lines.map((line) => line.trimEnd()).join('\n');
        await compare(text, text, number);
      }),
      { numRuns: RUNS },
    );
  });

  test('of random runs that can be cut nearly everywhere', async () => {
    await fc.assert(
      fc.asyncProperty(cutRuns, fc.nat(1000), async (lines, number) => {
        const text = `${lines.join('\n')}\n`;
        await compare(text, text, number, SMALL_PIECES[number % 3], 1 + (number % 5));
      }),
      { numRuns: RUNS },
    );
  });

  describe('of imported traces', () => {
    let before = 0;
    beforeAll(() => {
      before = counted.joined;
    });

    testOnAllTraces({ seed: 19, cases: 12, first: 1, lines: LINES }, compareImported);

    test.each(Object.entries(SHORT))('with %s', async (name, shorthand) => {
      for (let number = 0; number < 20; number++) await compareImported(traceOf(shorthand), name, number);
    });

    test.each(LONG_TRACES)('of random %s', async (_, random) => {
      await fc.assert(
        fc.asyncProperty(random, fc.nat(1000), async (lines, number) => {
          const text = lines.map((line) => line.trimEnd()).join('\n');
          await compareImported(text, text, number);
        }),
        { numRuns: times(240) },
      );
    });

    test('with outlines that are damaged: as a whole', async () => {
      const file = await imported([inputOf(traceOf(SHORT['events of the same time'] as string))], {
        ...ALONE,
        sizes: { blockEvents: 1 },
      });
      const blocks = stored(file).stored.threads.flatMap(({ blocks }) => blocks);
      file[Math.max(...blocks.map(({ offset, bytes }) => offset + bytes)) + 20] ^= 1;
      const joined = counted.joined;
      await compareInputs(() => stored(file), 'damaged', 1, 0, 1);
      expect(given['replayPart']).toBeUndefined();
      expect(counted.joined).toBe(joined);
    });

    test('many threads were put together', () => {
      expect(counted.joined - before).toBeGreaterThan(100);
    });
  });

  test('all workers together may take what one may take for a whole thread', async () => {
    const text = traceOf(SHORT['events of the same time'] as string);
    limits = {};
    await compare(text, text, 0);
    const whole = limits['replayThread'] ?? limits['replayNextThread'];
    expect(whole).toBeGreaterThan(0);
    expect(limits['outlinePart']).toBe((whole as number) / 8);
    expect(limits['replayPart']).toBe((whole as number) / 8);
  });

  test('many threads were cut, into many parts, and put together', () => {
    expect(counted.joined).toBeGreaterThan(60);
    expect(counted.parts / counted.joined).toBeGreaterThan(5);
  });
});
