/**
 * A process counts as hung if it and its group are idle while its output is awaited.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, vi } from 'vitest';
import { ProcessGroup, Watchdog } from '../../../../cli/perf/script.js';
import { test } from '../../../helpers/cli/run-cli.js';

const SILENT_MS = 150;
/** Enough for two checks. */
const LONG_MS = 5 * SILENT_MS;
const BUSY = 'while :; do :; done';

let group: ProcessGroup | null = null;
afterEach(() => group?.kill());

function start(script: string): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  group = new ProcessGroup(child.pid);
  return child;
}

/** Returns whether the watchdog fired while output was awaited for LONG_MS. */
async function isFound(script: string): Promise<boolean> {
  const child = start(script);
  return new Promise<boolean>((done) => {
    const watchdog = new Watchdog(child.pid, SILENT_MS, () => done(true));
    watchdog.watch(child.stdout).next();
    wait(LONG_MS).then(() => done(watchdog.isHung));
  });
}

test.for([
  ['a program that sleeps', true, 'exec sleep 60'],
  ['a program that waits for a sleeping child', true, 'sleep 60; :'],
  ['a program that is gone while its child keeps the output open', true, 'sleep 60 &'],
  ['a program that computes', false, BUSY],
  ['a program that waits for a computing child', false, `sh -c '${BUSY}'; :`],
] as const)('%s: hung is %s', async ([, expected, script]) => expect(await isFound(script)).toBe(expected));

test('an idle program is not hung while its output is not awaited', async () => {
  const child = start('echo begin; exec sleep 60');
  const watchdog = new Watchdog(child.pid, SILENT_MS, () => {});
  await watchdog.watch(child.stdout).next();
  await wait(LONG_MS);
  expect(watchdog.isHung).toBe(false);
  watchdog.stop();
});

/** What the system shows of a program at each check: its state and CPU time. */
test.for([
  ['sleeps', true, ['S 4', 'S 4']],
  ['sleeps between two checks, but used a CPU', false, ['S 4', 'S 5', 'S 6', 'S 7']],
  ['waits for a CPU for long', false, ['R 4', 'R 4', 'R 4']],
  ['sleeps after it waited for a CPU', true, ['R 4', 'R 4', 'S 4', 'S 4']],
] as const)('a program that %s: hung is %s', ([, expected, checks], { dir }) => {
  mkdirSync(dir.file('7'));
  vi.useFakeTimers();
  try {
    const watchdog = new Watchdog(7, SILENT_MS, () => {}, dir.path);
    watchdog.watch(start('exec sleep 60').stdout).next();
    for (const check of checks) {
      const [state, ticks] = check.split(' ');
      writeFileSync(join(dir.file('7'), 'stat'), `7 (a ) b) ${state} 1 7 7 0 -1 0 0 0 0 0 ${ticks} 0\n`);
      vi.advanceTimersByTime(SILENT_MS);
    }
    expect(watchdog.isHung).toBe(expected);
    watchdog.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('killing a program that did not start does nothing', () => {
  expect(() => new ProcessGroup(undefined).kill()).not.toThrow();
});
