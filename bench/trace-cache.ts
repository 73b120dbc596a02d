/**
 * A recipe in, a trace file and what is true of it out; made once, and again if the recipe changes.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATOR_VERSION, generate, type Recipe } from './generator/generate.js';
import { digest, type FoldedDigest } from './generator/self-times.js';

export interface Trace {
  readonly name: string;
  readonly path: string;
  readonly recipe: Recipe;
  readonly bytes: number;
  /** Each is an event. */
  readonly lines: number;
  readonly durationNs: number;
  /** Of the folded stacks that are right. */
  readonly folded: FoldedDigest;
}

/** What stands beside a trace; written behind it, so a trace with it is whole. */
interface Note extends Omit<Trace, 'path'> {
  readonly version: number;
}

export function cachedTrace(directory: string, name: string, recipe: Recipe): Trace {
  const path = join(directory, `${name}.txt`);
  const notePath = join(directory, `${name}.json`);
  const known = readNote(notePath);
  if (known && isOf(known, recipe) && sizeOf(path) === known.bytes) return { ...known, path };
  mkdirSync(directory, { recursive: true });
  rmSync(notePath, { force: true });
  const note: Note = { version: GENERATOR_VERSION, name, recipe, ...writeTrace(path, recipe) };
  writeWhole(notePath, (file) => writeSync(file, `${JSON.stringify(note, null, 2)}\n`));
  return { ...note, path };
}

function writeTrace(path: string, recipe: Recipe): Pick<Trace, 'bytes' | 'lines' | 'durationNs' | 'folded'> {
  const { bytes, lines, durationNs, fold } = writeWhole(path, (file) =>
    generate(recipe, (piece) => writeAll(file, piece)),
  );
  return { bytes, lines, durationNs, folded: digest(fold) };
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** The file is there when all of it is. */
function writeWhole<Result>(path: string, write: (file: number) => Result): Result {
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

function readNote(path: string): Note | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note;
  } catch {
    return null; // missing, or not ours: made anew
  }
}

function isOf({ version, recipe: made }: Note, recipe: Recipe): boolean {
  const fields = Object.keys(recipe) as (keyof Recipe)[];
  return version === GENERATOR_VERSION && made !== undefined && fields.every((field) => made[field] === recipe[field]);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
