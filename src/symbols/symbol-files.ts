/**
 * Where symbols are read from: the files of this machine, or those of a test.
 */
import type { ByteSource } from './byte-source.js';

export interface SymbolFiles {
  /** Returns null if the file does not exist or cannot be read. The caller closes it. */
  open(path: string): OpenSymbolFile | null;
}

export interface OpenSymbolFile extends ByteSource {
  close(): void;
}

/** Where to look for symbols. */
export interface SymbolRoots {
  /** Prefix of every path (`--symfs`); empty for none. */
  readonly root: string;
  /** perf's copies of binaries by build id (`~/.debug`); null for none. */
  readonly cache: string | null;
  /** Files of debuginfod, by build id; null for none. */
  readonly debuginfod?: string | null;
}
