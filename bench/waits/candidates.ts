/**
 * The measured commands: a yardstick, `report`, and questions about waits, each with a check of its output.
 */

import type { CachedFile } from '../cached-file.js';
import { type Candidate, PROGRAM } from '../candidates.js';
import type { GeneratedWaits, WaitsRecipe } from './generator/generate.js';

export type WaitsTrace = CachedFile<WaitsRecipe, GeneratedWaits>;

/** Reading and replaying the same trace. */
export const REPORT = 'ptflame report';
export const WAITS = 'ptflame waits';
/** The calls of one function, with their numbers alone: requests by them are compared with it. */
export const LATENCY = 'ptflame latency';
export const REQUESTS = 'ptflame requests';
export const REQUESTS_BY_KEY = 'ptflame requests --flow';
export const LOCKS = 'ptflame locks';

const ROOT = 'serve_request';
const FLOW = 'queue_push:job=run_job:job';

export function waitsCandidates(trace: WaitsTrace): Candidate[] {
  const { path, lines } = trace;
  return [
    { name: 'grep -c call', command: ['grep', '-c', 'call', path], check: expectCount('lines', (all) => all > 0) },
    asking(REPORT, ['report', path], ({ quality }) => quality.lines === lines),
    asking(WAITS, ['waits', path], ({ stats }) => stats.waits === trace.waits),
    asking(LATENCY, ['latency', ROOT, path], ({ stats }) => stats.calls >= trace.requests),
    asking(REQUESTS, ['requests', ROOT, path], ({ requests }) => requests >= trace.requests),
    asking(REQUESTS_BY_KEY, ['requests', ROOT, path, '--flow', FLOW], ({ joined }) => joined.byKey >= trace.requests),
    asking(LOCKS, ['locks', path], ({ locks }) => locks.length > 0),
  ];
}

/** What is checked of the answers; each has some of it. */
interface Answer {
  readonly quality: { readonly lines: number };
  readonly stats: { readonly waits: number; readonly calls: number };
  readonly requests: number;
  readonly joined: { readonly byKey: number };
  readonly locks: readonly object[];
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
