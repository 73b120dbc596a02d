/**
 * `ptflame record --trigger` with the real perf and breakpoints, without Intel PT: calls of `read` in a shell that waits for lines.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, vi } from 'vitest';
import { breakpointsAreHit } from '../../../cli/record/trigger/breakpoints.js';
import { TriggerLine } from '../../../cli/record/trigger/log.js';
import { ptflame, startPtflame, test } from '../../helpers/cli/run-cli.js';

/** In some virtual machines breakpoints can be set, and none is ever hit. */
async function breakpointsWork(): Promise<boolean> {
  const args = ['record', '-q', '-o', '/dev/null', '-e', 'mem:0x1000:x:u', '--', 'true'];
  const { failed } = await execa('perf', args, { reject: false, timeout: 20_000, stdin: 'ignore' });
  return !failed && (await breakpointsAreHit('perf')) !== false;
}

/** Writes lines, three of them late. */
async function writeLines(shell: ChildProcess): Promise<void> {
  for (const ms of [10, 10, 300, 10, 300, 10, 10, 300, 10]) {
    await wait(ms);
    shell.stdin?.write('line\n');
  }
}

describe.skipIf(!(await breakpointsWork()))('the real perf', () => {
  test('takes snapshots of slow calls', async ({ dir }) => {
    const shell = spawn('sh', ['-c', 'while read line; do :; done'], { stdio: ['pipe', 'ignore', 'ignore'] });
    try {
      await wait(200);
      const args = [
        'record',
        '-p',
        `${shell.pid}`,
        '--no-trace',
        '--trigger',
        'read>200ms',
        '--every',
        '1ms',
        '-o',
        'slow',
      ];
      const running = startPtflame(args, { cwd: dir.path });
      let stderr = '';
      running.stderr.on('data', (bytes: Buffer) => {
        stderr += bytes;
      });
      await vi.waitFor(() => expect(stderr).toContain('waiting for calls of read'), { timeout: 50_000 });
      await writeLines(shell);
      const logged = async () => {
        const lines = (await dir.read('slow/triggers.jsonl')).split('\n').filter(Boolean);
        return lines.map((line) => TriggerLine.parse(JSON.parse(line)));
      };
      // a slow machine may still write a snapshot when the next trigger comes, which has none then
      await vi.waitFor(async () => expect((await logged()).length).toBeGreaterThanOrEqual(3), { timeout: 50_000 });
      running.kill('SIGINT');
      expect(await running).toMatchObject({ exitCode: 0 });
      const triggers = await logged();
      expect(triggers.some(({ file }) => file !== null)).toBe(true);
      for (const { startNs, endNs, thread } of triggers)
        expect({ isSlow: endNs - startNs >= 200e6, thread }).toEqual({ isSlow: true, thread: shell.pid });
      const info = await ptflame(['info', 'slow'], { cwd: dir.path });
      expect(info.stdout).toMatch(/^file +slow, snapshots of slow calls\nfunction +read\n/);
      expect(info.stdout).toMatch(new RegExp(`^000\\d\\.data +\\d+ ms in thread ${shell.pid} from `, 'm'));
    } finally {
      shell.kill('SIGKILL');
    }
  });
});
