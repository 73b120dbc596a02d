/**
 * Writes a recording and the files that decoding needs to a pack, as a stream of bytes.
 */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack as newArchive, type Pack } from 'tar-stream';
import { PtflameError, systemReason } from '../../model/errors.js';
import { type CheckedFile, checkedFile, openChecked } from './checked-file.js';
import type { Manifest } from './manifest.js';
import { openBelow } from './open-below.js';
import { MANIFEST } from './pack-paths.js';

/** `source`: a path, a file that was checked before, or bytes; `name`: in the pack. */
export interface PackedFile {
  readonly source: string | CheckedFile | Uint8Array;
  readonly name: string;
}

/** Trace hardly compresses, whatever the level. */
const LEVEL = 1;
const PRIVATE = 0o600;
/** A fixed time, so that the same files give the same bytes. */
const NO_TIME = new Date(0);

/** @throws PtflameError INPUT_UNREADABLE */
export async function* writePack(manifest: Manifest, files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
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

async function addFile(archive: Pack, { source, name }: PackedFile): Promise<void> {
  if (source instanceof Uint8Array)
    return void archive.entry({ name, mode: PRIVATE, mtime: NO_TIME }, Buffer.from(source));
  const path = typeof source === 'string' ? source : source.path;
  try {
    const file = typeof source === 'string' ? await open(source) : await openChecked(source);
    await addFromDisk(archive, file, name).finally(() => file.close());
  } catch (cause) {
    throw new PtflameError('INPUT_UNREADABLE', `cannot pack ${path}: ${systemReason(cause)}`, {
      hint: 'try again once it no longer changes, as a user who may read it',
      cause,
    });
  }
}

async function addFromDisk(archive: Pack, file: FileHandle, name: string): Promise<void> {
  const { size } = await file.stat();
  const entry = archive.entry({ name, size, mode: PRIVATE, mtime: NO_TIME });
  if (size === 0) return void entry.end();
  // what is appended meanwhile is left out: the header of the entry already states the size
  await pipeline(file.createReadStream({ start: 0, end: size - 1, autoClose: false }), entry);
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
