/**
 * `ptflame record` on a machine of files, with a perf that only plays, or with the real one and an event that every machine has.
 */
import { existsSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, vi } from 'vitest';
import { type Directory, ptflame, type Run, type RunOptions, startPtflame } from '../cli/run-cli.js';
import { type FakeMachine, machineTree } from './machine-tree.js';

export const FAKE_PERF = fileURLToPath(new URL('./fake-perf.mjs', import.meta.url));

export interface RecordRun {
  readonly machine?: FakeMachine;
  /** The path of perf; the fake one without it. */
  readonly perf?: string;
  /** FAKE_PERF_* without its beginning. */
  readonly play?: Readonly<Record<string, string>>;
  readonly input?: RunOptions['input'];
  readonly env?: RunOptions['env'];
}

export async function startRecord(dir: Directory, args: readonly string[], run: RecordRun = {}) {
  const { argv, env } = await recordCommand(dir, args, run);
  const input = run.input === undefined ? {} : { input: run.input };
  return { running: startPtflame(argv, { cwd: dir.path, env, ...input }) };
}

/** In this process: for what ends before perf would begin. */
export async function planRecord(dir: Directory, args: readonly string[], run: RecordRun = {}): Promise<Run> {
  const { argv, env } = await recordCommand(dir, args, run);
  return ptflame(argv, { cwd: dir.path, env });
}

async function recordCommand(dir: Directory, args: readonly string[], { machine, play, env, perf }: RecordRun) {
  const root = await machineTree(dir.file('root'), machine);
  const played = Object.entries({ LOG: dir.file('log'), ...play }).map(([name, value]) => [`FAKE_PERF_${name}`, value]);
  return {
    argv: ['record', '--perf', perf ?? FAKE_PERF, ...args],
    env: { PTFLAME_TEST_ROOT: root, ...Object.fromEntries(played), ...env } as Readonly<Record<string, string>>,
  };
}

export async function record(dir: Directory, args: readonly string[], run: RecordRun = {}) {
  const { running } = await startRecord(dir, args, run);
  const { exitCode, stdout, stderr } = await running;
  return { exitCode, stdout: String(stdout ?? ''), stderr };
}

/** What the fake perf wrote down. */
export function logOf(dir: Directory): (string | string[])[] {
  if (!existsSync(dir.file('log'))) return [];
  const lines = readFileSync(dir.file('log'), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string | string[]);
}

/** The arguments of the recording itself. */
export function recordArguments(dir: Directory): string[] {
  const all = logOf(dir).filter((entry) => Array.isArray(entry) && entry[0] === 'record');
  expect(all).toHaveLength(1);
  return all[0] as string[];
}

/** Until the fake perf has heard this word. */
export async function heard(dir: Directory, word: string): Promise<void> {
  await vi.waitFor(() => expect(logOf(dir)).toContain(word), { timeout: 60_000, interval: 20 });
}

/** The real perf, told to sample the clock where ptflame asks for Intel PT. */
export async function clockPerf(dir: Directory): Promise<string> {
  const path = await dir.write(
    'clock-perf',
    [
      '#!/bin/bash',
      'args=()',
      'for each in "$@"; do',
      '  case "$each" in intel_pt/*) each=cpu-clock:u ;; ,32M) each=64 ;; esac',
      '  args+=("$each")',
      'done',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's
      'exec perf "${args[@]}"',
      '',
    ].join('\n'),
  );
  await chmod(path, 0o755);
  return path;
}

/** Whether perf is here and may sample at all. */
export async function perfWorks(): Promise<boolean> {
  const { failed } = await execa('perf', ['record', '-o', '/dev/null', '-e', 'cpu-clock:u', '--', 'true'], {
    reject: false,
    timeout: 20_000,
    stdin: 'ignore',
  });
  return !failed;
}
