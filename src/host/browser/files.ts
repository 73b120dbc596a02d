/**
 * Files of the host, in a browser: those that were dropped on the page, and what was made of them.
 */

import type { FileRef, OpenFile, OwnFile } from '../../model/open-file.js';
import type { NamedFile, PathKind, TemporaryFile } from '../files.js';

/** Of workers; the types of pages lack it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Made when it is needed: pages have none, and draw what workers found. */
let reader: FileReaderSync | null = null;

function bytesOf(blob: Blob): Uint8Array<ArrayBuffer> {
  reader ??= new FileReaderSync();
  return new Uint8Array(reader.readAsArrayBuffer(blob));
}

/** A read takes milliseconds, however short it is: more is read at once, and most where the reads follow each other. */
const MIN_READ_BYTES = 256 * 1024;
const MAX_READ_BYTES = 8 * 1024 * 1024;

class BlobFile implements NamedFile {
  readonly kind = 'file';
  readonly isFasterInOrder = true;
  readonly identity: string;
  private bytes = new Uint8Array();
  /** Where `bytes` are in the file. */
  private start = 0;
  private nextBytes = MIN_READ_BYTES;

  constructor(
    readonly ref: Blob,
    path = '',
  ) {
    this.identity = path;
  }

  get sizeBytes(): number {
    return this.ref.size;
  }

  read(into: Uint8Array, at: number): number {
    const wanted = Math.max(0, Math.min(into.length, this.sizeBytes - at));
    const end = this.start + this.bytes.length;
    if (at < this.start || at + wanted > end) {
      const goesOn = at >= this.start && at <= end;
      this.nextBytes = goesOn ? Math.min(2 * this.nextBytes, MAX_READ_BYTES) : MIN_READ_BYTES;
      this.bytes = this.bytesAt(at, Math.max(wanted, this.nextBytes));
      this.start = at;
    }
    into.set(this.bytes.subarray(at - this.start, at - this.start + wanted));
    return wanted;
  }

  stream(pieceBytes: number): AsyncIterable<Uint8Array> {
    return inOrder(this.ref, pieceBytes);
  }

  close(): void {
    this.bytes = new Uint8Array();
  }

  private bytesAt(at: number, length: number): Uint8Array<ArrayBuffer> {
    return bytesOf(this.ref.slice(at, at + length));
  }
}

type StreamReader = ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array>;

/** Streams that are read: Chromium forgets one that only its own reader refers to, and it would never go on. */
const READ = new Set<StreamReader>();

/** Reads a Blob into the same memory again and again: new memory for what is read takes three times as long. */
export async function* inOrder(blob: Blob, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const stream = blob.stream();
  const reader = byteReaderOf(stream);
  if (reader === null) return yield* piecesOf(stream);
  let memory = new ArrayBuffer(pieceBytes);
  yield* readBy(reader, async () => {
    const { done, value } = await reader.read(new Uint8Array(memory));
    if (value) memory = value.buffer;
    return done ? null : value;
  });
}

/** Returns null in browsers that always use new memory. */
function byteReaderOf(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

/** Not every browser can iterate over a stream. */
export function piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  return readBy(reader, async () => {
    const { done, value } = await reader.read();
    return done ? null : value;
  });
}

/** `next` returns null at the end. */
async function* readBy(reader: StreamReader, next: () => Promise<Uint8Array | null>): AsyncGenerator<Uint8Array> {
  READ.add(reader);
  try {
    for (let piece = await next(); piece !== null; piece = await next()) yield piece;
  } finally {
    READ.delete(reader);
    await reader.cancel().catch(() => {}); // it has failed, which the reading has reported
  }
}

export function openBlob(content: Blob): OwnFile {
  return new BlobFile(content);
}

/** The last file that was opened: pieces of a file are read one after another. */
let last = new BlobFile(new Blob([]));

export function openRef(ref: FileRef): OpenFile {
  if (ref !== last.ref) last = new BlobFile(ref as Blob);
  return last;
}

/** What can be opened, by its path. */
const MOUNTED = new Map<string, Blob>();

/** Gives a file a path, from now on. */
export function mount(path: string, content: Blob): void {
  MOUNTED.set(path, content);
}

/** @throws Error with the code of a system error */
export function kindOfPath(path: string): PathKind {
  if (MOUNTED.has(path)) return 'file';
  const folder = `${path}/`;
  for (const other of MOUNTED.keys()) if (other.startsWith(folder)) return 'directory';
  throw noSuchFile(path);
}

function noSuchFile(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
}

/** @throws Error with the code of a system error */
export function openPath(path: string): NamedFile {
  const content = MOUNTED.get(path);
  if (content === undefined) throw noSuchFile(path);
  return new BlobFile(content, path);
}

export function openIfFile(path: string): OwnFile | null {
  const content = MOUNTED.get(path);
  return content === undefined ? null : new BlobFile(content, path);
}

/** Folders that were dropped are not known. */
export function namesIn(): string[] {
  return [];
}

/** What was dropped stays as it was; the browser refuses to read a file that changed meanwhile. */
export function versionOf(path: string): { readonly version: string; readonly sizeBytes: number } {
  return { version: '', sizeBytes: openPath(path).sizeBytes };
}

/** A page cannot read the memory of its process, and shows what ran elsewhere. */
export function ownVdso(): Uint8Array | null {
  return null;
}

/** Browsers keep large Blobs on disk. */
class Spilled implements TemporaryFile {
  private parts: Blob[] = [];

  /** Parts become one when it is read: at each append, that would take time for all of them. */
  get ref(): Blob {
    if (this.parts.length !== 1) this.parts = [new Blob(this.parts)];
    return this.parts[0] as Blob;
  }

  append(bytes: Uint8Array): void {
    this.parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  }

  close(): void {
    this.parts = [];
  }
}

export function temporaryDirectory(): string {
  return '';
}

export function openTemporary(): TemporaryFile {
  return new Spilled();
}

export function writeAt(): never {
  throw new Error('a page has no file that is written at offsets');
}
