/**
 * `ptflame record` with the real perf: it samples the clock instead of Intel PT, which starts and ends the same way.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { RecordingNotes } from '../../../cli/record/recording-notes.js';
import { type Directory, test } from '../../helpers/cli/run-cli.js';
import { clockPerf, perfWorks, record, startRecord } from '../../helpers/perf/record-runs.js';

const BUSY = 'for (;;) Math.sqrt(Math.random())';

/** Keeps a process busy until `use` is done. */
async function withBusyProcess(use: (pid: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', BUSY]);
  try {
    await use(String(child.pid));
  } finally {
    child.kill('SIGKILL');
  }
}

const notesIn = async (dir: Directory) => RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json')));

describe.skipIf(!(await perfWorks()))('the real perf', () => {
  test('records a process for a given time', async ({ dir }) => {
    await withBusyProcess(async (pid) => {
      const { exitCode, stderr } = await record(dir, ['-p', pid, '-t', '300ms'], { perf: await clockPerf(dir) });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/^wrote perf\.data/m) });
      expect(await notesIn(dir)).toMatchObject({ endedBy: 'time', workload: null });
    });
  });

  test('stops when the process ends before the time is up', async ({ dir }) => {
    const child = spawn(process.execPath, [
      '-e',
      `setTimeout(() => process.exit(), 3000); (${BUSY.replace('for (;;)', '() => { for (let i = 0; i < 1e6; i++)')} })()`,
    ]);
    const args = ['-p', String(child.pid), '-t', '10m'];
    const { exitCode, stderr } = await record(dir, args, { perf: await clockPerf(dir) });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/process \d+ ended\n/) });
  });

  test.concurrent('gives a command the standard streams and reports its exit code', async ({ dir }) => {
    const script =
      "process.stdin.on('data', (t) => { console.log('out', String(t)); console.error('err'); process.exitCode = 3 })";
    const args = ['--', process.execPath, '-e', script];
    const run = await record(dir, args, { perf: await clockPerf(dir), input: 'hello' });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'out hello\n' });
    expect(run.stderr).toMatch(/^err$/m);
    expect(run.stderr).toMatch(/^the workload exited with code 3$/m);
    expect(run.stderr).not.toContain('[ perf record');
  });

  test.concurrent('reports the signal that ended a command', async ({ dir }) => {
    const args = ['--', process.execPath, '-e', 'process.kill(process.pid, "SIGSEGV")'];
    const { exitCode, stderr } = await record(dir, args, { perf: await clockPerf(dir) });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('was killed by SIGSEGV\n') });
  });

  test.concurrent('rejects a missing command', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, ['--', '/nonexistent/it is'], { perf: await clockPerf(dir) });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/ptflame: cannot run \/nonexistent\/it is: No such file/);
    expect(existsSync(dir.file('perf.data'))).toBe(false);
  });

  test.concurrent('rejects a missing process', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, ['-p', '4194304'], { perf: await clockPerf(dir) });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('no such process') });
  });

  test.concurrent('ends a command and its children', async ({ dir }) => {
    const script = 'sleep 1000 & echo $! > child; wait';
    const { exitCode } = await record(dir, ['-t', '2s', '--', 'sh', '-c', script], { perf: await clockPerf(dir) });
    expect(exitCode).toBe(0);
    const child = Number(await dir.read('child'));
    await vi.waitFor(() => expect(existsSync(`/proc/${child}/exe`)).toBe(false), { timeout: 20_000 });
  });

  test.concurrent('ends at Ctrl-C and keeps the recording', async ({ dir }) => {
    await withBusyProcess(async (pid) => {
      const { running } = await startRecord(dir, ['-p', pid, '-t', '10m'], { perf: await clockPerf(dir) });
      await vi.waitFor(() => expect(existsSync(dir.file('perf.data'))).toBe(true), { timeout: 60_000 });
      await new Promise((done) => setTimeout(done, 2000));
      running.kill('SIGINT');
      const { exitCode, stderr } = await running;
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/^wrote perf\.data/m) });
      expect((await notesIn(dir)).endedBy).toBe('interrupt');
    });
  });
});
