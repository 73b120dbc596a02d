/**
 * The recipes of the measured traces, each large in another respect.
 */
import type { Recipe } from './generate.js';

export const FULL_SIZE_BYTES = 1e9;

const FULL: Omit<Recipe, 'seed'> = { sizeBytes: FULL_SIZE_BYTES, threads: 32, cpus: 8, functions: 4000, paths: 14_000 };

export const KINDS = {
  ordinary: { ...FULL, seed: 1 },
  'many-path': { ...FULL, seed: 2, threads: 256, cpus: 64, functions: 20_000, paths: 340_000 },
  'one-thread': { ...FULL, seed: 3, threads: 1, cpus: 1 },
  'many-threads': { ...FULL, seed: 4, threads: 1024, cpus: 32 },
} satisfies Record<string, Recipe>;

export type Kind = keyof typeof KINDS;
