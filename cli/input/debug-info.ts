/**
 * Finds the debug information of the binaries of traces.
 */
import type { FindInlined, FindSourceLines } from '../../src/profiles.js';
import {
  type DebugInfoOptions,
  DISK_FILES,
  functionLines,
  inlinedFunctions,
  type SymbolRoots,
} from '../../src/recordings.js';
import { rootsOf } from './encoded-recording.js';
import type { CommandInput } from './open-inputs.js';

export function lineFinder(inputs: readonly CommandInput[], symfs: string | null): FindSourceLines {
  const options = debugInfoOf(inputs, symfs);
  return (file, functions) => functionLines(file, functions, options);
}

export function inlinedFinder(inputs: readonly CommandInput[], symfs: string | null): FindInlined {
  const options = debugInfoOf(inputs, symfs);
  return (file, code) => inlinedFunctions(file, code, options);
}

/** Recordings know where their binaries are, and which ones they were. `symfs`: the directory to use for other inputs. */
function debugInfoOf(inputs: readonly CommandInput[], symfs: string | null): DebugInfoOptions {
  const recorded = inputs.flatMap((input) => ('naming' in input ? [input.naming] : []));
  const buildIds = buildIdsOf(recorded.map((naming) => naming.buildIds));
  const roots: SymbolRoots = recorded[0]?.roots ?? rootsOf(symfs);
  const buildIdOf = (file: string) => buildIds.get(Buffer.from(file).toString('latin1')) ?? null;
  return { files: DISK_FILES, roots, buildIdOf };
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
