/**
 * Says of which binaries there is no debug information, and what would help.
 */
import { homeOfCode } from '../../src/profiles.js';
import { type DebugInfoState, isJitDump } from '../../src/recordings.js';
import { formatMany } from '../../src/text.js';

const MAX_NAMES = 3;

/** What helps, for what was not read. */
const NOTES: Readonly<Record<Exclude<DebugInfoState, 'read'>, readonly [what: string, remedy: string]>> = {
  absent: ['no debug information for', 'compile with -g, or install their debug symbols'],
  other: ['code differs from the recording in', 'pass a directory with the binaries that ran to --symfs'],
  compressed: [
    'debug information in a compression that ptflame does not read, such as zstd, in',
    'inflate it: objcopy --decompress-debug-sections',
  ],
};

export class DebugInfoNotes {
  private readonly states = new Map<string, DebugInfoState>();

  /** A binary that was read once is read. The kernel and JIT compilers have no such binary. */
  add(file: string, state: DebugInfoState): void {
    if (!file.startsWith('/') || homeOfCode(file) !== 'file' || isJitDump(file)) return;
    if (this.states.get(file) !== 'read') this.states.set(file, state);
  }

  /** Returns a line for each kind of trouble. Not escaped. */
  lines(): string[] {
    return (Object.keys(NOTES) as (keyof typeof NOTES)[]).flatMap((state) => this.linesOf(state));
  }

  private linesOf(state: keyof typeof NOTES): string[] {
    const files = [...this.states].flatMap(([file, own]) => (own === state ? [file] : [])).sort();
    if (files.length === 0) return [];
    const [what, remedy] = NOTES[state];
    const more = files.length > MAX_NAMES ? ', …' : '';
    const of = `${files.length} of ${formatMany(this.states.size, 'file')}`;
    return [`${what} ${of}: ${files.slice(0, MAX_NAMES).join(', ')}${more}; ${remedy}`];
  }
}
