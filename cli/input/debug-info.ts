/**
 * Finds the debug information of the binaries of traces, and says what was not found.
 */
import type { FindInlined } from '../../src/pipeline/replay/functions/inlined-sites.js';
import type { FindSourceLines } from '../../src/pipeline/replay/functions/source-lines.js';
import {
  type DebugInfoOptions,
  DISK_FILES,
  debugReader,
  functionLines,
  inlinedFunctions,
  type SymbolRoots,
} from '../../src/symbols/symbolizer.js';
import { DebugInfoNotes } from './debug-info-notes.js';
import { rootsOf } from './encoded-recording.js';
import type { CommandInput } from './open-inputs.js';

export interface DebugInfo {
  readonly sourceLines: FindSourceLines;
  readonly inlined: FindInlined;
  /** Lines about binaries that were asked about in vain. Not escaped. */
  readonly notes: () => string[];
}

/** `symfs`: the directory to use for inputs other than recordings. `memoryBytes`: of the whole process. */
export async function debugInfoOf(
  inputs: readonly CommandInput[],
  symfs: string | null,
  memoryBytes: number,
): Promise<DebugInfo> {
  const notes = new DebugInfoNotes();
  const reader = await debugReader(memoryBytes);
  const options = { ...placesOf(inputs, symfs), reader, onBinary: notes.add.bind(notes) };
  return {
    sourceLines: (file, functions) => functionLines(file, functions, options),
    inlined: (file, code) => inlinedFunctions(file, code, options),
    notes: () => notes.lines(),
  };
}

/** Recordings know where their binaries are, and which ones they were. */
function placesOf(inputs: readonly CommandInput[], symfs: string | null): DebugInfoOptions {
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
