/**
 * What lies in the memory of a process, by the names that the kernel and perf give it.
 */

/** No file is behind it: its code, if any, was made while the program ran. */
const IS_MADE_AT_RUN_TIME =
  /^(?:\/\/anon|\/anon_hugepage|\/dev\/zero|\/dev\/shm\/|\/SYSV|\/memfd:|anon_inode:|\[heap|\[stack|\[anon|\/tmp\/perf-\d+\.map$)/;
/** The kernel, its modules, and the vdso: they have no path. */
const IS_BRACKETED = /^\[(.*)\](?:_text)?$/;

/** Memory that no file is behind: anonymous, heap, stack, or what a perf map names. */
export function isMadeAtRunTime(file: string): boolean {
  return IS_MADE_AT_RUN_TIME.test(file);
}

/** Of memory without a path, as `[vdso]`, what the brackets hold; else null. */
export function bracketedName(file: string): string | null {
  return IS_BRACKETED.exec(file)?.[1] ?? null;
}

/** `liblzma.so.5.4.1` of `/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1 (deleted)`, `vdso` of `[vdso]`. */
export function shortFileName(file: string): string {
  return bracketedName(file) ?? file.slice(file.lastIndexOf('/') + 1).replace(/ \(deleted\)$/, '');
}
