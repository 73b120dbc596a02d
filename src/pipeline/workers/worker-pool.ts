/**
 * Threads that read and replay beside the main one.
 */
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import type { WorkerBudget } from './memory-budget.js';
import type * as tasks from './trace-worker.js';

type Tasks = typeof tasks;
type TaskName = keyof Tasks;

/** Beside this file, wherever the program is built to. */
const WORKER_FILE = fileURLToPath(new URL('./trace-worker.js', import.meta.url));
/** New objects of a worker are few and live long: with room for many its memory would only grow. */
const YOUNG_MEGABYTES = 4;

/** Nobody is there until somebody is called: small traces are done before others would have begun. */
export class WorkerPool {
  /** How many threads there are, or would be. */
  readonly size: number;
  /** One thread helps nobody, but leaves the main one free to hear signals. */
  readonly canWork: boolean;
  /** The threads are there: a task would begin at once. */
  isAwake = false;
  private pool: Promise<Piscina> | null = null;
  private readonly budget: WorkerBudget | null;

  /** `canWork`: false if there is no room for any thread. */
  constructor(size: number, canWork = size > 1, budget: WorkerBudget | null = null) {
    this.size = size;
    this.canWork = canWork;
    this.budget = budget;
  }

  /** Calls the threads that share the work with the main one, if there are any, and returns at once. */
  wake(): void {
    if (this.size > 1) this.start();
  }

  private start(): void {
    if (this.pool !== null || !this.canWork) return;
    this.pool = startPool(this.size, this.budget);
    this.run('wake', null).then(
      () => {
        this.isAwake = true;
      },
      () => {}, // closed before it woke; what went wrong is told by the first task
    );
  }

  /** Each thread takes tasks in the order in which they are given, one at a time. */
  async run<Name extends TaskName>(name: Name, task: Parameters<Tasks[Name]>[0]): Promise<ReturnType<Tasks[Name]>> {
    this.start();
    return (await (this.pool as Promise<Piscina>)).run(task, { name });
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    const pool = await this.pool?.catch(() => null); // it never began: who gave it tasks was told
    await pool?.destroy();
  }
}

async function startPool(size: number, workerData: WorkerBudget | null): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: WORKER_FILE,
    name: 'wake',
    minThreads: size,
    maxThreads: size,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    recordTiming: false,
    workerData,
  });
}
