/**
 * Runs `ptflame record` on a simulated machine, with a fake perf or with the real one and an event that every machine has.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, vi } from 'vitest';
import { type Directory, ptflame, type Run, type RunOptions, startPtflame } from '../cli/run-cli.js';
import { type FakeMachine, machineTree } from './machine-tree.js';

export const FAKE_PERF = fileURLToPath(new URL('./fake-perf.sh', import.meta.url));

export interface RecordRun {
  readonly machine?: FakeMachine;
  /** The path of perf; the fake perf by default. */
  readonly perf?: string;
  /** Variables of the fake perf, without the prefix FAKE_PERF_. */
  readonly fake?: Readonly<Record<string, string>>;
  readonly input?: RunOptions['input'];
  readonly env?: RunOptions['env'];
}

export async function startRecord(dir: Directory, args: readonly string[], run: RecordRun = {}) {
  const { argv, env } = await recordCommand(dir, args, run);
  const input = run.input === undefined ? {} : { input: run.input };
  return { running: startPtflame(argv, { cwd: dir.path, env, ...input }) };
}

/** Runs in this process; only for runs in which perf runs no command. */
export async function planRecord(dir: Directory, args: readonly string[], run: RecordRun = {}): Promise<Run> {
  const { argv, env } = await recordCommand(dir, args, run);
  return ptflame(argv, { cwd: dir.path, env });
}

async function recordCommand(dir: Directory, args: readonly string[], { machine, fake, env, perf }: RecordRun) {
  const root = await machineTree(dir.file('root'), machine);
  const variables = Object.entries({ LOG: dir.file('log'), ...fake }).map(([name, value]) => [
    `FAKE_PERF_${name}`,
    value,
  ]);
  return {
    argv: ['record', '--perf', perf ?? FAKE_PERF, ...args],
    env: { PTFLAME_TEST_ROOT: root, ...Object.fromEntries(variables), ...env } as Readonly<Record<string, string>>,
  };
}

/** Runs in this process unless perf runs a command, which has the standard streams of the program. */
export async function record(dir: Directory, args: readonly string[], run: RecordRun = {}): Promise<Run> {
  if (!args.includes('--')) return planRecord(dir, args, run);
  const { running } = await startRecord(dir, args, run);
  const { exitCode, stdout, stderr } = await running;
  return { exitCode, stdout: String(stdout ?? ''), stderr };
}

/** Returns the words of each command of a dry run as a shell reads them, without those that only wait. */
export function commandsIn(script: string): string[][] {
  execFileSync('sh', ['-n', '-c', script]);
  const show = `show() { printf '%s\\0' "$#" "$@"; }; perf() { show perf "$@"; }; ptflame() { show ptflame "$@"; }`;
  const others = ['sleep', 'kill', 'wait'].map((name) => `${name}() { :; }`).join('; ');
  const inOrder = script.replaceAll(FAKE_PERF, 'perf').replaceAll(' &\n', '\n');
  const left = execFileSync('sh', ['-c', `${show}; ${others}\n${inOrder}`], { cwd: '/' })
    .toString()
    .split('\0');
  const commands: string[][] = [];
  while (left.length > 1) commands.push(left.splice(0, Number(left.shift())));
  return commands;
}

/** Returns the fake perf's log. */
export function logOf(dir: Directory): (string | string[])[] {
  if (!existsSync(dir.file('log'))) return [];
  const lines = readFileSync(dir.file('log'), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string | string[]);
}

/** Returns the arguments of `perf record`. */
export function recordArguments(dir: Directory): string[] {
  const all = logOf(dir).filter((entry) => Array.isArray(entry) && entry[0] === 'record');
  expect(all).toHaveLength(1);
  return all[0] as string[];
}

/** Waits until the fake perf has received a control command. */
export async function received(dir: Directory, command: string): Promise<void> {
  await vi.waitFor(() => expect(logOf(dir)).toContain(command), { timeout: 60_000, interval: 20 });
}

/** Writes a script that runs the real perf with the CPU clock instead of Intel PT. */
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
      // biome-ignore lint/suspicious/noTemplateCurlyInString: bash expands it
      'exec perf "${args[@]}"',
      '',
    ].join('\n'),
  );
  await chmod(path, 0o755);
  return path;
}

/** Returns whether perf is installed and may sample. */
export async function perfWorks(): Promise<boolean> {
  const { failed } = await execa('perf', ['record', '-o', '/dev/null', '-e', 'cpu-clock:u', '--', 'true'], {
    reject: false,
    timeout: 20_000,
    stdin: 'ignore',
  });
  return !failed;
}
