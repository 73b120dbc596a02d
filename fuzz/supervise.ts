/**
 * Runs a task in a worker process, passes on its reports, and kills it if it hangs.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerReport, WorkerTask } from './worker.js';

/** Longer than minimising takes. */
const SEARCH_MS = 90_000;

/** The case at which a worker hung or died. */
export interface Crash {
  readonly number: number;
  readonly reason: string;
}

/** Returns null if the worker finished its task. */
export function superviseWorker(
  task: WorkerTask,
  limitMs: number,
  onReport: (report: WorkerReport) => void,
): Promise<Crash | null> {
  const worker = fork(fileURLToPath(new URL('worker.js', import.meta.url)), { execArgv: ['--expose-gc'] });
  let running = task.firstCase;
  let timer: NodeJS.Timeout | undefined;
  worker.on('message', (report: WorkerReport) => {
    clearTimeout(timer);
    timer = setTimeout(() => worker.kill('SIGKILL'), report.what === 'failed' ? SEARCH_MS : limitMs);
    if (report.what === 'begins') running = report.number;
    onReport(report);
  });
  worker.send(task);
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? null : { number: running, reason: `hung or died (${signal ?? `exit code ${code}`})` });
    });
  });
}
