/**
 * An imported trace gives the same bytes as its inputs, for any question.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnalyzeOptions, analyze, type Profile, type TraceInput } from '../../../src/index.js';
import { jsonOf } from '../../helpers/checks/files/profile-file.js';
import { ALONE, analyzeFile, imported, stored } from '../../helpers/checks/files/trace-file.js';
import { breakingOff, callAt, manyThreads, tracesIn } from '../../helpers/checks/round-trips.js';
import { execute } from '../../helpers/random/execution.js';
import { times } from '../../helpers/random/times.js';
import { beginningOf, fixture, fold, inputOf } from '../../helpers/traces/load.js';

const fixtures = tracesIn(['hardware', 'lab', 'constructed', 'damaged', 'truth', 'demo']);

function picturesOf(profile: Profile): string {
  return [fold(profile, { annotate: true }), fold(profile, { annotate: true, by: 'thread' }), jsonOf(profile)].join('');
}

/** `inputs`: opened anew each time, as each can be read once. */
async function expectSame(inputs: () => TraceInput[], ...questions: AnalyzeOptions[]): Promise<void> {
  const file = await imported(inputs());
  for (const options of [{}, ...questions]) {
    const given = { byCalls: true, ...ALONE, ...options };
    expect(picturesOf(await analyzeFile(file, given))).toBe(picturesOf(await analyze(inputs(), given)));
  }
  expect(await imported([stored(file)]), 'imported again').toEqual(file);
}

test.each(fixtures)('%s gives the same result when imported', async (name) => {
  const text = beginningOf(name);
  await expectSame(() => [inputOf(text, name)], { tailCalls: 'replace', extend: false });
});

const threads = manyThreads(0, 1, 126, 127, 128, 5000, 3_000_000_000);

test('any execution gives the same result when imported', async () => {
  await fc.assert(
    fc.asyncProperty(threads, async (decisions) => {
      const text = execute(decisions).lines.map(({ text }) => `${text}\n`);
      await expectSame(() => [inputOf(text.join(''))]);
    }),
    { numRuns: times(20) },
  );
});

/** Anything that lines may contain: steps back in time, far times, errors and records among the branches. */
const oddLine = fc.record({
  tid: fc.integer({ min: 1, max: 4 }),
  cpu: fc.integer({ min: 0, max: 3 }),
  seconds: fc.constantFrom(0, 1, 1, 1, 1, 2, 9_000_000),
  ns: fc.oneof(fc.nat(999_999_999), fc.integer({ min: 500, max: 900 })),
  form: fc.constantFrom(
    'call   401010 work+0x10 => 402000 read_row+0x0',
    'return 402010 read_row+0x10 => 401015 work+0x15',
    'jmp    402004 read_row => 7fff00001000 [unknown]',
    'tr strt 0 [unknown] => 401015 work+0x15',
    'tr end  syscall 402008 read_row+0x8 => 0 [unknown]',
    'call   ffffffff81000010 do_syscall+0x10 => ffffffff81000400 sys_read+0x0',
    'foo    401010 work+0x10 => 402000 read_row+0x0',
    'PERF_RECORD_SWITCH OUT',
    'PERF_RECORD_SWITCH IN',
    'PERF_RECORD_COMM exec: other:TID/TID',
    'PERF_RECORD_COMM: other:TID/TID',
    'PERF_RECORD_EXIT(TID:TID):(TID:TID)',
    'PERF_RECORD_FORK(TID:TID):(1:1)',
    'PERF_RECORD_MMAP2 TID/TID: [0x401000(0x2000) @ 0 08:01 5 0]: r-xp /opt/demo',
    'ERROR',
    'garbage',
  ),
});
type OddLine = typeof oddLine extends fc.Arbitrary<infer Line> ? Line : never;

function textOfOdd({ tid, cpu, seconds, ns, form }: OddLine): string {
  const time = `${seconds}.${String(ns).padStart(9, '0')}`;
  if (form === 'ERROR')
    return ` instruction trace error type 1 time ${time} cpu ${cpu} pid ${tid} tid ${tid} ip 0x401260 code 7: Overflow packet\n`;
  return `${tid} [00${cpu}] ${time}: ${form.replaceAll('TID', String(tid))}\n`;
}

const isBranch = ({ form }: OddLine) => form.includes('=>');
const oddLines = fc.array(oddLine, { minLength: 2, maxLength: 80 }).filter((lines) => lines.some(isBranch));

test('any lines of several inputs give the same result, and the same file in either order', async () => {
  await fc.assert(
    fc.asyncProperty(oddLines, oddLines, async (one, two) => {
      const inputs = () => [one, two].map((lines, at) => inputOf(lines.map(textOfOdd).join(''), `cpu${at}`));
      await expectSame(inputs);
      if (![...one, ...two].some(({ seconds }) => seconds > 2))
        expect(await imported(inputs().reverse())).toEqual(await imported(inputs()));
    }),
    { numRuns: times(20) },
  );
});

test('inputs that start in different seconds give the same file in any order', async () => {
  const inputs = () => [inputOf(callAt(7), 'a'), inputOf(callAt(5), 'b'), inputOf(callAt(6), 'c')];
  const file = await imported(inputs());
  expect(await imported(inputs().reverse())).toEqual(file);
  expect(jsonOf(await analyzeFile(file))).toContain('"originNs":"5000000500","startNs":0,"endNs":2000000000');
});

test('an event takes little more than two bytes', async () => {
  const text = fixture('truth/gentrace-plain.perf.txt.gz');
  const { threads } = stored(await imported([inputOf(text)])).stored;
  const blocks = threads.flatMap(({ blocks }) => blocks);
  const [bytes, events] = [sumOf(blocks, 'inflatedBytes'), sumOf(blocks, 'events')];
  expect(events).toBeGreaterThan(5000);
  expect(bytes / events).toBeLessThan(2.2);
});

function sumOf<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((sum, row) => sum + row[key], 0);
}

test('names may contain anything', async () => {
  const names = ['</script>', '__proto__', 'ä', '😀', '\xff\xfe', 'a b', '[lost]', 'x'.repeat(5000)];
  const lines = names.map((name, at) =>
    Buffer.from(
      `1 [000] 1.${String(at).padStart(9, '0')}: call ${at}010 ${name}+0x10 => ${at}500 ${name}'+0x0\n`,
      'latin1',
    ),
  );
  await expectSame(() => [inputOf(Buffer.concat(lines))]);
});

test('threads that have only errors', async () => {
  const error = (time: string, tid: number) =>
    ` instruction trace error type 1 time ${time} cpu 0 pid 1 tid ${tid} ip 0 code 0: .\n`;
  await expectSame(() => [inputOf(error('0.075353', 1) + error('0.575779', 3))]);
});

test('faults of the inputs are reported again', async () => {
  const broken = () => ['b', 'a'].map((name) => breakingOff(name, `${callAt(1)}???\n`));
  await expectSame(broken);
  const { quality } = await analyzeFile(await imported(broken()));
  expect(quality.brokenInputs.map(({ input }) => input)).toEqual(['a', 'b']);
  expect(quality.firstDamaged.map(({ input, line }) => `${input}:${line}`)).toEqual(['a:2', 'b:2']);
});

describe('selecting threads and CPUs', () => {
  const text = fixture('lab/thread-create-switch-migrate.txt');
  const inputs = () => [inputOf(text)];
  const ids = [...new Set([...text.toString().matchAll(/^\s*(\d+) \[/gm)].map(([, tid]) => Number(tid)))];
  const selections = [
    { tids: ids.slice(0, 1) },
    { tids: ids.slice(1) },
    { cpus: [0] },
    { cpus: [1, 2, 3] },
    { tids: ids.slice(0, 2), cpus: [0, 1] },
  ];

  test.each(selections)('%j gives the same from a file, from the inputs, and on import', async (select) => {
    const wanted = await outcome(() => analyze(inputs(), { ...ALONE, select }));
    const file = await imported(inputs());
    expect(await outcome(() => analyzeFile(file, { select }))).toBe(wanted);
    const selected = await outcome(async () => analyzeFile(await imported(inputs(), { ...ALONE, select })));
    expect(selected).toBe(wanted);
    expect(await outcome(async () => analyzeFile(await imported([stored(file)], { ...ALONE, select })))).toBe(wanted);
  });

  async function outcome(run: () => Promise<Profile>): Promise<string> {
    return run().then(picturesOf, (error: { code: string }) => error.code);
  }
});
