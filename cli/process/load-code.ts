/**
 * Loads a bundled file and keeps what V8 compiled of it next to it, so that later processes need not compile it again.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { canKeepCode, keptFile, writeKeptFile } from './kept-code.js';

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
  const isKept = cachedData !== undefined && script.cachedDataRejected === false;
  const keep = () => {
    if (kept !== null && !isKept) writeKeptFile(kept, () => script.createCachedData());
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
