/**
 * Reads source files for pages, of one directory alone: paths are those that binaries state, and a page may be sent to others.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import type { SymbolTable } from '../../src/model/symbol-table.js';
import { type PageSource, type ReadSource, sourceForPage } from '../../src/page/contents/page-source.js';
import type { LineCalls } from '../../src/pipeline/replay/name-functions.js';
import { visibleText } from '../../src/render/visible-text.js';

const MAX_BYTES = 4 * 2 ** 20;

/** Arranges calls by line, with the text of source files. */
export type SourceOfCalls = (calls: readonly LineCalls[], symbols: SymbolTable) => PageSource;

/** @throws PtflameError as `sourceFiles` */
export function sourceIn(directory: string): SourceOfCalls {
  const read = sourceFiles(directory);
  return (calls, symbols) => sourceForPage(calls, symbols, read);
}

/** Files are found by their path, or else by the longest end of it that the directory has. @throws PtflameError BAD_OPTION */
export function sourceFiles(directory: string): ReadSource {
  const root = realDirectory(directory);
  const known = new Map<string, readonly string[] | null>();
  return (file) => {
    let lines = known.get(file);
    if (lines === undefined) known.set(file, (lines = readBelow(root, file)));
    return lines;
  };
}

function realDirectory(directory: string): string {
  try {
    const real = realpathSync(directory);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // said below
  }
  throw new PtflameError('BAD_OPTION', `--source: ${visibleText(directory)} is not a directory`, {
    hint: 'pass the directory that the source files are in',
  });
}

function readBelow(root: string, file: string): readonly string[] | null {
  const parts = file.split('/').filter((part) => part !== '' && part !== '.');
  const candidates = [file, ...parts.map((_, at) => join(root, ...parts.slice(at)))];
  for (const candidate of candidates) {
    const lines = candidate.startsWith('/') ? linesOf(root, candidate) : null;
    if (lines !== null) return lines;
  }
  return null;
}

/** Links may lead out of the directory, and files be no text. */
function linesOf(root: string, path: string): readonly string[] | null {
  try {
    const real = realpathSync(path);
    const stat = statSync(real);
    if (!real.startsWith(root === sep ? root : root + sep) || !stat.isFile() || stat.size > MAX_BYTES) return null;
    const text = readFileSync(real, 'utf8');
    return text.includes('\0') ? null : text.replace(/\r?\n$/, '').split(/\r?\n/);
  } catch {
    return null;
  }
}
