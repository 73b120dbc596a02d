/**
 * Asks perf for its version and its build options.
 */
import { PtflameError } from '../../../src/model/errors.js';
import { INSTALL_PERF, perfFailure } from '../../perf/failures.js';

export interface PerfVersion {
  /** "6.8.0-45-generic". */
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

const TIMEOUT_MS = 10_000;

/** @throws PtflameError PERF_MISSING, also for a wrapper script that only names the package to install */
export async function perfVersion(perfPath: string): Promise<PerfVersion> {
  const text = await perfOutput(perfPath, ['--version']);
  const version = parseVersion(text);
  if (version !== null) return version;
  throw new PtflameError('PERF_MISSING', `${perfPath} --version prints no version`, {
    hint: INSTALL_PERF,
    output: text.split('\n', 3),
  });
}

/** Parses the version in any distribution's form: "perf version 6.1.192", "perf version 6.8.0-45-generic". */
export function parseVersion(text: string): PerfVersion | null {
  const match = /\b(\d{1,4})\.(\d{1,4})\S*/.exec(text);
  return match && { text: match[0].slice(0, 60), major: Number(match[1]), minor: Number(match[2]) };
}

export function isAtLeast(version: PerfVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** Returns the build options, such as HAVE_AUXTRACE_SUPPORT → true; empty if perf does not print them. */
export async function perfBuildOptions(perfPath: string): Promise<ReadonlyMap<string, boolean>> {
  const text = await perfOutput(perfPath, ['version', '--build-options']).catch(() => '');
  return parseBuildOptions(text);
}

export function parseBuildOptions(text: string): ReadonlyMap<string, boolean> {
  const options = text.matchAll(/: \[ *(on|OFF) *\] +# (HAVE_\w+)/gi);
  return new Map(Array.from(options, ([, state, name]) => [name, state?.toLowerCase() === 'on']));
}

async function perfOutput(perfPath: string, args: readonly string[]): Promise<string> {
  const { execa } = await import('execa');
  const result = await execa(perfPath, args, { reject: false, timeout: TIMEOUT_MS, stdin: 'ignore' });
  const { stdout = '', stderr = '', exitCode, signal, cause } = result;
  if (!result.failed) return String(stdout);
  const notStarted = exitCode === undefined && signal === undefined ? cause : undefined;
  throw perfFailure({ command: 'record', exitCode, signal, stderr: String(stderr), cause: notStarted });
}
