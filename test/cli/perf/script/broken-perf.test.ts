/**
 * A perf that dies, hangs or is killed while it decodes.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { type Directory, ptflame, startPtflame, test } from '../../../helpers/cli/run-cli.js';
import { decoded, fakePerf } from '../../../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath, textOfPerf } from '../../../helpers/perf/perf.js';
import { isMissing } from '../../../tools/needs.js';

describe('a perf that fails', () => {
  test('may be one that is not there', async ({ dir }) => {
    await expect(decoded(recordingPath('cpus-1'), { perf: dir.file('no such perf') })).rejects.toMatchObject({
      code: 'PERF_MISSING',
    });
  });

  test('dies, what it said is told, and the others are ended', async ({ dir }) => {
    const script = 'case "$*" in *--cpu=0*) echo "incompatible file format" >&2; exit 255;; *) exec sleep 600;; esac';
    const perf = await fakePerf(dir, 'dies', script);
    await expect(decoded(recordingPath('cpus-4'), { perf, jobs: 4 })).rejects.toMatchObject({
      code: expect.stringMatching(/RECORDING|INPUT/),
      said: ['incompatible file format'],
    });
  });

  test('is killed', async ({ dir }) => {
    const perf = await fakePerf(dir, 'killed', 'kill -BUS $$');
    await expect(decoded(recordingPath('cpus-1'), { perf })).rejects.toMatchObject({ code: 'RECORDING_DAMAGED' });
  });

  test('hangs is ended, and which one it was is told', async ({ dir }) => {
    const perf = await fakePerf(dir, 'hangs', 'echo "loading symbols" >&2; exec sleep 600');
    const decoding = decoded(recordingPath('cpus-4'), { perf, jobs: 2, hangMs: 300 });
    await expect(decoding).rejects.toMatchObject({ code: 'PERF_HANGS', said: ['loading symbols'] });
    await expect(decoding).rejects.toThrow(/of processors \d,\d/);
  });

  test.skipIf(isMissing('perf'))('takes its time, but computes', async ({ dir }) => {
    const text = await dir.write('text', textOfPerf(recordingPath('cpus-1')));
    const perf = await fakePerf(dir, 'slow', `i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; cat ${text}`);
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

  test('dies with all that it has started, when another one fails', async ({ dir }) => {
    const before = 'case "$*" in *--cpu=0*) sleep 1; exit 7;; esac';
    const { perf, pids } = await stubborn(dir, before);
    await expect(decoded(recordingPath('cpus-4'), { perf, jobs: 4 })).rejects.toMatchObject({ code: 'PERF_FAILED' });
    expect(await pids()).toHaveLength(6);
    await vi.waitFor(async () => isGone(await pids()));
  });

  test('dies when it hangs, though somebody beyond its reach keeps its output', async ({ dir }) => {
    const { perf, pids } = await stubborn(dir, 'setsid sleep 600 & echo $! > "$0.beyond"');
    const decoding = decoded(recordingPath('cpus-1'), { perf, hangMs: 300 });
    await expect(decoding).rejects.toMatchObject({ code: 'PERF_HANGS' });
    await vi.waitFor(async () => isGone(await pids()));
    process.kill(Number(await readFile(`${perf}.beyond`, 'utf8')), 'SIGKILL');
  });

  test('dies when what it gives cannot be used', async ({ dir }) => {
    const { perf, pids } = await stubborn(dir, 'echo \'{"a": 1}\'');
    await expect(decoded(recordingPath('cpus-1'), { perf })).rejects.toMatchObject({ code: 'INPUT_KIND' });
    await vi.waitFor(async () => isGone(await pids()));
  });

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'dies at %s, and no file of a pack is left',
    async (signal, { dir }) => {
      const place = dir.file('place');
      await mkdir(place);
      const path = join(place, 'x.pack');
      await ptflame(['pack', recordingPath('cpus-1'), '--symfs', RECORDED_ROOT, '-o', path]);
      const { perf, pids } = await stubborn(dir);
      const running = startPtflame(['render', path, '--perf', perf, '--temp-dir', place, '-o', join(place, 'out')]);
      await vi.waitFor(async () => expect(await pids()).toHaveLength(2), { timeout: 60_000 });
      running.kill(signal);
      expect(await running).toMatchObject({ exitCode: 130 });
      await vi.waitFor(async () => isGone(await pids()));
      expect(await readdir(place)).toEqual(['x.pack']);
    },
  );
});
