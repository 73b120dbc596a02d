/**
 * Unpacks a pack into a directory, and returns its manifest.
 */

import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Entry, type Extract, extract } from 'tar-stream';
import { joined, utf8Text } from '../../codec/bytes.js';
import { PtflameError, systemReason } from '../../model/errors.js';
import { MANIFEST, PACK_PATHS } from '../recognize.js';
import { Manifest, SIDE_FILES } from './write-pack.js';

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** Files and folders that are made. A program that compiles at runtime may have a file for each of its functions. */
const MAX_ENTRIES = 100_000;
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
  maxEntries = MAX_ENTRIES,
): Promise<Manifest> {
  const archive = extract();
  const folders = new Set([dirname(join(directory, MANIFEST))]); // as `extractEntry` names it
  const take: TakeEntry = async (name, bytes) => {
    await extractEntry(name, bytes, directory, folders);
    return folders.size - 1;
  };
  try {
    const headers = new HeaderGuard((await stat(path)).size);
    const reading = pipeline(createReadStream(path), createGunzip(), headers.guarded, archive, { signal });
    const [manifest] = await Promise.all([extractAll(path, archive, take, headers, maxEntries), reading]);
    return manifest;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof PtflameError ? cause : refusal(path, directory, cause);
  }
}

/** Receives a file of a pack. Returns how many folders there are by now. */
type TakeEntry = (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<number>;

/**
 * Likewise reads a pack whose bytes are inflated already; `take` receives each file, and keeps it.
 *
 * @throws PtflameError PACK_DAMAGED or NEWER_VERSION
 */
export async function readPackEntries(
  pack: { readonly name: string; readonly sizeBytes: number },
  inflated: AsyncIterable<Uint8Array>,
  take: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Manifest> {
  const archive = extract();
  const headers = new HeaderGuard(pack.sizeBytes);
  const write = async () => {
    for await (const piece of headers.guarded(inflated)) if (!archive.write(piece)) await drained(archive);
    archive.end();
  };
  const takeFile: TakeEntry = async (name, bytes) => {
    await take(name, bytes);
    return 0;
  };
  const reading = write().catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    const manifest = await extractAll(pack.name, archive, takeFile, headers, MAX_ENTRIES);
    await reading;
    return manifest;
  } catch (cause) {
    throw cause instanceof PtflameError ? cause : damaged(pack.name, cause);
  } finally {
    archive.destroy();
  }
}

/** The archive takes more, or has ended. */
function drained(archive: Extract): Promise<void> {
  return new Promise((done) => {
    const goOn = () => {
      for (const event of ['drain', 'close'] as const) archive.off(event, goOn);
      done();
    };
    for (const event of ['drain', 'close'] as const) archive.on(event, goOn);
  });
}

async function extractAll(
  path: string,
  archive: AsyncIterable<Entry>,
  take: TakeEntry,
  headers: HeaderGuard,
  maxEntries: number,
): Promise<Manifest> {
  let manifest: Manifest | null = null;
  let folders = 0;
  const names = new Set<string>();
  for await (const entry of archive) {
    headers.enterFile();
    const { name, type, size = 0 } = entry.header;
    if (type !== 'file') throw new Error(`it contains ${JSON.stringify(name)}, which no pack does`);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error(`it gives no size for ${JSON.stringify(name)}`);
    if (names.has(name)) throw new Error(`it contains ${JSON.stringify(name)} twice`);
    names.add(name);
    if (name === MANIFEST) manifest = parseManifest(path, await textOf(entry));
    else {
      if (!isExpected(name)) throw new Error(`it contains ${JSON.stringify(name)}, which no pack does`);
      folders = await take(name, entry);
    }
    if (names.size + folders > maxEntries)
      throw new Error(`it contains more than ${maxEntries} files and folders, which no pack does`);
    headers.leaveFile();
  }
  return complete(manifest, names);
}

function complete(manifest: Manifest | null, names: ReadonlySet<string>): Manifest {
  if (manifest === null) throw new Error('it has no manifest');
  const { recording, kallsyms } = PACK_PATHS;
  if (!names.has(recording) && !names.has(`${recording}/data`)) throw new Error('it contains no recording');
  if (manifest.hasKallsyms && !names.has(kallsyms))
    throw new Error('it lacks the addresses of kernel symbols (kallsyms)');
  return manifest;
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

/** Nothing is written outside of the directory, whatever names a pack contains. */
function isExpected(name: string): boolean {
  const { recording, root, kallsyms } = PACK_PATHS;
  if (name.includes('\0') || name.split('/').some((part) => ['', '.', '..'].includes(part))) return false;
  if (name === kallsyms || name === recording) return true;
  if (['.ptflame.json', ...Object.keys(SIDE_FILES)].some((ending) => name === `${recording}${ending}`)) return true;
  return [recording, root].some((top) => name.startsWith(`${top}/`));
}

async function textOf(entry: Entry): Promise<string> {
  if ((entry.header.size ?? 0) > MAX_MANIFEST_BYTES) throw new Error('its manifest is too large');
  const pieces: Uint8Array[] = [];
  for await (const piece of entry) pieces.push(piece);
  return utf8Text(joined(pieces));
}

function parseManifest(path: string, text: string): Manifest {
  const value: unknown = JSON.parse(text);
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > 1)
    throw new PtflameError('NEWER_VERSION', `${path} was packed by a newer ptflame`, { hint: 'update ptflame' });
  const { success, data } = Manifest.safeParse(value);
  if (!success) throw new Error('its manifest is invalid');
  return data;
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

function damaged(path: string, cause: unknown): PtflameError {
  const why = systemReason(cause);
  return new PtflameError('PACK_DAMAGED', `cannot unpack ${path}: ${why}`, {
    hint: 'copy it again, or pack the recording again where it was made: ptflame pack perf.data -o FILE',
    cause,
  });
}

/** Far above the longest possible file name. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Compression ratios: trace hardly compresses, binaries by ten, zeros by a thousand. */
const MAX_RATIO = 100;
const MIN_ALLOWED_BYTES = 64 * 1024 * 1024;

/**
 * Guards against malicious archives. The tar reader keeps a header in memory until it is complete: a header that never ends is
 * refused. So is an archive that unpacks to far more than any pack does.
 */
class HeaderGuard {
  private bytes = 0;
  private readonly maxBytes: number;

  /** `packedBytes`: size of the archive file. */
  constructor(packedBytes: number) {
    this.maxBytes = MIN_ALLOWED_BYTES + MAX_RATIO * packedBytes;
  }

  /** Bytes since the last file ended; null within a file. */
  private headerBytes: number | null = 0;

  /** Passes an archive through unchanged. */
  readonly guarded = this.guard.bind(this);

  enterFile(): void {
    this.headerBytes = null;
  }

  leaveFile(): void {
    this.headerBytes = 0;
  }

  private async *guard(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of archive) {
      if ((this.bytes += bytes.length) > this.maxBytes)
        throw new Error(`it unpacks to more than ${this.maxBytes} bytes, which no pack of its size does`);
      if (this.headerBytes !== null && (this.headerBytes += bytes.length) > MAX_HEADER_BYTES)
        throw new Error('the header of a file in it does not end');
      yield bytes;
    }
  }
}
