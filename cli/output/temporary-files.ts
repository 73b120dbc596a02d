/**
 * Files that stand beside their final name until they are whole, and are removed on every way out before that.
 */
import { closeSync, fchmodSync, fchownSync, mkdtempSync, openSync, rmSync, type Stats, unlinkSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PtflameError } from '../../src/text.js';

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
const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o777;
/** A file may come into a directory while it is emptied: what was begun before an interrupt. */
const MOST_RETRIES = 5;

export interface TemporaryFileOptions {
  /** The file that it will replace: it gets the same owner, group and permissions. */
  readonly replaced?: Stats | null;
  /** Permissions of a new file, before the umask. Default: all may read and write. */
  readonly mode?: number;
}

/** @throws what the system says where the file cannot be made, or cannot be given to the owner of the one that it replaces */
export function createTemporaryFile(target: string, options: TemporaryFileOptions = {}): TemporaryFile {
  const { replaced = null, mode = READ_WRITE_FOR_ALL } = options;
  // A name has 255 bytes at most, a character up to three of them.
  const name = `.${basename(target).slice(0, 40)}.ptflame-${crypto.randomUUID().slice(0, 8)}`;
  const path = join(dirname(target), name);
  // Synchronous, so that no interrupt comes between the file and its entry in the list.
  const fd = openSync(path, 'wx', replaced ? OWNER_ONLY : mode & READ_WRITE_FOR_ALL);
  temporaryFiles.add(path);
  if (replaced) makeAlike(fd, path, replaced);
  return {
    path,
    fd,
    async rename() {
      await rename(path, target);
      temporaryFiles.delete(path);
      await flushDirectory(dirname(target));
    },
  };
}

/** The owner first: it takes the permissions away that only the old owner was to have. */
function makeAlike(fd: number, path: string, { uid, gid, mode }: Stats): void {
  try {
    if (uid !== process.geteuid?.() || gid !== process.getegid?.()) fchownSync(fd, uid, gid);
    fchmodSync(fd, mode & PERMISSIONS);
  } catch (error) {
    closeSync(fd);
    unlinkSync(path);
    temporaryFiles.delete(path);
    throw error;
  }
}

/** Only then is the new name sure to be there after a power cut. Some file systems cannot, and do without. */
async function flushDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path);
    await directory.sync().finally(() => directory.close());
  } catch {
    // The file itself is on the disk.
  }
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
