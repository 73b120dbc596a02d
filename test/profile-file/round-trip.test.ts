/**
 * A profile that was written and read back is unchanged: every renderer produces the same bytes for both.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze, type Profile } from '../../src/index.js';
import { jsonOf, profileOfNames, readBack } from '../helpers/checks/files/profile-file.js';
import { breakingOff, callAt, manyThreads, tracesIn } from '../helpers/checks/round-trips.js';
import { execute } from '../helpers/random/execution.js';
import { analyzeText, beginningOf, fold, inputOf } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

/** test/pipeline/numbers.test.ts reads profiles of all fixtures back. */
const fixtures = tracesIn(['hardware', 'constructed', 'demo']);

async function expectSame(profile: Profile): Promise<void> {
  const text = jsonOf(profile);
  const again = await readBack(text);
  for (const by of ['thread', 'process', 'none'] as const)
    expect(fold(again, { annotate: true, by })).toBe(fold(profile, { annotate: true, by }));
  expect(jsonOf(again)).toBe(text);
  JSON.parse(text);
}

test.each(fixtures)('reads %s back unchanged', async (name) => {
  await expectSame(await analyzeText(beginningOf(name), { byCalls: true }));
});

const threads = manyThreads(0, 1, 7, 5000, 3_000_000_000);

test('reads the profile of any execution back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(threads, async (decisions) => {
      const text = execute(decisions).lines.map((line) => `${line.text}\n`);
      await expectSame(await analyzeText(text.join('')));
    }),
    { numRuns: 40 },
  );
});

test('writes the same bytes for files by CPU in any order', async () => {
  await fc.assert(
    fc.asyncProperty(threads, fc.infiniteStream(fc.nat()), async (decisions, luck) => {
      const { lines } = execute(decisions);
      const texts = [0, 1, 2, 3].map((cpu) => lines.filter((line) => line.cpu === cpu).map(({ text }) => `${text}\n`));
      const inputs = () => texts.map((text, cpu) => inputOf(text.join(''), `cpu${cpu}`));
      const shuffled = inputs()
        .map((input) => ({ input, at: luck.next().value as number }))
        .sort((a, b) => a.at - b.at);
      const one = jsonOf(await analyze(inputs()));
      expect(jsonOf(await analyze(shuffled.map(({ input }) => input)))).toBe(one);
    }),
    { numRuns: 40 },
  );
});

test('keeps the clock of the first event if a recording was split into files of different seconds', async () => {
  const inputs = () => [inputOf(callAt(7), 'a'), inputOf(callAt(5), 'b')];
  const profile = await analyze(inputs().reverse());
  expect(jsonOf(profile)).toContain('"originNs":"5000000500","startNs":0,"endNs":2000000000');
  expect(jsonOf(await analyze(inputs()))).toBe(jsonOf(profile));
});

test('lists broken inputs in a fixed order', async () => {
  const profile = await analyze(['b', 'a'].map((name) => breakingOff(name, callAt(1))));
  expect(profile.quality.brokenInputs.map(({ input }) => input)).toEqual(['a', 'b']);
  await expectSame(profile);
});

const hostileNames = [
  '</script>',
  '\u0000',
  '\ud800',
  '\udc00',
  '"',
  '\\',
  '\u2028',
  '__proto__',
  'ä\n',
  '😀',
  '',
  '﷐',
];

test('accepts any characters in names', async () => {
  await expectSame(profileOfNames(hostileNames.flatMap((name) => [[name, null] as const, [name, name] as const])));
  for (const comm of hostileNames) {
    const written = profileOfNames(
      hostileNames.map((name) => [name, name]),
      comm,
    );
    const profile = await readBack(jsonOf(written));
    expect([...profile.symbols.name.slice(6)].sort()).toEqual([...hostileNames].sort());
    expect(profile.threads[0]?.comm).toBe(comm);
  }
});

test('orders symbols and nodes by name and file, whatever their order in the trace', () => {
  const name = fc.tuple(fc.string({ unit: 'binary', maxLength: 2 }), fc.option(fc.constantFrom('a', 'b', '')));
  const both = fc
    .uniqueArray(name, { maxLength: 20, selector: JSON.stringify })
    .chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length })));
  fc.assert(
    fc.property(both, ([names, shuffled]) => {
      expect(jsonOf(profileOfNames(names))).toBe(jsonOf(profileOfNames(shuffled)));
    }),
  );
});

test('orders names by their UTF-8 bytes', () => {
  const file = JSON.parse(jsonOf(profileOfNames([...'b\u{10400}\uff5eaZ'].map((name) => [name, null]))));
  expect(file.symbols.name.slice(6)).toEqual(['Z', 'a', 'b', '\uff5e', '\u{10400}']);
});

test('omits symbols that no tree uses', () => {
  const used = profileOfNames([['b', null]]);
  const { symbols } = profileOfNames([
    ['b', null],
    ['never', '/lib/never.so'],
  ]);
  expect(jsonOf({ ...used, symbols })).toBe(jsonOf(used));
});

test('keeps a function that only durations use', async () => {
  const used = profileOfNames([['b', null]]);
  const { symbols } = profileOfNames(['b', 'a'].map((name) => [name, null]));
  const durations = { length: 1, symbol: Int32Array.of(7), bucket: Int32Array.of(3), calls: Float64Array.of(2) };
  await expectSame({ ...used, symbols, threads: used.threads.map((thread) => ({ ...thread, durations })) });
});

test('stays readable if sums exceed what is exact', async () => {
  const profile = profileOfNames([['a', null]]);
  const { quality } = profile;
  await expectSame({ ...profile, quality: { ...quality, totalNs: 3 * 2 ** 53, inferredNs: 2 ** 53 + 2 } });
});

test('reads the idle task of a CPU, whose halts count nowhere', async () => {
  const text = traceOf(`
    0/10   call    k:do_idle          k:native_safe_halt
    0/900  return  k:native_safe_halt k:do_idle
    0/910  call    k:do_idle          k:work
    0/915  return  k:work             k:do_idle`);
  const profile = await analyzeText(text);
  const [{ tree, startNs, endNs }] = profile.threads as [Profile['threads'][number]];
  expect(tree.selfNs.reduce((sum, ns) => sum + ns, 0)).toBeLessThan(endNs - startNs);
  await expectSame(profile);
});
