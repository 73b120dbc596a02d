/**
 * SIGKILL at any moment of a recording ends perf, the recorded command, and every other process that ptflame started.
 *
 *     PTFLAME_KILLS=1000 npx vitest run test/cli/process/kills.test.ts      a night's worth
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
const CONCURRENCY = 4;
/** Longer than perf needs to start. */
const LATEST_MS = 600;
/** The watcher kills perf after three seconds; a busy machine needs longer. */
const TIMEOUT_MS = 60_000;

const MARK = 'PTFLAME_KILL_TEST';

/** Returns the command lines of all processes with the mark of a run in their environment, which children inherit. */
function marked(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${mark}\0`)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`];
      } catch {
        return []; // it has exited
      }
    });
}

/** `isEarly`: `atMs` counts from the start of ptflame, not from its first message. */
async function killedOnce(
  args: readonly string[],
  run: RecordRun,
  { atMs, isEarly }: { readonly atMs: number; readonly isEarly: boolean },
): Promise<string[]> {
  const dir = new Directory(mkdtempSync(join(tmpdir(), 'ptflame-kill-')));
  const mark = randomUUID();
  try {
    const { running } = await startRecord(dir, args, { ...run, env: { ...run.env, [MARK]: mark } });
    if (!isEarly) await new Promise((printed) => running.stderr.once('data', printed));
    await wait(atMs);
    running.kill('SIGKILL');
    running.stdout?.destroy();
    running.stderr?.destroy();
    for (const startMs = performance.now(); performance.now() - startMs < TIMEOUT_MS; await wait(50))
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
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return orphans;
}

const hasPerf = await perfWorks();
const COMMAND = ['--', 'sh', '-c', 'sleep 1001 & sleep 1002'];
const MAX_MS = 120_000 + KILLS * 5_000;

describe('leaves no orphan', () => {
  test.for([
    ['a process', ['-p', '1', '-t', '10m'], 'record'],
    ['a command', COMMAND, 'record'],
    ['a command, with a perf that ignores signals', COMMAND, 'deaf'],
  ] as const)('of %s', { timeout: MAX_MS }, async ([, args, MODE]) => {
    expect(await orphansOf(args, { fake: { MODE, LOG: '/dev/null' } })).toEqual([]);
  });

  test.skipIf(!hasPerf)('of the real perf', { timeout: MAX_MS }, async ({ dir }) => {
    expect(await orphansOf(COMMAND, { perf: await clockPerf(dir) })).toEqual([]);
  });
});
