/**
 * Classifies memory mappings by the names that the kernel and perf give them.
 */
import { UNKNOWN_NAME } from './symbol-table.js';

/**
 * Where code is: in a file; in the kernel or one of its modules; generated, in memory that belongs to no file, by a JIT compiler;
 * unmapped, where no mapping is known.
 */
export type CodeHome = 'file' | 'kernel' | 'generated' | 'unmapped';

const IS_MADE_AT_RUN_TIME =
  /^(?:\/\/anon|\/anon_hugepage|\/dev\/zero|\/dev\/shm\/|\/SYSV|\/memfd:|anon_inode:|\[heap|\[stack|\[anon|\/tmp\/perf-\d+\.map$)/;
/** The kernel, its modules and the vdso have no path. */
const IS_BRACKETED = /^\[(.*)\](?:_text)?$/;

/** Returns where the code of a mapping is; null: no mapping is known. */
export function homeOfCode(file: string | null): CodeHome {
  if (file === null || file === UNKNOWN_NAME) return 'unmapped';
  if (isMadeAtRunTime(file)) return 'generated';
  return bracketedName(file) === null || IS_OF_PROCESS.test(file) ? 'file' : 'kernel';
}

/** The kernel maps these files of its own into each process. */
const IS_OF_PROCESS = /^\[(?:vdso|vvar|vsyscall|uprobes)/;

/** Returns whether memory is not backed by a file: anonymous, heap, stack, or described by a perf map. */
export function isMadeAtRunTime(file: string): boolean {
  return IS_MADE_AT_RUN_TIME.test(file);
}

/** Returns the name in the brackets of memory without a path, like `[vdso]`; otherwise null. */
export function bracketedName(file: string): string | null {
  return IS_BRACKETED.exec(file)?.[1] ?? null;
}

/** Returns `liblzma.so.5.4.1` for `/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1 (deleted)`, `vdso` for `[vdso]`. */
export function shortFileName(file: string): string {
  return bracketedName(file) ?? file.slice(file.lastIndexOf('/') + 1).replace(/ \(deleted\)$/, '');
}
