/**
 * Reads a trace and hands it to a function; workers, memory and temporary files exist until that function is done.
 */
import { nextTurn } from '../host/turns.js';
import { watchMemory } from '../model/memory.js';
import type { OpenSourcesOptions, TraceSource } from './open-sources.js';
import { type AnalyzedInput, readTrace } from './read/read-trace.js';
import { refuseUnusable } from './read/refusals.js';
import type { Trace } from './read/trace.js';
import { type ReadOptions, TraceBuilder } from './read/trace-builder.js';
import { asLaterRefusal } from './stored-trace.js';
import { MemoryBudget } from './workers/memory-budget.js';
import { planResources, type ResourceOptions } from './workers/resources.js';
import { WorkerPool } from './workers/worker-pool.js';

export interface WithTraceOptions extends ReadOptions, ResourceOptions, OpenSourcesOptions {
  /** Accepts a trace without times. */
  readonly byCalls: boolean;
  /** Accepts traces of samples alone, even of none, for questions that samples and switches answer. Default: false. */
  readonly mayLackBranches?: boolean;
  /** How many traces are open at the same time, and share the memory and the workers. Default: 1. */
  readonly openTraces?: number;
}

/** The workers, and the memory for all threads that are replayed at the same time. */
export interface WorkResources {
  readonly pool: WorkerPool;
  readonly memoryBytes: number;
  /** The part of it that call logs may take. */
  readonly logBytes: number;
}

function mayBeWithoutBranches({ account, store, samples }: Trace, { mayLackBranches }: WithTraceOptions): boolean {
  const couldHave = samples.length > 0 || account.withoutTrace.length > 0 || account.samples.lines > 0;
  return mayLackBranches === true && couldHave && !store.hasThreads;
}

/** `sources`: opened inputs, or files, which are opened until then. */
export async function withTrace<Result>(
  sources: readonly (TraceSource | AnalyzedInput)[],
  options: WithTraceOptions,
  work: (trace: Trace, resources: WorkResources) => Promise<Result>,
): Promise<Result> {
  if (sources.every(isOpened)) return withOpened(sources, options, work);
  const { openSources } = await import('./open-sources.js');
  const { inputs, close } = await openSources(sources, options);
  try {
    return await withOpened(inputs, options, work);
  } finally {
    close();
  }
}

function isOpened(source: TraceSource | AnalyzedInput): source is AnalyzedInput {
  return typeof source !== 'string' && !(source instanceof Blob);
}

async function withOpened<Result>(
  inputs: readonly AnalyzedInput[],
  options: WithTraceOptions,
  work: (trace: Trace, resources: WorkResources) => Promise<Result>,
): Promise<Result> {
  const { jobs, canUseWorkers, memoryBytes, eventBytes, replayBytes, logBytes, temporaryDirectory } = planResources(
    options,
    options.openTraces,
  );
  const budget = new MemoryBudget(memoryBytes);
  const unwatch = watchMemory((bytes) => budget.check(bytes));
  const pool = new WorkerPool(jobs, canUseWorkers, { memoryBytes, maxBytes: budget.maxBytes }, options.sizes);
  const builder = new TraceBuilder(options, { memoryBytes: eventBytes, directory: temporaryDirectory }, pool);
  try {
    const trace = await readTrace(inputs, builder);
    const names = inputs.map(({ name }) => name);
    if (!mayBeWithoutBranches(trace, options)) refuseUnusable(trace, names, options.select ?? {}, options.byCalls);
    await nextTurn();
    return await work(trace, { pool, memoryBytes: replayBytes, logBytes });
  } catch (error) {
    throw asLaterRefusal(error, inputs);
  } finally {
    unwatch();
    // The caller need not wait for the workers to end; until they have, they may still read spilled events.
    pool.close().finally(() => builder.store.memory.close());
  }
}
