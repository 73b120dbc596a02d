/**
 * The secret by which ptflame recognizes what it has made for this user. It never leaves the machine.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { statOrNull } from '../output/file-identity.js';
import { whyUnwritable } from '../output/unwritable.js';

const SECRET_BYTES = 32;

export interface UserSecret {
  readonly bytes: Uint8Array;
  /** Why the next start will have another one; null: it will have the same. */
  readonly whyNotKept: string | null;
}

/** Returns the secret of this user; makes it at the first start. */
export function userSecret(): UserSecret {
  const folder = join(stateHome(), 'ptflame');
  const path = join(folder, 'levels.key');
  try {
    return { bytes: readSecret(path) ?? makeSecret(folder, path), whyNotKept: null };
  } catch (error) {
    return { bytes: randomBytes(SECRET_BYTES), whyNotKept: `cannot use ${path}: ${whyUnwritable(error)}` };
  }
}

function stateHome(): string {
  const given = process.env['XDG_STATE_HOME'] ?? '';
  return isAbsolute(given) ? given : join(homedir(), '.local', 'state');
}

function readSecret(path: string): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    const isPrivate = stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
    if (isPrivate && stats.size === SECRET_BYTES) return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
  throw new Error(`it is not a file of ${SECRET_BYTES} bytes that only you can read`);
}

/** Complete or not at all; of two processes that make one at the same time, both have that of the first. */
function makeSecret(folder: string, path: string): Uint8Array {
  refuseHomeOfAnother(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  const secret = randomBytes(SECRET_BYTES);
  writeFileSync(temporary, secret, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readSecret(path) ?? secret;
  } finally {
    unlinkSync(temporary);
  }
}

/** root leaves no files in the home of the user who called sudo. */
function refuseHomeOfAnother(folder: string): void {
  let existing = folder;
  while (statOrNull(existing) === null && existing !== dirname(existing)) existing = dirname(existing);
  if (process.geteuid?.() === 0 && statOrNull(existing)?.uid !== 0)
    throw new Error(`${existing} belongs to another user`);
}
