/**
 * Gives perf a larger output buffer with `stdbuf` of GNU coreutils. By default perf writes blocks of 4 KiB; each costs a system
 * call and a wake-up of the reader, so that decoding takes a third longer.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const BUFFER = '64K';

/** Returns the command with `stdbuf`, or unchanged if `stdbuf` or the program does not exist. */
export function withLargeWrites(
  program: string,
  args: readonly string[],
): { program: string; args: readonly string[] } {
  if (!isProgram('stdbuf') || !isProgram(program)) return { program, args };
  return { program: 'stdbuf', args: [`--output=${BUFFER}`, program, ...args] };
}

function isProgram(program: string): boolean {
  if (program.includes('/')) return isExecutable(program);
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => isExecutable(join(directory, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
