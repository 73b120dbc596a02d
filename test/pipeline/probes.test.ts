/**
 * Damage that breakpoints of probes do to a trace: the same run was traced with breakpoints that the files do not have, and
 * without.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/index.js';
import { type AnalyzeOptions, analyze } from '../../src/pipeline/analyze.js';
import { fixture, fold, inputOf } from '../helpers/traces/load.js';
import { type Hit, hitsOf, recordingOf } from '../helpers/traces/probe-hits.js';

const hits = hitsOf('waits/breakpoints.hits.txt.gz');
const textOf = (name: string) => fixture(`waits/${name}.txt.gz`);

function profileOf(name: string, hits: readonly Hit[] = [], options: AnalyzeOptions = {}): Promise<Profile> {
  const samples = hits.length > 0 ? [recordingOf(hits)] : [];
  return analyze([inputOf(textOf(name)), ...samples], options);
}

/** All that hits may change: calls by path, sums of the quality, and apart from those self time by path. */
async function contentOf(...of: Parameters<typeof profileOf>) {
  const profile = await profileOf(...of);
  const { losses, gaps, lostNs, inferredCalls, inferredEvents, mendedHits } = profile.quality;
  const { startNs, endNs } = profile.meta;
  const trees = fold(profile, { annotate: true, by: 'thread' });
  const lines = trees.trimEnd().split('\n');
  const calls = lines.map((line) => line.replace(/,avg:\d+/g, '').replace(/ \d+$/, ''));
  const selfNs = lines.map((line) => Number(/\d+$/.exec(line)));
  const sums = { calls, losses, gaps, lostNs, inferredCalls, inferredEvents, startNs, endNs };
  return { trees, sums, selfNs, mendedHits };
}

type Content = Awaited<ReturnType<typeof contentOf>>;

/** perf's errors have times that are estimated: a stop may begin some nanoseconds late. */
const MAX_LATE_NS = 60;

function expectSame(own: Content, other: Content): void {
  expect(own.sums).toEqual(other.sums);
  const late = own.selfNs.map((ns, line) => Math.abs(ns - (other.selfNs[line] as number)));
  expect(Math.max(...late)).toBeLessThan(MAX_LATE_NS);
  const total = (all: readonly number[]) => all.reduce((sum, ns) => sum + ns, 0);
  expect(total(own.selfNs)).toBe(total(other.selfNs));
}

/** `cre`: calls and returns; `be`: every branch. */
describe.each(['cre', 'be'])('probes in a text with %s', (branches) => {
  const damaged = `breakpoints.${branches}`;
  const undamaged = `no-breakpoints.${branches}`;

  test('breakpoints damage a trace', async () => {
    const [own, other] = [await contentOf(damaged), await contentOf(undamaged)];
    expect(own.sums.gaps.length).toBeGreaterThan(100);
    expect(own.sums.calls).not.toEqual(other.sums.calls);
    expect(other.sums.gaps).toEqual([]);
  });

  test('all hits are mended: every call, time and stop is as without breakpoints', async () => {
    const [own, other] = [await contentOf(damaged, hits), await contentOf(undamaged)];
    expectSame(own, other);
    expect(hits).toHaveLength(186);
    expect([own.mendedHits, other.mendedHits]).toEqual([186, undefined]);
  });

  test('times of samples may be a little early or late', async () => {
    const exact = await contentOf(damaged, hits);
    for (const shiftNs of [-20_000, -700, 700, 20_000]) {
      const shifted = hits.map((hit) => ({ ...hit, timeNs: hit.timeNs + shiftNs }));
      expect(await contentOf(damaged, shifted)).toEqual(exact);
    }
  });

  test('windows show the same', async () => {
    const { startNs, endNs } = (await contentOf(undamaged)).sums;
    const at = (part: number) => ({ afterStartNs: Math.round((endNs - startNs) * part) });
    for (const [from, to] of [
      [0.2, 0.3],
      [0.5, 0.9],
      [0.71, 0.72],
    ] as const) {
      const window = { from: at(from), to: at(to) };
      expectSame(await contentOf(damaged, hits, { window }), await contentOf(undamaged, [], { window }));
    }
  });

  test('hits mend only their own damage', async () => {
    const [all, none] = [await profileOf(undamaged), await profileOf(damaged)];
    expect(all.quality.gaps).toEqual([]);
    const some = hits.filter((_, row) => row % 2 === 0);
    const { quality } = await profileOf(damaged, some);
    expect(quality.mendedHits).toBeGreaterThan(80);
    expect(quality.mendedHits).toBeLessThanOrEqual(some.length);
    expect(quality.gaps.length).toBeGreaterThan(0);
    expect(quality.gaps.length).toBeLessThan(none.quality.gaps.length);
  });

  test('hits of other times or threads change nothing', async () => {
    const other = await contentOf(damaged);
    const wrong = [
      hits.map((hit) => ({ ...hit, timeNs: hit.timeNs + 1_000_000 })),
      hits.map((hit) => ({ ...hit, timeNs: hit.timeNs - 1_000_000 })),
      hits.map((hit) => ({ ...hit, tid: hit.tid + 100 })),
    ];
    for (const some of wrong) {
      expect(await contentOf(damaged, some)).toEqual(other);
    }
  });

  test('hits of other addresses change no call', async () => {
    const options = { extend: false }; // errors at hits may be no part of the recording's time
    const wrong = hits.map((hit) => ({ ...hit, address: hit.address + 0x10000 }));
    const [own, other] = [await contentOf(damaged, wrong, options), await contentOf(damaged, [], options)];
    expect(own.trees).toBe(other.trees);
    expect(own.sums.gaps).toEqual(other.sums.gaps);
  });

  test('hits change nothing in a trace without damage', async () => {
    const other = await contentOf(undamaged);
    const addresses = [
      ...textOf(undamaged)
        .toString()
        .matchAll(/\b([0-9a-f]{12}) /g),
    ].map(([, at]) => Number.parseInt(at as string, 16));
    const address = fc.tuple(fc.constantFrom(...addresses), fc.integer({ min: -15, max: 15 }));
    const hit = fc.record({
      tid: fc.constantFrom(5000, 5001, 5002),
      timeNs: fc.constantFrom(...hits.map(({ timeNs }) => timeNs)),
      address: address.map(([at, offset]) => at + offset),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(hit, { minLength: 200, maxLength: 2000 }), async (random) => {
        expect(await contentOf(undamaged, [...hits, ...random])).toEqual(other);
      }),
      { numRuns: 10 },
    );
  });
});

test('the order of inputs does not matter', async () => {
  const text = () => inputOf(textOf('breakpoints.cre'));
  const [one, other] = [
    await analyze([text(), recordingOf(hits)]),
    await analyze([recordingOf(hits.slice(90)), text(), recordingOf(hits.slice(0, 90))]),
  ];
  expect(fold(one, { annotate: true })).toBe(fold(other, { annotate: true }));
  expect(one.quality).toEqual(other.quality);
});
