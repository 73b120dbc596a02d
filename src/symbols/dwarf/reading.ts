/**
 * What reading debug information needs besides the file: limits, a decompressor, and the files that it refers to.
 */
import type { Zstd } from '../../codec/zstd.js';
import type { ElfFile } from '../elf-file.js';
import { DebugBudget } from './budget.js';

export interface DebugReading {
  readonly budget: DebugBudget;
  /** null: sections that zstd compressed are left out. */
  readonly zstd: Zstd | null;
  readonly others: OtherFiles;
  /** The file was read before: it allows for no more work. */
  readonly isAgain?: boolean;
}

/** Other files with debug information of a binary. */
export interface OtherFiles {
  /** Returns the package of all split units (`.dwp`); null: there is none. */
  package(): ElfFile | null;
  /** Opens, one after the other, the files that may be the `.dwo` of a split unit; each is closed with the next one. */
  split(name: string, directory: string): Iterable<{ readonly path: string; readonly elf: ElfFile }>;
  /** Returns the file that dwz moved entries and texts to (`.gnu_debugaltlink`, `.debug_sup`); null: it is missing. */
  shared(): ElfFile | null;
  /** Notes that a file is missing. */
  miss(name: string): void;
}

export const NO_FILES: OtherFiles = { package: () => null, split: () => [], shared: () => null, miss: () => {} };

/** Reads a file alone. */
export function readingAlone(): DebugReading {
  const budget = new DebugBudget();
  budget.begin(0);
  return { budget, zstd: null, others: NO_FILES };
}
