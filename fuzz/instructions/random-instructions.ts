/**
 * Random bytes in the shape of instructions: prefixes, an opcode of each map, ModRM, SIB, displacement and immediates.
 */
import type { Random } from '../random.js';
import { MAX_INSTRUCTION_BYTES } from './own-instructions.js';

const LEGACY_PREFIXES = [0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65];
const MANDATORY = [[], [0x66], [0xf3], [0xf2], [0x66, 0xf2], [0xf2, 0x66], [0xf3, 0x66]];

/** Fifteen bytes: an instruction, and what follows it. */
export function randomInstruction(random: Random): Uint8Array {
  const bytes = shapes[random.below(shapes.length)]?.(random) ?? [];
  while (bytes.length < MAX_INSTRUCTION_BYTES) bytes.push(random.oneIn(3) ? 0 : random.below(256));
  return Uint8Array.from(bytes.slice(0, MAX_INSTRUCTION_BYTES));
}

type Shape = (random: Random) => number[];

const prefixes: Shape = (random) =>
  Array.from({ length: random.pick([0, 0, 0, 1, 1, 2, 3, 6]) }, () => random.pick(LEGACY_PREFIXES));
const rex: Shape = (random) => (random.oneIn(2) ? [] : [0x40 + random.below(16)]);
const opcode: Shape = (random) => [random.below(256)];
const modrm: Shape = (random) => [random.below(256), random.below(256)];

const shapes: readonly Shape[] = [
  (random) => Array.from({ length: MAX_INSTRUCTION_BYTES }, () => random.below(256)),
  (random) => [...prefixes(random), ...rex(random), ...opcode(random), ...modrm(random)],
  (random) => [...prefixes(random), ...rex(random), 0x0f, ...opcode(random), ...modrm(random)],
  (random) => [
    ...random.pick(MANDATORY),
    ...rex(random),
    0x0f,
    random.pick([0x38, 0x3a]),
    ...opcode(random),
    ...modrm(random),
  ],
  // VEX, two and three bytes
  (random) => [...prefixes(random), 0xc5, random.below(256), ...opcode(random), ...modrm(random)],
  (random) => [0xc4, random.below(256), random.below(256), ...opcode(random), ...modrm(random)],
  (random) => [0xc4, 0xe0 + random.pick([1, 2, 3]), random.below(256), ...opcode(random), ...modrm(random)],
  // EVEX
  (random) => [
    0x62,
    0xf0 + random.pick([1, 2, 3, 5, 6]),
    0x04 | random.below(256),
    random.below(256),
    ...opcode(random),
    ...modrm(random),
  ],
  (random) => [0x62, random.below(256), random.below(256), random.below(256), ...opcode(random), ...modrm(random)],
  // XOP, or POP
  (random) => [0x8f, random.below(256), random.below(256), ...opcode(random), ...modrm(random)],
  // 3DNow!
  (random) => [0x0f, 0x0f, ...modrm(random), random.below(256)],
  // branches, with BND, NOTRACK, hints and operand sizes
  (random) => [
    ...random.pick([[], [0xf2], [0x3e], [0x2e], [0x66], [0x67], [0xf2, 0x66], [0x66, 0xf3]]),
    ...rex(random),
    ...random.pick([
      [0xe8],
      [0xe9],
      [0xeb],
      [0xc3],
      [0xc2],
      [0xcb],
      [0xca],
      [0xcc],
      [0xcd],
      [0xcf],
      [0x9a],
      [0xea],
      [0x70 + random.below(16)],
      [0xe0 + random.below(4)],
      [0x0f, 0x80 + random.below(16)],
      [0xff, random.below(256)],
      [0xfe, random.below(256)],
      [0x0f, 5],
      [0x0f, 7],
      [0x0f, 0x34],
      [0x0f, 0x35],
      [0x0f, 0x01, random.below(256)],
      [0x0f, 0x0b],
      [0x0f, 0xb9],
      [0x0f, 0xff],
      [0xc6, 0xf8],
      [0xc7, 0xf8],
      [0x0f, 0xaa],
    ]),
  ],
  // groups
  (random) => [
    ...rex(random),
    ...random.pick([
      [0xf6],
      [0xf7],
      [0xc0],
      [0xc6],
      [0xc7],
      [0x80],
      [0x81],
      [0x83],
      [0x0f, 0x71],
      [0x0f, 0x72],
      [0x0f, 0x73],
      [0x0f, 0xae],
      [0x0f, 0xba],
      [0x0f, 0xc7],
      [0x0f, 0x18],
      [0x0f, 0x1e],
      [0x0f, 0x1a],
      [0x0f, 0x1b],
    ]),
    ...modrm(random),
  ],
];
