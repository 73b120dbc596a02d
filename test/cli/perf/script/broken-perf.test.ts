/**
 * Handles a perf that fails, hangs or is killed while it decodes.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { type Directory, ptflame, startPtflame, test } from '../../../helpers/cli/run-cli.js';
import { decoded, fakePerf } from '../../../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath, textOfPerf } from '../../../helpers/perf/perf.js';
import { isMissing } from '../../../tools/needs.js';

describe('a perf that fails', () => {
  test('may not exist', async ({ dir }) => {
    await expect(decoded(recordingPath('cpus-1'), { perf: dir.file('no such perf') })).rejects.toMatchObject({
      code: 'PERF_MISSING',
    });
  });

  test('stops the other decoders, and its messages are shown', async ({ dir }) => {
    const script = 'case "$*" in *--cpu=0*) echo "incompatible file format" >&2; exit 255;; *) exec sleep 600;; esac';
    const perf = await fakePerf(dir, 'dies', script);
    await expect(decoded(recordingPath('cpus-4'), { perf, jobs: 4 })).rejects.toMatchObject({
      code: expect.stringMatching(/RECORDING|INPUT/),
      output: ['incompatible file format'],
    });
  });

  test('may be killed by SIGBUS', async ({ dir }) => {
    const perf = await fakePerf(dir, 'killed', 'kill -BUS $$');
    await expect(decoded(recordingPath('cpus-1'), { perf })).rejects.toMatchObject({ code: 'RECORDING_DAMAGED' });
  });

  test('is stopped and named if it hangs', async ({ dir }) => {
    const perf = await fakePerf(dir, 'hangs', 'echo "loading symbols" >&2; exec sleep 600');
    const decoding = decoded(recordingPath('cpus-4'), { perf, jobs: 2, hangMs: 300 });
    await expect(decoding).rejects.toMatchObject({ code: 'PERF_HANGS', output: ['loading symbols'] });
    await expect(decoding).rejects.toThrow(/of CPUs \d,\d/);
  });

  test.skipIf(isMissing('perf'))('may be slow as long as it uses the CPU', async ({ dir }) => {
    const text = await dir.write('text', textOfPerf(recordingPath('cpus-1')));
    const perf = await fakePerf(dir, 'slow', `i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; cat ${text}`);
    const profile = await decoded(recordingPath('cpus-1'), { perf, hangMs: 500 });
    expect(profile.quality.events).toBeGreaterThan(1000);
  });
});

describe('a perf that ignores signals', () => {
  /** Writes down its process id and that of a child, ignores signals, and never ends. */
  const STUBBORN = [
    "trap '' INT TERM HUP",
    'sleep 600 & echo $! >> "$0.pids"',
    'echo $$ >> "$0.pids"',
    'while :; do sleep 600; done',
  ].join('\n');

  async function stubborn(dir: Directory, before = ''): Promise<{ perf: string; pids: () => Promise<number[]> }> {
    const perf = await fakePerf(dir, 'stubborn', `${before}\n${STUBBORN}`);
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

  test('is killed with its children when another decoder fails', async ({ dir }) => {
    const before = 'case "$*" in *--cpu=0*) sleep 1; exit 7;; esac';
    const { perf, pids } = await stubborn(dir, before);
    await expect(decoded(recordingPath('cpus-4'), { perf, jobs: 4 })).rejects.toMatchObject({ code: 'PERF_FAILED' });
    expect(await pids()).toHaveLength(6);
    await vi.waitFor(async () => isGone(await pids()));
  });

  test('is killed when it hangs, even if a process outside its group keeps its output open', async ({ dir }) => {
    const { perf, pids } = await stubborn(dir, 'setsid sleep 600 & echo $! > "$0.beyond"');
    const decoding = decoded(recordingPath('cpus-1'), { perf, hangMs: 300 });
    await expect(decoding).rejects.toMatchObject({ code: 'PERF_HANGS' });
    await vi.waitFor(async () => isGone(await pids()));
    process.kill(Number(await readFile(`${perf}.beyond`, 'utf8')), 'SIGKILL');
  });

  test('is killed when its output is unusable', async ({ dir }) => {
    const { perf, pids } = await stubborn(dir, 'echo \'{"a": 1}\'');
    await expect(decoded(recordingPath('cpus-1'), { perf })).rejects.toMatchObject({ code: 'INPUT_KIND' });
    await vi.waitFor(async () => isGone(await pids()));
  });

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'is killed at %s, and no files of the pack remain',
    async (signal, { dir }) => {
      const folder = dir.file('folder');
      await mkdir(folder);
      const path = join(folder, 'x.pack');
      await ptflame(['pack', recordingPath('cpus-1'), '--symfs', RECORDED_ROOT, '-o', path]);
      const { perf, pids } = await stubborn(dir);
      const running = startPtflame([
        'render',
        path,
        '--decoder',
        'perf',
        '--perf',
        perf,
        '--temp-dir',
        folder,
        '-o',
        join(folder, 'out'),
      ]);
      await vi.waitFor(async () => expect(await pids()).toHaveLength(2), { timeout: 60_000 });
      running.kill(signal);
      expect(await running).toMatchObject({ exitCode: 130 });
      await vi.waitFor(async () => isGone(await pids()));
      expect(await readdir(folder)).toEqual(['x.pack']);
    },
  );
});
