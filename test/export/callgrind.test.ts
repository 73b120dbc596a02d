/**
 * Tests callgrind files. test/consumers reads them with callgrind_annotate.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderCallgrind } from '../../src/export/callgrind.js';
import type { Profile } from '../../src/index.js';
import { symbolLines } from '../../src/model/symbol-table.js';
import { PTFLAME_VERSION } from '../../src/model/version.js';
import { edgesOf } from '../helpers/checks/edges.js';
import { readCallgrind } from '../helpers/checks/files/callgrind-file.js';
import { randomProfiles } from '../helpers/random/random-profiles.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const callgrindOf = (profile: Profile) => [...renderCallgrind(profile)].join('');

const RECURSIVE = traceOf(`
  10  call             main  a
  20  call             a     a
  25  call             a     b
  31  return           b     a
  38  return           a     a
  46  return           a     main
  50  tr end  syscall  main
  60  tr strt                main`);

test('has the costs of functions and calls; recursion costs once', async () => {
  const text = callgrindOf(await analyzeText(RECURSIVE)).replace(PTFLAME_VERSION, 'VERSION');
  expect(text).toMatchInlineSnapshot(`
    "# callgrind format
    version: 1
    creator: ptflame VERSION
    desc: 8 events of 1 thread in 50 ns; nothing lost, 1 call inferred
    positions: line
    events: Wall OnCpu OffCpu Outside Calls InferredCalls
    summary: 50 40 0 10 5 1

    ob=(1) ???
    fl=(1) ???
    fn=(1) [syscall]
    0 10 0 0 10 1 0

    ob=(1)
    fl=(1)
    fn=(2) a
    0 30 30 0 0 2 0
    cob=(1)
    cfi=(1)
    cfn=(2)
    calls=1 0
    0 0 0 0 0 0 0
    cob=(1)
    cfi=(1)
    cfn=(3) b
    calls=1 0
    0 6 6 0 0 1 0

    ob=(1)
    fl=(1)
    fn=(3)
    0 6 6 0 0 1 0

    ob=(1)
    fl=(1)
    fn=(4) main
    0 4 4 0 0 1 1
    cob=(1)
    cfi=(1)
    cfn=(1)
    calls=1 0
    0 10 0 0 10 1 0
    cob=(1)
    cfi=(1)
    cfn=(2)
    calls=1 0
    0 36 36 0 0 3 0

    ob=(1)
    fl=(1)
    fn=(5) thread thread/1
    0 0 0 0 0 0 0
    cob=(1)
    cfi=(1)
    cfn=(4)
    calls=1 0
    0 50 40 0 10 5 1
    "
  `);
});

test('has the files of functions, and the lines where they begin', async () => {
  const profile = await analyzeText(fixture('lab/fields-pid-tid-cpu-event-dso.txt'));
  const lines = symbolLines(profile.symbols.name.map((own) => (own === 'main' ? { file: '/src/m.c', line: 7 } : null)));
  const text = callgrindOf({ ...profile, symbols: { ...profile.symbols, lines } });
  expect(text).toMatch(/^ob=\(\d\) \/opt\/lab\/demo$/m);
  expect(text).toMatch(/^fl=\(2\)(?: \/src\/m\.c)?\nfn=\(\d+\)(?: main)?\n7 \d+/m);
  expect(text).toMatch(/^cfi=\(2\)(?: \/src\/m\.c)?\ncfn=\(\d+\)(?: main)?\ncalls=1 7\n0 \d+/m);
});

test('names stay on their lines, and are never numbers of other names', async () => {
  const profile = await analyzeText(RECURSIVE);
  const odd: Readonly<Record<string, string>> = { main: '(1)', a: ' x\nfn=(1) y', b: '' };
  const name = profile.symbols.name.map((own) => odd[own] ?? own);
  const { self } = readCallgrind(callgrindOf({ ...profile, symbols: { ...profile.symbols, name } }));
  expect([...self.keys()].sort()).toEqual(['(1)', '[syscall]', '\\x00', '\\x20x\\x0afn=(1) y', 'thread thread/1']);
});

test('a trace without times has calls alone', async () => {
  const profile = await analyzeText(fixture('lab/fields-timeless-no-time.txt'), { byCalls: true });
  expect(readCallgrind(callgrindOf(profile)).events).toEqual(['Calls', 'InferredCalls']);
});

test('all threads together cost what the profile has, and calls are those of the trees', async () => {
  const profile = await analyzeText(fixture('truth/ptemu-threads4.perf.txt.gz'));
  const { summary, calls, self } = readCallgrind(callgrindOf(profile));
  expect(summary[0]).toBe(profile.quality.totalNs);
  expect([...self.values()].reduce((sum, [wall = 0]) => sum + wall, 0)).toBe(profile.quality.totalNs);
  const shown = [...calls].filter(([edge]) => !edge.startsWith('thread '));
  const wanted = [...edgesOf(profile)].map(([edge, { calls, wallNs }]) => [edge, calls, wallNs]);
  expect(shown.map(([edge, [count, wall]]) => [edge, count, wall]).sort()).toEqual(wanted.sort());
  for (const { tid, tree } of profile.threads) {
    const own = [...calls].filter(([edge]) => edge.startsWith(`thread thread/${tid}\n`));
    expect(own.reduce((sum, [, [, wall = 0]]) => sum + wall, 0)).toBe(tree.selfNs.reduce((sum, ns) => sum + ns, 0));
  }
});

test('any profile has lines that can be read', () => {
  const LINE = /^(?:|c?(?:ob|fn)=\(\d+\)(?: .+)?|(?:fl|cfi)=\(\d+\)(?: .+)?|calls=[1-9]\d* \d+|\d+(?: \d+)+)$/;
  fc.assert(
    fc.property(randomProfiles, (profile) => {
      const text = callgrindOf(profile);
      const [head = '', ...body] = text.split(/^(?=ob=)/m);
      expect(head).toMatch(/^# callgrind format\nversion: 1\n(?:[a-z]+: .*\n)*summary: .*\n+$/);
      expect(
        body
          .join('')
          .split('\n')
          .filter((line) => !LINE.test(line)),
      ).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
