/**
 * Damages the bytes of a file.
 */
import type { Random } from '../random.js';

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const EXTREMES = [0n, 1n, 0x7fn, 0xffn, 0x7fffn, 0xffffn, 0x7fffffffn, 0x80000000n, 0xffffffffn, 2n ** 53n, 2n ** 63n];

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flip bits': (bytes, random) => {
    const flipped = Buffer.from(bytes);
    for (let left = 1 + random.below(8); left > 0; left--) {
      const at = random.below(bytes.length);
      flipped[at] = (bytes[at] as number) ^ (1 << random.below(8));
    }
    return flipped;
  },
  'extreme number': (bytes, random) => {
    const changed = Buffer.from(bytes);
    const length = random.pick([1, 2, 4, 8]);
    if (bytes.length < length) return changed;
    const value = BigInt.asUintN(8 * length, random.pick(EXTREMES) - (random.oneIn(3) ? 1n : 0n));
    const at = random.below(bytes.length - length + 1);
    for (let byte = 0; byte < length; byte++) changed[at + byte] = Number((value >> BigInt(8 * byte)) & 0xffn);
    return changed;
  },
  cut: (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  'leave out': (bytes, random) => {
    const [start, end] = randomRange(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  repeat: (bytes, random) => {
    const [start, end] = randomRange(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  zeros: (bytes, random) => {
    const [start, end] = randomRange(bytes, random);
    return Buffer.from(bytes).fill(0, start, end);
  },
  append: (bytes, random) => Buffer.concat([bytes, Buffer.alloc(1 + random.below(5000), random.below(256))]),
};

/** Applies some mutations; none in one case out of eight. Their names are added to `steps`. */
export function mutated(bytes: Buffer, random: Random, steps: string[]): Buffer {
  let result = bytes;
  if (random.oneIn(8)) return result;
  for (let left = 1 + random.below(3); left > 0 && result.length > 0; left--) {
    const name = random.pick(Object.keys(MUTATIONS));
    steps.push(name);
    result = (MUTATIONS[name] as Mutation)(result, random);
  }
  return result;
}

function randomRange(bytes: Buffer, random: Random): [start: number, end: number] {
  const start = random.below(bytes.length);
  return [start, Math.min(bytes.length, start + 1 + random.below(random.pick([8, 100, 5000])))];
}
