/**
 * `ptflame info` on recordings.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { describeRecording } from '../../../cli/info/describe-recording.js';
import { RecordingInfo } from '../../../cli/info/recording-info.js';
import { recordingLines } from '../../../cli/info/recording-lines.js';
import type { Stacks } from '../../../src/answers.js';
import type { Profile } from '../../../src/index.js';
import { openRecording } from '../../../src/perfdata/open-recording.js';
import { decodeSample, tracedTime } from '../../../src/pipeline/decode/decode-sample.js';
import { expectRefusal, fixturePath, ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { encodedOf, profileOfOwn } from '../../helpers/perf/both-decoders.js';
import { jitRecording } from '../../helpers/perf/jit.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';
import {
  auxtrace,
  auxtraceInfo,
  countedText,
  perfData,
  record,
  TRACE_NUMBERS,
  text,
  trailer,
  u32,
  u64,
} from '../../helpers/perf/perf-data.js';
import { buffersOf, putTogether, takeApart, withBuffers } from '../../helpers/perf/rewrite.js';
import { fixture } from '../../helpers/traces/load.js';

const LOOP = fixturePath('recordings/loop.data');
const TRUNCATED = fixturePath('perfdata/truncated.data');

/** PSB+ without an address each 4 KiB: nothing ran. */
function idleTrace(bytes: number): Buffer {
  const psb = Buffer.from(`${'0282'.repeat(8)}0223`, 'hex');
  const trace = Buffer.alloc(bytes);
  for (let at = 0; at + psb.length <= bytes; at += 4096) psb.copy(trace, at);
  return trace;
}

async function textOf(path: string): Promise<string> {
  const { exitCode, stdout, stderr } = await ptflame(['info', path]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

async function jsonOf(path: string): Promise<RecordingInfo> {
  const { exitCode, stdout, stderr } = await ptflame(['info', path, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return RecordingInfo.strict().parse(JSON.parse(stdout));
}

describe.concurrent('info', () => {
  test('describes a recording', async () => {
    const [file, ...lines] = (await textOf(TRUNCATED)).split('\n');
    expect(file).toBe(`file      ${TRUNCATED}, 15.6 kB`);
    const measured = lines.join('\n').replace(/\bdecoding {2}.*\n.*/, 'decoding  …');
    expect(measured).toBe(`\
command   ./ptemu record -o truncated.data --from-symbol main --cpus 2 --truncate-aux 4000:500 --truncate-aux 9000:300 --max-branches 12000 -- targets/threads
host      ptemu, Linux 6.18.44-fc-v669 x86_64
CPU       Emulated Intel(R) processor with Intel PT @ 3.00GHz, 2 of 2 online, 4.3 GB of memory
perf      6.1.ptemu
event     intel_pt/cyc/u: user only, cycle-accurate times, one buffer per CPU, all context switches
time      187 µs traced, 189 µs from the first record to the last, from 12345.678891952 on perf's clock
trace     8.3 kB in 2 pieces
losses    the buffer was full 2 times: 12345.678910709 CPU 0, 12345.678929051 CPU 0
threads   5 of 1 process
files     5 mapped, 0 build ids
decoding  …

  CPU   trace   share  pieces
    0  4.8 kB  57.8 %       1
    1  3.5 kB  42.2 %       1

  thread  process  switches  name
    5002     5000         4  threads
    5003     5000         3  threads
    5004     5000         3  threads
    5000     5000         2  threads
    5001     5000         2  threads

next: ptflame render ${TRUNCATED} -o flame.html
`);
  });

  test('prints JSON that follows its schema', async () => {
    const info = await jsonOf(TRUNCATED);
    expect(info.aux).toEqual({
      bytes: 8312,
      pieces: 2,
      parts: [
        { cpu: 0, tid: null, bytes: 4808, pieces: 1 },
        { cpu: 1, tid: null, bytes: 3504, pieces: 1 },
      ],
    });
    expect(info.losses).toMatchObject({ truncated: 2, collisions: 0, partial: 0, lostRecords: 0 });
    expect(info.losses.truncatedAt[0]).toEqual({ time: '12345.678910709', cpu: 0, tid: 5003 });
    expect(info.time).toEqual({ start: '12345.678889752', end: '12345.679079170', durationNs: 189_418 });
    expect(info.threads).toHaveLength(5);
    expect(info.damage).toEqual([]);
  });

  test('counts the branches of a short trace', async () => {
    const path = recordingPath('cpus-2');
    const { stdout } = await ptflame(['info', path, '--symfs', RECORDED_ROOT]);
    const [, branches, calls] =
      /\ndecoding {2}([\d,]+) branches, ([\d,]+) of them calls and returns, about /.exec(stdout) ?? [];
    expect(stdout).toContain('\n          counted in the whole trace\n');
    for (const [allBranches, count] of [
      [true, branches],
      [false, calls],
    ] as const) {
      const profile = JSON.parse(await profileOfOwn(path, RECORDED_ROOT, allBranches)) as Profile;
      expect(count).toBe(profile.quality.events.toLocaleString('en'));
    }
  });

  test.for([
    ['in a twentieth of it, after a long idle time', 0.05, 0.6],
    ['in bursts, every now and then', 0.05, 1],
  ] as const)(
    'estimates the branches of a long trace from pieces, if there are branches %s',
    async (uneven, { dir }) => {
      const [, share, where] = uneven;
      const path = dir.file('long.data');
      const recording = takeApart(await readFile(recordingPath('cpus-1')));
      const [first] = buffersOf(recording);
      if (first === undefined) throw new Error('the recording has trace');
      const trace = Buffer.concat(buffersOf(recording).map((buffer) => buffer.trace));
      const idle = idleTrace(trace.length);
      const repeats = 600;
      const isBusy = (row: number) =>
        where === 1 ? row % 20 < 20 * share : row >= repeats * where && row < repeats * (where + share);
      const rows = Array.from({ length: repeats }, (_, row) => isBusy(row));
      const buffers = rows.map((busy, row) => ({ ...first, trace: busy ? trace : idle, offset: row * trace.length }));
      await writeFile(path, putTogether(withBuffers(recording, buffers)));
      const infoOf = async (of: string) =>
        RecordingInfo.parse(JSON.parse((await ptflame(['info', of, '--json', '--symfs', RECORDED_ROOT])).stdout));
      const once = (await infoOf(recordingPath('cpus-1'))).decoding;
      const { decoding } = await infoOf(path);
      expect(decoding?.sample).toMatchObject({ ofBytes: repeats * trace.length, errors: 0 });
      expect(decoding?.sample.bytes).toBeLessThanOrEqual(24 * 2 ** 20);
      for (const key of ['branches', 'callsAndReturns'] as const) {
        const estimated = (decoding?.[key] ?? 0) / (rows.filter(Boolean).length * (once?.[key] ?? 0));
        expect(estimated).toBeGreaterThan(1 / 1.2);
        expect(estimated).toBeLessThan(1.2);
      }
    },
  );

  test.for(['cpus-1', 'cpus-4', 'loop', 'lossy', 'tracepoints'])(
    'knows how long the trace of %s is, as stacks does',
    async (name) => {
      const path = recordingPath(name);
      const { stdout } = await ptflame(['stacks', path, '--symfs', RECORDED_ROOT, '--at', '+0', '--json', '-q']);
      const { start, durationNs } = (JSON.parse(stdout) as Stacks).trace;
      const info = await ptflame(['info', path, '--symfs', RECORDED_ROOT, '--json']);
      expect(RecordingInfo.parse(JSON.parse(info.stdout)).traced).toMatchObject({ start, durationNs });
      const encoded = await encodedOf(path, RECORDED_ROOT, 'leaving');
      const ofEnds = tracedTime(encoded, { wholeBytes: 0, maxBytes: 0 });
      expect(ofEnds).toEqual(tracedTime(encoded));
    },
  );

  test('times decoding on stretches in all parts of the trace', async () => {
    const encoded = await encodedOf(recordingPath('cpus-4'), RECORDED_ROOT, false);
    const bytes: number[] = [];
    const all = decodeSample(encoded);
    const sample = decodeSample(encoded, undefined, (decodeStretches) =>
      bytes.push(decodeStretches(), decodeStretches()),
    );
    expect(sample).toEqual(all);
    expect(bytes).toEqual([bytes[0], bytes[0]]);
    expect(bytes[0]).toBeGreaterThan(sample.ofBytes); // they overlap
    expect(bytes[0]).toBeLessThan(32 * sample.ofBytes); // each is of one CPU
  });

  test('tells the time of the trace from that of the records', async () => {
    const info = await jsonOf(TRUNCATED);
    const timeOf = (traced: RecordingInfo['traced']) =>
      /^time +(.*)$/m.exec(recordingLines({ ...info, traced }).join('\n'))?.[1];
    expect(timeOf({ start: '12345.678892352', end: '12345.679079170', durationNs: 186_818 })).toBe(
      "187 µs traced, 189 µs from the first record to the last, from 12345.678892352 on perf's clock",
    );
    expect(timeOf(null)).toBe("189 µs from the first record to the last, from 12345.678889752 on perf's clock");
  });

  test('estimates the text of kernel recordings by the ratios of such', async () => {
    const path = fixturePath('perfdata/truncated.data');
    const recording = await openRecording(path);
    const withKernel = { ...recording, trace: recording.trace && { ...recording.trace, hasKernel: true } };
    const { estimate } = describeRecording(path, withKernel, [], { decoding: null, traced: null });
    expect(estimate?.lines).toEqual({ least: 3325, most: 6650 });
  });

  test('shows an estimate that may be far off as a range', async () => {
    const info = await jsonOf(TRUNCATED);
    const sample = { pieces: 64, bytes: 1e6, ofBytes: 1e7, errors: 0, generatedErrors: 0 };
    const decoding = { branches: 345_451, callsAndReturns: 100_000, seconds: 1, sample };
    const textWith = (uncertainty: number) =>
      recordingLines({ ...info, decoding: { ...decoding, uncertainty } }).join('\n');
    expect(textWith(0.05)).toContain('\n          estimated from a decoded sample of 1.0 MB in 64 pieces\n');
    expect(textWith(0.05)).toContain('\ndecoding  about 350,000 branches, about 100,000 of them calls and returns, ');
    expect(textWith(0.5)).toContain('\ndecoding  170,000 to 520,000 branches, 50,000 to 150,000 of them calls');
  });

  test('does not ask for binaries of code that a JIT compiler generated', async ({ dir }) => {
    const path = await dir.write('jit.data', jitRecording({ marker: '/marker', code: '//anon' }));
    const { stdout } = await ptflame(['info', path, '--symfs', RECORDED_ROOT]);
    expect(stdout).toMatch(/counted in the whole trace; (\d+) errors in it, \1 of them in code outside every file/);
    expect(stdout).not.toContain('are all binaries there');
  });

  test('says that code is missing', async ({ dir }) => {
    const { stdout } = await ptflame(['info', recordingPath('cpus-2'), '--symfs', dir.path]);
    expect(stdout).toMatch(/counted in the whole trace; \d+ errors in it: are all binaries there \(--symfs\)\?/);
  });

  test('estimates the text that perf prints if only perf decodes it', async () => {
    const path = fixturePath('perfdata/truncated.data');
    const info = await jsonOf(path);
    expect(info.estimate).toMatchObject({ lines: { least: 665, most: 2494 } });
    expect(recordingLines({ ...info, decoding: null }).join('\n')).toContain(`\
decoding  about 670 to 2,500 lines, 91.4 kB to 332.5 kB, 1.8 ms to 13 ms on one CPU
          estimated from the size of the trace and the ratios of other programs; tight loops of calls give more
`);
  });

  test('shows that a recording of other events has nothing to decode', async () => {
    const output = await textOf(fixturePath('perfdata/no-trace.data'));
    expect(output).toContain('\nevent     no Intel PT: no trace to decode\n');
    expect(output).toContain('\ndecoding  nothing to decode\n');
    expect(output).toContain('93ac61ec5a8eb1396f9fbd350e3169a558528a40  /usr/lib/x86_64-linux-gnu/libc.so.6\n');
    expect(await jsonOf(fixturePath('perfdata/no-trace.data'))).toMatchObject({ settings: null, estimate: null });
  });

  test('lists losses by kind', async ({ dir }) => {
    const aux = (flags: number) => record(11, 0, u64(0), u64(8), u64(flags), trailer({ ns: 5, cpu: 3 }));
    const records = [
      ...Array.from({ length: 7 }, () => aux(1)),
      aux(8),
      aux(4),
      record(2, 0, u64(1), u64(1700), trailer()),
    ];
    const output = await textOf(await dir.write('lossy.data', perfData({ records })));
    expect(output).toContain('losses    the buffer was full 7 times: 0.000000005 CPU 3, ');
    expect(output).toContain(', …\n          1 piece that another writer also wrote to\n');
    expect(output).toContain(
      '\n          1 piece with gaps (a virtual machine?)\n          1,700 records other than trace data\n',
    );
  });

  test('lists buffers by thread; a forked thread has the name of its parent', async ({ dir }) => {
    const fork = record(7, 0, u32(7), u32(7), u32(12), u32(7), u64(1), trailer({ ns: 2 }));
    const comm = record(3, 0, u32(7), u32(7), text('parent'), trailer({ ns: 1 }));
    const trace = [auxtraceInfo(TRACE_NUMBERS.with(9, 0)), auxtrace(16, { cpu: -1, tid: 12 })];
    const path = await dir.write('threads.data', perfData({ records: [...trace, fork, comm] }));
    expect(await textOf(path)).toMatch(/\n {2}thread {2}trace {2}share {2}pieces\n {6}12 {3}16 B {2}100 % {7}1\n/);
    expect((await jsonOf(path)).threads).toContainEqual({ tid: 12, pid: 7, name: 'parent', switches: 0 });
  });

  test('escapes control characters in names', async ({ dir }) => {
    const comm = record(3, 0, u32(7), u32(7), text('\x1b[2J\x07\n\xc2\x9b'), trailer({ ns: 1 }));
    const mapping = [u32(7), u32(7), u64(1), u64(1), u64(0), ...[0, 0, 0].map(u64), u64(5), text('/\x1b[31m')];
    const host = countedText('\x1b]0;owned\x07');
    const command = Buffer.concat([u32(2), countedText('perf'), countedText("it's \x1b[m")]);
    const file = perfData({
      records: [comm, record(10, 0, ...mapping, trailer())],
      features: { 3: host, 11: command },
    });
    const path = await dir.write('hostile.data', file);
    const output = await textOf(path);
    expect(output).not.toMatch(/[^\n\x20-\x7eµ…]/);
    expect(output).toContain('host      \\x1b]0;owned\\x07\n');
    expect(output).toContain("command   perf \"$(printf -- 'it'\\''s \\033[m')\"\n");
    expect(output).toContain('  \\x1b[2J\\x07\\x0a\\x9b\n');
    expect((await jsonOf(path)).threads[0]?.name).toBe('\x1b[2J\x07\n\x9b');
    expect((await ptflame(['info', path, '--json'])).stdout).not.toMatch(/[^\n\x20-\x7e]/);
  });

  test('reports damage', async ({ dir }) => {
    const path = await dir.write('cut.data', fixture('perfdata/truncated.data').subarray(0, 8000));
    expect(await textOf(path)).toMatch(/\nwarning: the file is truncated: .*; perf may crash on it\n/);
    expect((await jsonOf(path)).damage.length).toBeGreaterThan(1);
  });

  test('shortens long lists and says so', async ({ dir }) => {
    const comms = Array.from({ length: 30 }, (_, row) =>
      record(3, 0, u32(9), u32(100 + row), text('t'), trailer({ ns: 1 })),
    );
    const output = await textOf(await dir.write('many.data', perfData({ records: comms })));
    expect(output).toContain('\n  and 11 more\n');
  });

  test('reads a directory of --kcore', async ({ dir }) => {
    await mkdir(dir.file('kcore'));
    await writeFile(join(dir.file('kcore'), 'data'), fixture('perfdata/one-cpu.data'));
    expect(await textOf(`${dir.file('kcore')}/`)).toContain('trace     4.3 kB in 1 piece\n');
  });
});

describe.concurrent('info says what a file is, and the next command', () => {
  test('for every kind of input', async ({ dir }) => {
    const at = { cwd: dir.path };
    const [plain, packed] = [SIX_LINES, fixturePath('demo/threads.perf.txt.gz')];
    await ptflame(['import', plain, '-o', 't.ptf'], at);
    await ptflame(['render', plain, '-o', 'p.json'], at);
    await ptflame(['export', 't.ptf', '--to', 'parquet:fleet', '--build', 'v1'], at);
    await ptflame(['pack', LOOP, '-o', 'x.pack'], at);
    await dir.write('t.ptf.levels', Buffer.from('8f50544c0d0a1a0a02000000', 'hex'));
    await dir.write('main.data.wakes.data', fixture('perfdata/no-trace.data'));
    const described = [
      [LOOP, /^file .*loop\.data/, /next: ptflame render .*loop\.data -o flame\.html/],
      ['x.pack', /^file +x\.pack/, /next: ptflame render x\.pack/],
      ['t.ptf', /an imported trace/, /next: ptflame render t\.ptf/],
      [plain, /the text of perf script.*\nstored +plain\nlines +6 like branches/, /next +ptflame render/],
      [packed, /the text of perf script.*\nstored +compressed with gzip/, /next +ptflame render/],
      ['p.json', /a profile of ptflame/, /next +ptflame render p\.json/],
      ['fleet', /a folder of tables.*\nrecordings +1\nbuilds +1\n/, /next +ptflame fleet fleet; ptflame merge fleet/],
      ['t.ptf.levels', /the levels file of ptflame serve/, /next +ptflame serve t\.ptf\n/],
      [fixturePath('perfdata/no-trace.data'), /no Intel PT: no trace to decode/, /next: ptflame record/],
      ['main.data.wakes.data', /no Intel PT/, /next: ptflame waits main\.data: its wakings are in this file/],
    ] as const;
    for (const [path, what, next] of described) {
      const { exitCode, stdout } = await ptflame(['info', path], at);
      expect({ path, exitCode }).toEqual({ path, exitCode: 0 });
      expect(stdout).toMatch(what);
      expect(stdout).toMatch(next);
    }
    const { stdout } = await ptflame(['info', 'p.json', '--json'], at);
    expect(JSON.parse(stdout)).toMatchObject({ format: 'ptflame-input-info', kind: 'profile', file: 'p.json' });
  });
});

describe.concurrent('info refuses', () => {
  test('anything else', async ({ dir }) => {
    const other = await dir.write('other', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0, 0]));
    expectRefusal(await ptflame(['info', other]), 1, /is a program or library/, /ptflame record/);
    expectRefusal(await ptflame(['info', await dir.write('empty', '')]), 1, /is empty/, /record again/);
    expectRefusal(await ptflame(['info', dir.file('missing')]), 1, /there is no such file/);
    expectRefusal(await ptflame(['info', dir.path]), 1, /the directory \/.* is not a perf recording/);
    expectRefusal(await ptflame(['info', '/dev/null']), 1, /is not a perf recording/);
    expectRefusal(await ptflame(['info', '-']), 2, /cannot be read from a pipe/);
    expectRefusal(await ptflame(['info']), 2, /./);
  });

  test('damaged compressed records are a warning', async ({ dir }) => {
    const packed = await dir.write('z.data', perfData({ records: [record(81, 0, u64(0))] }));
    const { exitCode, stdout } = await ptflame(['info', packed]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/warning: its compressed records are damaged/);
  });

  test('recordings that perf wrote to a pipe', async ({ dir }) => {
    const piped = await dir.write('pipe.data', Buffer.concat([Buffer.from('PERFILE2'), u64(16)]));
    expectRefusal(await ptflame(['info', piped]), 1, /through a pipe/, /perf record -o/);
  });
});
