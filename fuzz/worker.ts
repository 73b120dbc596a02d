/**
 * A process that runs one case after the other and tells of each before and behind it: who listens, knows where it hangs.
 */
import { type AnyCase, type Find, findOf, type Kind } from './kind.js';
import { type KindName, kindOf } from './kinds.js';
import { failureOf, minimised } from './minimise.js';

export interface WorkerTask {
  readonly kind: KindName;
  /** A directory for files. */
  readonly place: string;
  readonly seed: number;
  readonly firstCase: number;
  /** As many cases as have that many lines, or that many cases. */
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
  | ({ readonly what: 'failed'; readonly size: number } & Find)
  | { readonly what: 'smallest'; readonly number: number; readonly base64: string }
  | { readonly what: 'heap'; readonly usedBytes: number; readonly isCollected: boolean };

const COLLECTIONS = 10;

export async function work({ kind: name, place, seed, firstCase, amount }: WorkerTask): Promise<void> {
  const kind = kindOf(name, seed, place);
  let done = 0;
  let collections = 0;
  for (let number = firstCase; done < amount; number++) {
    done += await runCase(kind, await kind.make(number));
    const isCollected = done >= (collections * amount) / COLLECTIONS;
    if (isCollected) collections++;
    tellHeap(isCollected);
  }
}

async function runCase(kind: Kind, fuzzCase: AnyCase): Promise<number> {
  const { number } = fuzzCase;
  const size = kind.sizeOf(fuzzCase);
  const start = performance.now();
  tell({ what: 'begins', number });
  try {
    const { parserMs } = await kind.check(fuzzCase);
    tell({ what: 'passed', number, size, ms: performance.now() - start, parserMs });
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ what: 'failed', size, ...findOf(fuzzCase, why) });
    if (kind.isText) {
      const smallest = await minimised(fuzzCase, (smaller) => failureOf(smaller, kind.check));
      tell({ what: 'smallest', number, base64: smallest.toString('base64') });
    }
  }
  return size;
}

function tellHeap(isCollected: boolean): void {
  if (isCollected) global.gc?.();
  tell({ what: 'heap', usedBytes: process.memoryUsage().heapUsed, isCollected });
}

function tell(report: WorkerReport): void {
  process.send?.(report);
}

process.once('message', async (task: WorkerTask) => {
  await work(task);
  process.disconnect();
});
