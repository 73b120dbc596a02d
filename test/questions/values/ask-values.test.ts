/**
 * What `ptflame values` answers: the same as counting the lines of `perf script`.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valuesLines } from '../../../cli/commands/values.js';
import { fieldValues, valueHistogram, valueStats } from '../../../src/analysis/values.js';
import { ValuesAnswer, valuesAnswer } from '../../../src/answers.js';
import { type AnalyzedInput, askValues, type ValuesQuestion } from '../../../src/index.js';
import type { NumberStyle } from '../../../src/model/sample-table.js';
import { FieldBuilder } from '../../../src/model/sample-tables-builder.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { withEncoded } from '../../waits/helpers/emulated.js';

const TEXT = fixture('waits/waitlab.proc.txt.gz').toString();

async function recorded(): Promise<AnalyzedInput> {
  const sampled = await readRecording(fileOf(fixture('waits/waitlab.proc.data.gz')));
  return { name: 'waitlab.data', sampled, sides: [], recorded: null, broken: null };
}

type Options = Parameters<typeof askValues>[2];

async function ask(input: AnalyzedInput, question: ValuesQuestion, options: Options = {}): Promise<ValuesAnswer> {
  const answer = valuesAnswer(await askValues([input], question, options));
  expect(ValuesAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  return answer;
}

/** Counts the values of a field by thread in lines of perf script; numbers in any style are equal. */
function counted(event: string, pattern: RegExp): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of TEXT.split('\n')) {
    const [, tid, found, rest = ''] = /^.{16} +(\d+) \[\d+\] +[\d.]+: +(\S+): (.*)$/.exec(line) ?? [];
    const value = pattern.exec(rest)?.[1];
    if (found !== event || value === undefined) continue;
    const key = `${tid} ${plain(value)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const plain = (value: string) =>
  /^(-?\d+|0x[0-9a-f]+)$/.test(value) ? String(BigInt.asIntN(64, BigInt(value))) : value;

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, number) => all + number, 0);

describe('values are those of the lines of perf script', () => {
  test.each([
    ['probe_waitlab:queue_push', 'job', / job=(\S+)/],
    ['probe_libc:lock_slow', 'owner', / owner=(\S+)/],
    ['sched:sched_switch', 'prev_state', /prev_state=(\S+)/],
    ['sched:sched_switch', 'next_comm', /next_comm=(.*) next_pid/],
    ['sched:sched_waking', 'pid', / pid=(\S+)/],
    ['syscalls:sys_enter_futex', 'op', / op: (\w+)/],
    ['syscalls:sys_exit_futex', 'ret', /^(\S+)/],
  ])('%s:%s', async (event, field, pattern) => {
    const lines = counted(event, pattern);
    expect(lines.size).toBeGreaterThan(3);
    for (const input of [await recorded(), inputOf(TEXT)]) {
      const { values, threads, stats, without } = await ask(input, { field: `${event}:${field}` });
      expect([stats.samples, without]).toEqual([sum(lines.values()), 0]);
      const byValue = new Map(values.map(({ value, samples }) => [plain(value), samples]));
      const byThread = new Map(threads.map(({ tid, stats }) => [String(tid), stats.samples]));
      const expected = (part: number) => {
        const counts = new Map<string, number>();
        for (const [key, count] of lines) {
          const name = part === 0 ? (key.split(' ')[0] as string) : key.slice(key.indexOf(' ') + 1);
          counts.set(name, (counts.get(name) ?? 0) + count);
        }
        return counts;
      };
      expect(byThread).toEqual(expected(0));
      expect(byValue).toEqual(expected(1));
    }
  });
});

test('adjacent windows and selected threads add up to the whole', async () => {
  const field = 'sys_exit_futex:ret';
  const whole = await ask(await recorded(), { field });
  const at = { seconds: 6082, ns: 900_000_000 };
  const parts = [
    await ask(await recorded(), { field }, { window: { from: null, to: at } }),
    await ask(await recorded(), { field }, { window: { from: at, to: null } }),
  ];
  expect(parts.every(({ stats }) => stats.samples > 0)).toBe(true);
  expect(sum(parts.map(({ stats }) => stats.samples))).toBe(whole.stats.samples);
  for (const { value, samples } of whole.values)
    expect(sum(parts.map(({ values }) => values.find((row) => row.value === value)?.samples ?? 0))).toBe(samples);
  const relative = await ask(await recorded(), { field }, { window: { from: { afterStartNs: 0 }, to: null } });
  expect(relative).toEqual(whole);
  const { tid, stats } = whole.threads[0] as ValuesAnswer['threads'][number];
  expect((await ask(await recorded(), { field }, { select: { tids: [tid] } })).stats).toEqual(stats);
  await expect(ask(await recorded(), { field }, { select: { tids: [1] } })).rejects.toMatchObject({
    code: 'NOTHING_SELECTED',
  });
});

test('functions are those that called where the probe is', async () => {
  const field = 'queue_push:id';
  const { functions, stats } = await withEncoded('cpus-2', (encoded) => ask(encoded, { field, byFunction: true }));
  const rows = (functions ?? []).map((row) => [row.function?.name, row.call?.name, row.stats.samples]);
  expect(rows).toEqual([
    ['handle_request', 'queue_push', 16],
    ['requests', 'queue_push', 2],
  ]);
  expect(stats.samples).toBe(18);
  await expect(ask(await recorded(), { field: 'queue_push:id', byFunction: true })).rejects.toMatchObject({
    code: 'NO_BRANCHES',
  });
});

test('samples inside calls alone, with the function that each was in', async () => {
  const within = (inside: string, byFunction = false) =>
    withEncoded('cpus-2', (encoded) => ask(encoded, { field: 'queue_push:id', inside, byFunction }));
  const { functions, stats, inside } = await within('handle_request', true);
  expect(functions?.map((row) => [row.function?.name, row.call?.name, row.stats.samples])).toEqual([
    ['handle_request', 'queue_push', 16],
  ]);
  expect([stats.samples, inside?.calls]).toEqual([16, 8]);
  expect((await within('requests')).stats.samples).toBe(2);
  expect((await within('worker')).stats.samples).toBe(0);
  await expect(ask(await recorded(), { field: 'queue_push:id', inside: 'requests' })).rejects.toMatchObject({
    code: 'NO_BRANCHES',
  });
});

test('an event or field that is missing, or one of several, is refused with those there are', async () => {
  const hintOf = async (field: string) => {
    const error = await ask(await recorded(), { field }).catch((error) => error);
    return `${error.code}: ${error.message}; ${error.hint}`;
  };
  expect(await hintOf('nothing:job')).toMatch(/^NOT_RECORDED: .* no event nothing; it has probe_libc:lock_slow, /);
  expect(await hintOf('queue_push:size')).toMatch(/^NOT_RECORDED: .* has no value size; it has job, id;/);
  expect(await hintOf('queue_push')).toMatch(/^BAD_OPTION: .* several values: job, id; .*queue_push:job$/);
  expect((await ask(await recorded(), { field: 'handle_request' })).field).toBe('id');
});

describe('a distribution', () => {
  const styles: NumberStyle[] = ['signed', 'unsigned', 'hexadecimal'];
  const anyNumbers = fc.array(
    fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    { minLength: 1, maxLength: 30 },
  );
  const built = (numbers: readonly bigint[], style: NumberStyle) => {
    const builder = new FieldBuilder('field', style);
    numbers.forEach((number, row) => {
      const seen = style === 'signed' ? number : BigInt.asUintN(64, number);
      const text = style === 'hexadecimal' ? `0x${seen.toString(16)}` : String(seen);
      if (Number.isSafeInteger(Number(number))) builder.setNumber(row, Number(number));
      else builder.setText(row, text);
    });
    return fieldValues(builder.build(numbers.length, null));
  };

  test('has exact percentiles, also beyond 2^53', () => {
    fc.assert(
      fc.property(anyNumbers, fc.constantFrom(...styles), (numbers, style) => {
        const seen = numbers.map((number) => (style === 'signed' ? number : BigInt.asUintN(64, number)));
        const sorted = seen.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const rank = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
        const { samples, distinct, range } = valueStats(built(numbers, style), Uint32Array.from(numbers.keys()));
        expect([samples, distinct]).toEqual([numbers.length, new Set(numbers).size]);
        const found = [range?.min, range?.p50, range?.p90, range?.p99, range?.max].map((value) => BigInt(value ?? -1));
        expect(found).toEqual([rank(0), rank(0.5), rank(0.9), rank(0.99), rank(1)]);
        const average = Number(seen.reduce((all, number) => all + number, 0n)) / numbers.length;
        expect(Math.abs((range?.avg ?? Number.NaN) - average)).toBeLessThanOrEqual(2 ** 64 * 1e-14);
      }),
    );
  });

  test('has each value in one range of the histogram', () => {
    const steps = fc.constantFrom(null, 1, 7, 100);
    const small = fc.array(fc.bigInt({ min: -(2n ** 50n), max: 2n ** 50n }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(small, steps, (numbers, step) => {
        const rows = valueHistogram(built(numbers, 'signed'), Uint32Array.from(numbers.keys()), step);
        for (const { from, to, samples } of rows) {
          expect(numbers.filter((number) => number >= from && number < to)).toHaveLength(samples);
          if (step !== null) expect([to - from, Math.abs(from % step)]).toEqual([step, 0]);
        }
        expect(sum(rows.map(({ samples }) => samples))).toBe(numbers.length);
        rows.slice(1).forEach(({ from }, at) => {
          expect(from).toBeGreaterThanOrEqual((rows[at] as (typeof rows)[number]).to);
        });
      }),
    );
    const powers = valueHistogram(
      built([-4n, -3n, -1n, 0n, 1n, 2n, 3n, 4n], 'signed'),
      Uint32Array.of(...[...'01234567'].map(Number)),
      null,
    );
    expect(powers.map(({ from, to }) => [from, to])).toEqual([
      [-7, -3],
      [-3, -1],
      [-1, 0],
      [0, 1],
      [1, 2],
      [2, 4],
      [4, 8],
    ]);
  });
});

test('the text has a histogram of numbers, and the most frequent values of addresses and names', async () => {
  const lines = async (field: string, by: 'value' | 'thread' = 'value') =>
    valuesLines(await ask(await recorded(), { field }), { by, width: 100, top: 3, step: null });
  const numbers = await lines('sys_exit_futex:ret');
  expect(numbers[0]).toBe('syscalls:sys_exit_futex:ret');
  expect(numbers[2]).toMatch(/^ +avg +min +p50 +p90 +p99 +max$/);
  expect(numbers).toContainEqual(expect.stringMatching(/^ *−127 +< −63 +3 +▍?/));
  expect(numbers.at(-1)).toBe('– and 3 more: --top 6');
  const addresses = await lines('queue_push:job');
  expect(addresses[3]).toMatch(/^samples +% +threads +value$/);
  expect(await lines('sched_switch:prev_state', 'thread')).toContainEqual(expect.stringMatching(/ waitlab 7491$/));
});
