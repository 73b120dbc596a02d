/**
 * Reads the first bytes of a stream without consuming them.
 */
export interface PeekResult {
  readonly first: Uint8Array;
  /** All bytes, the first included. */
  readonly all: AsyncGenerator<Uint8Array>;
}

/** Reads until the first bytes are enough or the stream ends. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  isEnough: (first: Uint8Array) => boolean,
): Promise<PeekResult> {
  const iterator = bytes[Symbol.asyncIterator]();
  let first: Uint8Array = new Uint8Array();
  let failure: { readonly error: unknown } | null = null;
  while (!isEnough(first) && failure === null) {
    try {
      const next = await iterator.next();
      if (next.done) break;
      first = Buffer.concat([first, next.value]);
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
