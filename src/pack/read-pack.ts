/**
 * A pack → its files in a directory, and what it says it holds.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Entry, extract } from 'tar-stream';
import { PtflameError } from '../model/errors.js';
import { Manifest } from './manifest.js';
import { MANIFEST, PACKED } from './places.js';

const MOST_MANIFEST_BYTES = 16 * 1024 * 1024;
const PRIVATE = { file: 0o600, directory: 0o700 } as const;

/**
 * Lays the files of a pack into an empty directory.
 *
 * @throws PtflameError PACK_DAMAGED for a pack that is cut, garbled or made by somebody else; NEWER_VERSION
 */
export async function readPack(path: string, directory: string, signal: AbortSignal): Promise<Manifest> {
  const archive = extract();
  try {
    const reading = pipeline(createReadStream(path), createGunzip(), archive, { signal });
    const [manifest] = await Promise.all([layDownAll(path, archive, directory), reading]);
    if (manifest === null) throw new Error('it does not say what it holds');
    return manifest;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof PtflameError || (cause as NodeJS.ErrnoException).syscall !== undefined) throw cause;
    throw damaged(path, cause);
  }
}

async function layDownAll(path: string, archive: AsyncIterable<Entry>, directory: string): Promise<Manifest | null> {
  let manifest: Manifest | null = null;
  for await (const entry of archive) {
    if (entry.header.name === MANIFEST) manifest = parseManifest(path, await textOf(entry));
    else await layDown(entry, directory);
  }
  return manifest;
}

async function layDown(entry: Entry, directory: string): Promise<void> {
  const { name, type } = entry.header;
  if (type !== 'file' || !isExpected(name)) throw new Error(`it holds ${JSON.stringify(name)}, which no pack does`);
  const target = join(directory, name);
  await mkdir(dirname(target), { recursive: true, mode: PRIVATE.directory });
  await pipeline(entry, createWriteStream(target, { flags: 'wx', mode: PRIVATE.file }));
}

/** Nothing is laid down outside of the directory, whatever a pack says. */
function isExpected(name: string): boolean {
  const { recording, root, buildIdCache, kallsyms } = PACKED;
  if (name !== normalize(name) || name.includes('\0')) return false;
  if (name === kallsyms || name === recording || name === `${recording}.ptflame.json`) return true;
  return [recording, root, buildIdCache].some((top) => name.startsWith(`${top}/`));
}

async function textOf(entry: Entry): Promise<string> {
  if ((entry.header.size ?? 0) > MOST_MANIFEST_BYTES) throw new Error('its list of files is too long');
  const pieces: Buffer[] = [];
  for await (const piece of entry) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function parseManifest(path: string, text: string): Manifest {
  const value: unknown = JSON.parse(text);
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > 1)
    throw new PtflameError('NEWER_VERSION', `${path} was packed by a newer ptflame`, { hint: 'update ptflame' });
  return Manifest.parse(value);
}

function damaged(path: string, cause: unknown): PtflameError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PtflameError('PACK_DAMAGED', `${path} cannot be unpacked: ${why}`, {
    hint: 'copy it again, or pack the recording again where it was made: ptflame pack perf.data -o FILE',
    cause,
  });
}
