/**
 * The pool of workers that read and replay in addition to the main thread.
 */
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import type { WorkerBudget } from './memory-budget.js';
import type * as tasks from './trace-worker.js';

type LoadBalancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>;
type Tasks = typeof tasks;
type TaskName = keyof Tasks;

/** Next to this file, wherever it is built to. */
const WORKER_FILE = fileURLToPath(new URL('./trace-worker.js', import.meta.url));
/** A worker allocates few and long-lived objects: a larger young generation would only cost memory. */
const YOUNG_MEGABYTES = 4;
/** How many tasks of a kind may be at one worker: it begins the next one at once, however busy the main thread is. */
const TASKS_AT_WORKER: Readonly<Record<string, number | undefined>> = {
  readPart: 3,
  readLines: 3,
  replayNextThread: 2,
};
const MAX_TASKS_AT_WORKER = 3;
/** piscina tries require() before import(), and Node dies if a worker is terminated while require() links an ES module. */
const WORKER_ARGUMENTS = ['--no-experimental-require-module'];

/** Starts no workers until they are needed: small traces are done before workers would have started. */
export class WorkerPool {
  /** The number of workers, started or not. */
  readonly size: number;
  /** A single worker makes nothing faster, but keeps the main thread free to handle signals. */
  readonly canWork: boolean;
  /** The workers are running: a task would begin at once. */
  isAwake = false;
  private pool: Promise<Piscina> | null = null;
  private readonly budget: WorkerBudget | null;

  /** `canWork`: false if there is no memory for workers. */
  constructor(size: number, canWork = size > 1, budget: WorkerBudget | null = null) {
    this.size = size;
    this.canWork = canWork;
    this.budget = budget;
  }

  /** Starts the workers, if there are several, without waiting for them. `tasks`: more than these many have nothing to do yet. */
  wake(tasks = this.size): void {
    if (this.size > 1) this.start(tasks);
  }

  private start(tasks = this.size): void {
    if (this.pool !== null || !this.canWork) return;
    this.pool = startPool(this.size, Math.max(1, Math.min(tasks, this.size)), this.budget);
    this.run('wake', null).then(
      () => {
        this.isAwake = true;
      },
      () => {}, // closed before they started; other errors are reported by the first task
    );
  }

  /** Tasks start in the order in which they are given; each worker runs one at a time. */
  async run<Name extends TaskName>(
    name: Name,
    task: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    this.start();
    return (await (this.pool as Promise<Piscina>)).run(task, { name });
  }

  /** Terminates the workers, whatever they are doing. */
  async close(): Promise<void> {
    const pool = await this.pool?.catch(() => null); // it never started: the callers of run() got the error
    await pool?.destroy();
  }
}

/** `first`: how many workers start at once; others start when they are needed. */
async function startPool(size: number, first: number, workerData: WorkerBudget | null): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: WORKER_FILE,
    name: 'wake',
    minThreads: first,
    maxThreads: size,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    concurrentTasksPerWorker: MAX_TASKS_AT_WORKER,
    loadBalancer: leastBusy,
    stricterFIFO: true,
    recordTiming: false,
    execArgv: WORKER_ARGUMENTS,
    workerData,
  });
}

/** Returns the worker with the fewest tasks; null: none may have another one of this kind. */
const leastBusy: LoadBalancer = ({ name }, workers) => {
  const most = TASKS_AT_WORKER[name] ?? 1;
  const least = Math.min(...workers.map(({ currentUsage }) => currentUsage));
  return least < most ? (workers.find(({ currentUsage }) => currentUsage === least) ?? null) : null;
};
