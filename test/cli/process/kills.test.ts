/**
 * SIGKILL at any moment of a recording: perf, the command that it runs, and whatever else we started end too.
 *
 *     PTFLAME_KILLS=1000 npx vitest run test/cli/process/kills.test.ts      as many as a night has time for
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { Directory, test } from '../../helpers/cli/run-cli.js';
import { clockPerf, perfWorks, type RecordRun, startRecord } from '../../helpers/perf/record-runs.js';

const KILLS = Number(process.env['PTFLAME_KILLS'] ?? 4);
const AT_ONCE = 4;
/** Longer than perf needs to begin. */
const LATEST_MS = 600;
/** The watcher gives perf three seconds; a busy machine takes more. */
const PATIENCE_MS = 60_000;

const MARK = 'PTFLAME_KILL_TEST';

/** Command lines of all processes that have the mark of a run in their environment: nothing that they start loses it. */
function marked(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${mark}\0`)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`];
      } catch {
        return []; // it is gone
      }
    });
}

/** `isEarly`: counted from our start, not from when perf is about to be started. */
async function killedOnce(
  args: readonly string[],
  run: RecordRun,
  { atMs, isEarly }: { readonly atMs: number; readonly isEarly: boolean },
): Promise<string[]> {
  const dir = new Directory(mkdtempSync(join(tmpdir(), 'ptflame-kill-')));
  const mark = randomUUID();
  try {
    const { running } = await startRecord(dir, args, { ...run, env: { ...run.env, [MARK]: mark } });
    if (!isEarly) await new Promise((said) => running.stderr.once('data', said));
    await wait(atMs);
    running.kill('SIGKILL');
    running.stdout?.destroy();
    running.stderr?.destroy();
    for (const startMs = performance.now(); performance.now() - startMs < PATIENCE_MS; await wait(50))
      if (marked(mark).length === 0) return [];
    return [`killed after ${atMs} ms: ${marked(mark).join(' and ')} still there`];
  } finally {
    for (const line of marked(mark)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    rmSync(dir.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function orphansOf(args: readonly string[], run: RecordRun): Promise<string[]> {
  const times = Array.from({ length: KILLS }, (_, index) => ({
    atMs: Math.floor(Math.random() * LATEST_MS),
    isEarly: index % 4 === 0,
  }));
  const orphans: string[] = [];
  const work = async () => {
    for (let at = times.pop(); at !== undefined; at = times.pop()) orphans.push(...(await killedOnce(args, run, at)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return orphans;
}

const hasPerf = await perfWorks();
const COMMAND = ['--', 'sh', '-c', 'sleep 1001 & sleep 1002'];
const LONGEST_MS = 120_000 + KILLS * 5_000;

describe('no orphan is left', () => {
  test.for([
    ['a process', ['-p', '1', '-t', '10m'], 'record'],
    ['a command', COMMAND, 'record'],
    ['a command, and perf hears no signal', COMMAND, 'deaf'],
  ] as const)('of %s', { timeout: LONGEST_MS }, async ([, args, PLAY]) => {
    expect(await orphansOf(args, { play: { PLAY, LOG: '/dev/null' } })).toEqual([]);
  });

  test.skipIf(!hasPerf)('of the real perf', { timeout: LONGEST_MS }, async ({ dir }) => {
    expect(await orphansOf(COMMAND, { perf: await clockPerf(dir) })).toEqual([]);
  });
});
