/**
 * Unpacks a pack into a temporary directory, which is removed when ptflame exits.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPack } from '../../src/perfdata/pack/read-pack.js';
import { PACK_PATHS } from '../../src/perfdata/recognize.js';
import { createTemporaryDirectory } from '../output/temporary-files.js';

/** The paths of an unpacked recording, its binaries and its kernel symbols. */
export interface Unpacked {
  readonly path: string;
  readonly symfs: string;
  readonly kallsyms: string | null;
}

/** A pack is decoded only with its own files, so that the result is the same on every machine. */
export async function unpack(path: string, tempDir: string | undefined, signal: AbortSignal): Promise<Unpacked> {
  const directory = createTemporaryDirectory(tempDir ?? tmpdir());
  const { hasKallsyms } = await readPack(path, directory, signal);
  return {
    path: join(directory, PACK_PATHS.recording),
    symfs: join(directory, PACK_PATHS.root),
    kallsyms: hasKallsyms ? join(directory, PACK_PATHS.kallsyms) : null,
  };
}
