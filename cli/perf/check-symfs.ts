/**
 * Rejects, for perf, a `--symfs` directory that is this machine's own root under another name.
 */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';

/**
 * perf resolves the directory's symbolic links and ignores `/`. `/proc/PID/root`, which shows a container's files, resolves to
 * `/`, so perf would read this machine's files instead.
 *
 * @throws PtflameError BAD_OPTION
 */
export async function checkSymfs(symfs: string | undefined): Promise<void> {
  if (symfs === undefined || resolve(symfs) === '/') return;
  const real = await realpath(symfs).catch(() => null); // a missing directory is reported with its missing files
  if (real !== '/') return;
  throw new PtflameError('BAD_OPTION', `perf would read --symfs ${symfs} as /, the files of this machine`, {
    hint: "copy the container's files to a directory and pass that: --symfs DIR",
  });
}
