/**
 * The worker process: runs cases and reports before and after each, so that the parent process knows where it hangs.
 */
import { type AnyCase, type Failure, type Kind, toFailure } from './kind.js';
import { type KindName, kindOf } from './kinds.js';
import { failureReason, minimised } from './minimise.js';

export interface WorkerTask {
  readonly kind: KindName;
  /** For files. */
  readonly directory: string;
  /** With recordings; null: none is given. */
  readonly folder: string | null;
  readonly seed: number;
  readonly firstCase: number;
  /** Total size of the cases to run: lines, or cases. */
  readonly amount: number;
}

export type WorkerReport =
  | { readonly what: 'begins'; readonly number: number }
  | {
      readonly what: 'passed';
      readonly number: number;
      readonly size: number;
      readonly ms: number;
      readonly parserMs: number;
    }
  | ({ readonly what: 'failed'; readonly size: number } & Failure)
  | { readonly what: 'smallest'; readonly number: number; readonly base64: string }
  | { readonly what: 'heap'; readonly usedBytes: number; readonly isCollected: boolean };

const COLLECTIONS = 10;

export async function work({ kind: name, directory, folder, seed, firstCase, amount }: WorkerTask): Promise<void> {
  const kind = kindOf(name, seed, directory, folder);
  let done = 0;
  let collections = 0;
  for (let number = firstCase; done < amount; number++) {
    done += await runCase(kind, await kind.make(number));
    const isCollected = done >= (collections * amount) / COLLECTIONS;
    if (isCollected) collections++;
    reportHeap(isCollected);
  }
}

async function runCase(kind: Kind, fuzzCase: AnyCase): Promise<number> {
  const { number } = fuzzCase;
  const size = kind.sizeOf(fuzzCase);
  const start = performance.now();
  report({ what: 'begins', number });
  try {
    const { parserMs } = await kind.check(fuzzCase);
    report({ what: 'passed', number, size, ms: performance.now() - start, parserMs });
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report({ what: 'failed', size, ...toFailure(fuzzCase, reason) });
    if (kind.isText) {
      const smallest = await minimised(fuzzCase, (smaller) => failureReason(smaller, kind.check));
      report({ what: 'smallest', number, base64: smallest.toString('base64') });
    }
  }
  return size;
}

function reportHeap(isCollected: boolean): void {
  if (isCollected) global.gc?.();
  report({ what: 'heap', usedBytes: process.memoryUsage().heapUsed, isCollected });
}

function report(message: WorkerReport): void {
  process.send?.(message);
}

process.once('message', async (task: WorkerTask) => {
  await work(task);
  process.disconnect();
});
