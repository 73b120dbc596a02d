/**
 * Runs a shell command on a terminal.
 */
import { execa } from 'execa';

/** The terminal has 80 columns; `stdout` is everything that it receives. */
export function startOnTerminal(command: string, env: Record<string, string> = {}) {
  const script = ['-qec', `stty cols 80 rows 24; ${command}`, '/dev/null'];
  return execa('script', script, { env: { TERM: 'xterm', ...env }, reject: false, stdin: 'ignore' });
}

/** The program that makes terminals is installed. */
export const hasTerminal = (await execa('script', ['--version'], { reject: false })).code !== 'ENOENT';
