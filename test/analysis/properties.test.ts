/**
 * Properties of the answers about any trace.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FunctionSums, functionsOf } from '../../src/analysis/tree/functions.js';
import { type AnalyzeOptions, analyze, type Profile } from '../../src/index.js';
import { durationsOfAllThreads } from '../../src/questions/common.js';
import { dedent, outline } from '../helpers/checks/outline.js';
import { expectSound, expectSoundSums } from '../helpers/checks/sound.js';
import { damagedExecutions } from '../helpers/random/damaged-executions.js';
import { everyNth } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { beginningOf, fold, inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';
import { rowsOfTrees } from '../helpers/twin/asked-answers.js';
import type { PathRow } from '../helpers/twin/path-rows.js';
import { folded as foldedPath, sum } from '../helpers/twin/reference-answers.js';

const UNBOUNDED = { from: null, to: null };

/** They have no branches, or do not state their kind. */
const WITHOUT_BRANCHES = /fields-(?:callindent|default|power-events-default)|sideband-default/;

describe.each(everyNth(traceFiles, 3).filter((file) => !WITHOUT_BRANCHES.test(file)))('%s', (file) => {
  const ask = (options: AnalyzeOptions) => analyzeFile(file, options);

  test('a filter that everything passes changes nothing', async () => {
    await expectUnchanged(await ask({}), ask);
  });

  test('two halves of a recording add up to the whole', async () => {
    const whole = await ask({});
    for (const splitNs of splitsOf(whole)) await expectHalves(whole, splitNs, ask);
  });

  test('the inside of a function adds up to its total', async () => {
    const whole = await ask({ trees: 'together', durations: true });
    for (const { symbol, totalNs, onCpuNs } of largest(whole)) {
      const root = whole.symbols.name[symbol];
      const inside = await ask({ trees: 'together', root });
      const early = { inside: [{ functions: root }], window: { from: null, to: { afterStartNs: 1000 } } };
      const part = await ask(early).catch(nothing);
      if (part) expectSoundSums(part);
      const insideNs = sum(Array.from(inside.together?.selfNs ?? []));
      if (isUniqueName(whole, symbol)) expect(insideNs).toBe(totalNs);
      expect(onCpuNs).toBeLessThanOrEqual(totalNs);
      expect(inside.quality.totalNs).toBe(insideNs);
    }
  });

  test('folding recursion loses no time', async () => {
    const whole = await ask({});
    const folded = await ask({ foldRecursion: true });
    expect(folded.quality.totalNs).toBe(whole.quality.totalNs);
    expect(folded.quality.inferredNs).toBe(whole.quality.inferredNs);
    const rows = rowsOf([folded]);
    for (const path of rows.keys()) expect(foldedPath(path.split('\n'))).toEqual(path.split('\n'));
  });
});

test('all of this holds for damaged traces, whatever the size of the pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      damagedExecutions,
      fc.nat(100),
      fc.integer({ min: 1, max: 400 }),
      async (lines, percent, pieceBytes) => {
        const text = lines.map((line) => `${line}\n`).join('');
        const ask = (options: AnalyzeOptions, bytes = 1 << 16) => analyze([inputOf(text, 'test', bytes)], options);
        const whole = await ask({}).catch(noBranches);
        if (whole === null) return;
        expectSound(whole);
        await expectUnchanged(whole, ask);
        await expectHalves(
          whole,
          whole.meta.startNs + Math.floor((percent * (whole.meta.endNs - whole.meta.startNs)) / 100),
          ask,
        );
        const window = { from: { afterStartNs: 5 }, to: null };
        const [one, other] = [await ask({ window }).catch(nothing), await ask({ window }, pieceBytes).catch(nothing)];
        expect(one && fold(one, { annotate: true })).toEqual(other && fold(other, { annotate: true }));
      },
    ),
    { numRuns: 20 },
  );
});

type Ask = (options: AnalyzeOptions) => Promise<Profile>;

async function expectUnchanged(unfiltered: Profile, ask: Ask): Promise<void> {
  const filtered = await ask({ durations: true, window: UNBOUNDED });
  const withDurations = await ask({ durations: true });
  expect(fold(filtered, { annotate: true, by: 'thread' })).toBe(fold(unfiltered, { annotate: true, by: 'thread' }));
  expect(times(rowsOf([filtered]))).toEqual(times(rowsOf([unfiltered])));
  expect(filtered.quality).toEqual(unfiltered.quality);
  expect(sortedDurations(filtered)).toEqual(sortedDurations(withDurations));
  expect({ ...filtered.meta, part: null }).toEqual(unfiltered.meta);
}

function sortedDurations(profile: Profile) {
  const durations = durationsOfAllThreads(profile);
  if (durations === null) throw new Error('no durations');
  return Array.from(durations.symbol, (symbol, row) => [symbol, durations.bucket[row], durations.calls[row]]);
}

async function expectHalves(whole: Profile, splitNs: number, ask: Ask): Promise<void> {
  const at = { afterStartNs: splitNs - whole.meta.startNs };
  const halves = [
    await ask({ window: { from: null, to: at } }).catch(nothing),
    await ask({ window: { from: at, to: null } }).catch(nothing),
  ];
  expect(times(rowsOf(halves))).toEqual(times(rowsOf([whole])));
  expect(sum(halves.map((half) => half?.quality.totalNs ?? 0))).toBe(whole.quality.totalNs);
  expect(sum(halves.map((half) => half?.quality.lostNs ?? 0))).toBe(whole.quality.lostNs);
  for (const half of halves) if (half) expectWithin(half);
}

function noBranches(error: unknown): null {
  expect(error).toHaveProperty('code', 'NO_BRANCHES');
  return null;
}

async function analyzeFile(file: string, options: AnalyzeOptions): Promise<Profile> {
  return analyze([inputOf(beginningOf(file.replace('fixtures/', '')))], { byCalls: true, ...options });
}

/** One half of a recording may be empty. */
function nothing(error: unknown): null {
  expect(error).toHaveProperty('code', 'NOTHING_SELECTED');
  return null;
}

/** The start, and a point inside. */
function splitsOf({ meta: { startNs, endNs } }: Profile): number[] {
  const part = (share: number) => startNs + Math.floor(share * (endNs - startNs));
  return [startNs, part(0.37)];
}

function rowsOf(profiles: readonly (Profile | null)[]): Map<string, PathRow> {
  const rows = new Map<string, PathRow>();
  for (const profile of profiles) {
    if (profile === null) continue;
    const { threads, symbols } = profile;
    for (const { tid, tree } of threads)
      for (const [path, row] of rowsOfTrees([tree], (symbol) => `${symbols.name[symbol]}#${symbols.dso[symbol]}`))
        rows.set(`${tid}\n${path}`, plus(rows.get(`${tid}\n${path}`), row));
  }
  return rows;
}

function plus(a: PathRow | undefined, b: PathRow): PathRow {
  if (a === undefined) return b;
  return { ...b, selfNs: a.selfNs + b.selfNs, inferredNs: a.inferredNs + b.inferredNs };
}

/** Sorted by path, only where there is time. */
function times(rows: ReadonlyMap<string, PathRow>): [string, number, number][] {
  return [...rows]
    .map(([path, { selfNs, inferredNs }]): [string, number, number] => [path, selfNs, inferredNs])
    .filter(([, selfNs]) => selfNs > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** All time belongs to threads and is in the window. */
function expectWithin({ threads, meta }: Profile): void {
  for (const { tree, startNs, endNs } of threads) {
    expect(startNs).toBeGreaterThanOrEqual(meta.startNs);
    expect(endNs).toBeLessThanOrEqual(meta.endNs);
    expect(sum(Array.from(tree.selfNs))).toBe(endNs - startNs);
  }
}

/** The functions with most time. */
function largest({ together, durations }: Profile): FunctionSums[] {
  if (together === null) throw new Error('no tree');
  return functionsOf(together, durations, false)
    .sort((a, b) => b.totalNs - a.totalNs)
    .slice(0, 2);
}

function isUniqueName({ symbols }: Profile, symbol: number): boolean {
  return symbols.name.filter((name) => name === symbols.name[symbol]).length === 1;
}

test('a loss elsewhere is no loss inside a function', async () => {
  const text = traceOf(`
    10  call    main  a
    20  error
    60  tr strt       a
    70  return  a     main
    80  call    main  b
    90  return  b     main`);
  const lostIn = async (root: string) => (await analyze([inputOf(text)], { root })).quality;
  expect(await lostIn('a')).toMatchObject({
    lostNs: 40,
    totalNs: 60,
    threadsCut: 1,
    losses: [{ gaps: 1, lostNs: 40 }],
  });
  expect(await lostIn('b')).toMatchObject({ lostNs: 0, totalNs: 10, threadsCut: 0, losses: [], gaps: [] });
});

test('a stop in a stub belongs to the function that the stub calls', async () => {
  const text = traceOf(`
    10  call          main     foo@plt
    12  tr end  async foo@plt
    20  tr strt                foo@plt
    22  jmp           foo@plt  foo
    30  return        foo      main`);
  expect(outline(await analyze([inputOf(text)], { root: 'foo' }))).toBe(
    dedent(`
      foo 1 self 12
        [untraced] 1 self 8`),
  );
});
