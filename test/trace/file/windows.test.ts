/**
 * A window of an imported trace reads only some of its blocks, and outlines of the others. It is that of the inputs, to the byte.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { latencyAnswer } from '../../../src/answers.js';
import { type AnalyzedInput, type AnalyzeOptions, analyze, PtflameError } from '../../../src/index.js';
import { askLatency, askStacks } from '../../../src/pipeline/analyze.js';
import { jsonOf } from '../../helpers/checks/files/profile-file.js';
import { ALONE, imported, refusalOfFile, stored } from '../../helpers/checks/files/trace-file.js';
import { tracesIn } from '../../helpers/checks/round-trips.js';
import { LONG_TRACES } from '../../helpers/random/random-traces.js';
import { everyNth, times } from '../../helpers/random/times.js';
import { beginningOf, fixture, inputOf } from '../../helpers/traces/load.js';

/** Threads of tests are small. */
const SMALL_BLOCKS = { ...ALONE, sizes: { blockEvents: 4 } };

/** Threads of all files, and those with an outline. */
const counted = { threads: 0, outlines: 0 };

/** The answers in words, or the code of a refusal. */
async function answers(input: () => AnalyzedInput, options: AnalyzeOptions): Promise<string> {
  const asked = { ...ALONE, byCalls: true, durations: true, ...options };
  try {
    const { profile, calls, functions } = await askLatency([input()], { functions: /./, slowest: 3 }, asked);
    const stacksAt = await askStacks([input()], { afterStartNs: 100 }, asked);
    const { name } = stacksAt.profile.symbols;
    const stacks = stacksAt.stacks.map(({ frames, ...thread }) => {
      return { ...thread, frames: frames.map(({ symbol, ...frame }) => ({ ...frame, name: name[symbol] })) };
    });
    return [jsonOf(profile), JSON.stringify(latencyAnswer(profile, calls, functions)), JSON.stringify(stacks)].join(
      '\n',
    );
  } catch (error) {
    if (error instanceof PtflameError) return error.code;
    throw error;
  }
}

async function compare(text: Buffer | string, ...shares: readonly (readonly [number, number])[]): Promise<void> {
  const inputs = () => inputOf(text);
  const profile = await analyze([inputs()], { ...ALONE, byCalls: true }).catch(() => null);
  if (profile === null) return;
  const file = await imported([inputs()], SMALL_BLOCKS);
  const { outlines, threads } = stored(file).stored;
  counted.threads += threads.length;
  counted.outlines += outlines().size;
  expect(await imported([stored(file)], SMALL_BLOCKS), 'imported again').toEqual(file);
  const ns = profile.meta.endNs - profile.meta.startNs;
  const windows = shares.map(([from, length]) => {
    const fromNs = Math.round(from * ns);
    return { from: { afterStartNs: fromNs }, to: { afterStartNs: fromNs + Math.ceil(length * ns) + 1 } };
  });
  const selections = [{ cpus: [0, 2] }, { tids: threads.slice(0, 1).map(({ tid }) => tid) }];
  const questions = [{}, ...windows.map((window) => ({ window })), { window: windows[0], select: selections[0] }];
  for (const options of [...questions, { window: windows[0], select: selections[1] }] as AnalyzeOptions[])
    expect(await answers(() => stored(file), options), JSON.stringify(options)).toBe(await answers(inputs, options));
}

describe('a window of an imported trace is that of its inputs', () => {
  test.each(everyNth(tracesIn(['hardware', 'lab', 'constructed', 'truth', 'demo']), 4))('%s', async (name) => {
    await compare(beginningOf(name), [0.3, 0.1], [0.9, 0.2]);
  });

  test.each(LONG_TRACES)('of random %s', async (_, random) => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(random, share, share, async (lines, from, length) => {
        await compare(lines.map((line) => line.trimEnd()).join('\n'), [from, length * length], [length, 0]);
      }),
      { numRuns: times(25) },
    );
  });
});

afterAll(() => {
  expect(counted.outlines / counted.threads, 'most threads have an outline').toBeGreaterThan(0.3);
});

const FILE = await imported([inputOf(fixture('truth/gentrace-plain.perf.txt.gz'))], {
  ...ALONE,
  sizes: { blockEvents: 64 },
});

describe('outlines', () => {
  const { threads, ...later } = stored(FILE).stored;
  const outlines = later.outlines();
  const blocks = threads.flatMap(({ blocks }) => blocks);
  const outlinesAt = Math.max(...blocks.map(({ offset, bytes }) => offset + bytes));

  test('have few of the events', () => {
    const kept = [...outlines.values()].reduce((sum, { site }) => sum + site.length, 0);
    const all = blocks.reduce((sum, { events }) => sum + events, 0);
    expect(outlines.size).toBeGreaterThan(0);
    expect(kept / all).toBeLessThan(0.3);
  });

  test('spare the blocks outside of the window', async () => {
    const window = { from: { afterStartNs: 0 }, to: { afterStartNs: 10 } };
    const bytes = Buffer.from(FILE);
    const last = blocks.at(-1);
    bytes.fill(0, last?.offset, outlinesAt);
    const found = await answers(() => stored(bytes), { window });
    expect(found).toBe(await answers(() => stored(FILE), { window }));
    expect(await answers(() => stored(bytes), {})).toBe('TRACE_FILE_DAMAGED');
  });

  test('that are damaged matter only for windows', async () => {
    const bytes = Buffer.from(FILE);
    bytes[outlinesAt + 20] ^= 1;
    expect(await refusalOfFile(bytes)).toBeNull();
    const window = { from: { afterStartNs: 0 }, to: { afterStartNs: 10 } };
    expect(await answers(() => stored(bytes), { window })).toBe('TRACE_FILE_DAMAGED');
  });
});
