/**
 * Files of the host: in Node those of the machine, by path.
 */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileRef, OpenFile, OwnFile } from '../model/open-file.js';

/** A file by its descriptor, which is valid in all workers of the process. */
class Descriptor implements OwnFile {
  readonly ref: number;

  constructor(fd: number) {
    this.ref = fd;
  }

  get sizeBytes(): number {
    return fstatSync(this.ref).size;
  }

  read(into: Uint8Array, at: number): number {
    return readSync(this.ref, into, 0, into.length, at);
  }

  close(): void {
    closeSync(this.ref);
  }
}

/** Returns the file that another thread has opened, and closes. */
export function openRef(ref: FileRef): OpenFile {
  return new Descriptor(ref as number);
}

/** What a path may name. Only a file can be read at offsets. */
export type PathKind = 'file' | 'directory' | 'stream';

export interface NamedFile extends OwnFile {
  readonly kind: PathKind;
  /** Another file has another one. */
  readonly identity: string;
  /** Reads in order take much less time than reads at offsets. */
  readonly isFasterInOrder: boolean;
  /** Returns all bytes, in order. A piece has `pieceBytes` at most, and is valid until the next one is read. It ends open. */
  stream(pieceBytes: number): AsyncIterable<Uint8Array>;
}

/** Says what a path names, without opening it. @throws the system error */
export function kindOfPath(path: string): PathKind {
  return kindOf(statSync(path));
}

function kindOf(stats: Stats): PathKind {
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'stream';
}

class PathFile extends Descriptor implements NamedFile {
  readonly kind: PathKind;
  readonly isFasterInOrder = false;
  readonly identity: string;

  constructor(fd: number) {
    super(fd);
    const stats = fstatSync(fd);
    this.kind = kindOf(stats);
    this.identity = `${stats.dev} ${stats.ino}`;
  }

  stream(highWaterMark: number): AsyncIterable<Uint8Array> {
    return createReadStream('', { fd: this.ref, highWaterMark });
  }
}

/** @throws the system error */
export function openPath(path: string): NamedFile {
  return new PathFile(openSync(path, 'r'));
}

/** Opens a file, and nothing else: without waiting, in case it is a pipe. Null: there is none, or it cannot be read. */
export function openIfFile(path: string): OwnFile | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  const file = new PathFile(fd);
  if (file.kind === 'file') return file;
  file.close();
  return null;
}

/** Returns the names in a folder, in order; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Returns what differs after a file changed, and its size. @throws the system error */
export function versionOf(path: string): { readonly version: string; readonly sizeBytes: number } {
  const { dev, ino, size, mtimeMs } = statSync(path);
  return { version: `${dev} ${ino} ${mtimeMs}`, sizeBytes: size };
}

const VDSO_LINE = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m;

/** Returns the code that the kernel maps into each process, from our own memory; null: there is none. */
export function ownVdso(): Uint8Array | null {
  try {
    const [, start = '', end = ''] = VDSO_LINE.exec(readFileSync('/proc/self/maps', 'latin1')) ?? [];
    const memory = new Descriptor(openSync('/proc/self/mem', constants.O_RDONLY));
    const at = Number.parseInt(start, 16);
    const bytes = new Uint8Array(Number.parseInt(end, 16) - at);
    const length = memory.read(bytes, at);
    memory.close();
    return bytes.subarray(0, length);
  } catch {
    return null;
  }
}

/** A file without a name: appended to, and read at any offset. */
export interface TemporaryFile {
  /** Workers read what was appended before they received it. */
  readonly ref: FileRef;
  /** @throws the system error */
  append(bytes: Uint8Array): void;
  close(): void;
}

const OWNER_ONLY = 0o600;

class Unlinked extends Descriptor implements TemporaryFile {
  private length = 0;

  append(bytes: Uint8Array): void {
    writeAt(this.ref, bytes, this.length);
    this.length += bytes.length;
  }
}

/** Writes to a file that any thread has opened. @throws the system error */
export function writeAt(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

/** Where temporary files are unless a directory is named. */
export function temporaryDirectory(): string {
  return tmpdir();
}

/** Opens a file without a name, so that nothing is left behind however the program ends. @throws the system error */
export function openTemporary(directory: string): TemporaryFile {
  const path = join(directory, `ptflame-${crypto.randomUUID()}`);
  const fd = openSync(path, 'wx+', OWNER_ONLY);
  unlinkSync(path);
  return new Unlinked(fd);
}
