/**
 * Tests files for pprof: what is in them, and that they depend on nothing but the profile. test/consumers reads them
 * with pprof itself.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderPprof } from '../../src/export/pprof.js';
import { analyze, type Profile } from '../../src/index.js';
import { symbolLines } from '../../src/model/symbol-table.js';
import { readPprof } from '../helpers/checks/files/pprof-file.js';
import { foldedValues, pathValuesOf, sumsOf } from '../helpers/checks/path-values.js';
import { rendered } from '../helpers/checks/rendered.js';
import { randomProfiles } from '../helpers/random/random-profiles.js';
import { analyzeText, beginningOf, fixture, fold, inputOf } from '../helpers/traces/load.js';
import { STOPPED } from '../helpers/traces/stopped-trace.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';

const pprofOf = async (profile: Profile) => readPprof(await rendered(renderPprof(profile)));

test('has calls, times and inferred calls of each path', async () => {
  const profile = await analyzeText(STOPPED);
  const { types, shown, paths, labels, durationNs } = await pprofOf(profile);
  const ns = ['wall', 'on_cpu', 'off_cpu', 'outside'].map((type) => `${type}/nanoseconds`);
  expect(types).toEqual(['calls/count', ...ns, 'inferred_calls/count']);
  expect(shown).toBe('wall');
  expect(Object.fromEntries(paths)).toEqual({
    '1\nmain': [1, 7, 7, 0, 0, 1],
    '1\nmain\na': [2, 5, 5, 0, 0, 1],
    '1\nmain\na\nb': [1, 3, 3, 0, 0, 0],
    '1\nmain\n[syscall]': [1, 30, 0, 0, 30, 0],
  });
  expect([...labels]).toEqual(['thread=thread/1 tid=1']);
  expect(durationNs).toBe(45);
});

test('says which thread a sample is from, what was lost, and when it was recorded', async () => {
  const text = fixture('lab/overflow-and-lost.txt');
  const profile = await analyzeText(text);
  const recorded = { host: null, kernel: null, cpu: null, perf: null, command: null };
  const meta = { ...profile.meta, recorded: { ...recorded, startedAt: '2026-11-22T10:00:00.123Z' } };
  const { comments, recordedAtNs } = await pprofOf({ ...profile, meta });
  expect(comments.join('\n')).toMatch(
    /^33 events of .*; 2 gaps in 1 of 1 thread, .*\n1 gap, 0 ns lost: Overflow packet/s,
  );
  expect(recordedAtNs).toBe(Date.parse('2026-11-22T10:00:00.123Z') * 1e6);
  const demo = await pprofOf(await analyzeText(fixture('demo/threads.perf.txt.gz')));
  expect([...demo.labels][0]).toBe('thread=threads/5000 comm=threads tid=5000 pid=5000');
  expect(demo.labels.size).toBe(5);
  expect(demo.recordedAtNs).toBe(0);
});

test('a trace without times has calls alone', async () => {
  const profile = await analyzeText(fixture('lab/fields-timeless-no-time.txt'), { byCalls: true });
  const { types, shown, paths } = await pprofOf(profile);
  expect(types).toEqual(['calls/count', 'inferred_calls/count']);
  expect(shown).toBe('calls');
  expect(paths).toEqual(sumsOf([...pathValuesOf(profile)].map(([path, values]) => [path, [values[0]!, values[5]!]])));
});

test('has the files of functions, and the lines where they begin', async () => {
  const profile = await analyzeText(fixture('lab/fields-pid-tid-cpu-event-dso.txt'));
  const name = 'main';
  const lines = symbolLines(profile.symbols.name.map((own) => (own === name ? { file: '/src/m.c', line: 7 } : null)));
  const { code } = await pprofOf({ ...profile, symbols: { ...profile.symbols, lines } });
  expect(code.filter((line) => / at \/src/.test(line))).toEqual(['main in /opt/lab/demo at /src/m.c:7:7']);
  expect(code).toContain('[syscall] in ? at :0:0');
});

test('names of binaries and threads are text, too', async () => {
  const profile = await analyzeText(fixture('lab/fields-pid-tid-cpu-event-dso.txt'));
  const [thread] = profile.threads as [Profile['threads'][number]];
  const symbols = { ...profile.symbols, dsoName: profile.symbols.dsoName.map((name) => `${name}\x1b`) };
  const { code, labels } = await pprofOf({ ...profile, symbols, threads: [{ ...thread, comm: 'm\x07' }] });
  expect(code).toContain('main in /opt/lab/demo\\x1b at :0:0');
  const tid = `tid=${thread.tid} pid=${thread.pid}`;
  expect([...labels]).toEqual([`thread=m\\x07/${thread.tid} comm=m\\x07 ${tid}`]);
});

test('names are text: control characters are escaped, and nothing else changes', async () => {
  const profile = await analyzeText(strangeTrace());
  const names = [...(await pprofOf(profile)).paths.keys()].map((path) => path.split('\n').at(-1));
  expect(names).toContain('red_\\x1b[31m_alarm');
  expect(names).toContain('שלום_עולם');
  expect(names.some((name) => name?.endsWith('::operator[](std::string const&)'))).toBe(true);
});

test('has every path, call and nanosecond of random profiles', async () => {
  const columnsOf = ({ meta }: Profile) => (meta.weight === 'calls' ? [0, 5] : [0, 1, 2, 3, 4, 5]);
  await fc.assert(
    fc.asyncProperty(randomProfiles, async (profile) => {
      const rows = [...pathValuesOf(profile)].map(([path, values]) => {
        return [path, columnsOf(profile).map((column) => values[column] as number)] as const;
      });
      expect((await pprofOf(profile)).paths).toEqual(sumsOf(rows));
    }),
    { numRuns: 50 },
  );
});

test('the times of paths are those of folded stacks', async () => {
  const profile = await analyzeText(fixture('truth/ptemu-boostfiber.perf.txt.gz'));
  const folded = fold(profile).trimEnd().split('\n');
  const wall = foldedValues((await pprofOf(profile)).paths, 1);
  const lines = [...wall].filter(([, ns]) => ns > 0).map(([path, ns]) => `${path} ${ns}`);
  expect(lines.sort()).toEqual(folded.filter((line) => !line.endsWith(' 0')).sort());
});

test('the same trace gives the same bytes, however it is read', async () => {
  const text = beginningOf('truth/ptemu-threads4.perf.txt.gz');
  const lines = text.toString().trimEnd().split('\n');
  const isOfMain = (line: string) => /^ *5000 /.test(line);
  const parts = [lines.filter((line) => !isOfMain(line)), lines.filter(isOfMain)];
  expect(parts[1]?.length).toBeGreaterThan(100);
  const whole = await rendered(renderPprof(await analyzeText(text)));
  const inParts = await rendered(
    renderPprof(
      await analyze(
        parts.map((part) => inputOf(`${part.join('\n')}\n`)),
        { jobs: 2 },
      ),
    ),
  );
  expect(inParts.equals(whole)).toBe(true);
  expect([...whole.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, expect.any(Number), 255]); // no time, no system
});
