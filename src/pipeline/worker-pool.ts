/**
 * Threads that read and replay beside the main one.
 */
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import type * as tasks from './trace-worker.js';

type Tasks = typeof tasks;
type TaskName = keyof Tasks;

/** Beside this file, wherever the program is built to. */
const WORKER_FILE = fileURLToPath(new URL('./trace-worker.js', import.meta.url));
/** New objects of a worker are few and live long: with room for many its memory would only grow. */
const YOUNG_MEGABYTES = 4;

export class WorkerPool {
  readonly size: number;
  private pool: Piscina | null = null;
  private awake = false;

  /** Starts so many threads, and returns at once. */
  constructor(size: number) {
    this.size = size;
    this.starting = this.start();
    this.starting.catch(() => {}); // whoever runs a task hears of it
  }
  private readonly starting: Promise<Piscina>;

  /** The threads are there: a task would begin at once. */
  get isAwake(): boolean {
    return this.awake;
  }

  /** Each thread takes tasks in the order in which they are given, one at a time. */
  async run<Name extends TaskName>(name: Name, task: Parameters<Tasks[Name]>[0]): Promise<ReturnType<Tasks[Name]>> {
    const pool = this.pool ?? (await this.starting);
    return pool.run(task, { name });
  }

  async close(): Promise<void> {
    const pool = await this.starting;
    await pool.destroy();
  }

  private async start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const pool = new Piscina({
      filename: WORKER_FILE,
      name: 'wake',
      minThreads: this.size,
      maxThreads: this.size,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
      recordTiming: false,
    });
    pool.run(null, { name: 'wake' }).then(
      () => {
        this.awake = true;
      },
      () => {}, // closed before it woke
    );
    this.pool = pool;
    return pool;
  }
}
