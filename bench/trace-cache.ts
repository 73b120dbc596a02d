/**
 * Makes the trace of a recipe and a note of its true values, once; again if the recipe changes.
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
  /** Each line is an event. */
  readonly lines: number;
  readonly durationNs: number;
  /** Of the correct folded stacks. */
  readonly folded: FoldedDigest;
}

/** Stored next to a trace, and written after it: a trace with a note is complete. */
interface TraceNote extends Omit<Trace, 'path'> {
  readonly version: number;
}

export function cachedTrace(directory: string, name: string, recipe: Recipe): Trace {
  const path = join(directory, `${name}.txt`);
  const notePath = join(directory, `${name}.json`);
  const cached = readNote(notePath);
  if (cached && isNoteOf(cached, recipe) && sizeOf(path) === cached.bytes) return { ...cached, path };
  mkdirSync(directory, { recursive: true });
  rmSync(notePath, { force: true });
  const note: TraceNote = { version: GENERATOR_VERSION, name, recipe, ...writeTrace(path, recipe) };
  writeAtomically(notePath, (file) => writeSync(file, `${JSON.stringify(note, null, 2)}\n`));
  return { ...note, path };
}

function writeTrace(path: string, recipe: Recipe): Pick<Trace, 'bytes' | 'lines' | 'durationNs' | 'folded'> {
  const { bytes, lines, durationNs, fold } = writeAtomically(path, (file) =>
    generate(recipe, (piece) => writeAll(file, piece)),
  );
  return { bytes, lines, durationNs, folded: digest(fold) };
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

function readNote(path: string): TraceNote | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as TraceNote;
  } catch {
    return null; // missing or invalid: the trace is made again
  }
}

function isNoteOf({ version, recipe: made }: TraceNote, recipe: Recipe): boolean {
  const fields = Object.keys(recipe) as (keyof Recipe)[];
  return version === GENERATOR_VERSION && made !== undefined && fields.every((field) => made[field] === recipe[field]);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
