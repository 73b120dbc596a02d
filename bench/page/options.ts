/**
 * Parses the arguments of `npm run bench:page`.
 */
import { parseArgs } from 'node:util';
import { PROFILES, type ProfileName } from './profile.js';

export interface PageBenchOptions {
  readonly profiles: readonly ProfileName[];
  /** Traces to measure in addition. */
  readonly traces: readonly string[];
  /** Directory of another build, whose pages are measured in turns with those of this one; null: none. */
  readonly otherBuild: string | null;
  readonly runs: number;
  /** Whether d3-flame-graph draws the smallest profile with all its frames. */
  readonly withD3: boolean;
  readonly jsonPath: string | null;
  readonly date: string;
}

const ACCEPTED = {
  only: { type: 'string' },
  trace: { type: 'string', multiple: true },
  against: { type: 'string' },
  runs: { type: 'string' },
  alone: { type: 'boolean' },
  json: { type: 'string' },
  date: { type: 'string' },
} as const;

/** @throws Error for invalid arguments */
export function readOptions(argv: readonly string[]): PageBenchOptions {
  const { values } = parseArgs({ args: [...argv], options: ACCEPTED });
  const { only, trace = [], against = null, runs = '5', alone = false, json = null, date } = values;
  if (!/^[1-9]\d*$/.test(runs)) throw new Error(`--runs must be a number of at least 1, not ${runs}`);
  return {
    profiles:
      only === undefined ? (Object.keys(PROFILES) as ProfileName[]) : only.split(',').filter(Boolean).map(named),
    traces: trace,
    otherBuild: against,
    runs: Number(runs),
    withD3: !alone,
    jsonPath: json,
    date: date ?? new Date().toISOString().slice(0, 10),
  };
}

function named(name: string): ProfileName {
  const known = Object.keys(PROFILES);
  if (!known.includes(name)) throw new Error(`--only must be a list of ${known.join(', ')}, not ${name}`);
  return name as ProfileName;
}
