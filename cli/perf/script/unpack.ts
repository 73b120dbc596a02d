/**
 * A pack, laid out in a directory that is gone when we are.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACK_PATHS, readPack } from '../../../src/packs.js';
import { createTemporaryDirectory } from '../../output/temporary-files.js';

/** Where a recording is, and where perf finds the files that ran. */
export interface Unpacked {
  readonly path: string;
  readonly symfs: string;
  readonly kallsyms: string | null;
}

/** A pack is decoded with its own files alone, so that the result is the same everywhere. */
export async function unpack(path: string, tempDir: string | undefined, signal: AbortSignal): Promise<Unpacked> {
  const directory = createTemporaryDirectory(tempDir ?? tmpdir());
  const { hasKallsyms } = await readPack(path, directory, signal);
  return {
    path: join(directory, PACK_PATHS.recording),
    symfs: join(directory, PACK_PATHS.root),
    kallsyms: hasKallsyms ? join(directory, PACK_PATHS.kallsyms) : null,
  };
}
