import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hexText, joined } from '../../src/codec/bytes.js';
import * as browser from '../../src/host/browser/zip.js';
import * as node from '../../src/host/zip.js';

/** Repeats, so that there is something to deflate; some are longer than a window of deflate. */
const data = fc
  .tuple(
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 8 }),
    fc.nat(4000),
    fc.nat(),
  )
  .map(([words, length, seed]) => {
    let next = seed;
    const pick = () => (next = (Math.imul(next, 1103515245) + 12345) >>> 0) >>> 16;
    return joined(Array.from({ length }, () => words[pick() % words.length] as Uint8Array));
  });
const settings = fc.record({
  level: fc.constantFrom(1 as const, 6 as const, 9 as const),
  isFiltered: fc.boolean(),
  isOpen: fc.boolean(),
  before: fc.option(data.map((bytes) => bytes.subarray(-(2 ** 15)))),
});

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What was unpacked before the end or the first error. */
async function gunzippedBy({ gunzipped }: typeof node, bytes: Uint8Array, size: number) {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of gunzipped(inPieces(bytes, size))) pieces.push(piece.slice());
  } catch (error) {
    return { isWhole: false, bytes: hexText(joined(pieces)), message: (error as Error).message };
  }
  return { isWhole: true, bytes: hexText(joined(pieces)) };
}

describe('in browsers, as in Node', () => {
  test('deflate writes the same bytes, so that a saved page is that of the command line', () => {
    fc.assert(
      fc.property(data, settings, (bytes, settings) => {
        expect(Buffer.compare(browser.deflateRaw(bytes, settings), node.deflateRaw(bytes, settings))).toBe(0);
      }),
    );
  });

  test('inflate returns the same, or nothing', () => {
    fc.assert(
      fc.property(data, fc.nat(), fc.nat(255), fc.integer({ min: -1, max: 1 }), (bytes, at, byte, more) => {
        const deflated = node.deflateRaw(bytes, { level: 6 }).slice();
        const maxBytes = Math.max(1, bytes.length + more);
        expect(browser.inflateRaw(deflated, maxBytes)).toEqual(more < 0 && bytes.length > 1 ? null : bytes);
        deflated[at % deflated.length] = byte;
        const [one, other] = [browser.inflateRaw(deflated, maxBytes), node.inflateRaw(deflated, maxBytes)];
        expect(one && Buffer.from(one)).toEqual(other && Buffer.from(other));
      }),
    );
  });

  test('a cut stream inflates to nothing, the first bytes of a file to what they have', () => {
    const bytes = joined([Buffer.from('ptflame-pack.json\0'), new Uint8Array(5000).fill(1)]);
    const zipped = gzipSync(bytes);
    for (const { gunzipFirst, inflateRaw, deflateRaw } of [browser, node]) {
      expect(inflateRaw(deflateRaw(bytes, { level: 9 }).subarray(0, -1), 2 ** 20)).toBeNull();
      const first = gunzipFirst(zipped.subarray(0, -12), 2 ** 20);
      expect(Buffer.from(first ?? []).toString('latin1', 0, 17)).toBe('ptflame-pack.json');
      expect(gunzipFirst(zipped, 100)).toBeNull();
      expect(gunzipFirst(bytes, 2 ** 20)).toBeNull();
    }
  });

  test('checksums are the same', () => {
    fc.assert(
      fc.property(data, (bytes) => {
        expect(browser.crc32(bytes)).toBe(node.crc32(bytes));
      }),
    );
  });

  test.each([
    ['one member', []],
    ['several', [gzipSync('second'), gzipSync('third')]],
    ['zeros after it', [new Uint8Array(20)]],
    ['another file after it', [Buffer.from('PK\x03\x04 something else, not short')]],
    ['the beginning of another member after it', [gzipSync('second').subarray(0, 12)]],
  ])('a gzip stream unpacks to the same: %s', async (_, others) => {
    const whole = joined([gzipSync('first '.repeat(5000)), ...others]);
    for (const size of [7, 100, whole.length])
      expect(await gunzippedBy(browser, whole, size)).toEqual(await gunzippedBy(node, whole, size));
  });

  test('a damaged gzip stream is used up to the damage', async () => {
    const whole = gzipSync('first second third '.repeat(3000));
    for (const length of [5, 30, whole.length - 3]) {
      const cut = whole.subarray(0, length);
      const unpacked = await gunzippedBy(browser, cut, 20);
      expect(unpacked).toEqual(await gunzippedBy(node, cut, 20));
      expect(unpacked).toMatchObject({ isWhole: false, message: 'unexpected end of file' });
    }
    const damaged = new Uint8Array(whole).fill(255, 60, 64);
    expect(await gunzippedBy(browser, damaged, 20)).toMatchObject({ isWhole: false });
    expect((await gunzippedBy(browser, damaged, 20)).bytes).toEqual((await gunzippedBy(node, damaged, 20)).bytes);
  });
});
