/**
 * Creates temporary files and directories, which are removed when the process exits in any way but SIGKILL.
 */
import { closeSync, fchmodSync, fchownSync, mkdtempSync, openSync, rmSync, type Stats, unlinkSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { whyUnwritable } from './write-chunks.js';

/** A file that SIGKILL leaves behind names ptflame and the output. */
const temporaryFiles = new Set<string>();
const temporaryDirectories = new Set<string>();

process.on('exit', removeTemporaryFiles);

export interface TemporaryFile {
  readonly path: string;
  readonly fd: number;
  /** Moves it to its final name. */
  rename(): Promise<void>;
}

const READ_WRITE_FOR_ALL = 0o666;
const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o777;
/** A write that began before an interrupt may add a file to a directory while it is being removed. */
const MAX_RETRIES = 5;

export interface TemporaryFileOptions {
  /** The file to replace, whose owner, group and permissions are preserved. */
  readonly replaced?: Stats | null;
  /** Permissions of a new file, before the umask. Default: all may read and write. */
  readonly mode?: number;
}

/** No secret, as the file is created only if there is none of that name. Node's crypto takes 3 ms to load. */
function randomName(): string {
  return Math.random().toString(36).slice(2, 10).padEnd(8, '0');
}

/** Creates a file next to its target. @throws the system error if that fails, or if the owner cannot be preserved */
export function createTemporaryFile(target: string, options: TemporaryFileOptions = {}): TemporaryFile {
  const { replaced = null, mode = READ_WRITE_FOR_ALL } = options;
  // At most 255 bytes: up to three bytes for each of the 40 characters.
  const name = `.${basename(target).slice(0, 40)}.ptflame-${randomName()}`;
  const path = join(dirname(target), name);
  // Synchronous, so that no interrupt comes between creating the file and registering it.
  const fd = openSync(path, 'wx', replaced ? OWNER_ONLY : mode & READ_WRITE_FOR_ALL);
  temporaryFiles.add(path);
  if (replaced) copyOwnerAndMode(fd, path, replaced);
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

/** Sets the owner first, as changing it clears permission bits. */
function copyOwnerAndMode(fd: number, path: string, { uid, gid, mode }: Stats): void {
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

/** Makes the new name survive a power cut, on file systems that can flush directories. */
async function flushDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path);
    await directory.sync().finally(() => directory.close());
  } catch {
    // The file itself is flushed already.
  }
}

/**
 * Creates a directory for this run, readable only by this user.
 *
 * @throws PtflameError TEMPORARY_FILE
 */
export function createTemporaryDirectory(parent: string): string {
  try {
    const path = mkdtempSync(join(parent, 'ptflame-'));
    temporaryDirectories.add(path);
    return path;
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : whyUnwritable(cause);
    throw new PtflameError('TEMPORARY_FILE', `cannot create a directory in ${parent}: ${why}`, {
      hint: 'choose a writable directory: --temp-dir DIR',
      cause,
    });
  }
}

export function removeTemporaryFiles(): void {
  for (const path of temporaryDirectories) rmSync(path, { recursive: true, force: true, maxRetries: MAX_RETRIES });
  temporaryDirectories.clear();
  for (const path of temporaryFiles) {
    try {
      unlinkSync(path);
    } catch {
      // It has been removed already, or the disk is gone.
    }
  }
  temporaryFiles.clear();
}
