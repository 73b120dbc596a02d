/**
 * zstd: what is inflated is what was compressed; hostile frames end in a fault, at once.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { loadZstd, type Zstd, ZstdFault } from '../../src/codec/zstd.js';

/** `seq 1 10000 | zstd -3` */
const COMPRESSED = readFileSync('fixtures/codec/numbers.zst');
const NUMBERS = Buffer.from(`${Array.from({ length: 10_000 }, (_, at) => at + 1).join('\n')}\n`);

/** A frame without a size or checksum and with a window of 128 KiB, of these blocks. */
function frame(...blocks: (readonly number[])[]): Uint8Array {
  return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3, ...blocks.flat()]);
}

/** A byte that is repeated; four bytes for up to 128 KiB. */
function repeated(byte: number, count: number, isLast = false): number[] {
  const head = (count << 3) | (1 << 1) | Number(isLast);
  return [head & 255, (head >> 8) & 255, head >> 16, byte];
}

let zstd: Zstd;
beforeAll(async () => {
  zstd = await loadZstd();
});

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ZstdFault) return error.code;
    throw error;
  }
  return 'none';
}

test('inflates frames, one or several', () => {
  expect(Buffer.from(zstd.inflate(COMPRESSED, 1e6)).equals(NUMBERS)).toBe(true);
  const two = zstd.inflate(Buffer.concat([COMPRESSED, COMPRESSED]), 2e6);
  expect(Buffer.from(two).equals(Buffer.concat([NUMBERS, NUMBERS]))).toBe(true);
  expect(zstd.inflate(new Uint8Array(0), 10)).toHaveLength(0);
});

test('inflates pieces, wherever they are cut, also without the end of the frame', () => {
  for (const cut of [1, 3, 7, 1000, 5000]) {
    const pieces = [COMPRESSED.subarray(0, cut), COMPRESSED.subarray(cut)];
    expect(Buffer.concat([...zstd.stream(pieces)]).equals(NUMBERS)).toBe(true);
  }
  const open = frame(repeated(65, 1000), repeated(66, 5));
  expect(Buffer.concat([...zstd.stream([open])]).toString()).toBe('A'.repeat(1000) + 'B'.repeat(5));
});

test('refuses what inflates to more than is allowed, before it is inflated', () => {
  const bomb = frame(...new Array(10_000).fill(repeated(65, 2 ** 17)), repeated(65, 1, true));
  expect(faultOf(() => zstd.inflate(bomb, 1e6))).toBe('too-large');
  expect(faultOf(() => zstd.inflate(COMPRESSED, NUMBERS.length - 1))).toBe('too-large');
  expect(zstd.inflate(COMPRESSED, NUMBERS.length)).toHaveLength(NUMBERS.length);
});

test('refuses damaged frames, and no longer reads any after too many of them', () => {
  expect(faultOf(() => zstd.inflate(COMPRESSED.subarray(0, -20), 1e6))).toBe('damaged');
  const flipped = Uint8Array.from(COMPRESSED);
  flipped[3000] ^= 0x55;
  for (let count = 0; count < 12; count++) expect(faultOf(() => zstd.inflate(flipped, 1e6))).toBe('damaged');
  expect(faultOf(() => zstd.inflate(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]), 1e6))).toBe('damaged');
});
