/**
 * Reads the files in a pack, and checks them: a pack may be damaged or forged.
 */
import { type Entry, type Extract, extract } from 'tar-stream';
import { joined, utf8Text } from '../../codec/bytes.js';
import { PtflameError, systemReason } from '../../model/errors.js';
import { MANIFEST, PACK_PATHS } from '../recognize.js';
import { BESIDE, Manifest } from './manifest.js';

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** How much is made at most, and removed later. */
export interface Limits {
  readonly files: number;
  readonly folders: number;
}

/**
 * A program that compiles at runtime may have a file for each of its functions, but few programs use more than a hundred folders.
 * Removing one takes ten times as long as removing a file.
 */
const LIMITS: Limits = { files: 100_000, folders: 5000 };

export interface Pack {
  /** For messages. */
  readonly name: string;
  /** As it is: compressed. */
  readonly sizeBytes: number;
  readonly inflated: AsyncIterable<Uint8Array>;
}

/** Keeps a file, whose name is a path below that of the pack. Returns how many folders it made so far. */
export type KeepFile = (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<number>;

/** Returns the manifest. @throws PtflameError NEWER_VERSION; Error that says what no pack has, or of `inflated` or `keep` */
export async function readEntries(pack: Pack, keep: KeepFile, limits = LIMITS): Promise<Manifest> {
  const archive = extract();
  const headers = new HeaderGuard(pack.sizeBytes);
  const writing = write(archive, headers.guarded(pack.inflated));
  writing.catch((error) => archive.destroy(error));
  try {
    const [manifest] = await Promise.all([extractAll(pack.name, archive, keep, headers, limits), writing]);
    return manifest;
  } finally {
    archive.destroy(); // ends writing, too
  }
}

async function write(archive: Extract, inflated: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of inflated) {
    if (archive.destroyed) return; // reading it says why
    if (!archive.write(piece)) await drained(archive);
  }
  archive.end();
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
  keep: KeepFile,
  headers: HeaderGuard,
  limits: Limits,
): Promise<Manifest> {
  let manifest: Manifest | null = null;
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
      const folders = await keep(name, entry);
      if (folders > limits.folders) throw tooMany(limits.folders, 'folders');
    }
    if (names.size > limits.files) throw tooMany(limits.files, 'files');
    headers.leaveFile();
  }
  return complete(manifest, names);
}

function tooMany(limit: number, what: string): Error {
  return new Error(`it contains more than ${limit} ${what}, which no pack does`);
}

function complete(manifest: Manifest | null, names: ReadonlySet<string>): Manifest {
  if (manifest === null) throw new Error('it has no manifest');
  const { recording, kallsyms } = PACK_PATHS;
  if (!names.has(recording) && !names.has(`${recording}/data`)) throw new Error('it contains no recording');
  if (manifest.hasKallsyms && !names.has(kallsyms))
    throw new Error('it lacks the addresses of kernel symbols (kallsyms)');
  return manifest;
}

/** Nothing is outside of the pack's own paths, whatever names it contains. */
function isExpected(name: string): boolean {
  const { recording, root, kallsyms } = PACK_PATHS;
  if (name.includes('\0') || name.split('/').some((part) => ['', '.', '..'].includes(part))) return false;
  if (name === kallsyms || name === recording) return true;
  if (BESIDE.some((ending) => name === `${recording}${ending}`)) return true;
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

export function damaged(path: string, cause: unknown): PtflameError {
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
