/**
 * Tests that the pieces of deflated page data are one stream.
 */
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deflatedBase64 } from '../../../src/render/page/deflated.js';

const MIB = 2 ** 20;

test.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 7])('restores %i bytes, deflated in pieces of 1 MiB', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * at) >>> 7);
  const pieces = [...deflatedBase64(bytes)];
  expect(pieces.length).toBe(Math.max(1, Math.ceil(length / MIB)) + 1);
  expect(inflateRawSync(Buffer.from(pieces.join(''), 'base64')).equals(bytes)).toBe(true);
});
