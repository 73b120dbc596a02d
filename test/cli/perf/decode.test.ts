/**
 * Recordings that are decoded in parts give what the text of one perf gives.
 */
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DecodeOptions, decodeRecording, scriptArguments } from '../../../cli/perf/script.js';
import {
  analyze,
  type DecodeJob,
  openRecording,
  type Profile,
  renderFolded,
  renderJson,
  salvageRecording,
  traceStream,
} from '../../../src/index.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath, textOfPerf } from '../../helpers/perf.js';
import { perfData, record, text, trailer, u32, u64 } from '../../helpers/perf-data.js';
import { ptflame, startPtflame } from '../../helpers/run-cli.js';

const OPTIONS: DecodeOptions = {
  perf: 'perf',
  precise: false,
  symfs: RECORDED_ROOT,
  kallsyms: null,
  jobs: 1,
  plan: { leastBytes: 1000 }, // so that small recordings are cut
};
const WHOLE: DecodeJob = { cpus: null, from: null, to: null, auxBytes: 0 };
const ALONE = { jobs: 1 };

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ptflame-decode-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function decoded(path: string, options: Partial<DecodeOptions> = {}): Promise<Profile> {
  const recording = await openRecording(path);
  return analyze([decodeRecording(path, recording, { ...OPTIONS, ...options })], ALONE);
}

/** Both pictures of the trees, with all counts. */
function treesOf(profile: Profile): string {
  const all = [...renderFolded(profile, { annotate: true })];
  return [...all, ...renderFolded(profile, { annotate: true, by: 'thread' })].join('');
}

describe.each(RECORDINGS)('%s', (name) => {
  const path = recordingPath(name);

  test.each([1, 2, 3, 8])('decoded by %d is what the text of perf gives', async (jobs) => {
    const text = await analyze([traceStream('text', Readable.from([textOfPerf(path)]))], ALONE);
    const profile = await decoded(path, { jobs });
    expect(treesOf(profile)).toBe(treesOf(text));
    expect(profile.quality.lines + text.quality.ignoredLines).toBe(text.quality.lines);
  });

  test('all that is told does not depend on how many decode', async () => {
    const one = [...renderJson(await decoded(path))].join('');
    for (const jobs of [2, 5]) expect([...renderJson(await decoded(path, { jobs }))].join('')).toBe(one);
  });
});

test('recordings are really cut: by processors, and in time', async () => {
  const jobsOf = async (name: string, jobs: number) =>
    decodeRecording(recordingPath(name), await openRecording(recordingPath(name)), { ...OPTIONS, jobs }).parts.map(
      ({ job }) => job,
    );
  expect((await jobsOf('cpus-4', 2)).map(({ cpus }) => cpus?.length)).toEqual([2, 2]);
  const cuts = await jobsOf('loop-1', 3);
  expect(cuts).toHaveLength(3);
  expect(cuts.filter(({ from, to }) => from || to)).toHaveLength(3);
});

test('every branch is decoded with --precise', async () => {
  const path = recordingPath('cpus-2');
  const text = await analyze([traceStream('text', Readable.from([textOfPerf(path, 'be')]))], ALONE);
  expect(treesOf(await decoded(path, { precise: true, jobs: 3 }))).toBe(treesOf(text));
});

test('names of any kind reach perf as they are', async () => {
  for (const name of ['two words', `'"; touch x; $(touch y) \`z\``, 'new\nline', '-rf', 'ünïcode']) {
    await mkdir(join(directory, name));
    const path = join(directory, name, name);
    await copyFile(recordingPath('cpus-1'), path);
    expect(treesOf(await decoded(path))).toBe(treesOf(await decoded(recordingPath('cpus-1'))));
  }
});

test('what perf is asked', () => {
  const job = { cpus: [0, 3], from: { seconds: 12, ns: 5 }, to: { seconds: 13, ns: 120_000_000 }, auxBytes: 1 };
  const args = scriptArguments(recordingPath('cpus-1'), job, { ...OPTIONS, symfs: '/a b', kallsyms: '/k' });
  expect(args).toContain('--cpu=0,3');
  expect(args).toContain('--time=12.000000005,13.120000000');
  expect(args.slice(-2)).toEqual(['--symfs=/a b', '--kallsyms=/k']);
  expect(scriptArguments(recordingPath('cpus-1'), WHOLE, OPTIONS).join(' ')).not.toMatch(/--cpu|--time/);
});

/** A program that is run in the place of perf. */
async function fakePerf(name: string, script: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('a perf that fails', () => {
  test('is not there', async () => {
    await expect(decoded(recordingPath('cpus-1'), { perf: join(directory, 'no such perf') })).rejects.toMatchObject({
      code: 'PERF_MISSING',
    });
  });

  test('dies: what it said is told, and the others are ended', async () => {
    const script = 'case "$*" in *--cpu=0*) echo "incompatible file format" >&2; exit 255;; *) exec sleep 600;; esac';
    const perf = await fakePerf('dies', script);
    await expect(decoded(recordingPath('cpus-4'), { perf, jobs: 4 })).rejects.toMatchObject({
      code: expect.stringMatching(/RECORDING|INPUT/),
      said: ['incompatible file format'],
    });
  });

  test('is killed', async () => {
    const perf = await fakePerf('killed', 'kill -BUS $$');
    await expect(decoded(recordingPath('cpus-1'), { perf })).rejects.toMatchObject({ code: 'RECORDING_DAMAGED' });
  });

  test('hangs: it is ended, and which one it was is told', async () => {
    const perf = await fakePerf('hangs', 'echo "loading symbols" >&2; exec sleep 600');
    const decoding = decoded(recordingPath('cpus-4'), { perf, jobs: 2, hangMs: 300 });
    await expect(decoding).rejects.toMatchObject({ code: 'PERF_HANGS', said: ['loading symbols'] });
    await expect(decoding).rejects.toThrow(/of processors \d,\d/);
  });

  test('takes its time, but computes', async () => {
    const text = join(directory, 'text');
    await writeFile(text, textOfPerf(recordingPath('cpus-1')));
    const perf = await fakePerf('slow', `i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; cat ${text}`);
    const profile = await decoded(recordingPath('cpus-1'), { perf, hangMs: 100 });
    expect(profile.quality.events).toBeGreaterThan(1000);
  });
});

describe('a perf that is killed', () => {
  /** It says its process, has another one, hears no signal and ends by itself never. */
  const STUBBORN = [
    "trap '' INT TERM HUP",
    'sleep 600 & echo $! >> "$0.pids"',
    'echo $$ >> "$0.pids"',
    'while :; do sleep 600; done',
  ].join('\n');

  async function stubborn(name: string, before = ''): Promise<{ perf: string; pids: () => Promise<number[]> }> {
    const perf = await fakePerf(name, `${before}\n${STUBBORN}`);
    const pids = async () => {
      const text = await readFile(`${perf}.pids`, 'utf8').catch(() => '');
      return text.split('\n').filter(Boolean).map(Number);
    };
    return { perf, pids };
  }

  const isGone = async (pids: readonly number[]) => {
    const isAlive = (pid: number) => readFile(`/proc/${pid}/stat`, 'latin1').then((stat) => !/\) Z/.test(stat));
    const alive = await Promise.all(pids.map((pid) => isAlive(pid).catch(() => false)));
    expect(alive).not.toContain(true);
  };

  test('dies with all that it has started, when another one fails', async () => {
    const before = 'case "$*" in *--cpu=0*) sleep 1; exit 7;; esac';
    const { perf, pids } = await stubborn('stubborn-others', before);
    await expect(decoded(recordingPath('cpus-4'), { perf, jobs: 4 })).rejects.toMatchObject({ code: 'PERF_FAILED' });
    expect(await pids()).toHaveLength(6);
    await vi.waitFor(async () => isGone(await pids()));
  });

  test('and when it hangs, though somebody beyond its reach keeps its output', async () => {
    const { perf, pids } = await stubborn('stubborn-beyond', 'setsid sleep 600 & echo $! > "$0.beyond"');
    const decoding = decoded(recordingPath('cpus-1'), { perf, hangMs: 300 });
    await expect(decoding).rejects.toMatchObject({ code: 'PERF_HANGS' });
    await vi.waitFor(async () => isGone(await pids()));
    process.kill(Number(await readFile(`${perf}.beyond`, 'utf8')), 'SIGKILL');
  });

  test('and when what it gives cannot be used', async () => {
    const { perf, pids } = await stubborn('stubborn-profile', 'echo \'{"a": 1}\'');
    await expect(decoded(recordingPath('cpus-1'), { perf })).rejects.toMatchObject({ code: 'INPUT_KIND' });
    await vi.waitFor(async () => isGone(await pids()));
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('and at %s; no file of a pack is left', async (signal) => {
    const place = await mkdtemp(join(directory, 'interrupted-'));
    const path = join(place, 'x.pack');
    await ptflame(['pack', recordingPath('cpus-1'), '--symfs', RECORDED_ROOT, '-o', path]);
    const { perf, pids } = await stubborn(`stubborn-${signal}`);
    const running = startPtflame(['render', path, '--perf', perf, '--temp-dir', place, '-o', join(place, 'out')]);
    await vi.waitFor(async () => expect(await pids()).toHaveLength(2), { timeout: 60_000 });
    running.kill(signal);
    expect(await running).toMatchObject({ exitCode: 130 });
    await vi.waitFor(async () => isGone(await pids()));
    expect(await readdir(place)).toEqual(['x.pack']);
  });
});

describe('the command', () => {
  const SYMFS = ['--symfs', RECORDED_ROOT];

  test('renders a recording as it renders its text', async () => {
    const args = ['render', recordingPath('noise'), ...SYMFS, '--annotate', '--quiet'];
    const { exitCode, stdout, stderr } = await ptflame([...args, '-j', '2']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const text = await ptflame(['render', '-', '--annotate', '--quiet'], { input: textOfPerf(recordingPath('noise')) });
    expect(stdout).toBe(text.stdout);
  });

  test('names files that are missing before it decodes', async () => {
    const { stderr } = await ptflame(['render', recordingPath('cpus-1'), '--symfs', directory, '-o', '/dev/null']);
    expect(stderr).toContain('/opt/ptflame/threads is not there: what ran in it will be lost');
  });

  test('refuses a recording that was cut, before perf dies of it', async () => {
    const path = join(directory, 'cut.data');
    await copyFile(recordingPath('cpus-1'), path);
    await truncate(path, 10_000);
    const { exitCode, stderr } = await ptflame(['render', path, ...SYMFS]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cut\.data is damaged: the file is cut/);
  });
});

describe('--salvage', () => {
  const render = (path: string) => ptflame(['render', path, '--salvage', '--symfs', RECORDED_ROOT, '--annotate']);

  test('a recording that perf did not finish is all there', async () => {
    const path = join(directory, 'killed.data');
    const bytes = await readFile(recordingPath('cpus-4'));
    bytes.fill(0, 48, 56); // the size of the data, which perf writes last
    await writeFile(path, bytes);
    const whole = await ptflame(['render', recordingPath('cpus-4'), '--symfs', RECORDED_ROOT, '--annotate', '--quiet']);
    const { exitCode, stdout, stderr } = await render(path);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: whole.stdout });
    expect(stderr).toMatch(/killed\.data breaks off \(salvaged .* of .*\)/);
  });

  test('of one that was cut, what is left is rendered, on all processors', async () => {
    const path = join(directory, 'half.data');
    await copyFile(recordingPath('cpus-4'), path);
    await truncate(path, 20_000);
    const { exitCode, stdout, stderr } = await render(path);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('critical');
    expect(stderr).toMatch(/half\.data breaks off \(salvaged 1\d\.\d kB of 27\.\d kB\)/);
    const salvaged = await salvageRecording(path, join(directory, 'salvaged.data'), AbortSignal.timeout(10_000));
    expect(salvaged.keptBytes).toBeGreaterThan(15_000);
    expect((await openRecording(join(directory, 'salvaged.data'))).damage).toEqual([]);
    const alone = (jobs: number) => decoded(join(directory, 'salvaged.data'), { jobs });
    expect(treesOf(await alone(4))).toBe(treesOf(await alone(1)));
  });

  test('wherever it was cut, what is left can be read', async () => {
    const whole = await readFile(recordingPath('cpus-2'));
    const [path, target] = [join(directory, 'any.data'), join(directory, 'any-salvaged.data')];
    for (let length = 600; length < whole.length; length += 937) {
      await writeFile(path, whole.subarray(0, length));
      const { keptBytes } = await salvageRecording(path, target, AbortSignal.timeout(10_000));
      expect(keptBytes).toBeLessThanOrEqual(length);
      expect((await openRecording(target)).damage).toEqual([]);
    }
  });

  test('without a place for the copy that is said', async () => {
    const target = join(directory, 'no', 'such', 'place');
    const salvaging = salvageRecording(recordingPath('cpus-1'), target, AbortSignal.timeout(10_000));
    await expect(salvaging).rejects.toMatchObject({
      code: 'TEMPORARY_FILE',
      hint: expect.stringContaining('--temp-dir'),
    });
  });

  test('one that is whole is decoded as it is', async () => {
    const { stderr } = await render(recordingPath('cpus-1'));
    expect(stderr).not.toContain('salvaged');
  });
});

test('a recording of somebody else, also as a directory of --kcore', async () => {
  const place = await mkdtemp(join(directory, 'foreign-'));
  await copyFile(recordingPath('cpus-1'), join(place, 'data'));
  const argumentsOf = (path: string) => scriptArguments(path, WHOLE, OPTIONS);
  for (const path of [place, join(place, 'data')]) expect(argumentsOf(path)).not.toContain('--force');
  if (process.geteuid?.() !== 0) return; // nobody else can give it away
  await chown(join(place, 'data'), 65_534, 65_534);
  for (const path of [place, join(place, 'data')]) {
    expect(argumentsOf(path)).toContain('--force');
    expect(treesOf(await decoded(path))).toBe(treesOf(await decoded(recordingPath('cpus-1'))));
  }
});

test('a recording that vanishes is named', async () => {
  const path = join(directory, 'vanishing.data');
  await copyFile(recordingPath('cpus-1'), path);
  const recording = await openRecording(path);
  await rm(path);
  const decoding = analyze([decodeRecording(path, recording, OPTIONS)], ALONE);
  await expect(decoding).rejects.toMatchObject({ code: 'INPUT_UNREADABLE', message: expect.stringContaining(path) });
});

describe('a pack', () => {
  async function packed(name: string): Promise<string> {
    const path = join(directory, `${name}.pack`);
    const { exitCode } = await ptflame(['pack', recordingPath(name), '--symfs', RECORDED_ROOT, '-o', path]);
    expect(exitCode).toBe(0);
    return path;
  }

  test('decodes alike where the program is not installed', async () => {
    const [from, pack] = [recordingPath('cpus-2'), await packed('cpus-2')];
    const direct = await ptflame(['render', from, '--symfs', RECORDED_ROOT, '--annotate', '--quiet']);
    const { exitCode, stdout, stderr } = await ptflame([
      'render',
      pack,
      '--annotate',
      '--quiet',
      '--temp-dir',
      directory,
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(direct.stdout);
    expect(stdout).toContain('critical');
  });

  test('tells what it holds', async () => {
    const { exitCode, stdout } = await ptflame(['info', await packed('noise')]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^file +.*noise\.pack/);
    expect(stdout).toContain('5 of 1 process');
  });

  test('is the same each time, and nothing of it is left behind', async () => {
    const first = await readFile(await packed('loop-1'));
    expect(Buffer.compare(first, await readFile(await packed('loop-1')))).toBe(0);
    const place = await mkdtemp(join(directory, 'place-'));
    await ptflame(['render', join(directory, 'loop-1.pack'), '--temp-dir', place, '-o', '/dev/null']);
    await expect(rm(place, { recursive: false })).rejects.toThrow(/directory/); // it is there,
    await expect(readFile(join(place, 'x'))).rejects.toThrow(); // and empty
  });

  test("holds the vdso where perf looks for it, from the user's cache or from below --symfs", async () => {
    const [path, pack] = [join(directory, 'vdso.data'), join(directory, 'vdso.pack')];
    const buildId = Buffer.concat([u32(-1), Buffer.alloc(20, 0xab), u32(0), text('[vdso]')]);
    const mapping = record(1, 0, u32(7), u32(7), u64(0x7000), u64(0x1000), u64(0), text('[vdso]'), trailer());
    await writeFile(path, perfData({ records: [mapping], features: { 2: record(67, 2, buildId) } }));
    const place = `.debug/.build-id/ab/${'ab'.repeat(19)}`;
    const home = await mkdtemp(join(directory, 'home-'));
    await mkdir(join(home, place), { recursive: true });
    await writeFile(join(home, place, 'vdso'), 'code');
    for (const [args, env] of [
      [[], { HOME: home }],
      [['--symfs', home], {}],
    ] as const) {
      const { stderr } = await ptflame(['pack', path, '-o', pack, ...args], { env });
      expect(stderr).not.toContain('missing');
      const { stdout } = await execa('tar', ['-tzf', pack]);
      expect(stdout.split('\n')).toEqual(['ptflame-pack.json', 'recording', `root/${place}/vdso`]);
    }
    const { stderr } = await ptflame(['pack', path, '-o', pack], { env: { HOME: join(home, 'other') } });
    expect(stderr).toContain('missing: [vdso]: what ran in it will be lost');
  });

  test('lies are told under its own name', async () => {
    const pack = await packed('cpus-1');
    const perf = await fakePerf('garbage', 'perf "$@"; echo what is this');
    const render = () =>
      ptflame(['render', pack, '--perf', perf, '--temp-dir', directory, '-o', '-', '--format', 'json']);
    const first = await render();
    expect(first.stdout).toContain('what is this');
    expect(first.stdout).not.toContain(join(directory, 'ptflame-'));
    expect((await render()).stdout).toBe(first.stdout);
  });

  test('does not take the place of its recording', async () => {
    const path = join(directory, 'itself.data');
    await copyFile(recordingPath('cpus-1'), path);
    const { exitCode, stderr } = await ptflame(['pack', path, '--symfs', RECORDED_ROOT, '-o', path]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the recording itself'),
    });
    expect(Buffer.compare(await readFile(path), await readFile(recordingPath('cpus-1')))).toBe(0);
  });

  test('without a place to unpack it', async () => {
    const { exitCode, stderr } = await ptflame([
      'render',
      await packed('cpus-1'),
      '--temp-dir',
      join(directory, 'none'),
    ]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^ptflame: .*\n.*--temp-dir/),
    });
  });

  test('names what it lacks', async () => {
    const path = join(directory, 'lacking.pack');
    const { stderr } = await ptflame(['pack', recordingPath('cpus-1'), '--symfs', directory, '-o', path]);
    expect(stderr).toContain('missing: /opt/ptflame/threads');
  });

  test.each([5000, 100_000])('cut at byte %d is refused', async (length) => {
    const path = join(directory, `cut-${length}.pack`);
    await copyFile(await packed('cpus-1'), path);
    await truncate(path, length);
    const { exitCode, stderr } = await ptflame(['render', path]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be unpacked') });
  });

  test('with a changed byte is refused', async () => {
    const path = join(directory, 'changed.pack');
    await copyFile(await packed('cpus-1'), path);
    const file = await open(path, 'r+');
    await file.write(Buffer.from([0xff, 0xff, 0xff]), 0, 3, 150_000);
    await file.close();
    const { exitCode, stderr } = await ptflame(['render', path]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be unpacked') });
  });
});
