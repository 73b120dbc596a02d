/**
 * Deflate, gzip and their checksum: in Node its zlib.
 */
import zlib from 'node:zlib';

export function crc32(bytes: Uint8Array): number {
  return zlib.crc32(bytes);
}

/** More is inflated in pieces. */
const MAX_CHUNK_BYTES = 2 ** 26;

/** Returns null if the bytes are damaged, or inflate to more than `maxBytes`. */
export function inflateRaw(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  return orNull(() => zlib.inflateRawSync(bytes, boundedBy(maxBytes)));
}

/** The same for bytes in zlib's format. */
export function inflateZlib(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  return orNull(() => zlib.inflateSync(bytes, boundedBy(maxBytes)));
}

/** The same for the first bytes of a file compressed with gzip. */
export function gunzipFirst(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  const settings = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes };
  return orNull(() => zlib.gunzipSync(bytes, settings));
}

function boundedBy(maxBytes: number): zlib.ZlibOptions {
  return { maxOutputLength: Math.max(1, maxBytes), chunkSize: Math.max(64, Math.min(maxBytes, MAX_CHUNK_BYTES)) };
}

function orNull(inflate: () => Uint8Array): Uint8Array | null {
  try {
    return inflate();
  } catch (error) {
    if ((error as { code?: unknown }).code === undefined) throw error; // not zlib's
    return null;
  }
}

export interface DeflateSettings {
  /** zlib's: 1 is fast, 9 is small. */
  readonly level: 1 | 6 | 9;
  /** zlib's strategy for numbers. Default: false. */
  readonly isFiltered?: boolean;
  /** What the bytes may refer to, as if it preceded them. Default: nothing. */
  readonly before?: Uint8Array | null;
  /** The stream goes on: it ends at a byte and can be continued. Default: false. */
  readonly isOpen?: boolean;
}

export function deflateRaw(bytes: Uint8Array, settings: DeflateSettings): Uint8Array {
  return zlib.deflateRawSync(bytes, optionsOf(settings));
}

/** The same in another thread where the host has one for it. */
export function deflateRawAside(bytes: Uint8Array, settings: DeflateSettings): Promise<Uint8Array> {
  return new Promise((done, failed) => {
    zlib.deflateRaw(bytes, optionsOf(settings), (error, deflated) => (error ? failed(error) : done(deflated)));
  });
}

function optionsOf({ level, isFiltered = false, before = null, isOpen = false }: DeflateSettings): zlib.ZlibOptions {
  const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;
  return {
    level,
    strategy: isFiltered ? Z_FILTERED : Z_DEFAULT_STRATEGY,
    finishFlush: isOpen ? Z_SYNC_FLUSH : Z_FINISH,
    ...(before && { dictionary: before }),
  };
}

/**
 * Decompresses a gzip stream. Yields everything before the damage, if there is any, then throws: of the piece that contains
 * it, nothing.
 */
export async function* gunzipped(
  bytes: AsyncIterable<Uint8Array>,
  chunkSize = zlib.constants.Z_DEFAULT_CHUNK,
): AsyncGenerator<Uint8Array> {
  const gunzip = zlib.createGunzip({ chunkSize });
  const unpacked: Uint8Array[] = [];
  gunzip.on('data', (piece: Uint8Array) => unpacked.push(piece));
  let settle: (error: Error | null) => void = () => {};
  let isOver = false;
  gunzip.on('error', (error) => settle(error)); // the callback of the write that failed is never called
  gunzip.on('end', () => {
    isOver = true;
    settle(null); // nor is that of a write with zeros after the stream
  });
  const step = (begin: (done: () => void) => void) =>
    new Promise<Error | null>((done) => {
      settle = done;
      begin(() => done(null));
    });
  for await (const piece of bytes) {
    if (isOver) continue;
    const error = await step((done) => gunzip.write(piece, done));
    yield* unpacked.splice(0);
    if (error) throw error;
  }
  const error = isOver ? null : await step(() => gunzip.end());
  yield* unpacked.splice(0);
  if (error) throw error;
}
