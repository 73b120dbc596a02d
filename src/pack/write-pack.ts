/**
 * A recording and the files that it needs → a pack, a stream of bytes.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Pack } from 'tar-stream';
import { PtflameError } from '../model/errors.js';
import type { Manifest } from './manifest.js';
import { MANIFEST } from './names.js';

/** A file on this machine, or bytes, and what they are called in the pack. */
export interface PackedFile {
  readonly source: string | Uint8Array;
  readonly name: string;
}

/** Trace hardly gets smaller, however hard one tries. */
const LEVEL = 1;
const PRIVATE = 0o600;
/** The same files give the same bytes. */
const NO_TIME = new Date(0);

/** @throws PtflameError INPUT_UNREADABLE */
export async function* writePack(manifest: Manifest, files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const { pack } = await import('tar-stream'); // only packs need it
  const archive = pack().on('error', () => {}); // filling it fails then
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
  // programs of the same build share a file of symbols
  for (const file of new Map(files.map((file) => [file.name, file])).values()) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, { source, name }: PackedFile): Promise<void> {
  if (typeof source !== 'string')
    return void archive.entry({ name, mode: PRIVATE, mtime: NO_TIME }, Buffer.from(source));
  try {
    await addFromDisk(archive, source, name);
  } catch (cause) {
    throw new PtflameError('INPUT_UNREADABLE', `cannot pack ${source}: ${String(cause)}`, {
      hint: 'try again when nobody writes to it, as a user who may read it',
      cause,
    });
  }
}

async function addFromDisk(archive: Pack, source: string, name: string): Promise<void> {
  const { size } = await stat(source);
  const entry = archive.entry({ name, size, mode: PRIVATE, mtime: NO_TIME });
  if (size === 0) return void entry.end();
  // what is written to it meanwhile is left out: the archive says how long it is before
  await pipeline(createReadStream(source, { end: size - 1 }), entry);
}

/** A file, or all files of a directory, below a name. */
export async function filesOf(path: string, name: string): Promise<PackedFile[]> {
  if (!(await stat(path)).isDirectory()) return [{ source: path, name }];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort().map((source) => ({ source, name: `${name}${source.slice(path.length)}` }));
}
