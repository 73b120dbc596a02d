/**
 * Finds the debug information of the binaries of traces, and says what was not found.
 */

import { homeOfCode } from '../../src/model/symbol-table.js';
import type { FindCodeLines, FindInlined, FindSourceLines } from '../../src/pipeline/replay/name-functions.js';
import { formatMany } from '../../src/render/format.js';
import {
  codeLines,
  type DebugInfoOptions,
  type DebugInfoState,
  debugReader,
  functionLines,
  inlinedFunctions,
} from '../../src/symbols/debug-info.js';
import { isJitDump } from '../../src/symbols/jitdump.js';
import { DISK_FILES, type SymbolRoots } from '../../src/symbols/symbol-files.js';
import { rootsOf } from './encoded-recording.js';
import type { CommandInput } from './open-inputs.js';

export interface DebugInfo {
  readonly sourceLines: FindSourceLines;
  readonly codeLines: FindCodeLines;
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
    codeLines: (file, code) => codeLines(file, code, options),
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

const MAX_NAMES = 3;

/** What helps, for what was not read. */
const NOTES: Readonly<Record<Exclude<DebugInfoState, 'read'>, readonly [what: string, remedy: string]>> = {
  absent: ['no debug information for', 'compile with -g, or install their debug symbols'],
  other: ['code differs from the recording in', 'pass a directory with the binaries that ran to --symfs'],
  missing: [
    'parts of the debug information are in files that were not found, for',
    'keep .dwo files where they were built, or put them, or the .dwp, beside the binary; install the whole debug package',
  ],
  compressed: [
    'debug information is damaged, or compressed in an unknown way, in',
    'inflate it: objcopy --decompress-debug-sections',
  ],
  memory: [
    'parts of the debug information were left out, as they inflate to too much memory, in',
    'inflate it (objcopy --decompress-debug-sections), or raise --memory',
  ],
  work: [
    'parts of the debug information were left out, as they contradict or repeat themselves, in',
    'check it: llvm-dwarfdump --verify',
  ],
};

/** Says of which binaries there is no debug information, and what would help. */
export class DebugInfoNotes {
  private readonly states = new Map<string, Set<DebugInfoState>>();
  private readonly missing = new Map<string, ReadonlySet<string>>();

  /** A binary of which anything was read is not absent. The kernel and JIT compilers have no such binary. */
  add(file: string, states: readonly DebugInfoState[], missing: readonly string[]): void {
    if (!file.startsWith('/') || homeOfCode(file) !== 'file' || isJitDump(file)) return;
    this.states.set(file, new Set([...(this.states.get(file) ?? []), ...states]));
    this.missing.set(file, new Set([...(this.missing.get(file) ?? []), ...missing]));
  }

  /** Returns a line for each kind of trouble. Not escaped. */
  lines(): string[] {
    return (Object.keys(NOTES) as (keyof typeof NOTES)[]).flatMap((state) => this.linesOf(state));
  }

  private linesOf(state: keyof typeof NOTES): string[] {
    const isVain = state === 'absent' || state === 'other';
    const files = [...this.states].filter(([, own]) => own.has(state) && !(isVain && own.has('read')));
    if (files.length === 0) return [];
    const names = files.map(([file]) => (state === 'missing' ? `${file} (${this.missingOf(file)})` : file)).sort();
    const [what, remedy] = NOTES[state];
    const of = `${files.length} of ${formatMany(this.states.size, 'file')}`;
    return [`${what} ${of}: ${listOf(names)}; ${remedy}`];
  }

  private missingOf(file: string): string {
    return listOf([...(this.missing.get(file) ?? [])].sort().map((name) => name.slice(0, MAX_NAME_CHARS)));
  }
}

/** Paths are shorter; a hostile one would fill the screen. */
const MAX_NAME_CHARS = 200;

function listOf(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
}
