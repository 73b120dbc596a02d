/**
 * A task in, the reports of the process that does it out: one that hangs is ended.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerReport, WorkerTask } from './worker.js';

/** Longer than the search for a smaller case takes. */
const SEARCH_MS = 90_000;

/** The case at which a worker came to a bad end. */
export interface Ending {
  readonly number: number;
  readonly why: string;
}

/** null: the worker did all of its task. */
export function superviseWorker(
  task: WorkerTask,
  limitMs: number,
  hear: (report: WorkerReport) => void,
): Promise<Ending | null> {
  const worker = fork(fileURLToPath(new URL('worker.js', import.meta.url)), { execArgv: ['--expose-gc'] });
  let running = task.firstCase;
  let timer: NodeJS.Timeout | undefined;
  worker.on('message', (report: WorkerReport) => {
    clearTimeout(timer);
    timer = setTimeout(() => worker.kill('SIGKILL'), report.what === 'failed' ? SEARCH_MS : limitMs);
    if (report.what === 'begins') running = report.number;
    hear(report);
  });
  worker.send(task);
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? null : { number: running, why: `hung or died (${signal ?? `exit code ${code}`})` });
    });
  });
}
