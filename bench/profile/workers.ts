/**
 * Loaded before the program (`node --import`): workers write a profile of their own, too, though they get options of their own.
 */
import { execArgv } from 'node:process';
import threads, { type WorkerOptions } from 'node:worker_threads';

const PROFILING = execArgv.filter((option) => option.startsWith('--cpu-prof'));

class ProfiledWorker extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, execArgv: [...(options.execArgv ?? []), ...PROFILING] });
  }
}

threads.Worker = ProfiledWorker;
