/**
 * Damages the bytes of a text: flips, cuts, repeats, inserts, compresses.
 */
import { gzipSync } from 'node:zlib';
import type { Random } from '../random.js';
import { HOSTILE_WORDS } from './words.js';

type ByteMutation = (bytes: Buffer, random: Random) => Buffer;

const HUGE_LINE_BYTES = 10 * 1024 * 1024;

export const BYTE_MUTATIONS: Readonly<Record<string, ByteMutation>> = {
  flip: (bytes, random) => {
    const flipped = Buffer.from(bytes);
    for (let i = 0; i <= bytes.length / 500; i++) {
      const at = random.below(bytes.length);
      flipped[at] = (bytes[at] as number) ^ (1 << random.below(8));
    }
    return flipped;
  },
  cut: (bytes, random) => {
    const start = random.oneIn(2) ? 0 : random.below(bytes.length);
    return bytes.subarray(start, start + random.below(bytes.length - start + 1));
  },
  repeat: (bytes, random) => {
    const start = random.below(bytes.length);
    const end = start + random.below(Math.min(5000, bytes.length - start) + 1);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  noise: (bytes, random) => inserted(bytes, Buffer.from(Array.from({ length: 100 }, () => random.below(256))), random),
  word: (bytes, random) => inserted(bytes, Buffer.from(random.pick(HOSTILE_WORDS), 'latin1'), random),
  'no last newline': (bytes) => bytes.subarray(0, bytes.lastIndexOf(10) + 1 || bytes.length).subarray(0, -1),
};

/** Rare because they are slow. */
export const RARE_BYTE_MUTATIONS: Readonly<Record<string, ByteMutation>> = {
  'huge line': (bytes, random) =>
    inserted(bytes, Buffer.alloc(HUGE_LINE_BYTES, random.pick(HOSTILE_WORDS).replaceAll('\n', ' '), 'latin1'), random),
  gzipped: (bytes) => gzipSync(bytes),
  'gzipped and damaged': (bytes, random) => {
    const damage = BYTE_MUTATIONS[random.pick(Object.keys(BYTE_MUTATIONS))] as ByteMutation;
    return damage(gzipSync(bytes), random);
  },
};

function inserted(bytes: Buffer, piece: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}
