/**
 * Compressed text: what a trace unpacks to is read whole, what nothing but repeated bytes unpack to is refused early.
 */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type OpenOptions, traceStream } from '../../src/pipeline/open-text.js';

const MIB = 2 ** 20;
/** A thousand times its size. */
const REPEATED = gzipSync(Buffer.alloc(160 * MIB, 'a line\n'));

/** Returns how many bytes of text were yielded, and the error that ended it. */
async function unpacked(bytes: Uint8Array, options: OpenOptions = {}) {
  let length = 0;
  const { bytes: pieces } = traceStream(
    'x.gz',
    (async function* () {
      yield bytes;
    })(),
    options,
  );
  try {
    for await (const piece of pieces) length += piece.length;
    return { length, error: null };
  } catch (error) {
    return { length, error };
  }
}

test('refuses what unpacks to more than 200 times its size, after 64 MiB', async () => {
  for (const bytes of [REPEATED, gzipSync(REPEATED)]) {
    const { length, error } = await unpacked(bytes);
    expect(error).toMatchObject({
      code: 'TOO_LARGE',
      message: 'x.gz unpacks to more than 200 times its size',
      hint: expect.stringMatching(/gzip -dc FILE/),
    });
    expect(length).toBeLessThanOrEqual(64 * MIB);
  }
});

test('names the option of the command line that allows it', async () => {
  const { error } = await unpacked(REPEATED, { maxRatio: 300 });
  expect(error).toMatchObject({ message: /300 times/, hint: expect.stringContaining('--max-ratio N') });
  expect(await unpacked(REPEATED, { maxRatio: 2000 })).toEqual({ length: 160 * MIB, error: null });
  expect(await unpacked(REPEATED, { maxRatio: 0 })).toEqual({ length: 160 * MIB, error: null });
});

test('reads what unpacks to a hundred times its size', async () => {
  const block = Buffer.concat([randomBytes(8 * 1024), Buffer.alloc(MIB - 8 * 1024)]);
  const text = Buffer.concat(Array(100).fill(block));
  const packed = gzipSync(text);
  expect(text.length / packed.length).toBeGreaterThan(100);
  expect(await unpacked(packed)).toEqual({ length: 100 * MIB, error: null });
});
