/**
 * Time that was recorded but could not be decoded is lost time: records show when threads ran.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { renderJson } from '../../src/index.js';
import { GENERATED_REMEDY, remedyOf, toldLosses } from '../../src/model/profile/profile.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { findingTexts } from '../../src/render/findings.js';
import { qualitySummary } from '../../src/render/quality-summary.js';
import { decoded } from '../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { putTogether, takeApart, withBuildIds } from '../helpers/perf/rewrite.js';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';

const at = (tid: number, ns: number) => `7/${tid} [000] 5.${String(ns).padStart(9, '0')}:`;
const IN = (tid: number, ns: number) => `${at(tid, ns)} PERF_RECORD_SWITCH IN`;
const OUT = (tid: number, ns: number) => `${at(tid, ns)} PERF_RECORD_SWITCH OUT`;
const PREEMPTED = (tid: number, ns: number) => `${at(tid, ns)} PERF_RECORD_SWITCH OUT preempt`;
const start = (tid: number, ns: number) => `${at(tid, ns)} tr strt 0 [unknown] => 401000 [unknown]`;
const error = (tid: number, ns: number, code = 5) =>
  ` instruction trace error type 1 time 5.${String(ns).padStart(9, '0')} cpu 0 pid 7 tid ${tid} ip 0x401000 code ${code}: Failed to get instruction`;
const MAPPED = '7/7 [000] 0.000000000: PERF_RECORD_MMAP2 7/7: [0x401000(0x1000) @ 0x1000 fe:00 1 0]: r-xp /opt/prog';
/** Another thread, which shows that the recording continues. */
const OTHER = [
  `${at(9, 10)} tr strt 0 [unknown] => 7f0000 f+0x0`,
  `${at(9, 900)} tr end  async 7f0010 f+0x10 => 0 [unknown]`,
];

const NAMED = '7/8 [000] 0.000000000: PERF_RECORD_COMM: worker:7/8';

async function of(...lines: string[]) {
  const text = `${[MAPPED, NAMED, ...lines, ...OTHER].sort((a, b) => timeOf(a) - timeOf(b)).join('\n')}\n`;
  const { threads, symbols, quality, meta } = await analyzeText(text);
  const times = threads.map(({ tid, tree }) => {
    const sums: Record<string, number> = {};
    tree.symbol.forEach((symbol, node) => {
      const name = symbol < 0 ? '' : symbols.name[symbol].replace(/0x.*/, '0x…]');
      if (tree.selfNs[node] && name !== '[untraced]') sums[name] = (sums[name] ?? 0) + tree.selfNs[node];
    });
    return [tid, sums];
  });
  return { times: Object.fromEntries(times), quality, meta };
}

function timeOf(line: string): number {
  return Number(/5\.(\d{9})/.exec(line)?.[1] ?? 0);
}

describe('a thread without branches after its first trace start', () => {
  test('is lost while it had a CPU, according to its switches', async () => {
    const lines = [start(7, 100), error(7, 110), OUT(7, 300), IN(7, 500), PREEMPTED(7, 600), IN(7, 700)];
    const { times, quality } = await of(...lines);
    expect(times[7]).toEqual({ '[lost]': 200 + 100 + 200, '[off-cpu]': 200, '[preempted]': 100 });
    expect(quality.lostNs).toBe(500);
    expect(quality.losses).toMatchObject([
      { cause: 'undecoded', file: '/opt/prog', lostNs: 300, gaps: 2 },
      { cause: 'decode-error', code: 5, file: '/opt/prog', lostNs: 200, gaps: 1 },
    ]);
  });

  test('is lost to the end of the recording if there are no switches', async () => {
    const { times } = await of(start(7, 100), error(7, 110));
    expect(times[7]).toEqual({ '[lost]': 800 });
  });

  test('is lost without an error of its own, too, if perf failed elsewhere', async () => {
    const { times, quality } = await of(start(7, 100), start(8, 200), error(8, 210), OUT(7, 300));
    expect(times[7]).toEqual({ '[lost]': 200, '[off-cpu]': 600 });
    expect(quality.losses.reduce((sum, { lostNs }) => sum + lostNs, 0)).toBe(quality.lostNs);
  });
});

/** Thread 7 runs from 100, calls into code that perf lacks at 200, and returns at 800. */
const MISSING = [
  `${at(7, 100)} tr strt 0 [unknown] => 402000 main+0x0`,
  `${at(7, 200)} call 402010 main+0x10 => 401000 [unknown]`,
];
const BACK = [
  `${at(7, 800)} tr strt 0 [unknown] => 402015 main+0x15`,
  `${at(7, 850)} tr end  syscall 402020 main+0x20 => 0 [unknown]`,
];

describe('a loss in the middle of a thread', () => {
  test('covers only the time in which the thread had a CPU', async () => {
    const switches = [OUT(7, 300), IN(7, 450), PREEMPTED(7, 500), IN(7, 700)];
    const { times, quality } = await of(...MISSING, error(7, 210), ...switches, ...BACK);
    expect(times[7]).toEqual({
      main: 100 + 50,
      '[prog+0x…]': 10,
      '[lost]': 90 + 50 + 100,
      '[off-cpu]': 150,
      '[preempted]': 200,
      '[syscall]': 50,
    });
    expect(quality.lostNs).toBe(240);
    expect(quality.losses).toMatchObject([
      { cause: 'undecoded', file: '/opt/prog', lostNs: 150, gaps: 2 },
      { cause: 'decode-error', code: 5, file: '/opt/prog', lostNs: 90, gaps: 1 },
    ]);
  });

  test('begins with the last branch if perf reports nothing: traced code does not leave its CPU unseen', async () => {
    const { times } = await of(...MISSING, OUT(7, 300), IN(7, 750), ...BACK, start(8, 100), error(8, 110));
    expect(times[7]).toMatchObject({ main: 150, '[lost]': 100 + 50, '[off-cpu]': 450 });
    expect(times[7]).not.toHaveProperty(['[prog+0x…]']);
  });

  test('ends with a wait if the thread is seen again before its switch', async () => {
    const { times } = await of(...MISSING, error(7, 210), OUT(7, 300), IN(7, 801), ...BACK);
    expect(times[7]).toMatchObject({ '[lost]': 90, '[off-cpu]': 500 });
  });

  test('is split if its cause is an overflow, too', async () => {
    const { times, quality } = await of(...MISSING, error(7, 210, 7), OUT(7, 300), IN(7, 700), ...BACK);
    expect(times[7]).toMatchObject({ '[lost]': 90 + 100, '[off-cpu]': 400 });
    expect(quality.losses).toMatchObject([
      { cause: 'unannounced', lostNs: 100 },
      { cause: 'decode-error', code: 7, lostNs: 90 },
    ]);
  });

  test('is split on its own if there are several', async () => {
    const again = [
      `${at(7, 860)} tr strt 0 [unknown] => 402022 main+0x22`,
      `${at(7, 861)} call 402030 main+0x30 => 401000 [unknown]`,
      OUT(7, 870),
      IN(7, 880),
      `${at(7, 890)} tr strt 0 [unknown] => 402035 main+0x35`,
    ];
    const { times } = await of(...MISSING, error(7, 210), OUT(7, 300), IN(7, 700), ...BACK, ...again);
    expect(times[7]).toMatchObject({ '[off-cpu]': 400 + 10, '[syscall]': 10 });
  });

  test('before an exec does not count for the old program', async () => {
    const exec = `${at(7, 700)} PERF_RECORD_COMM exec: next:7/7`;
    const { times } = await of(...MISSING, OUT(7, 300), IN(7, 600), exec, ...BACK, start(8, 100), error(8, 110));
    expect(times[7]).toMatchObject({ main: 100 + 50, '[lost]': 100 + 200, '[off-cpu]': 300 });
  });

  test('in the kernel begins with the error: a thread is still running when it is switched out', async () => {
    const { times } = await of(
      `${at(7, 100)} call ffffffff81000000 schedule+0x0 => ffffffff81000100 __schedule+0x0`,
      OUT(7, 200),
      IN(7, 400),
      error(7, 450, 6),
      OUT(7, 500),
      IN(7, 700),
      `${at(7, 800)} return ffffffff81000110 __schedule+0x10 => ffffffff81000005 schedule+0x5`,
    );
    expect(times[7]).toEqual({ __schedule: 100 + 50, '[off-cpu]': 200 + 200, '[lost]': 50 + 100 });
  });
});

describe('if the first part of a thread is missing', () => {
  /** Of thread 7; thread 9 begins at 10. */
  const END = `${at(7, 850)} tr end  syscall 402020 main+0x20 => 0 [unknown]`;
  const BEGUN = [`${at(7, 800)} tr strt 0 [unknown] => 402000 main+0x0`, END];
  const FORKED = `${at(7, 5)} PERF_RECORD_FORK(7:7):(6:6)`;
  const FAILED = [start(8, 20), error(8, 30)];

  test('its time on a CPU is lost', async () => {
    const { times, quality } = await of(...FAILED, IN(7, 100), OUT(7, 300), IN(7, 500), ...BEGUN);
    expect(times[7]).toEqual({ '[off-cpu]': 90 + 200, '[lost]': 200, main: 50, '[syscall]': 50 });
    expect(quality.gaps).toContainEqual(expect.objectContaining({ tid: 7, atNs: 100, lengthNs: 200 }));
  });

  test('the time from an error to the first branch is lost', async () => {
    const { times } = await of(IN(7, 100), error(7, 200), ...BEGUN);
    expect(times[7]).toEqual({ '[off-cpu]': 90, '[lost]': 700, main: 50, '[syscall]': 50 });
  });

  test('all time since it got its CPU is lost if it runs at its first branch', async () => {
    const call = `${at(7, 800)} call 402010 main+0x10 => 402100 leaf+0x0`;
    const { times } = await of(...FAILED, IN(7, 100), call, END);
    expect(times[7]).toEqual({ '[off-cpu]': 90, '[lost]': 700, main: 50, '[syscall]': 50 });
  });

  test('a thread created in between has no time before', async () => {
    const { times } = await of(...FAILED, FORKED, IN(7, 100), OUT(7, 300), IN(7, 500), ...BEGUN);
    expect(times[7]).toMatchObject({ '[lost]': 200, '[off-cpu]': 200 });
  });

  test('nothing is lost if the thread only had a CPU in the kernel', async () => {
    const { times } = await of(start(9, 20), IN(7, 100), OUT(7, 300), IN(7, 500), ...BEGUN);
    expect(times[7]).toEqual({ '[off-cpu]': 90 + 200, main: 50, '[syscall]': 50 });
  });
});

describe('a trace without branches', () => {
  const analyzed = async (...lines: string[]) => {
    const { threads, quality, meta } = await analyzeText(`${[MAPPED, ...lines].join('\n')}\n`);
    return { tids: threads.map(({ tid }) => tid), quality, meta };
  };

  test('is accepted if its errors show who ran', async () => {
    const { tids, quality, meta } = await analyzed(IN(7, 100), error(7, 110), OUT(7, 300), IN(7, 500), OUT(7, 600));
    expect(tids).toEqual([7]);
    expect(quality).toMatchObject({ events: 0, lostNs: 300, totalNs: 500 });
    expect(quality.losses).toContainEqual(expect.objectContaining({ code: 5, file: '/opt/prog', lostNs: 200 }));
    expect(meta).toMatchObject({ weight: 'ns', startNs: 100, endNs: 600 });
  });

  test('is refused if nothing shows who was traced', async () => {
    await expect(analyzed(IN(7, 100), OUT(7, 300))).rejects.toMatchObject({ code: 'NO_BRANCHES' });
    await expect(analyzed(error(-1, 110))).rejects.toMatchObject({ code: 'NO_BRANCHES' });
  });
});

test('a thread without branches appears with all its time', async () => {
  const { times } = await of(start(7, 100), error(7, 110), IN(8, 200), OUT(8, 350), IN(8, 400));
  expect(times[8]).toEqual({ '[off-cpu]': 190 + 50, '[lost]': 150 + 500 });
});

test('a thread without branches of a process that is not traced does not appear', async () => {
  const foreign = '70/71 [000] 5.000000200: PERF_RECORD_SWITCH IN';
  expect(Object.keys((await of(start(7, 100), error(7, 110), foreign)).times)).toEqual(['7', '9']);
});

test('records extend the bounds of the recording', async () => {
  const { meta } = await of(IN(7, 1), start(7, 100), error(7, 110), OUT(7, 2000));
  expect(meta.endNs - meta.startNs).toBe(1999);
});

describe('nothing is lost', () => {
  const whole = [
    start(7, 100),
    `${at(7, 200)} tr end  syscall 401010 [unknown] => 0 [unknown]`,
    OUT(7, 210),
    IN(7, 400),
  ];

  test('if perf decodes everything: a loop prints nothing', async () => {
    expect((await of(start(7, 100), OUT(7, 300))).quality.lostNs).toBe(0);
  });

  test('in a thread that was stopped when it was switched out', async () => {
    const { times } = await of(...whole, start(8, 100), error(8, 110));
    expect(times[7]).not.toHaveProperty('[lost]');
  });

  test('if the hardware recorded nothing: that is another loss', async () => {
    const { quality } = await of(start(7, 100), OUT(7, 300), start(8, 100), error(8, 110, 8));
    expect(quality.losses).not.toContainEqual(expect.objectContaining({ cause: 'undecoded' }));
  });
});

test('a missing library: the first part is known, the rest is lost', async () => {
  const { times } = await of(
    `${at(7, 100)} tr strt 0 [unknown] => 402000 main+0x0`,
    `${at(7, 200)} call 402010 main+0x10 => 401000 [unknown]`,
    error(7, 210),
    OUT(7, 400),
  );
  expect(times[7]).toEqual({ main: 100, '[lost]': 200, '[off-cpu]': 500 });
});

test('in the kernel, everything after the last error is lost', async () => {
  const { times } = await of(
    `${at(7, 100)} call ffffffff81000000 schedule+0x0 => ffffffff81000100 __schedule+0x0`,
    error(7, 150, 6),
    OUT(7, 200),
    IN(7, 400),
  );
  expect(times[7]).toEqual({ __schedule: 50, '[lost]': 50 + 500, '[off-cpu]': 200 });
});

test('a recording without its binary lasts as long as with it, and what ran is lost', async () => {
  const path = recordingPath('cpus-4');
  const [without, whole] = [await decoded(path, { symfs: '/nowhere' }), await decoded(path)];
  const lasts = ({ meta }: typeof whole) => meta.endNs - meta.startNs;
  expect(lasts(without)).toBeGreaterThanOrEqual(0.98 * lasts(whole));
  expect(without.threads.map(({ tid }) => tid)).toEqual(whole.threads.map(({ tid }) => tid));
  const code = (of: typeof whole) => /\[off-cpu\]/.test(fold(of));
  expect([code(without), code(whole)]).toEqual([true, true]);
  const { lostNs, losses, totalNs } = without.quality;
  const offCpuNs = fold(without)
    .split('\n')
    .filter((line) => line.includes('[off-cpu]'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  expect(lostNs / (totalNs - offCpuNs)).toBeGreaterThan(0.95);
  expect(losses.map(({ file }) => file)).toContain('/opt/ptflame/threads');
  expect((await openRecording(path)).damage).toEqual([]);
  expect([...renderJson(without)].join('')).toContain('"cause":"undecoded"');
});

/** One thread: a program that calls a library, which waits three times. According to ptemu it takes 462,665 ns from main to its exit. */
describe('a recording of a program and its library', () => {
  const LIBRARY = 'opt/ptflame/libwaits.so';
  const OFF_CPU_NS = 3 * 150_700; // from switch to switch
  const EXIT_NS = 800; // the system call that ends it, and the switch after it: known only if records count
  const roots: string[] = [];
  afterAll(() => {
    for (const root of roots) rmSync(root, { recursive: true });
  });

  /** A root directory with another file instead of the library, or none. */
  function rootWith(library: string | null): string {
    const root = mkdtempSync(join(tmpdir(), 'ptflame-root-'));
    roots.push(root);
    mkdirSync(join(root, 'opt/ptflame'), { recursive: true });
    cpSync(join(RECORDED_ROOT, 'opt/ptflame/uses-waits'), join(root, 'opt/ptflame/uses-waits'));
    if (library !== null) cpSync(join(RECORDED_ROOT, library), join(root, LIBRARY));
    return root;
  }

  async function timesWith(symfs: string) {
    const profile = await decoded(recordingPath('waits'), { symfs });
    const lines = fold(profile).trim().split('\n');
    const sumOf = (name: string) =>
      lines.filter((line) => line.includes(name)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    return { offCpuNs: sumOf('[off-cpu]'), libraryNs: sumOf('lib_waits'), quality: profile.quality };
  }

  test('is known completely if no file is missing', async () => {
    const { offCpuNs, quality } = await timesWith(RECORDED_ROOT);
    expect([offCpuNs, quality.lostNs, quality.totalNs]).toEqual([OFF_CPU_NS, 0, 462_665]);
  });

  test.each([
    ['its library was deleted', null, 5],
    ['its library was replaced by another build', 'opt/ptflame/uses-waits', 6],
  ])('loses nothing while it waited, with %s', async (_, library, code) => {
    const whole = await timesWith(RECORDED_ROOT);
    const { offCpuNs, quality } = await timesWith(rootWith(library));
    expect([offCpuNs, quality.totalNs]).toEqual([OFF_CPU_NS, whole.quality.totalNs + EXIT_NS]);
    expect(quality.lostNs).toBeGreaterThan(whole.libraryNs - OFF_CPU_NS - 1000);
    expect(quality.lostNs).toBeLessThan(whole.libraryNs - OFF_CPU_NS + EXIT_NS + 1000);
    expect(quality.losses).toContainEqual(expect.objectContaining({ code, file: `/${LIBRARY}` }));
  });

  test('without a point where perf could start to decode has no branches, and all its time is lost', async () => {
    const data = readFileSync(recordingPath('waits'));
    const psb = Buffer.from('0282'.repeat(8), 'hex');
    for (let at = data.indexOf(psb); at !== -1; at = data.indexOf(psb, at)) data.fill(0, at, at + psb.length);
    const root = rootWith(LIBRARY);
    const path = join(root, 'perf.data');
    writeFileSync(path, data);
    const { quality, threads } = await decoded(path, { symfs: root });
    expect(threads).toHaveLength(1);
    expect(quality).toMatchObject({ events: 0, lostNs: quality.totalNs - OFF_CPU_NS });
    expect(quality.losses).toMatchObject([{ cause: 'undecoded', file: null }]);
  });
});

describe('of a recording with another build of its program', () => {
  const LOOP = 'opt/ptflame/loop';
  const ids: Record<string, string> = { [`/${LOOP}`]: '0bc117e3a6d08f9d2a43360adcfec0609fc77b21' }; // of the build that is there

  test.each([
    [
      'the build is blamed, unless',
      {},
      /\(code 6\) in .*; that file is probably another build/,
      /Probable cause: .*code 6/,
    ],
    ['code without a mapping is, if', ids, /\(code 5\); no mapping .* JIT/, /Largest cause: .*code 5/],
  ])('%s a build id shows that it ran', async (_, builds, note, finding) => {
    const root = mkdtempSync(join(tmpdir(), 'ptflame-root-'));
    mkdirSync(join(root, 'opt/ptflame'), { recursive: true });
    cpSync(join(RECORDED_ROOT, 'opt/ptflame/threads'), join(root, LOOP));
    const recording = takeApart(readFileSync(recordingPath('loop')));
    writeFileSync(join(root, 'perf.data'), putTogether(withBuildIds(recording, builds)));
    const profile = await decoded(join(root, 'perf.data'), { symfs: root });
    rmSync(root, { recursive: true });
    expect(qualitySummary(profile).notes[0]).toMatch(note);
    expect(findingTexts(profile, null)[0]?.text).toMatch(finding);
  });
});

test('time in code generated at run time is lost, and the note says why', async () => {
  const { quality } = await analyzeText(fixture('lab/jit-missing-code.txt'));
  expect(quality.losses.map(({ code }) => code)).toContain(5);
  expect(quality.lostNs).toBeGreaterThan(0);
});

test('code generated in a named mapping is reported as such', async () => {
  const anonymous = '7/7 [000] 0.000000000: PERF_RECORD_MMAP2 7/7: [0x600000(0x1000) @ 0 00:00 0 0]: rwxp //anon';
  const call = `${at(7, 200)} call 402010 main+0x10 => 600000 [unknown]`;
  const failed = error(7, 210).replace('0x401000', '0x600000');
  const { times, quality } = await of(anonymous, MISSING[0], call, failed, OUT(7, 300), IN(7, 700), ...BACK);
  expect(times[7]).toMatchObject({ '[lost]': 90 + 100, '[off-cpu]': 400 });
  expect(quality.losses.map((kind) => [kind.file, remedyOf(kind, quality.losses, { recorded: null })])).toContainEqual([
    '//anon',
    GENERATED_REMEDY,
  ]);
});

describe('the remedy for code that was not decoded', () => {
  const cause = (file: string | null, code: number | null = 5) =>
    ({ cause: code === null ? 'undecoded' : 'decode-error', code, file }) as const;
  const recorded = { host: null, kernel: null, cpu: null, perf: null, command: null, startedAt: null };
  const files = [cause('/opt/a'), cause('/opt/b', 6)];
  const generated = cause('/memfd:jit (deleted)');

  test.each(['//anon', '[heap]', '[anon:jit]', '/memfd:jit (deleted)', '/SYSV00000000 (deleted)', '/tmp/perf-7.map'])(
    'is a jitdump, if anything, in %s',
    (file) => expect(remedyOf(cause(file), [], { recorded: null })).toBe(GENERATED_REMEDY),
  );

  test('is a jitdump if a recording has no mapping there; of text, the mappings may be missing', () => {
    expect(remedyOf(cause(null), [], { recorded })).toBe(
      `no mapping was recorded there, most likely ${GENERATED_REMEDY}`,
    );
    expect(remedyOf(cause(null), [], { recorded: null })).toMatch('--show-mmap-events');
  });

  test('is the binary for code of a file', () => {
    for (const kind of files) expect(remedyOf(kind, files, { recorded })).toMatch('that file is not the one that ran');
    expect(remedyOf(cause(null, null), files, { recorded })).toMatch('keep all binaries');
  });

  test('is the build that ran, first of all, if no build id identifies a file that the trace contradicts', () => {
    const kind = (file: string | null, code: number, lostNs: number) =>
      ({ ...cause(file, code), message: '', gaps: 1, lostNs }) as const;
    const [overflow, unmapped, other] = [kind(null, 7, 90), kind(null, 5, 80), kind('/opt/a', 6, 1)];
    const all = [overflow, unmapped, kind('/opt/c', 5, 2), other];
    const unknown = { recorded: { ...recorded, withoutBuildId: ['/opt/a', '/opt/c'] } };
    expect(toldLosses(all, unknown)).toEqual([overflow, other, unmapped, kind('/opt/c', 5, 2)]);
    expect(remedyOf(other, all, unknown)).toMatch(/^that file is probably another build/);
    expect(remedyOf(unmapped, all, unknown)).toMatch('the other build leads there');
    expect(toldLosses(all, { recorded })).toEqual(all);
    expect(remedyOf(other, all, { recorded })).toMatch(/^that file is not the one that ran/);
    const generatedToo = [...all, kind('//anon', 5, 1)];
    expect(toldLosses(generatedToo, unknown)).toEqual(generatedToo);
    expect(remedyOf(other, generatedToo, unknown)).toMatch(/^generated code .* called it/);
  });

  test('does not blame a file for what follows from generated code', () => {
    const all = [...files, generated];
    expect(remedyOf(cause('/opt/a'), all, { recorded })).toMatch(/^that file is not the one that ran/);
    for (const code of [6, null])
      expect(remedyOf(cause('/opt/b', code), all, { recorded })).toMatch(/^generated code .* called it/);
    expect(remedyOf(cause(null, null), all, { recorded })).toBe(GENERATED_REMEDY);
  });
});
