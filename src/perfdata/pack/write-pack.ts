/**
 * Writes a recording and the files that decoding needs to a pack, as a stream of bytes.
 */

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Pack } from 'tar-stream';
import { PtflameError, systemReason } from '../../model/errors.js';
import type { OffsetRange } from '../../symbols/bounds.js';
import { MANIFEST } from '../recognize.js';
import { type Manifest, SIDE_FILES } from './manifest.js';

/** `source`: a path, a file that was checked before, or bytes; `name`: in the pack. */
export interface PackedFile {
  readonly source: string | CheckedFile | Uint8Array;
  readonly name: string;
  /** The parts of a file that are needed: zeros stand for the others. Default: all of it. */
  readonly needed?: readonly OffsetRange[];
}

/** Trace hardly compresses, whatever the level. */
const LEVEL = 1;
const PRIVATE = 0o600;
/** A fixed time, so that the same files give the same bytes. */
const NO_TIME = new Date(0);

/** @throws PtflameError INPUT_UNREADABLE */
export async function* writePack(manifest: Manifest, files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const { pack: newArchive } = await import('tar-stream'); // no other command needs it
  const archive = newArchive().on('error', () => {}); // `fill` fails in that case
  const zipped = archive.pipe(createGzip({ level: LEVEL }));
  const filling = fill(archive, manifest, files);
  filling.catch((error) => zipped.destroy(error));
  try {
    yield* zipped;
  } catch (error) {
    await filling;
    throw error;
  }
}

async function fill(archive: Pack, manifest: Manifest, files: readonly PackedFile[]): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  archive.entry({ name: MANIFEST, mode: PRIVATE, mtime: NO_TIME }, text);
  // binaries of the same build share a file of symbols
  for (const file of new Map(files.map((file) => [file.name, file])).values()) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, { source, name, needed }: PackedFile): Promise<void> {
  if (source instanceof Uint8Array)
    return void archive.entry({ name, mode: PRIVATE, mtime: NO_TIME }, Buffer.from(source));
  const path = typeof source === 'string' ? source : source.path;
  try {
    const file = typeof source === 'string' ? await open(source) : await openChecked(source);
    await addFromDisk(archive, file, name, needed).finally(() => file.close());
  } catch (cause) {
    throw new PtflameError('INPUT_UNREADABLE', `cannot pack ${path}: ${systemReason(cause)}`, {
      hint: 'try again once it no longer changes, as a user who may read it',
      cause,
    });
  }
}

async function addFromDisk(
  archive: Pack,
  file: FileHandle,
  name: string,
  needed?: readonly OffsetRange[],
): Promise<void> {
  const { size } = await file.stat();
  const entry = archive.entry({ name, size, mode: PRIVATE, mtime: NO_TIME });
  if (size === 0) return void entry.end();
  if (needed) return pipeline(partly(file, size, needed), entry);
  // what is appended meanwhile is left out: the header of the entry already states the size
  await pipeline(file.createReadStream({ start: 0, end: size - 1, autoClose: false }), entry);
}

const BLOCK_BYTES = 64 * 1024;

/** Returns a file with zeros for all that is not needed. */
async function* partly(file: FileHandle, size: number, needed: readonly OffsetRange[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += BLOCK_BYTES) {
    const bytes = Buffer.alloc(Math.min(BLOCK_BYTES, size - at));
    for (const { start, end } of needed) {
      const from = Math.max(start - at, 0);
      const to = Math.min(end - at, bytes.length);
      if (from < to) await file.read(bytes, from, to - from, at + from);
    }
    yield bytes;
  }
}

/** The files that `perf record --kcore` writes; others in the directory are not packed. */
const OF_RECORDING = /^(?:data|kcore_dir[^/]*\/(?:kcore|kallsyms|modules))$/;

/** Returns the files of a recording, under `name`: one file, or a directory with the kernel's code. Links in it are left out. */
export async function filesOfRecording(path: string, name: string): Promise<PackedFile[]> {
  if (!(await stat(path)).isDirectory()) return [{ source: path, name }];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)));
  const opened = files.filter((file) => OF_RECORDING.test(file)).sort();
  return Promise.all(opened.map(async (file) => ({ source: await checkedBelow(path, file), name: `${name}/${file}` })));
}

async function checkedBelow(path: string, name: string): Promise<CheckedFile> {
  const file = await openBelow(path, name);
  if (typeof file !== 'string') return checkedFile(file).finally(() => file.close());
  throw new PtflameError('INPUT_UNREADABLE', `cannot read ${path}/${name}: it is ${file}`, {
    hint: 'check the recording',
  });
}

// Finds what `record --waits` writes next to a recording: wakings of the whole machine, and formats of events.

const HEAD_BYTES = 256;

/**
 * Returns those of a recording, under `name`. Next to an untrusted recording, these files may be or link to anything: only
 * files of the recording's owner are packed, and only if they begin as expected.
 */
export async function sideFiles(recording: string, uid: number, name: string): Promise<PackedFile[]> {
  const files = Object.entries(SIDE_FILES).map(async ([ending, beginning]) => {
    const path = `${recording.replace(/\/+$/, '')}${ending}`;
    return (await sideFile(path, uid, beginning)).map((source) => ({ source, name: `${name}${ending}` }));
  });
  return (await Promise.all(files)).flat();
}

async function sideFile(path: string, uid: number, beginning: RegExp) {
  const isFile = await lstat(path).then(
    (stats) => stats.isFile(), // opening a device may have side effects
    () => false,
  );
  if (!isFile) return [];
  const file = await open(path, SAFE_READ).catch(() => null);
  if (file === null) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const isOurs = (await file.stat()).uid === uid && beginning.test(buffer.toString('latin1', 0, bytesRead));
    return isOurs ? [await checkedFile(file)] : [];
  } finally {
    await file.close();
  }
}

/** A file that was checked, and can be opened again as long as it is unchanged. */
export interface CheckedFile {
  /** With all links resolved. */
  readonly path: string;
  /** Device, inode, size, and the times of its last changes. */
  readonly identity: string;
}

export async function checkedFile(file: FileHandle): Promise<CheckedFile> {
  return { path: await readlink(`/proc/self/fd/${file.fd}`), identity: await identityOf(file) };
}

/** The caller must close it. @throws Error if the file was replaced or written to */
export async function openChecked({ path, identity }: CheckedFile): Promise<FileHandle> {
  const file = await open(path, SAFE_READ);
  if ((await identityOf(file)) === identity) return file;
  await file.close();
  throw new Error('it has changed meanwhile');
}

async function identityOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/**
 * Opens regular files below a root: opens nothing else, follows no link out of the root, and ensures that the file that was
 * checked is the one that is read.
 */
export type OpenFailure = 'missing' | 'outside' | 'unreadable';

/** Does not follow a link that was put there meanwhile, and does not block on a pipe. */
const SAFE_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The caller must close it. */
export async function openBelow(root: string, path: string): Promise<FileHandle | OpenFailure> {
  try {
    const top = await realpath(root);
    const real = await realpath(join(root, path));
    if (!isBelow(real, top)) return 'outside';
    if (!(await lstat(real)).isFile()) return 'missing'; // opening a device may have side effects
    const file = await open(real, SAFE_READ);
    if (await isAt(file, real)) return file;
    await file.close();
    return 'outside';
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['EACCES', 'EPERM'].includes(code) ? 'unreadable' : 'missing';
  }
}

function isBelow(path: string, top: string): boolean {
  return path.startsWith(top.endsWith('/') ? top : `${top}/`);
}

/** Directories in the path may have become links meanwhile; the kernel knows the path of an open file. */
async function isAt(file: FileHandle, real: string): Promise<boolean> {
  return (await file.stat()).isFile() && (await readlink(`/proc/self/fd/${file.fd}`)) === real;
}
