/**
 * A comparison with itself is empty, and the comparison the other way round is its mirror image, in all outputs.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Diff, type DiffRow, diffOf } from '../../../src/answers.js';
import type { Profile } from '../../../src/index.js';
import { CallTreeBuilder, ROOT } from '../../../src/model/calls/call-tree.js';
import { SpecialSymbol, SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { profileOfBoth } from '../../../src/page/contents/compared-profile.js';
import { pageDataPieces } from '../../../src/page/data/write.js';
import { COMPARED_RECORDINGS, START } from '../../../src/page/view/state.js';
import { Views } from '../../../src/page/view/views.js';
import { compareProfiles } from '../../../src/render/diff/comparison.js';
import { readPaths } from '../../../src/render/diff/data.js';
import { renderDiffFolded } from '../../../src/render/diff/folded.js';
import { changeOf, diffPaths, levelOf, tableOf, type WidthOf } from '../../../src/render/diff/paths.js';
import { drawnPaths, renderDiffSvg } from '../../../src/render/diff/picture.js';
import { readPageData } from '../../helpers/browser/page-views.js';
import { readByFlamegraphPl } from '../../helpers/checks/files/folded-readers.js';
import { profilePairs } from '../../helpers/random/random-diffs.js';
import { analyzeText, fixture, fold } from '../../helpers/traces/load.js';
import { isMissing } from '../../tools/needs.js';

type Per = 'call' | 'second' | null;
const pathsOf = (before: Profile, after: Profile, per: Per = null, widthOf: WidthOf = 'after') =>
  drawnPaths(compareProfiles(before, after, per), widthOf, 0);

const foldedOf = (before: Profile, after: Profile) => [...renderDiffFolded(compareProfiles(before, after))];

/** Profiles without calls have nothing to divide by. */
function has(profile: Profile, per: Per): boolean {
  try {
    compareProfiles(profile, profile, per);
    return true;
  } catch {
    return false;
  }
}

describe('a profile does not differ from itself', () => {
  test('in answers', () => {
    fc.assert(
      fc.property(profilePairs, ([profile]) => {
        const { changed, functions } = diffOf(profile, profile);
        expect(changed).toBe(0);
        for (const { withinNoise, isNew, isGone } of functions)
          expect([isNew, isGone, ...Object.values(withinNoise)]).not.toContain(true);
      }),
    );
  });

  test('in folded stacks', () => {
    fc.assert(
      fc.property(profilePairs, ([profile]) => {
        for (const line of foldedOf(profile, profile)) expect(line).toMatch(/ (\d+) \1\n$/);
      }),
    );
  });

  test('in pictures', () => {
    fc.assert(
      fc.property(profilePairs, fc.constantFrom<WidthOf>('after', 'before', 'larger'), ([profile], widthOf) => {
        const paths = pathsOf(profile, profile, null, widthOf);
        for (let node = 0; node < paths.parent.length; node++) expect(changeOf(paths, node)).toBe('same');
        expect(tableOf(paths, widthOf).total).toEqual(paths.totals.after);
      }),
    );
  });
});

const MIRRORED = { same: 'same', noise: 'noise', more: 'less', less: 'more', new: 'gone', gone: 'new' } as const;
const OTHER_WIDTH = { after: 'before', before: 'after', larger: 'larger' } as const;

function mirrored(row: DiffRow): unknown {
  const { isNew, isGone, dso: _, ...rest } = row;
  const entries = Object.entries(rest).map(([key, value]) => {
    const isPair = typeof value === 'object' && value !== null && 'before' in value;
    return [key, isPair ? { before: value.after, after: value.before } : value];
  });
  return { isNew: isGone, isGone: isNew, ...Object.fromEntries(entries) };
}
const withoutFile = ({ dso: _, ...row }: DiffRow) => row;

describe('the other way round, it is the mirror image', () => {
  const modes = fc.constantFrom<Per>(null, 'call', 'second');

  test('in answers', () => {
    fc.assert(
      fc.property(
        profilePairs,
        modes,
        fc.constantFrom('self', 'total', 'calls', 'avg' as const),
        ([a, b], per, sort) => {
          fc.pre(has(a, per) && has(b, per));
          const [there, back] = [
            diffOf(a, b, { per, sort: sort as 'self' }),
            diffOf(b, a, { per, sort: sort as 'self' }),
          ] as readonly Diff[] as [Diff, Diff];
          expect(back.functions.map(mirrored)).toEqual(there.functions.map(withoutFile));
          expect(back.changed).toBe(there.changed);
        },
      ),
    );
  });

  test('in folded stacks', () => {
    fc.assert(
      fc.property(profilePairs, ([a, b]) => {
        const swapped = foldedOf(b, a).map((line) => line.replace(/ (\d+) (\d+)\n$/, ' $2 $1\n'));
        expect(swapped).toEqual(foldedOf(a, b));
      }),
    );
  });

  test('in pictures', () => {
    fc.assert(
      fc.property(
        profilePairs,
        modes,
        fc.constantFrom<WidthOf>('after', 'before', 'larger'),
        ([a, b], per, widthOf) => {
          fc.pre(has(a, per) && has(b, per));
          const [there, back] = [pathsOf(a, b, per, widthOf), pathsOf(b, a, per, OTHER_WIDTH[widthOf])];
          expect(tableOf(back, OTHER_WIDTH[widthOf]).total).toEqual(tableOf(there, widthOf).total);
          for (let node = 0; node < there.parent.length; node++) {
            expect(there.names[there.symbol[node] as number]).toBe(back.names[back.symbol[node] as number]);
            expect(changeOf(back, node)).toBe(MIRRORED[changeOf(there, node)]);
            expect(levelOf(back, node)).toBe(levelOf(there, node));
          }
        },
      ),
    );
  });
});

test('each side has the time, the calls and the paths of its profile', () => {
  fc.assert(
    fc.property(profilePairs, ([a, b]) => {
      const lines = foldedOf(a, b).map((line) => /^(.*) (\d+) (\d+)\n$/.exec(line) as RegExpExecArray);
      for (const [column, profile] of [
        [2, a],
        [3, b],
      ] as const) {
        const own = new Map<string, number>();
        for (const line of lines) own.set(line[1] as string, (own.get(line[1] as string) ?? 0) + Number(line[column]));
        const wanted = fold(profile)
          .split('\n')
          .map((line) => /^(.*) (\d+)$/.exec(line))
          .filter((line) => line !== null);
        const used = wanted.filter(([, , ns]) => ns !== '0').map(([, path, ns]) => [path, Number(ns)]);
        expect([...own].filter(([, ns]) => ns > 0).sort()).toEqual(merged(used as [string, number][]));
      }
    }),
  );
});

/** A function may have the name of a stop: both are one path in folded stacks. */
function merged(rows: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [path, ns] of rows) sums.set(path, (sums.get(path) ?? 0) + ns);
  return [...sums].sort();
}

test('a frame is as wide as its time after, and as before if it is gone', () => {
  fc.assert(
    fc.property(profilePairs, ([a, b]) => {
      const paths = pathsOf(a, b);
      const { self, parent } = tableOf(paths, 'after');
      for (let node = 0; node < parent.length; node++) {
        const side = changeOf(paths, node) === 'gone' ? 'before' : 'after';
        expect(self[node]).toBe(paths.self[side][node]);
      }
    }),
  );
});

test('the numbers of a file are those that it was written from', () => {
  fc.assert(
    fc.property(profilePairs, ([a, b]) => {
      const comparison = compareProfiles(a, b);
      const wanted = pathsOf(a, b);
      const json = /id="data">(.*?)<\/metadata>/s.exec([...renderDiffSvg(comparison)].join(''))?.[1] ?? '';
      const paths = diffPaths(readPaths(json).columns);
      expect(paths.totals).toEqual(wanted.totals);
      for (let node = 0; node < paths.parent.length; node++) {
        expect(changeOf(paths, node)).toBe(changeOf(wanted, node));
        expect(paths.names[paths.symbol[node] as number]).toBe(wanted.names[wanted.symbol[node] as number]);
      }
    }),
    { numRuns: 30 },
  );
});

describe('a page', () => {
  const viewsOf = (before: Profile, after: Profile, per: Per) => {
    const comparison = compareProfiles(before, after, per);
    const compared = { scales: comparison.scales, per };
    const pieces = [...pageDataPieces(profileOfBoth(comparison), null, compared)];
    return new Views(readPageData(Buffer.concat(pieces)));
  };
  const state = { ...START, ...COMPARED_RECORDINGS, order: 'name' } as const;

  test('has the call paths of the comparison, and what changed', () => {
    fc.assert(
      fc.property(profilePairs, fc.constantFrom<Per>(null, 'call', 'second'), ([a, b], per) => {
        fc.pre(has(a, per) && has(b, per));
        const wanted = pathsOf(a, b, per);
        const views = viewsOf(a, b, per);
        const { paths } = views.comparedAt(state) ?? { paths: wanted };
        const listed = (of: typeof paths, names: readonly string[]) => {
          const all = [''];
          for (let node = 1; node < of.parent.length; node++)
            all[node] = `${all[of.parent[node] as number]};${names[of.symbol[node] as number]}`;
          const rows = all.map((path, node) => [
            path,
            changeOf(of, node),
            of.totals.before[node],
            of.totals.after[node],
          ]);
          return rows.filter(([, , before, after]) => Number(before) + Number(after) > 0).sort();
        };
        expect(listed(paths, views.data.symbols.name)).toEqual(listed(wanted, wanted.names));
      }),
      { numRuns: 50 },
    );
  });

  test.each<Per>([null, 'call', 'second'])('has the functions of the answer, per %s', async (per) => {
    const [before, after] = [
      await analyzeText(fixture('lab/demo-cre.txt'), { durations: true }),
      await analyzeText(fixture('demo/threads.perf.txt.gz'), { durations: true }),
    ];
    const shown = viewsOf(before, after, per)
      .functionsAt(state)
      .rows.map(({ compared }) => compared?.of);
    const digits = (values: readonly (number | null | undefined)[]) =>
      values.map((value) => (value == null || Number.isNaN(value) ? null : Number(value.toPrecision(9))));
    const wanted = diffOf(before, after, { per }).functions.map(
      ({ totalNs, selfNs, calls, avgNs, p99Ns, withinNoise }) => [
        ...digits([totalNs, selfNs, calls, avgNs, p99Ns].flatMap((pair) => [pair.before, pair.after])),
        ...[withinNoise.totalNs, withinNoise.selfNs, withinNoise.avgNs, withinNoise.p99Ns],
      ],
    );
    const rounded = (ns: number) => Math.round(1000 * ns) / 1000; // as answers are
    const rows = shown.map((of) => [
      ...digits([of?.total, of?.self, of?.calls].flatMap((pair) => [pair?.before, pair?.after])),
      ...digits(
        [of?.avg, of?.p99].flatMap((pair) => [rounded(pair?.before ?? Number.NaN), rounded(pair?.after ?? Number.NaN)]),
      ),
      ...[of?.total.isNoise, of?.self.isNoise, of?.avg.isNoise, of?.p99.isNoise],
    ]);
    expect(rows.map((row) => row.join()).sort()).toEqual(wanted.map((row) => row.join()).sort());
  });
});

test.skipIf(isMissing('flamegraph.pl'))(
  'flamegraph.pl draws folded stacks of a comparison, as wide as after',
  async () => {
    const before = await analyzeText(fixture('lab/demo-cre.txt'));
    const after = await analyzeText(fixture('demo/threads.perf.txt.gz'));
    const folded = foldedOf(before, after).join('');
    const { frames, stderr } = await readByFlamegraphPl(folded);
    expect(stderr).toBe('');
    expect(frames.get('all')).toBe(after.quality.totalNs);
  },
);

test('a function with the name of a stop is not that stop', () => {
  const [base] = fc.sample(profilePairs, 1)[0] as [Profile, Profile];
  const symbols = new SymbolTableBuilder();
  const row = symbols.intern('[syscall]', null);
  const charged = (symbol: number): Profile => {
    const builder = new CallTreeBuilder();
    builder.charge(builder.child(ROOT, symbol), 7);
    const thread = { ...(base.threads[0] as Profile['threads'][number]), tree: builder.build() };
    return { ...base, symbols: symbols.build(), threads: [thread] };
  };
  const paths = pathsOf(charged(row), charged(SpecialSymbol.Syscall));
  expect([1, 2].map((node) => changeOf(paths, node)).sort()).toEqual(['gone', 'new']);
});
