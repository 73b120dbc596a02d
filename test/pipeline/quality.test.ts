/**
 * Losses in the quality of a profile: causes, files and threads; and their number is bounded for any trace.
 */
import { describe, expect, test } from 'vitest';
import { analyze, type Quality } from '../../src/index.js';
import type { LossKind } from '../../src/model/profile/profile.js';
import { analyzeText, fixture, inputOf } from '../helpers/traces/load.js';

const lab = async (name: string) => (await analyzeText(fixture(`lab/${name}.txt`))).quality;

/** "1 gap, 11 ns, code 5 in FILE: MESSAGE" */
function lossTexts({ losses }: Quality): string[] {
  return losses.map(lossText);
}

function lossText({ cause, code, message, file, gaps, lostNs }: LossKind): string {
  const what = cause === 'decode-error' ? `code ${code}` : cause;
  return `${gaps} gaps, ${lostNs} ns, ${what}${file === null ? '' : ` in ${file}`}: ${message}`;
}

const stamp = (ns: number) => `1301.${String(ns).padStart(9, '0')}`;
const error = (ns: number, ids: string, ip: string, code = 5, message = 'whatever perf says') =>
  ` instruction trace error type 1 time ${stamp(ns)} cpu 0 ${ids} ip ${ip} code ${code}: ${message}\n`;
const start = (ns: number, tid = 10270) => `${tid} [000] ${stamp(ns)}: tr strt  0 [unknown] => 401000 work+0x0\n`;

/** A thread that loses ten nanoseconds at each of these times, each time with an error. */
function lossesAt(errors: readonly { ns: number; ids: string; ip: string; code?: number }[], tid = 10270): string {
  const lines = errors.map(
    ({ ns, ids, ip, code }) => start(ns - 5, tid) + error(ns, ids, ip, code) + start(ns + 10, tid),
  );
  return lines.join('');
}

describe('recordings of the lab report', () => {
  test('one error in code generated at run time', async () => {
    const quality = await lab('jit-missing-code');
    expect(lossTexts(quality)).toEqual(['1 gaps, 11 ns, code 5: Failed to get instruction']);
    expect(quality).toMatchObject({ threadsCut: 1, lostNs: 11, gaps: [{ tid: 19113, code: 5, file: null }] });
  });

  test('announced and unannounced losses of a deleted program', async () => {
    const quality = await lab('missing-binary');
    expect(lossTexts(quality)).toEqual([
      '30 gaps, 1737 ns, undecoded: No branch was decoded',
      '1 gaps, 4 ns, code 5: Failed to get instruction',
      '1 gaps, 0 ns, unannounced: tracing restarted without an error',
    ]);
    expect(quality.threadsCut).toBe(1);
    expect(quality.gaps).toHaveLength(32);
  });

  test('an overflow and lost data, also if they cost no time', async () => {
    const quality = await lab('overflow-and-lost');
    expect(lossTexts(quality)).toEqual([
      '1 gaps, 0 ns, code 7: Overflow packet',
      '1 gaps, 0 ns, code 8: Lost trace data',
    ]);
  });

  test('no losses if nothing was lost', async () => {
    expect(await lab('demo-cre')).toMatchObject({
      losses: [],
      gaps: [],
      threadsCut: 0,
      lostNs: 0,
      unknownFlagLines: 0,
    });
  });

  const sideband = fixture('lab/sideband-default-fields.txt');
  const pid = 'pid 10270 tid 10270';
  const inFiles = [
    ['in the shell that forked it', 834_700_000, pid, '0x56200dde6504', '/usr/bin/bash'],
    ['in its own program, after exec', 835_100_000, pid, '0x555d70a7c000', '/usr/bin/sleep'],
    ['where the shell was, after exec', 835_100_000, pid, '0x56200dde6504', null],
    ['in the kernel', 835_100_000, pid, '0xffffffff81658cc6', '[kernel.kallsyms]_text'],
    ['nowhere', 835_100_000, pid, '0', null],
    ['in another process', 835_100_000, 'pid 10240 tid 10240', '0x7f05fed2a000', '[vdso]'],
    [
      'in the process that the thread is known to belong to',
      835_100_000,
      'pid -1 tid 10270',
      '0x555d70a7cfff',
      '/usr/bin/sleep',
    ],
    [
      'in the process of the thread that was seen last',
      835_100_000,
      'pid -1 tid -1',
      '0x555d70a7c000',
      '/usr/bin/sleep',
    ],
  ] as const;

  test.each(inFiles)('mappings give the file of an error %s', async (_, ns, ids, ip, file) => {
    const trace = lossesAt([{ ns, ids, ip }], ids.includes('10240') ? 10240 : 10270);
    const parts = [inputOf(sideband, 'a'), inputOf(trace, 'b')];
    for (const inputs of [[...parts], [inputOf(trace, 'b'), inputOf(sideband, 'a'), inputOf(sideband, 'c')]]) {
      const { quality } = await analyze(inputs);
      // The recording continues without the thread: that is a loss, too.
      const isError = ({ cause }: { readonly cause: string }) => cause === 'decode-error';
      expect(quality.gaps.filter(isError)).toMatchObject([{ code: 5, lengthNs: 10, file }]);
      expect(quality.losses.filter(isError)).toMatchObject([{ code: 5, gaps: 1, lostNs: 10, file }]);
    }
  });
});

describe('losses by cause', () => {
  const ids = 'pid 10270 tid 10270';
  const known = [
    ...[1, 'Memory allocation failed', 2, 'Internal error', 3, 'Bad packet', 4, 'No more data'],
    ...[5, 'Failed to get instruction', 6, "Trace doesn't match instruction", 7, 'Overflow packet'],
    ...[8, 'Lost trace data', 9, 'Unknown error!', 10, 'Never-ending loop', 11, 'Broken emulated ptwrite'],
    ...[12, 'whatever perf says', 99, 'whatever perf says', 100, 'whatever perf says'],
  ];

  test.each(Array.from({ length: 14 }, (_, index) => known.slice(2 * index, 2 * index + 2) as [number, string]))(
    'report code %i as: %s',
    async (code, message) => {
      const { quality } = await analyzeText(lossesAt([{ ns: 1000, ids, ip: '0', code }]));
      expect(quality.losses).toMatchObject([{ cause: 'decode-error', code: code > 99 ? null : code, message }]);
    },
  );

  test('are sorted by lost time, then number of gaps, then code', async () => {
    const errors = [9, 8, 8, 7, 7].map((code, index) => ({ ns: 1000 * (index + 1), ids, ip: '0', code }));
    const longer = start(9000) + error(9010, ids, '0', 11) + start(9500);
    const { quality } = await analyzeText(lossesAt(errors) + longer);
    expect(quality.losses.map(({ code }) => code).filter((code) => code !== null)).toEqual([11, 7, 8, 9]);
  });

  test('have the smallest message if no known perf uses their code', async () => {
    const text = ['b', 'a', 'c'].map((message, index) => {
      const ns = 1000 * (index + 1);
      return start(ns) + error(ns + 1, ids, '0', 1000 + index, message) + start(ns + 9);
    });
    const { quality } = await analyzeText(text.join(''));
    expect(quality.losses.filter(({ cause }) => cause === 'decode-error')).toMatchObject([
      { code: null, message: 'a', gaps: 3 },
    ]);
  });

  test('are one kind for lost packets, and one per file for missing code', async () => {
    const mmap = (file: string, start: string) =>
      `10270 [000] ${stamp(1)}: PERF_RECORD_MMAP2 10270/10270: [${start}(0x1000) @ 0 fe:00 1 0]: r-xp ${file}\n`;
    const places = ['0x1000', '0x2000'].flatMap((ip, index) => [
      { ns: 1000 + 100 * index, ids, ip, code: 7 },
      { ns: 2000 + 100 * index, ids, ip, code: 5 },
    ]);
    const { quality } = await analyzeText(
      mmap('/a', '0x1000') + mmap('/b', '0x2000') + places.map((at) => lossesAt([at])).join(''),
    );
    const kinds = quality.losses.filter(({ cause }) => cause === 'decode-error');
    expect(kinds).toMatchObject([
      { code: 7, file: null, gaps: 2 },
      { code: 5, file: '/a' },
      { code: 5, file: '/b' },
    ]);
    expect(quality.gaps.flatMap((gap) => (gap.cause === 'decode-error' ? [gap.file] : [])).sort()).toEqual([
      '/a',
      '/a',
      '/b',
      '/b',
    ]);
  });

  test('count each thread with gaps once', async () => {
    const at = { ids: 'pid 1 tid 1', ip: '0', code: 7 };
    const whole = start(500, 3);
    const text = [1, 2].map((tid) =>
      lossesAt(
        [1000, 2000].map((ns) => ({ ...at, ns, ids: `pid ${tid} tid ${tid}` })),
        tid,
      ),
    );
    const { quality, threads } = await analyzeText(text.join('') + whole);
    expect({ cut: quality.threadsCut, all: threads.length }).toEqual({ cut: 2, all: 3 });
  });
});

describe('a flood of losses', () => {
  const COUNT = 15_000;
  /** Each error is in a gap of its own; later gaps are longer. */
  const flood = (index: number) => {
    const ns = 2000 * index + 1;
    const address = `0x${(0x10000 + 0x1000 * index).toString(16)}`;
    return [
      `7 [000] ${stamp2(ns)}: flag${index} 401000 work+0x0 => 401010 work+0x10\n`,
      `7 [000] ${stamp2(ns)}: PERF_RECORD_MMAP2 7/7: [${address}(0x1000) @ 0 fe:00 1 0]: r-xp /file${index}\n`,
      ` instruction trace error type 1 time ${stamp2(ns + 1)} cpu 0 pid 7 tid 7 ip ${address} code ${index % 2 ? index : 5}: message ${index}\n`,
      `7 [000] ${stamp2(ns + 2 + (index % 1000))}: tr strt 0 [unknown] => 401000 work+0x0\n`,
    ];
  };
  const stamp2 = (ns: number) => `${1 + Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}`;

  test('with distinct errors, files and flags is bounded, and its sums are complete', async () => {
    const { quality } = await analyzeText(Array.from({ length: COUNT }, (_, index) => flood(index).join('')).join(''));
    expect(quality).toMatchObject({ lines: 4 * COUNT, gapLines: COUNT, unknownFlagLines: COUNT, threadsCut: 1 });
    const { losses, gaps, unknownFlags, lostNs } = quality;
    expect(losses).toHaveLength(65);
    expect(losses[0]).toMatchObject({ cause: 'decode-error', code: null });
    expect(losses[64]).toMatchObject({ cause: 'others', message: expect.stringMatching(/^\d+ more kinds$/) });
    expect(losses.reduce((sum, kind) => sum + kind.gaps, 0)).toBe(COUNT);
    expect(losses.reduce((sum, kind) => sum + kind.lostNs, 0)).toBe(lostNs);
    expect(gaps).toHaveLength(10_000);
    expect(Math.min(...gaps.map(({ lengthNs }) => lengthNs))).toBeGreaterThan(300);
    expect(gaps.every((gap, index) => index === 0 || (gaps[index - 1]?.atNs ?? 0) < gap.atNs)).toBe(true);
    expect(unknownFlags).toHaveLength(100);
    expect(JSON.stringify(quality).length).toBeLessThan(3_000_000);
  }, 60_000);

  test('with equal gaps keeps the earliest, by thread and time', async () => {
    const thread = (tid: number) =>
      Array.from(
        { length: 9000 },
        (_, index) => `${tid} [00${tid}] ${stamp2(100 * index)}: tr strt 0 [unknown] => 401000 work+0x0\n`,
      );
    const { quality } = await analyzeText([...thread(1), ...thread(2), ...thread(3)].join(''));
    const kept = [1, 2, 3].map((tid) => quality.gaps.filter((gap) => gap.tid === tid).map(({ atNs }) => atNs));
    expect(kept.map((times) => times.length)).toEqual([3334, 3333, 3333]);
    expect(kept.map((times) => times.at(-1))).toEqual([333_300, 333_200, 333_200]);
    expect(quality.gaps.map(({ tid }) => tid)).toEqual(quality.gaps.map(({ tid }) => tid).toSorted());
    expect(quality.losses).toMatchObject([{ cause: 'unannounced', gaps: 3 * 8999 }]);
  });
});
