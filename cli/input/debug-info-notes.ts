/**
 * Says of which binaries there is no debug information, and what would help.
 */

import { homeOfCode } from '../../src/model/names/mapped-files.js';
import { formatMany } from '../../src/render/format.js';
import { type DebugInfoState, isJitDump } from '../../src/symbols/symbolizer.js';

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
