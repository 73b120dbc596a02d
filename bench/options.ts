/**
 * Parses the arguments of `npm run bench`.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FULL_SIZE_BYTES, KINDS, type Kind } from './generator/kinds.js';

export interface BenchOptions {
  readonly directory: string;
  readonly sizeBytes: number;
  readonly kinds: readonly Kind[];
  readonly runs: number;
  /** Sets of extra arguments for `ptflame render`, one candidate each. */
  readonly flags: readonly string[];
  /** The command line of another version, such as the last release: it renders the same traces, and its starts are timed. */
  readonly against: string | null;
  readonly jsonPath: string | null;
  readonly date: string;
}

/** @throws Error for invalid arguments */
export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({ args: withFlagsJoined(argv), options: ACCEPTED });
  const { dir = join(tmpdir(), 'ptflame-bench'), size, only, runs = '5', flags = [''], json = null, date } = values;
  const { against = null } = values;
  return {
    directory: dir,
    sizeBytes: size === undefined ? FULL_SIZE_BYTES : bytesOf(size),
    kinds: only === undefined ? (Object.keys(KINDS) as Kind[]) : only.split(',').map(kindOf),
    runs: countOf(runs),
    flags,
    against,
    jsonPath: json,
    date: date ?? new Date().toISOString().slice(0, 10),
  };
}

const ACCEPTED = {
  dir: { type: 'string' },
  size: { type: 'string' },
  only: { type: 'string' },
  runs: { type: 'string' },
  flags: { type: 'string', multiple: true },
  against: { type: 'string' },
  json: { type: 'string' },
  date: { type: 'string' },
} as const;

/** parseArgs rejects values that begin with a dash, as flags do: "--flags", "-j 1" → "--flags=-j 1". */
function withFlagsJoined(argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    if (argv[at - 1] === '--flags') return [];
    return word === '--flags' ? [`--flags=${argv[at + 1] ?? ''}`] : [word];
  });
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** "100M" → 100,000,000 */
function bytesOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([KMG]?)$/.exec(text) ?? [];
  if (digits === undefined) throw new Error(`--size must be a number, optionally followed by K, M or G, not ${text}`);
  return Number(digits) * UNITS[unit];
}

function kindOf(name: string): Kind {
  if (!Object.hasOwn(KINDS, name))
    throw new Error(`--only must be a list of ${Object.keys(KINDS).join(', ')}, not ${name}`);
  return name as Kind;
}

function countOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--runs must be a number of at least 1, not ${text}`);
  return Number(text);
}
