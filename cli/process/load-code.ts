/**
 * Loads a bundled file and keeps what V8 compiled of it next to it, so that later processes need not compile it again.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

export interface LoadedCode<Exports> {
  readonly exports: Exports;
  /** Keeps what is compiled by now, unless that has been done before or is not possible. */
  readonly keep: () => void;
}

/** The function that a bundled file consists of. */
type CodeFunction = (
  module: { readonly exports: object },
  require: NodeJS.Require,
  importPackage: (name: string) => Promise<unknown>,
  file: string,
) => void;

/** `use`: what this process does. Each use keeps the functions that it needs. */
export function loadCode<Exports extends object>(file: string, use: string): LoadedCode<Exports> {
  const kept = canKeepCode() ? keptFile(file, use) : null;
  const cachedData = kept === null ? undefined : readIfPossible(kept);
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as Exports };
  const run = script.runInThisContext() as CodeFunction;
  run(module, createRequire(file), (name) => import(name), file);
  let isKept = cachedData !== undefined && script.cachedDataRejected === false;
  const keep = () => {
    if (kept !== null && !isKept) writeKeptFile(kept, () => script.createCachedData());
    isKept = true;
  };
  return { exports: module.exports, keep };
}

function readIfPossible(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Options of Node change what V8 compiles; when it counts what runs, it compiles other code. */
const CHANGE_CODE = ['NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_DISABLE_COMPILE_CACHE'];
/** Of workers; changes no code. */
const HARMLESS = '--no-experimental-require-module';

/**
 * The files with compiled code. They are in the package's own folder: what may write there may change the program anyway.
 *
 * Whether this process may use and write compiled code.
 */
function canKeepCode(): boolean {
  return process.execArgv.every((option) => option === HARMLESS) && !CHANGE_CODE.some((name) => process.env[name]);
}

/** Code depends on the version of V8; V8 also checks that and its options. */
function keptFile(codeFile: string, use: string): string {
  return `${codeFile.replace(/\.js$/, '')}.${use}.${process.version}.${process.arch}.cache`;
}

/** Writes a file for all later processes. A folder of another user, or a read-only one, stays as it is. */
function writeKeptFile(file: string, content: () => Uint8Array): void {
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
