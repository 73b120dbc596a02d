/**
 * Opens a file or stream as text, decompressing it. The first bytes decide what it is, never the name.
 */

import { beginsWith, joined, latin1Bytes, latin1Text } from '../codec/bytes.js';
import { type NamedFile, openPath } from '../host/files.js';
import { nextTurn } from '../host/turns.js';
import { gunzipped } from '../host/zip.js';
import { assert, PtflameError, unreadableInput } from '../model/errors.js';
import type { FileRef, OpenFile } from '../model/open-file.js';
import { GZIP_MAGIC, RECORDING_MAGIC } from '../perfdata/recognize.js';
import { shellWords } from '../render/visible-text.js';
import { MAGIC } from '../trace/file/format.js';

export interface OpenedInput extends TraceInput {
  /** Size of the file, compressed or not; null for a stream. */
  readonly sizeBytes: number | null;
}

export interface OpenOptions {
  /**
   * Text that unpacks to more than this many times its size is refused, unless it is small. 0: none is. Default: 200. Text of traces
   * unpacks to 10 to 100 times its size; nothing but repeated bytes to a thousand times, which fills memory for hours.
   */
  readonly maxRatio?: number | undefined;
}

const MAX_RATIO = 200;
/** Less is never refused. */
const MIN_REFUSED_BYTES = 64 * 1024 * 1024;

/**
 * Opens a file of trace text or a profile, compressed or not. It is reopened when it is read, so that there may be more inputs
 * than a process may have open files. A piece of its bytes is valid only until the next one is read.
 *
 * @throws PtflameError INPUT_UNREADABLE at once; INPUT_KIND while it is read, if it is not text; TOO_LARGE as `maxRatio` says
 */
export async function openTraceFile(path: string, options: OpenOptions = {}): Promise<OpenedInput> {
  const file = openFile(path);
  if (file.kind === 'stream') return traceStream(path, file.stream(READ_BYTES), options);
  const first = firstBytes(file);
  const { sizeBytes } = file;
  file.close();
  if (file.kind === 'directory')
    throw new PtflameError('INPUT_UNREADABLE', `${path} is a directory`, { hint: 'pass the files in it' });
  const bytes = new TextFile(path, sizeBytes, file.identity);
  const isRead = kindOf(first) === null && !file.isFasterInOrder;
  return { ...traceStream(path, bytes, options), sizeBytes, file: isRead ? bytes : null };
}

/** Returns enough bytes to detect the kind; none if the file cannot be read. */
function firstBytes(file: OpenFile): Uint8Array {
  try {
    const first = new Uint8Array(MAX_MAGIC_BYTES);
    return first.subarray(0, file.read(first, 0));
  } catch {
    return new Uint8Array();
  }
}

/** Wraps a stream of trace text or a profile, compressed or not; `name` is for messages. */
export function traceStream(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  { maxRatio }: OpenOptions = {},
): OpenedInput {
  return { name, bytes: new Unpacking(name, maxRatio).text(bytes), sizeBytes: null };
}

/** A file may be compressed twice by mistake; more layers are an attack. */
const MAX_LAYERS = 2;

class Unpacking {
  private packedBytes = 0;
  private textBytes = 0;

  constructor(
    private readonly name: string,
    private readonly maxRatio: number | undefined,
  ) {}

  async *text(bytes: AsyncIterable<Uint8Array>, layers = 0): AsyncGenerator<Uint8Array> {
    const { first, all } = await peek(bytes, (first) => first.length >= MAX_MAGIC_BYTES);
    const kind = kindOf(first);
    if (kind?.kind === GZIP && layers === MAX_LAYERS) throw tooManyLayers(this.name);
    if (kind?.kind === GZIP) yield* this.text(this.unpacked(all, layers), layers + 1);
    else if (kind) throw wrongKind(this.name, kind);
    else yield* layers === 0 ? all : this.limited(all);
  }

  /** Counts what the file has, not what a layer in it has. */
  private unpacked(bytes: AsyncIterable<Uint8Array>, layers: number): AsyncGenerator<Uint8Array> {
    const onPacked = (packedBytes: number) => {
      if (layers === 0) this.packedBytes += packedBytes;
    };
    return gunzipped(counted(bytes, onPacked), READ_BYTES);
  }

  private async *limited(text: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { maxRatio = MAX_RATIO } = this;
    for await (const piece of text) {
      this.textBytes += piece.length;
      const maxBytes = maxRatio === 0 ? Number.POSITIVE_INFINITY : maxRatio * this.packedBytes;
      if (this.textBytes > Math.max(MIN_REFUSED_BYTES, maxBytes)) throw this.unpacksTooFar(maxRatio);
      yield piece;
    }
  }

  private unpacksTooFar(maxRatio: number): PtflameError {
    const unpack = 'unpack it first: gzip -dc FILE > UNPACKED';
    return new PtflameError('TOO_LARGE', `${this.name} unpacks to more than ${maxRatio} times its size`, {
      hint: `if it is what you expect, ${this.maxRatio === undefined ? unpack : `allow it with --max-ratio N (0: any), or ${unpack}`}`,
    });
  }
}

function tooManyLayers(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is compressed with gzip more than ${MAX_LAYERS} times`, {
    hint: 'decompress it first, until it is text: gzip -dc FILE > UNPACKED',
  });
}

/** Recognizes files that are not text by their first bytes, never by their name. */
const MAX_MAGIC_BYTES = 8;

/** A kind of file that is not text, and what to do with it. */
interface OtherKind {
  readonly kind: string;
  readonly magic: Uint8Array;
  readonly unpack?: string;
  /** Can be read as a file of this name, but not as a stream or compressed. */
  readonly asFile?: string;
}

const GZIP = 'compressed with gzip';
const RECORDING = { kind: 'a recording (perf.data)', asFile: 'perf.data' };
const IMPORTED = { kind: 'an imported trace', asFile: 'trace.ptf' };
const OTHER_KINDS: readonly OtherKind[] = [
  { kind: GZIP, magic: GZIP_MAGIC },
  { ...IMPORTED, magic: MAGIC },
  { ...RECORDING, magic: RECORDING_MAGIC },
  { ...RECORDING, magic: RECORDING_MAGIC.slice().reverse() }, // from a big-endian machine
  { kind: 'compressed with zstd', magic: latin1Bytes('\x28\xb5\x2f\xfd'), unpack: 'zstd -dc FILE | ptflame render -' },
  { kind: 'compressed with xz', magic: latin1Bytes('\xfd7zXZ'), unpack: 'xz -dc FILE | ptflame render -' },
  { kind: 'compressed with bzip2', magic: latin1Bytes('BZh'), unpack: 'bzip2 -dc FILE | ptflame render -' },
  { kind: 'a zip archive', magic: latin1Bytes('PK\x03\x04'), unpack: 'unzip -p FILE | ptflame render -' },
];

/** Returns null if it may be text. */
function kindOf(first: Uint8Array): OtherKind | null {
  return OTHER_KINDS.find(({ magic }) => beginsWith(first, magic)) ?? null;
}

function wrongKind(name: string, { kind, unpack, asFile }: OtherKind): PtflameError {
  if (asFile === undefined)
    return new PtflameError('INPUT_KIND', `${name} is ${kind}, not text`, { hint: `decompress it: ${unpack}` });
  return new PtflameError('INPUT_KIND', `${name} is ${kind}, which cannot be read compressed or from a stream`, {
    hint: name.endsWith('.gz')
      ? `decompress it: gunzip -k ${shellWords([name])}; then ptflame render ${shellWords([name.slice(0, -'.gz'.length)])}`
      : `pass the uncompressed file: ptflame render ${asFile}`,
  });
}

/** Of a damaged stream, everything before the damage is used. `onPacked` receives the size of each piece before it is unpacked. */
async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onPacked: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of inSmallPieces(bytes)) {
    onPacked(piece.length);
    yield piece;
  }
}

/** Returns the size of the next piece. It depends only on the bytes before it, not on how they arrive. */
function smallPiece(total: number): number {
  return Math.floor(Math.min(Math.max(64, total / 64), 8192));
}

/** zlib returns nothing of a piece that contains an error: the smaller the pieces, the less is lost before the error. */
async function* inSmallPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0;
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    rest = joined([rest, chunk]); // a copy: a chunk is valid only until the next one is read
    for (let size = smallPiece(total); rest.length >= size; size = smallPiece(total)) {
      yield rest.subarray(0, size);
      rest = rest.subarray(size);
      total += size;
    }
  }
  if (rest.length > 0) yield rest;
}

/** Reads a file of trace text in pieces; the file is open only while it is read. */
const READ_BYTES = 512 * 1024;

/**
 * The bytes of a file, in pieces. Reads are synchronous: an asynchronous read would leave the bytes in the cache of another
 * CPU, which costs more than waiting. A piece is valid only until the next one is read.
 */
class TextFile implements SeekableFile, AsyncIterable<Uint8Array> {
  /** null unless pieces are read. */
  private open: NamedFile | null = null;
  /** Offset of the next piece. */
  private at = 0;

  /** `identity`: of the file whose kind was detected. */
  constructor(
    private readonly path: string,
    readonly sizeBytes: number,
    private readonly identity: string,
  ) {}

  get ref(): FileRef {
    return this.opened().ref;
  }

  read(into: Uint8Array, at: number): number {
    return this.opened().read(into, at);
  }

  skipTo(at: number): void {
    this.at = at;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const file = openFile(this.path);
    this.open = file;
    try {
      this.refuseReplaced(file);
      if (file.isFasterInOrder) return yield* file.stream(READ_BYTES);
      const buffer = new Uint8Array(READ_BYTES);
      for (let length = file.read(buffer, this.at); length > 0; length = file.read(buffer, this.at)) {
        this.at += length;
        await nextTurn(); // lets signals and messages of workers arrive
        yield buffer.subarray(0, length);
      }
    } finally {
      file.close();
      this.open = null;
    }
  }

  private opened(): NamedFile {
    assert(this.open !== null, 'a file is read while it is closed');
    return this.open;
  }

  /** A replaced file could be anything, even a pipe on which a read blocks. */
  private refuseReplaced({ identity }: NamedFile): void {
    if (identity === this.identity) return;
    throw new PtflameError('INPUT_UNREADABLE', `${this.path} was replaced by another file while inputs were read`, {
      hint: 'try again once it no longer changes',
    });
  }
}

/** @throws PtflameError INPUT_UNREADABLE */
export function openFile(path: string): NamedFile {
  try {
    return openPath(path);
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
}

/** Reads the first bytes of a stream without consuming them. */
interface PeekResult {
  readonly first: Uint8Array;
  /** All bytes, the first included. */
  readonly all: AsyncGenerator<Uint8Array>;
}

/** Reads until the first bytes are enough or the stream ends. */
async function peek(bytes: AsyncIterable<Uint8Array>, isEnough: (first: Uint8Array) => boolean): Promise<PeekResult> {
  const iterator = bytes[Symbol.asyncIterator]();
  let first: Uint8Array = new Uint8Array();
  let failure: { readonly error: unknown } | null = null;
  while (!isEnough(first) && failure === null) {
    try {
      const next = await iterator.next();
      if (next.done) break;
      first = joined([first, next.value]);
    } catch (error) {
      failure = { error };
    }
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (first.length > 0) yield first;
      if (failure) throw failure.error;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.(); // also if the consumer stops after `first`
    }
  }
  return { first, all: all() };
}

/**
 * Detects what an input is by its first characters: a profile begins like a JSON object, which no line of a trace does.
 */
export type InputKind = 'trace' | 'profile';

/** A thread may be named "{", so the brace alone is not enough. */
const JSON_OBJECT = /^\s*\{\s*(?:["}]|$)/;
const TWO_CHARACTERS = /\S\s*\S/;
const MAX_BLANKS = 64 * 1024;

/** Detects the kind of an input. Use the returned input from then on: it still has all its bytes. */
export async function detectInputKind<Input extends TraceInput>(
  input: Input,
): Promise<Input & { readonly kind: InputKind }> {
  const { first, all } = await peek(input.bytes, isEnough);
  return { ...input, bytes: all, kind: JSON_OBJECT.test(textOf(first)) ? 'profile' : 'trace' };
}

function isEnough(first: Uint8Array): boolean {
  return first.length >= MAX_BLANKS || TWO_CHARACTERS.test(textOf(first));
}

function textOf(first: Uint8Array): string {
  return latin1Text(first, 0, MAX_BLANKS);
}

/** A stream of `perf script` text. */
export interface TraceInput {
  /** For messages; inputs of equal times are ordered by name. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The number of bytes, exact or estimated; null: unknown. */
  readonly sizeBytes?: number | null;
  /** The file that consists of exactly these bytes; absent or null if they come from elsewhere. */
  readonly file?: SeekableFile | null;
}

/** A file that can be read at any offset while its bytes are. */
export interface SeekableFile extends OpenFile {
  /** Continues the stream of its bytes at this offset. */
  skipTo(at: number): void;
}
