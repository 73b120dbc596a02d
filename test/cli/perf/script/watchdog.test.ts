/**
 * Who is idle hangs; who computes, or has others that do, or is not asked, does not.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { ProcessGroup } from '../../../../cli/perf/script/process-group.js';
import { Watchdog } from '../../../../cli/perf/script/watchdog.js';

const SILENT_MS = 150;
/** It looks twice. */
const LONG_MS = 5 * SILENT_MS;
const BUSY = 'while :; do :; done';

let group: ProcessGroup | null = null;
afterEach(() => group?.kill());

function start(script: string): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  group = new ProcessGroup(child.pid);
  return child;
}

/** Whether it bit while somebody read for so long. */
async function isBitten(script: string): Promise<boolean> {
  const child = start(script);
  const bitten = new Promise<boolean>((bite) => {
    const watchdog = new Watchdog(child.pid, SILENT_MS, () => bite(true));
    watchdog.watch(child.stdout).next();
    wait(LONG_MS).then(() => bite(watchdog.isHung));
  });
  return bitten;
}

test.each([
  ['sleeps', 'exec sleep 60', true],
  ['waits for another that sleeps', 'sleep 60; :', true],
  ['is gone, and one that it started keeps its output', 'sleep 60 &', true],
  ['computes', BUSY, false],
  ['waits for another that computes', `sh -c '${BUSY}'; :`, false],
])('%s', async (_, script, expected) => expect(await isBitten(script)).toBe(expected));

test('while nobody asks, waiting is no hanging', async () => {
  const child = start('echo begin; exec sleep 60');
  const watchdog = new Watchdog(child.pid, SILENT_MS, () => {});
  await watchdog.watch(child.stdout).next();
  await wait(LONG_MS);
  expect(watchdog.isHung).toBe(false);
  watchdog.stop();
});

test('a program that did not start has nothing to kill', () => {
  expect(() => new ProcessGroup(undefined).kill()).not.toThrow();
});
