/**
 * A process that runs one case after the other and tells of each before and behind it: who listens, knows where it hangs.
 */
import { type FuzzCase, makeCase } from './cases.js';
import { checkCase } from './check.js';
import { countLines } from './check-parser.js';
import { Corpus } from './corpus.js';
import { minimised } from './minimise.js';

export interface WorkerTask {
  readonly fixtures: string;
  readonly seed: number;
  readonly firstCase: number;
  /** As many cases as have that many lines. */
  readonly lines: number;
}

export type WorkerReport =
  | { readonly what: 'begins'; readonly number: number }
  | {
      readonly what: 'passed';
      readonly number: number;
      readonly lines: number;
      readonly ms: number;
      readonly parserMs: number;
    }
  | { readonly what: 'failed'; readonly number: number; readonly lines: number; readonly why: string }
  | { readonly what: 'smallest'; readonly number: number; readonly base64: string }
  | { readonly what: 'heap'; readonly usedBytes: number; readonly isCollected: boolean };

const LINES_BETWEEN_COLLECTIONS = 100_000;

export async function work({ fixtures, seed, firstCase, lines }: WorkerTask): Promise<void> {
  const corpus = new Corpus(new URL(fixtures));
  let done = 0;
  let collections = 0;
  for (let number = firstCase; done < lines; number++) {
    done += await runCase(makeCase(seed, number, corpus));
    const isCollected = done >= collections * LINES_BETWEEN_COLLECTIONS;
    if (isCollected) collections = Math.floor(done / LINES_BETWEEN_COLLECTIONS) + 1;
    tellHeap(isCollected);
  }
}

/** Gives the number of its lines; an empty one counts as one. */
async function runCase(fuzzCase: FuzzCase): Promise<number> {
  const { number, bytes } = fuzzCase;
  const lines = Math.max(1, countLines(bytes));
  const start = performance.now();
  tell({ what: 'begins', number });
  try {
    const { parserMs } = await checkCase(fuzzCase);
    tell({ what: 'passed', number, lines, ms: performance.now() - start, parserMs });
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ what: 'failed', number, lines, why });
    tell({ what: 'smallest', number, base64: (await minimised(fuzzCase)).toString('base64') });
  }
  return lines;
}

function tellHeap(isCollected: boolean): void {
  if (!isCollected) return tell({ what: 'heap', usedBytes: process.memoryUsage().heapUsed, isCollected });
  global.gc?.();
  tell({ what: 'heap', usedBytes: process.memoryUsage().heapUsed, isCollected });
}

function tell(report: WorkerReport): void {
  process.send?.(report);
}

process.once('message', async (task: WorkerTask) => {
  await work(task);
  process.disconnect();
});
