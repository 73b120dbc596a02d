/**
 * How many threads work, and who may hold how much: the budget is for the resident memory of the whole process.
 */
import { availableParallelism, totalmem } from 'node:os';
import { MIN_MEMORY_BYTES } from '../../model/min-memory.js';

const MIB = 1024 * 1024;
/** The program, what it knows of lines and sites, and call trees of an ordinary trace. */
const PROCESS_BYTES = 160 * MIB;
/** Another thread: its own heap and code, and what it knows of lines. */
const WORKER_BYTES = 48 * MIB;

export interface Resources {
  /** Threads that read and replay; 1: the main one reads alone. */
  readonly jobs: number;
  /** There is room for threads beside the main one. */
  readonly canUseWorkers: boolean;
  /** For events that are kept in memory. */
  readonly eventBytes: number;
  /** For the resident memory of the whole process. */
  readonly memoryBytes: number;
  /** For threads of the trace while they are replayed, all together. */
  readonly replayBytes: number;
  /** For what does not fit; null: where the system keeps temporary files. */
  readonly temporaryDirectory: string | null;
}

export interface ResourceOptions {
  /** How many threads may work. Default: as many as there are processors. */
  readonly jobs?: number;
  /** For the resident memory of the whole process. Default: a quarter of the machine's; 160 MiB at least. */
  readonly memoryBytes?: number;
  /** Where events are kept that do not fit into memory. Default: where the system keeps temporary files. */
  readonly temporaryDirectory?: string;
}

export function planResources(options: ResourceOptions): Resources {
  const memoryBytes = Math.max(options.memoryBytes ?? machineMemory() / 4, MIN_MEMORY_BYTES);
  const rest = Math.max(0, memoryBytes - PROCESS_BYTES);
  const affordable = Math.floor(rest / (1.25 * WORKER_BYTES)); // something is to be left for the work
  const canUseWorkers = affordable >= 2;
  const jobs = canUseWorkers ? Math.min(options.jobs ?? availableParallelism(), affordable) : 1;
  const workBytes = rest - (canUseWorkers ? jobs * WORKER_BYTES : 0);
  return {
    jobs,
    canUseWorkers,
    memoryBytes,
    eventBytes: workBytes / 3,
    replayBytes: (workBytes * 2) / 3,
    temporaryDirectory: options.temporaryDirectory ?? null,
  };
}

/** What this process may use: a container may have less than the machine. */
function machineMemory(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), constrained);
}
