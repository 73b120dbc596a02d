/**
 * `ptflame record --no-trace` with the real perf and the kernel's tracepoints and uprobes; needs root.
 */
import { existsSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, vi } from 'vitest';
import { DoctorReport } from '../../../cli/record/checks.js';
import { Latency } from '../../../src/questions/latency/schema.js';
import { type Directory, ptflame, startPtflame, test } from '../../helpers/cli/run-cli.js';
import { isTracingPermitted, LIBC, UPROBES } from '../../tools/tracing.js';

const probesOf = (pid: number | undefined) => readFileSync(UPROBES, 'utf8').match(`:ptflame_${pid}/`);
const scriptOf = async (dir: Directory, name: string) =>
  (await execa('perf', ['script', '-i', dir.file(name), '-F', 'comm,tid,event,trace'])).stdout;

/** Two threads that wake each other. */
const PING_PONG = `
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const turns = new Int32Array(workerData ?? new SharedArrayBuffer(8));
const [mine, other] = isMainThread ? [0, 1] : [1, 0];
if (isMainThread) new Worker(__filename, { workerData: turns.buffer });
for (let turn = 0; turn < 50; turn++) {
  if (isMainThread) (Atomics.store(turns, other, turn + 1), Atomics.notify(turns, other));
  while (Atomics.load(turns, mine) <= turn) Atomics.wait(turns, mine, turn, 100);
  if (!isMainThread) (Atomics.store(turns, other, turn + 1), Atomics.notify(turns, other));
}`;

describe.skipIf(!(await isTracingPermitted()))('record --no-trace', () => {
  test('records futexes, wakings and probes that perf script reads', async ({ dir }) => {
    await dir.write('ping.cjs', PING_PONG);
    const probe = `--probe=wait=${LIBC}:pthread_cond_timedwait cond=%di`;
    const args = ['record', '--no-trace', '--waits', probe, '--', process.execPath, 'ping.cjs'];
    const running = startPtflame(args, { cwd: dir.path });
    const { exitCode, stderr } = await running;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('wrote perf.data') });
    const text = await scriptOf(dir, 'perf.data');
    expect(text).toMatch(/syscalls:sys_enter_futex: uaddr: 0x/);
    expect(text).toMatch(new RegExp(`ptflame_${running.pid}:wait: \\([0-9a-f]+\\) cond=0x`));
    const tids = new Set([...text.matchAll(/ (\d+) +syscalls/g)].map(([, tid]) => tid));
    const woken = (await scriptOf(dir, 'perf.data.wakes.data')).matchAll(/sched_waking: comm=.* pid=(\d+) /g);
    expect([...woken].filter(([, tid]) => tids.has(tid)).length).toBeGreaterThan(50);
    expect(probesOf(running.pid)).toBeNull();
    const formats = await dir.read('perf.data.formats');
    for (const event of ['syscalls:sys_enter_futex', `ptflame_${running.pid}:wait`, 'sched:sched_waking'])
      expect(formats).toMatch(
        new RegExp(`^event ${event}\\nname: ${event.replace(/.*:/, '')}\\nID: \\d+\\nformat:\\n`, 'm'),
      );
  });

  test('records the returns of a function as one event', async ({ dir }) => {
    const probe = `--probe=nap=${LIBC}:clock_nanosleep%returns error=$retval:s32`;
    const running = startPtflame(['record', '--no-trace', probe, '--', 'sleep', '0.01'], { cwd: dir.path });
    const { exitCode, stderr } = await running;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('wrote perf.data') });
    expect(await scriptOf(dir, 'perf.data')).toMatch(/ptflame_\d+:nap: \([0-9a-f]+\) error=0$/m);
    expect(probesOf(running.pid)).toBeNull();
  });

  test('records calls of a function, and what the kernel did in them: latency and requests answer about both', async ({
    dir,
  }) => {
    const probe = `--probe=nap=${LIBC}:clock_nanosleep%calls`;
    const args = ['record', '--no-trace', '--waits', '--why', probe, '--', 'sleep', '0.05'];
    const { exitCode, stderr } = await startPtflame(args, { cwd: dir.path });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('ptflame requests nap perf') });
    const { stdout } = await ptflame(['latency', 'nap', 'perf.data', '--slowest', '1', '--json'], { cwd: dir.path });
    const { stats, slowest } = Latency.parse(JSON.parse(stdout));
    expect(slowest[0]?.work?.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['page faults', 'interrupts']));
    expect(stats).toMatchObject({ calls: 1, inferred: 0 });
    expect(stats.offCpuNs).toBeGreaterThan(40e6);
    expect(stats.offCpuNs).toBeLessThanOrEqual(stats.totalNs);
    const requests = await ptflame(['requests', 'nap', 'perf.data', '--slowest', '1'], { cwd: dir.path });
    expect(requests.stdout).toMatch(/nap(?: → …|\n.*\[preempted\]\n.*\[untraced\]) → \[off-cpu\]/); // where it was busy, too
  });

  test('leaves probes behind only if it is killed, for doctor to remove', async ({ dir }) => {
    const args = ['record', '--no-trace', `--probe=nap=${LIBC}:clock_nanosleep`, '--', 'sleep', '1000'];
    const running = startPtflame(args, { cwd: dir.path });
    running.catch(() => {});
    await vi.waitFor(() => expect(existsSync(dir.file('perf.data'))).toBe(true), { timeout: 60_000 });
    running.kill('SIGKILL');
    await running.catch(() => {});
    expect(probesOf(running.pid)).not.toBeNull();
    await vi.waitFor(
      async () => {
        const { stdout } = await startPtflame(['doctor', '--fix', '--json'], { cwd: dir.path });
        DoctorReport.parse(JSON.parse(String(stdout)));
        expect(probesOf(running.pid)).toBeNull(); // perf ends up to three seconds after ptflame
      },
      { timeout: 60_000, interval: 500 },
    );
  });
});
