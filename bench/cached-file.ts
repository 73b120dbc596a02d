/**
 * Makes a file from a recipe, with a note of what is true of it, once; again if the recipe or its maker changes.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Maker<Recipe, Facts> {
  /** Must be raised with every change of the bytes. */
  readonly version: number;
  make(recipe: Recipe, write: (bytes: Uint8Array) => void): Facts;
}

/** Stored next to the file, and written after it: a file with a note is complete. */
type Note<Recipe, Facts> = Facts & { readonly version: number; readonly name: string; readonly recipe: Recipe };

export type CachedFile<Recipe, Facts> = Note<Recipe, Facts> & { readonly path: string };

export function cachedFile<Recipe extends object, Facts extends { readonly bytes: number }>(
  directory: string,
  name: string,
  recipe: Recipe,
  { version, make }: Maker<Recipe, Facts>,
): CachedFile<Recipe, Facts> {
  const path = join(directory, `${name}.txt`);
  const notePath = join(directory, `${name}.json`);
  const cached = readNote<Recipe, Facts>(notePath);
  if (cached?.version === version && isSame(cached.recipe, recipe) && sizeOf(path) === cached.bytes)
    return { ...cached, path };
  mkdirSync(directory, { recursive: true });
  rmSync(notePath, { force: true });
  const facts = writeAtomically(path, (file) => make(recipe, (piece) => writeAll(file, piece)));
  const note = { version, name, recipe, ...facts };
  writeAtomically(notePath, (file) => writeSync(file, `${JSON.stringify(note, null, 2)}\n`));
  return { ...note, path };
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** The file appears only once it is complete. */
function writeAtomically<Result>(path: string, write: (file: number) => Result): Result {
  const unfinished = `${path}.${process.pid}.tmp`;
  const file = openSync(unfinished, 'w');
  try {
    const result = write(file);
    renameSync(unfinished, path);
    return result;
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
}

function readNote<Recipe, Facts>(path: string): Note<Recipe, Facts> | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note<Recipe, Facts>;
  } catch {
    return null; // missing or invalid: the file is made again
  }
}

function isSame<Recipe extends object>(made: Recipe | undefined, recipe: Recipe): boolean {
  return (
    made !== undefined && (Object.keys(recipe) as (keyof Recipe)[]).every((field) => made[field] === recipe[field])
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
