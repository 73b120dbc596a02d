/**
 * Where results go: a file appears whole or not at all; devices, pipes and standard output are written as it comes.
 */
import { createWriteStream, type Stats, unlinkSync } from 'node:fs';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PtflameError } from '../src/index.js';

/** Removed on every way out; a kill that nobody can catch leaves one behind, under a name that says whose it is. */
const temporaryFiles = new Set<string>();

export function removeTemporaryFiles(): void {
  for (const path of temporaryFiles) {
    try {
      unlinkSync(path);
    } catch {
      // It is gone already, or the disk is: nothing is left to do.
    }
  }
  temporaryFiles.clear();
}

export interface Output {
  /** Writes everything, then makes it visible. */
  write(pieces: Iterable<string>): Promise<void>;
}

/** Opens an output before the work begins, so that a place that cannot be written is found at once. */
export async function openOutput(path: string): Promise<Output> {
  if (path === '-') return { write: (pieces) => pump(pieces, process.stdout, 'standard output', { end: false }) };
  try {
    const target = await realTarget(path);
    const stats = await statOrNull(target);
    if (stats?.isDirectory()) throw unwritable(path, 'it is a directory');
    return stats && !stats.isFile() ? directOutput(target) : await fileOutput(target);
  } catch (error) {
    throw error instanceof PtflameError ? error : unwritable(path, describe(error), error);
  }
}

function directOutput(target: string): Output {
  return { write: (pieces) => pump(pieces, createWriteStream(target), target, { end: true }) };
}

async function fileOutput(target: string): Promise<Output> {
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.ptflame-${process.pid}`);
  const file = await open(temporary, 'wx');
  temporaryFiles.add(temporary);
  return {
    async write(pieces) {
      await pump(pieces, file.createWriteStream(), target, { end: true });
      await rename(temporary, target);
      temporaryFiles.delete(temporary);
    },
  };
}

const PIECE_CHARACTERS = 64 * 1024;

async function pump(
  pieces: Iterable<string>,
  to: NodeJS.WritableStream,
  name: string,
  options: { end: boolean },
): Promise<void> {
  try {
    await pipeline(Readable.from(inLargePieces(pieces)), to, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') throw error;
    throw unwritable(name, describe(error), error);
  }
}

function* inLargePieces(pieces: Iterable<string>): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** The path itself, or what its symbolic links lead to, which need not exist yet. */
async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return join(await realpath(dirname(path)), basename(path));
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}

function unwritable(path: string, why: string, cause?: unknown): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${path}: ${why}`, {
    hint: 'choose another place with -o',
    cause,
  });
}

function describe(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'its directory does not exist';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'no permission';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
