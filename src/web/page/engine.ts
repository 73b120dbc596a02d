/**
 * Runs the engine: a worker of its own, so that it can be stopped at any time, whatever it does.
 */
import type { Answer, Dropped, OpenOptions, Request } from '../messages.js';

export class Engine {
  private readonly worker: Worker;
  private hear: ((answer: Answer) => void) | null = null;
  /** Why it did not start; null: it did, as far as is known. */
  private failure: string | null = null;

  /** Loads the code, also into as many workers as will be needed for certain. */
  constructor(code: Blob, workers: number) {
    this.worker = new Worker(URL.createObjectURL(code), { name: 'engine' });
    this.worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.hear?.(data));
    this.worker.addEventListener('error', ({ message }) => this.fail(message));
    this.ask({ kind: 'begin', code, workers });
  }

  /** Opens what was dropped; comes first. `hear`: receives its answers until it is stopped. */
  open(dropped: Dropped, options: OpenOptions, hear: (answer: Answer) => void): void {
    this.hear = hear;
    if (this.failure !== null) this.fail(this.failure);
    this.ask({ kind: 'open', dropped, options });
  }

  /** Ends it and its workers at once; their memory is free. */
  stop(): void {
    this.worker.terminate();
  }

  ask(request: Request): void {
    this.worker.postMessage(request);
  }

  private fail(message: string): void {
    this.failure = message;
    this.hear?.({ kind: 'failure', failure: { code: null, message, hint: '', output: [] } });
  }
}
