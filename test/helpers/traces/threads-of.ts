/**
 * Loads a trace up to the input of replay: the events of every thread, as in `analyze`.
 */

import type { SymbolTable } from '../../../src/model/symbol-table.js';
import type { BranchSites } from '../../../src/model/trace/branch-sites.js';
import { openTraceFile, type TraceInput } from '../../../src/pipeline/open-text.js';
import { TextSource } from '../../../src/pipeline/read/text-source.js';
import { TraceBuilder } from '../../../src/pipeline/read/trace-builder.js';
import { nameFunctions } from '../../../src/pipeline/replay/name-functions.js';
import { WorkerPool } from '../../../src/pipeline/workers/worker-pool.js';
import { numberFunctions } from '../../../src/replay/functions/function-ids.js';
import { type SiteFacts, siteFacts, withSwitcher } from '../../../src/replay/functions/site-facts.js';
import { pairThread } from '../../../src/replay/pairing/pair-thread.js';
import { type LoadedThread, loadThread, type ThreadMemory, threadBytes } from '../../../src/trace/load-thread.js';
import { beginningOf, inputOf } from './load.js';
import { MemoryFile, PAGE_ROWS } from './thread-events.js';

export interface TraceThreads {
  /** By tid. */
  readonly threads: readonly LoadedThread[];
  readonly sites: BranchSites;
  readonly facts: SiteFacts;
  /** Functions without a symbol have names of their own, too. */
  readonly symbols: SymbolTable;
  /** First and last time of a branch over all threads, since `originSeconds`. */
  readonly bounds: { readonly startNs: number; readonly endNs: number };
  /** perf's clock at time 0; null if the trace has no times. */
  readonly originSeconds: number | null;
}

/** Loads a text file, compressed or not. */
export async function threadsOf(path: string): Promise<TraceThreads> {
  return threadsOfInput(await openTraceFile(path));
}

/** Loads the first lines of a fixture. */
export async function threadsOfBeginning(path: string): Promise<TraceThreads> {
  return threadsOfInput(inputOf(beginningOf(path.replace('fixtures/', ''))));
}

/** `sizes`: of pages, and of what is in memory at most; more is read again. `file`: for what cannot be. */
export async function threadsOfInput(
  input: TraceInput,
  sizes: Pick<ThreadMemory, 'pageRows' | 'mostBytes'> = { pageRows: PAGE_ROWS, mostBytes: Number.POSITIVE_INFINITY },
  file = new MemoryFile(),
): Promise<TraceThreads> {
  const builder = new TraceBuilder({}, { memoryBytes: 2 ** 30, directory: null }, new WorkerPool(1));
  await new TextSource(input).read(builder);
  const { store, sites, symbols: printed, originSeconds } = builder.freeze(null);
  const { ids, symbols } = nameFunctions(numberFunctions(sites, printed), printed, store.threadMappings());
  const bounds = store.branchBounds;
  const threads = store.tids.map((tid) => {
    const source = { ...store.threadSource(tid), recordingStartNs: bounds.startNs };
    const buffer = new ArrayBuffer(threadBytes(source, sizes));
    const memory = { ...sizes, buffer, file, pairedPages: Number.POSITIVE_INFINITY };
    return loadThread(source, store.memory.shared(), sites, memory);
  });
  const facts = withSwitchers(threads, siteFacts(sites, symbols, ids));
  return { threads, sites, facts, symbols, bounds, originSeconds };
}

/** Adds the functions that turn out to switch stacks. */
function withSwitchers(threads: readonly LoadedThread[], facts: SiteFacts): SiteFacts {
  for (const { events } of threads) {
    const { switcher } = pairThread(events, facts);
    if (switcher) return withSwitchers(threads, withSwitcher(facts, switcher));
  }
  return facts;
}
