/**
 * Folders that commands write into. They may be missing, but what contains them may not: a mistyped path should not become a
 * tree of folders.
 */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { shellWords } from '../../src/render/visible-text.js';
import { statOrNull } from './refuse-overwriting.js';
import { whyUnwritable } from './write-chunks.js';

/**
 * Checks that a folder can be filled before the work begins.
 *
 * `other`: how to choose another one.
 *
 * @throws PtflameError OUTPUT_UNWRITABLE
 */
export function requireFolder(folder: string, other: string): void {
  const stats = statOrNull(folder);
  if (stats?.isDirectory()) return;
  if (stats !== null) throw cannotCreate(folder, 'it is a file', other);
  const parent = dirname(resolve(folder));
  if (statOrNull(parent)?.isDirectory()) return;
  const hint = `make it first: mkdir -p ${shellWords([parent])}; or ${other}`;
  throw cannotCreate(folder, `${parent} does not exist`, hint);
}

/** Makes a folder, within one that is there; it may be there itself. @throws PtflameError OUTPUT_UNWRITABLE */
export function makeFolder(folder: string, other: string, mode?: number): void {
  requireFolder(folder, other);
  makeFolders(folder, other, mode);
}

/** Makes a folder and those that contain it. @throws PtflameError OUTPUT_UNWRITABLE */
export function makeFolders(folder: string, other: string, mode?: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (cause) {
    throw cannotCreate(folder, whyUnwritable(cause), other, cause);
  }
}

function cannotCreate(folder: string, why: string, hint: string, cause?: unknown): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot create the folder ${folder}: ${why}`, { hint, cause });
}
