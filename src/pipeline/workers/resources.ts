/**
 * Divides the memory budget and the CPUs: how many workers there are, and how much memory each part may use. The budget is for the
 * resident memory of the whole process.
 */
import { cpuCount, machineBytes } from '../../host/machine.js';
import { MIN_MEMORY_BYTES } from '../../model/memory.js';
import { PAGE_ROWS } from '../../model/trace/pages.js';

const MIB = 1024 * 1024;
/** The program, its knowledge of lines and sites, and the call trees of a typical trace. */
const PROCESS_BYTES = 160 * MIB;
/** A worker: its heap, its code, and its knowledge of lines. */
const WORKER_BYTES = 48 * MIB;
/** Of the memory for replay, what call logs may take that are kept for later questions. */
const LOG_SHARE = 1 / 4;
const MAX_LOG_BYTES = 512 * MIB;

export interface Resources {
  /** Workers that read and replay; 1: the main thread reads alone. */
  readonly jobs: number;
  /** There is enough memory for workers in addition to the main thread. */
  readonly canUseWorkers: boolean;
  /** For events kept in memory. */
  readonly eventBytes: number;
  /** For the resident memory of the whole process. */
  readonly memoryBytes: number;
  /** For all threads that are being replayed, together. */
  readonly replayBytes: number;
  /** The part of it that call logs of one trace may take. */
  readonly logBytes: number;
  /** For events that do not fit into memory; null: the system's default. */
  readonly temporaryDirectory: string | null;
}

export interface ResourceOptions {
  /** Maximum number of workers. Default: the number of CPUs. */
  readonly jobs?: number;
  /** Limit for the resident memory of the whole process. Default: a quarter of the machine's memory; at least 160 MiB. */
  readonly memoryBytes?: number;
  /** Directory for events that do not fit into memory. Default: the system's directory for temporary files. */
  readonly temporaryDirectory?: string;
  /** Smaller in tests. */
  readonly sizes?: Partial<WorkSizes>;
}

/** `traces`: how many are open at the same time; only one of them is replayed at a time. */
export function planResources(options: ResourceOptions, traces = 1): Resources {
  const memoryBytes = Math.max(options.memoryBytes ?? machineBytes() / 4, MIN_MEMORY_BYTES);
  const rest = Math.max(0, memoryBytes - PROCESS_BYTES);
  const affordable = Math.floor(rest / (1.25 * WORKER_BYTES)); // leaves some memory for the work
  const canUseWorkers = affordable >= 2;
  const allJobs = canUseWorkers ? Math.min(options.jobs ?? cpuCount(), affordable) : 1;
  const jobs = Math.max(1, Math.floor(allJobs / traces));
  const workBytes = rest - (canUseWorkers ? jobs * traces * WORKER_BYTES : 0);
  const replayBytes = (workBytes * 2) / 3;
  return {
    jobs,
    canUseWorkers,
    memoryBytes,
    eventBytes: workBytes / 3 / traces,
    replayBytes,
    logBytes: Math.min(MAX_LOG_BYTES, LOG_SHARE * replayBytes) / traces,
    temporaryDirectory: options.temporaryDirectory ?? null,
  };
}

/** How much work workers are given, and from which size on. */
export interface WorkSizes {
  /** Text beyond this wakes workers: less is read before they would have started. */
  readonly wakingBytes: number;
  /** What one worker reads at once of a text. */
  readonly pieceBytes: number;
  /** What is read here at once of a stream. perf writes 4 KiB at a time. */
  readonly streamBytes: number;
  /**
   * Fewer events are replayed by the main thread before workers would have started (`toWake`), or, if they are running,
   * have received the trace (`toShare`). With higher limits, Ctrl-C would be noticed too late. If only a part of the time
   * is replayed, most events are only read.
   */
  readonly minEvents: Record<'ofAll' | 'ofPart', { readonly toWake: number; readonly toShare: number }>;
  /** Fewer rows of call logs are read by the main thread before workers would have received the questions. */
  readonly minRows: number;
  /** What the events of a thread may take in memory at most: with more, some are in a file. In pages of so many rows. */
  readonly threadBytes: number;
  readonly pageRows: number;
  /** Likewise, where they can be read again when they are needed: new memory is slower than that. */
  readonly readAgainBytes: number;
  /** Events of a block of an imported thread that has an outline. With more, a short window reads more than it needs. */
  readonly blockEvents: number;
  /**
   * Events of a part of a thread: one that is larger than a worker's share, and has so many parts, is replayed in parts, by all
   * workers. With fewer, outlines take as long as is gained.
   */
  readonly partEvents: number;
  readonly minParts: number;
  /** Small threads are given to a worker together, up to so many events: that takes about as long as to give a task. */
  readonly batchEvents: number;
  /** Nothing is read before workers run. */
  readonly awaitsWorkers: boolean;
}

export const WORK_SIZES: WorkSizes = {
  wakingBytes: 48 * MIB,
  pieceBytes: 2 * MIB,
  streamBytes: MIB / 4,
  minEvents: {
    ofAll: { toWake: 1_500_000, toShare: 200_000 },
    ofPart: { toWake: 10_000_000, toShare: 1_500_000 },
  },
  minRows: 500_000,
  threadBytes: Number.POSITIVE_INFINITY,
  pageRows: PAGE_ROWS,
  readAgainBytes: 32 * MIB,
  blockEvents: 8192,
  partEvents: 2 ** 20,
  minParts: 4,
  batchEvents: 16_384,
  awaitsWorkers: false,
};
