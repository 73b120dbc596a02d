/**
 * However a stream is split, its bytes stay the same.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inLargerPieces } from '../../src/pipeline/read/text-source.js';

/** Each piece is overwritten when the next one is requested. */
async function* fleeting(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    const own = Uint8Array.from(piece);
    yield own;
    own.fill(0xff);
  }
}

test('yields the same bytes in large pieces', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
  const isSame = fc.asyncProperty(pieces, fc.integer({ min: 1, max: 30 }), async (pieces, size) => {
    const larger: Uint8Array[] = [];
    for await (const piece of inLargerPieces(fleeting(pieces), size)) larger.push(Uint8Array.from(piece));
    expect(Buffer.concat(larger)).toEqual(Buffer.concat(pieces));
    for (const { length } of larger.slice(0, -1)) expect(length).toBeGreaterThanOrEqual(size);
  });
  await fc.assert(isSame);
});
