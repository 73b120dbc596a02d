/**
 * Inputs in, what somebody makes of their trace out: threads, memory and temporary files are there as long as the work lasts.
 */
import { watchMemory } from '../model/memory-watch.js';
import { refusedBlock } from './input/stored-trace.js';
import { type AnalyzedInput, readTrace } from './read/read-trace.js';
import { refuseUnusable } from './read/refusals.js';
import type { Trace } from './read/trace.js';
import { type ReadOptions, TraceBuilder } from './read/trace-builder.js';
import { MemoryBudget, refusedMemory } from './workers/memory-budget.js';
import { planResources, type ResourceOptions } from './workers/resources.js';
import { WorkerPool } from './workers/worker-pool.js';

export interface WithTraceOptions extends ReadOptions, ResourceOptions {
  /** Takes a trace without times. */
  readonly byCalls: boolean;
}

/** Threads that help, and memory for the threads of the trace that are replayed at a time. */
export interface WorkResources {
  readonly pool: WorkerPool;
  readonly memoryBytes: number;
}

export async function withTrace<Result>(
  inputs: readonly AnalyzedInput[],
  options: WithTraceOptions,
  work: (trace: Trace, resources: WorkResources) => Promise<Result>,
): Promise<Result> {
  const { jobs, hasRoomForThreads, memoryBytes, eventBytes, replayBytes, temporaryDirectory } = planResources(options);
  const budget = new MemoryBudget(memoryBytes);
  const unwatch = watchMemory((bytes) => budget.check(bytes));
  const pool = new WorkerPool(jobs, hasRoomForThreads, { memoryBytes, maxBytes: budget.maxBytes });
  const builder = new TraceBuilder(options, { memoryBytes: eventBytes, directory: temporaryDirectory }, pool);
  try {
    const trace = await readTrace(inputs, builder);
    refuseUnusable(trace, options.select ?? {}, options.byCalls);
    return await work(trace, { pool, memoryBytes: replayBytes });
  } catch (error) {
    throw refusedBlock(refusedMemory(error), inputs);
  } finally {
    unwatch();
    // Nobody has to wait until the threads are gone; as long as one is there, it may read what was spilled.
    pool.close().finally(() => builder.store.memory.close());
  }
}
