/**
 * Parses the arguments of `npm run bench:waits`.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { WaitsRecipe } from './generator/generate.js';

export interface WaitsBenchOptions {
  readonly directory: string;
  readonly recipe: WaitsRecipe;
  readonly runs: number;
  readonly jsonPath: string | null;
  readonly date: string;
}

const ACCEPTED = {
  dir: { type: 'string' },
  waits: { type: 'string' },
  threads: { type: 'string' },
  cpus: { type: 'string' },
  runs: { type: 'string' },
  json: { type: 'string' },
  date: { type: 'string' },
} as const;

/** @throws Error for invalid arguments */
export function readOptions(argv: readonly string[]): WaitsBenchOptions {
  const { values } = parseArgs({ args: [...argv], options: ACCEPTED });
  const { dir, waits = '1000000', threads = '64', cpus = '8', runs = '5', json = null, date } = values;
  return {
    directory: dir ?? join(tmpdir(), 'ptflame-bench'),
    recipe: { seed: 1, waits: count('waits', waits), threads: count('threads', threads), cpus: count('cpus', cpus) },
    runs: count('runs', runs),
    jsonPath: json,
    date: date ?? new Date().toISOString().slice(0, 10),
  };
}

function count(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} must be a number of at least 1, not ${text}`);
  return Number(text);
}
