/**
 * The pool of workers that read and replay in addition to the main thread.
 */
import type { WorkerBudget } from './memory-budget.js';
import { WORK_SIZES, type WorkSizes } from './resources.js';
import { startWorkers } from './start-workers.js';
import type * as tasks from './tasks.js';
import { thrown } from './thrown.js';
import type { Work } from './work.js';
import type { Moved, Sent, Workers } from './workers.js';

type Tasks = typeof tasks;
type TaskName = keyof Tasks;
type TaskOf<Name extends TaskName> = Parameters<Tasks[Name]>[0];
type Received<Result> = Result extends Moved<infer Data> ? Data : Result;
type ResultOf<Name extends TaskName> = Received<Awaited<ReturnType<Tasks[Name]>>>;

/** How many tasks of a kind may be at one worker: it begins the next one at once, however busy the main thread is. */
const TASKS_AT_WORKER: Readonly<Record<string, number | undefined>> = {
  decodePart: 2,
  readPart: 3,
  readLines: 3,
  replayNextThread: 2,
};

/** Starts no workers until they are needed: small traces are done before workers would have started. */
export class WorkerPool {
  /** The workers are running: a task would begin at once. */
  isAwake = false;
  /** Called with what workers tell of threads that they replay. */
  onWork: ((work: Work) => void) | null = null;
  private workers: Promise<Workers> | null = null;
  readonly sizes: WorkSizes;
  private awake: Promise<void> = Promise.resolve();

  /** `canWork`: false if there is no memory for workers. */
  constructor(
    /** The number of workers, started or not. */
    readonly size: number,
    /** A single worker makes nothing faster, but keeps the main thread free to handle signals. */
    readonly canWork = size > 1,
    private readonly budget: WorkerBudget | null = null,
    sizes: Partial<WorkSizes> = WORK_SIZES,
  ) {
    this.sizes = { ...WORK_SIZES, ...sizes };
  }

  /** Starts the workers, if there are several, without waiting for them. `tasks`: more than these many have nothing to do yet. */
  async wake(tasks = this.size): Promise<void> {
    if (this.size > 1) this.start(tasks);
    if (this.sizes.awaitsWorkers) await this.awake;
  }

  private start(tasks = this.size): void {
    if (this.workers !== null || !this.canWork) return;
    const first = Math.max(1, Math.min(tasks, this.size));
    const onWork = (work: Work) => this.onWork?.(work);
    const tasksAtWorker = (name: string) => TASKS_AT_WORKER[name] ?? 1;
    this.workers = startWorkers({ size: this.size, first, budget: this.budget, tasksAtWorker, onWork });
    this.awake = this.run('wake', {}).then(
      () => {
        this.isAwake = true;
      },
      () => {}, // closed before they started; other errors are reported by the first task
    );
  }

  /** Tasks start in the order in which they are given; each worker runs one at a time. */
  async run<Name extends TaskName>(name: Name, task: TaskOf<Name>): Promise<ResultOf<Name>> {
    return this.send(name, () => ({ data: task, moved: [] }));
  }

  /** Likewise with a task that is made when a worker is free, and has memory that moves to the worker. */
  async send<Name extends TaskName>(name: Name, task: () => Sent<TaskOf<Name>>): Promise<ResultOf<Name>> {
    this.start();
    const workers = await (this.workers as Promise<Workers>);
    const result = workers.run(name, task).catch((error) => {
      throw thrown(error);
    });
    return result as Promise<ResultOf<Name>>;
  }

  /** Terminates the workers, whatever they are doing. */
  async close(): Promise<void> {
    const workers = await this.workers?.catch(() => null); // it never started: the callers of run() got the error
    await workers?.close();
  }
}
