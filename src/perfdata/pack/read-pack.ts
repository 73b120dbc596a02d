/**
 * Unpacks a pack into a directory, and returns its manifest.
 */
import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { PtflameError, systemReason } from '../../model/errors.js';
import { MANIFEST } from '../recognize.js';
import { damaged, type KeepFile, type Limits, readEntries } from './entries.js';
import type { Manifest } from './manifest.js';

const PRIVATE = { file: 0o600, directory: 0o700 } as const;
/** Errors caused by the names in a pack, not by the directory. */
const BAD_NAME = new Set(['EEXIST', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR']);

/**
 * Extracts the files of a pack into an empty directory.
 *
 * @throws PtflameError PACK_DAMAGED for a pack that is truncated, garbled or made by another program; NEWER_VERSION;
 *   TEMPORARY_FILE if the directory cannot be written; INPUT_UNREADABLE
 */
export async function readPack(
  path: string,
  directory: string,
  signal: AbortSignal,
  limits?: Limits,
): Promise<Manifest> {
  const folders = new Set([dirname(join(directory, MANIFEST))]); // as `extractEntry` names it
  const keep: KeepFile = async (name, bytes) => {
    await extractEntry(name, bytes, directory, folders);
    return folders.size - 1;
  };
  try {
    const { size: sizeBytes } = await stat(path);
    const inflated = createGunzip();
    pipeline(createReadStream(path), inflated, { signal }).catch(() => {}); // `inflated` fails for the same reason
    return await readEntries({ name: path, sizeBytes, inflated }, keep, limits);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof PtflameError ? cause : refusal(path, directory, cause);
  }
}

/** Synchronous: of many small files, most time would be spent between the steps. `folders`: those that exist. */
async function extractEntry(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  directory: string,
  folders: Set<string>,
): Promise<void> {
  const target = join(directory, name);
  makeFolder(dirname(target), folders);
  const fd = openSync(target, 'wx', PRIVATE.file);
  try {
    for await (const piece of bytes) writeAll(fd, piece);
  } finally {
    closeSync(fd);
  }
}

function makeFolder(path: string, folders: Set<string>): void {
  if (folders.has(path)) return;
  makeFolder(dirname(path), folders);
  mkdirSync(path, PRIVATE.directory);
  folders.add(path);
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** Blames the pack, the directory, or the reading of the pack. */
function refusal(path: string, directory: string, cause: unknown): PtflameError {
  const { code = '', syscall, path: where } = cause as NodeJS.ErrnoException;
  if (syscall === undefined || BAD_NAME.has(code)) return damaged(path, cause);
  if (syscall === 'read' || where === path)
    return new PtflameError('INPUT_UNREADABLE', `cannot read ${path}: ${systemReason(cause)}`, {
      hint: 'check the file and its disk',
      cause,
    });
  const why = code === 'ENOSPC' ? 'the disk is full' : systemReason(cause);
  return new PtflameError('TEMPORARY_FILE', `cannot unpack ${path} into ${directory}: ${why}`, {
    hint: 'pass a directory with more space: --temp-dir DIR',
    cause,
  });
}
