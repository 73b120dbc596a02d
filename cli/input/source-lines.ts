/**
 * Finds the debug information of the binaries of traces.
 */
import type { FindSourceLines } from '../../src/profiles.js';
import { DISK_FILES, functionLines, type SymbolRoots } from '../../src/recordings.js';
import { rootsOf } from './encoded-recording.js';
import type { CommandInput } from './open-inputs.js';

/** Recordings know where their binaries are, and which ones they were. `symfs`: the directory to use for other inputs. */
export function lineFinder(inputs: readonly CommandInput[], symfs: string | null): FindSourceLines {
  const recorded = inputs.flatMap((input) => ('naming' in input ? [input.naming] : []));
  const buildIds = buildIdsOf(recorded.map((naming) => naming.buildIds));
  const roots: SymbolRoots = recorded[0]?.roots ?? rootsOf(symfs);
  const buildIdOf = (file: string) => buildIds.get(Buffer.from(file).toString('latin1')) ?? null;
  return (file, functions) => functionLines(file, functions, { files: DISK_FILES, roots, buildIdOf });
}

/** Recordings of several machines may have several binaries of one path: then its build id is not known. */
function buildIdsOf(recorded: readonly ReadonlyMap<string, string>[]): Map<string, string | null> {
  const buildIds = new Map<string, string | null>();
  for (const [file, buildId] of recorded.flatMap((own) => [...own])) {
    const known = buildIds.get(file);
    buildIds.set(file, known === undefined || known === buildId ? buildId : null);
  }
  return buildIds;
}
