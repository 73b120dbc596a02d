/**
 * Workers that share no memory: whatever they need is sent. For any host; a page has no others.
 */
import { withoutKnown } from './setup.js';
import type { Work, WorkMessage } from './work.js';
import type { Sent, Workers, WorkersOptions } from './workers.js';

/** To a worker. */
export interface TaskMessage {
  readonly name: string;
  readonly task: object;
}

/** From a worker, in the order of its tasks. */
export type Answer = { readonly result: unknown } | { readonly error: unknown };

/** What a worker sends. */
export type WorkerAnswer = Answer | WorkMessage;

/** A worker as the host has it. */
export interface HostWorker {
  send(message: TaskMessage, moved: readonly ArrayBuffer[]): void;
  terminate(): Promise<void>;
}

/** Starts a worker. `onFailure`: it has ended, or answers no more. */
export type StartWorker = (onAnswer: (answer: WorkerAnswer) => void, onFailure: (error: unknown) => void) => HostWorker;

interface Settle {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting extends Settle {
  readonly name: string;
  readonly task: () => Sent<object>;
}

export class SendingWorkers implements Workers {
  private readonly workers: Worker[] = [];
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly options: WorkersOptions,
    private readonly start: StartWorker,
  ) {
    while (this.workers.length < options.first) this.add();
  }

  /** `task` is called when a worker is free, so that what waits takes no memory. */
  run(name: string, task: () => Sent<object>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ name, task, resolve, reject });
      this.handOut();
    });
  }

  async close(): Promise<void> {
    const ended = new Error('the workers have ended');
    for (const { reject } of this.waiting.splice(0)) reject(ended);
    await Promise.all(this.workers.map((worker) => worker.end(ended)));
  }

  private add(): Worker {
    const worker = new Worker(this.start, () => this.handOut(), this.options.onWork);
    this.workers.push(worker);
    return worker;
  }

  private handOut(): void {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const worker = this.workerFor(next.name);
      if (worker === null) return;
      this.waiting.shift();
      worker.begin(next);
    }
  }

  /** Returns the worker with the fewest tasks; null: none may have another one of this kind. */
  private workerFor(name: string): Worker | null {
    const { size, tasksAtWorker } = this.options;
    const least = Math.min(...this.workers.map(({ tasks }) => tasks));
    if (least > 0 && this.workers.length < size) return this.add();
    return least < tasksAtWorker(name) ? (this.workers.find(({ tasks }) => tasks === least) ?? null) : null;
  }
}

class Worker {
  private readonly worker: HostWorker;
  /** The tasks that it has, in order. */
  private readonly begun: Settle[] = [];
  /** The setups that it has, by kind. */
  private readonly setups = new Map<string, number>();
  private failure: unknown = null;

  constructor(start: StartWorker, onFree: () => void, onWork: (work: Work) => void) {
    this.worker = start(
      (answer) => {
        if ('work' in answer) return onWork(answer.work);
        const { resolve, reject } = this.begun.shift() as Settle;
        if ('error' in answer) reject(answer.error);
        else resolve(answer.result);
        onFree();
      },
      (error) => {
        this.fail(error);
        onFree();
      },
    );
  }

  get tasks(): number {
    return this.begun.length;
  }

  begin({ name, task, resolve, reject }: Waiting): void {
    if (this.failure !== null) return reject(this.failure);
    try {
      const { data, moved } = task();
      this.worker.send({ name, task: withoutKnown(data, this.setups) }, moved);
      this.begun.push({ resolve, reject });
    } catch (error) {
      reject(error);
    }
  }

  async end(error: Error): Promise<void> {
    this.fail(error);
    await this.worker.terminate();
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    for (const { reject } of this.begun.splice(0)) reject(error);
  }
}
