/**
 * The measured commands: a yardstick, `report`, and questions about waits, each with a check of its output.
 */

import type { CachedFile } from '../cached-file.js';
import { type Candidate, PROGRAM } from '../candidates.js';
import type { GeneratedWaits, WaitsRecipe } from './generator/generate.js';

export type WaitsTrace = CachedFile<WaitsRecipe, GeneratedWaits>;

/** Reading and replaying the same trace: the others are compared with it. */
export const REPORT = 'ptflame report';
export const WAITS = 'ptflame waits';

export function waitsCandidates(trace: WaitsTrace): Candidate[] {
  const { path, lines } = trace;
  return [
    { name: 'grep -c call', command: ['grep', '-c', 'call', path], check: expectCount('lines', (all) => all > 0) },
    asking(REPORT, ['report', path], ({ quality }) => quality.lines === lines),
    asking(WAITS, ['waits', path], ({ stats }) => stats.waits === trace.waits),
  ];
}

interface Answer {
  readonly quality: { readonly lines: number };
  readonly stats: { readonly waits: number };
}

function asking(name: string, words: readonly string[], isRight: (answer: Answer) => boolean): Candidate {
  return {
    name,
    command: [process.execPath, PROGRAM, ...words, '--json', '--quiet'],
    check: async (stdout) => {
      if (!isRight(JSON.parse(stdout))) throw new Error(`${name}: the answer is wrong`);
    },
  };
}

function expectCount(what: string, isRight: (count: number) => boolean): Candidate['check'] {
  return async (stdout) => {
    if (!isRight(Number(stdout))) throw new Error(`${what}: got ${stdout}`);
  };
}
