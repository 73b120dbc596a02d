/**
 * The files with compiled code. They are in the package's own folder: what may write there may change the program anyway.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Options of Node change what V8 compiles; when it counts what runs, it compiles other code. */
const CHANGE_CODE = ['NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_DISABLE_COMPILE_CACHE'];
/** Of workers; changes no code. */
const HARMLESS = '--no-experimental-require-module';

/** Whether this process may use and write compiled code. */
export function canKeepCode(): boolean {
  return process.execArgv.every((option) => option === HARMLESS) && !CHANGE_CODE.some((name) => process.env[name]);
}

/** Code depends on the version of V8; V8 also checks that and its options. */
export function keptFile(codeFile: string, use: string): string {
  return `${codeFile.replace(/\.js$/, '')}.${use}.${process.version}.${process.arch}.cache`;
}

/** Writes a file for all later processes. A folder of another user, or a read-only one, stays as it is. */
export function writeKeptFile(file: string, content: () => Uint8Array): void {
  const temporary = `${file}.${process.pid}`;
  try {
    if (statSync(dirname(file)).uid !== process.geteuid?.()) return;
    writeDurably(temporary, content());
    renameSync(temporary, file);
  } catch {
    removeIfPossible(temporary);
  }
}

/** V8 does not notice a damaged file. */
function writeDurably(file: string, content: Uint8Array): void {
  const descriptor = openSync(file, 'wx');
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The file system is read-only.
  }
}
