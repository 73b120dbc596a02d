/**
 * Files that stand beside their final name until they are whole, and are removed on every way out before that.
 */
import { mkdtempSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PtflameError } from '../src/text.js';

/** A kill that nobody can catch leaves one behind, under a name that says whose it is. */
const temporaryFiles = new Set<string>();
const temporaryDirectories = new Set<string>();

process.on('exit', removeTemporaryFiles);

export interface TemporaryFile {
  readonly path: string;
  readonly fd: number;
  /** Gives it its final name. */
  rename(): Promise<void>;
}

const READ_WRITE_FOR_ALL = 0o666;
/** A file may come into a directory while it is emptied: what was begun before an interrupt. */
const MOST_RETRIES = 5;

/** `mode`: of the file that will be replaced: what was private stays private. */
export function createTemporaryFile(target: string, mode = READ_WRITE_FOR_ALL): TemporaryFile {
  // A name has 255 bytes at most, a character up to three of them.
  const name = `.${basename(target).slice(0, 40)}.ptflame-${crypto.randomUUID().slice(0, 8)}`;
  const path = join(dirname(target), name);
  // Synchronous, so that no interrupt comes between the file and its entry in the list.
  const fd = openSync(path, 'wx', mode & READ_WRITE_FOR_ALL);
  temporaryFiles.add(path);
  return {
    path,
    fd,
    async rename() {
      await rename(path, target);
      temporaryFiles.delete(path);
    },
  };
}

/**
 * A directory for this run alone, readable by nobody else.
 *
 * @throws PtflameError TEMPORARY_FILE
 */
export function createTemporaryDirectory(parent: string): string {
  try {
    const path = mkdtempSync(join(parent, 'ptflame-'));
    temporaryDirectories.add(path);
    return path;
  } catch (cause) {
    throw new PtflameError('TEMPORARY_FILE', `cannot make a directory in ${parent}: ${String(cause)}`, {
      hint: 'name a place that can be written: --temp-dir DIR',
      cause,
    });
  }
}

export function removeTemporaryFiles(): void {
  for (const path of temporaryDirectories) rmSync(path, { recursive: true, force: true, maxRetries: MOST_RETRIES });
  temporaryDirectories.clear();
  for (const path of temporaryFiles) {
    try {
      unlinkSync(path);
    } catch {
      // It is gone already, or the disk is: nothing is left to do.
    }
  }
  temporaryFiles.clear();
}
