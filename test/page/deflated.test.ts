/**
 * Tests that the pieces of deflated page data are one stream.
 */
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deflatedBase64, deflatedInParallel } from '../../src/page/html.js';

const KIB = 2 ** 10;
const LENGTHS = [0, 1, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, 3 * 256 * KIB + 7];

/** Cuts bytes into uneven pieces. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0, length = 1; at < bytes.length; at += length, length = (length * 5 + 1) % 300_000)
    yield bytes.subarray(at, at + length);
}

test.each(LENGTHS)('restores %i bytes, deflated in blocks of 256 KiB', async (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * at) >>> 7);
  const text = [...deflatedBase64(piecesOf(bytes))].join('');
  expect(inflateRawSync(Buffer.from(text, 'base64')).equals(bytes)).toBe(true);
  let inParallel = '';
  for await (const part of deflatedInParallel(piecesOf(bytes))) inParallel += part;
  expect(inParallel).toBe(text);
});
