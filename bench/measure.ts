/**
 * Runs a command and measures its wall time, CPU time and peak memory.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Cost {
  readonly wallSeconds: number;
  /** In user and kernel mode, over all threads. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export interface Run extends Cost {
  readonly stdout: string;
}

const GNU_TIME = '/usr/bin/time';
/** How often the process is sampled without GNU time: what it does after the last sample is missed. */
const SAMPLE_INTERVAL_MS = 5;

/** @throws Error if the command fails */
export function measure(command: readonly string[]): Promise<Run> {
  return existsSync(GNU_TIME) ? timed(command) : sampled(command);
}

/** Measures with GNU time, which is exact. */
async function timed(command: readonly string[]): Promise<Run> {
  const report = join(tmpdir(), `ptflame-bench-${process.pid}.time`);
  const { stdout, wallSeconds } = await run([GNU_TIME, '-f', '%U %S %M', '-o', report, ...command], () => {});
  const [user, system, peakKib] = readFileSync(report, 'utf8').trim().split(' ').map(Number);
  rmSync(report);
  return { stdout, wallSeconds, cpuSeconds: user + system, peakBytes: peakKib * 1024 };
}

/** Samples /proc while the process lives; both numbers only grow, so the last sample counts. */
async function sampled(command: readonly string[]): Promise<Run> {
  let last = { cpuSeconds: 0, peakBytes: 0 };
  const { stdout, wallSeconds } = await run(command, (pid) => {
    last = sample(pid) ?? last;
  });
  return { stdout, wallSeconds, ...last };
}

const CLOCK_TICKS = 100; // a second: Linux's USER_HZ

function sample(pid: number): Omit<Cost, 'wallSeconds'> | null {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may contain spaces
    if (peak === null) return null; // it has just ended
    return { peakBytes: Number(peak[1]) * 1024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS };
  } catch {
    return null;
  }
}

// grep stops at its first hit if its output is /dev/null, so the output is read; in other locales it may decode UTF-8.
function run(
  command: readonly string[],
  onSample: (pid: number) => void,
): Promise<{ stdout: string; wallSeconds: number }> {
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, LC_ALL: 'C' } });
    const timer = setInterval(() => onSample(child.pid ?? 0), SAMPLE_INTERVAL_MS);
    let stdout = '';
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      const wallSeconds = (performance.now() - began) / 1000;
      if (code === 0) resolve({ stdout, wallSeconds });
      else reject(new Error(`${command.join(' ')} ended with exit code ${code}`));
    });
  });
}
