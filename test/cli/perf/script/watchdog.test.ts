/**
 * A process counts as hung if it and its group are idle while its output is awaited.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { ProcessGroup } from '../../../../cli/perf/script/process-group.js';
import { Watchdog } from '../../../../cli/perf/script/watchdog.js';

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

test.each([
  ['a program that sleeps', 'exec sleep 60', true],
  ['a program that waits for a sleeping child', 'sleep 60; :', true],
  ['a program that is gone while its child keeps the output open', 'sleep 60 &', true],
  ['a program that computes', BUSY, false],
  ['a program that waits for a computing child', `sh -c '${BUSY}'; :`, false],
])('%s: hung is %s', async (_, script, expected) => expect(await isFound(script)).toBe(expected));

test('an idle program is not hung while its output is not awaited', async () => {
  const child = start('echo begin; exec sleep 60');
  const watchdog = new Watchdog(child.pid, SILENT_MS, () => {});
  await watchdog.watch(child.stdout).next();
  await wait(LONG_MS);
  expect(watchdog.isHung).toBe(false);
  watchdog.stop();
});

test('killing a program that did not start does nothing', () => {
  expect(() => new ProcessGroup(undefined).kill()).not.toThrow();
});
