/**
 * What symbols are read from: files of a machine, or those of a test.
 */
import type { ByteSource } from '../elf/byte-source.js';

export interface SymbolFiles {
  /** null if there is none, or it may not be read. It stays open as long as its bytes are wanted. */
  open(path: string): OpenSymbolFile | null;
}

export interface OpenSymbolFile extends ByteSource {
  close(): void;
}

/** Where to look for symbols besides the paths in the recording. */
export interface SymbolPlaces {
  /** Before every path of the recording and of the system: `--symfs`; empty for none. */
  readonly root: string;
  /** perf's own files by build id, `~/.debug`; null for none. */
  readonly cache: string | null;
}
