/**
 * The directory of `--symfs` may not be this machine's own root under another name.
 */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PtflameError } from '../../../src/index.js';

/**
 * perf resolves the links of the directory and ignores `/`. So `/proc/PID/root`, which reads as the files of a container and
 * resolves to `/`, would stand for the files of this machine.
 *
 * @throws PtflameError BAD_OPTION
 */
export async function checkSymfs(symfs: string | undefined): Promise<void> {
  if (symfs === undefined || resolve(symfs) === '/') return;
  const real = await realpath(symfs).catch(() => null); // that there is none shows when its files are missing
  if (real !== '/') return;
  throw new PtflameError('BAD_OPTION', `perf takes --symfs ${symfs} for /, the files of this machine`, {
    hint: "copy the container's files into a directory, and name that: --symfs DIR",
  });
}
